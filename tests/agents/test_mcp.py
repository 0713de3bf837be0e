"""The server as a program of its own, spoken to by the protocol's own client over standard input and output."""

import json
import os
import re
import sys
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from asof.agents.server import make_server
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore

Call = Callable[..., Awaitable[dict[str, Any]]]


async def session(*more: str) -> dict[str, Any]:
    """Start the server, call every tool in one session, and keep what came back."""
    server = StdioServerParameters(command=sys.executable, args=["-m", "asof", "mcp", *more], env=dict(os.environ))
    found: dict[str, Any] = {}
    async with Client(stdio_client(server)) as client:
        found["tools"] = (await client.list_tools()).tools
        found["instructions"] = client.instructions

        async def call(tool: str, **arguments: Any) -> Any:
            result = await client.call_tool(tool, arguments)
            text = "".join(getattr(part, "text", "") for part in result.content)
            return text if result.is_error else result.structured_content

        for name, (tool, arguments) in CALLS.items():
            found[name] = await call(tool, **arguments)
    return found


CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "italy": ("as_of", {"subject": "Italy", "relation": "head of government", "date": "2021-03"}),
    "changing": ("as_of", {"subject": "Italy", "relation": "head of government", "date": "2021-02"}),
    "object": ("as_of", {"object": "Angela Merkel", "date": "2010", "limit": 1}),
    "other time": ("as_of", {"subject": "Italy", "relation": "head of government", "date": "44 BC"}),
    "turned": ("timeline", {"object": "Italy", "relation": "head of government"}),
    "timeline": ("timeline", {"subject": "Italy", "relation": "head of government"}),
    "changes": ("changes", {"earlier": "2021-Q1", "later": "2021-Q2", "relation": "head of government"}),
    "few": ("changes", {"earlier": "2000", "later": "2020", "limit": 2}),
    "ask": ("ask", {"question": "Who was the prime minister of Italy before Mario Draghi?"}),
    "unknown": ("ask", {"question": "Who was the president of France in 1066?"}),
    "not understood": ("ask", {"question": "Why is the sky blue?"}),
    "search": ("search", {"name": "merk"}),
    "misspelt search": ("search", {"name": "Angela Merkell"}),
    "relations": ("relations", {}),
    "misspelt": ("as_of", {"subject": "Itly", "date": "2021"}),
    "no relation": ("as_of", {"subject": "Italy", "relation": "head of goverment", "date": "2021"}),
    "no date": ("as_of", {"subject": "Italy", "date": "2021-02-31"}),
    "nobody": ("as_of", {"date": "2021"}),
    "turned time": ("changes", {"earlier": "2021", "later": "2020"}),
    "too many": ("as_of", {"subject": "Italy", "date": "2021", "limit": 10_000}),
    "too long": ("as_of", {"subject": "x" * 10_000, "date": "2021"}),
    "hostile": ("search", {"name": "'; DROP TABLE facts; --"}),
    "query": (
        "query",
        {
            "query": {
                "ask": "lookup",
                "relation": "head of government",
                "subject": "Italy",
                "which": {"pick": "neighbour", "side": "before", "of": "Mario Draghi"},
            }
        },
    ),
    "no such key": ("query", {"query": {"ask": "lookup", "relaton": "head of government", "subject": "Italy"}}),
    "no such relation": ("query", {"query": {"ask": "lookup", "relation": "hed of government", "subject": "Italy"}}),
    "no such time": ("query", {"query": {"ask": "lookup", "relation": "capital", "subject": "Italy", "when": "soon"}}),
    "no entity": ("ask", {"question": "Who led Italy?", "entities": ["Q0"]}),
    "still there": ("as_of", {"subject": "Italy", "relation": "P6", "date": "2021-03-15"}),
}


@pytest.fixture(scope="module")
def said() -> dict[str, Any]:
    with ThreadPoolExecutor(1) as apart:  # tests of pages leave a loop running in this thread
        return apart.submit(anyio.run, session).result()


def test_tools_are_described(said: dict[str, Any]) -> None:
    tools = {tool.name: tool for tool in said["tools"]}
    assert set(tools) == {"as_of", "timeline", "changes", "check", "ask", "query", "verify", "search", "relations"}
    for tool in tools.values():
        assert tool.description and tool.output_schema and tool.annotations.read_only_hint
    assert tools["as_of"].input_schema["properties"]["limit"]["maximum"] == 200
    asked = tools["query"].input_schema["properties"]["query"]
    assert "head of government" in asked["properties"]["relation"]["anyOf"][0]["enum"]
    assert not re.search(r"\$ref", json.dumps(tools["query"].input_schema)), "small assistants follow no references"
    assert "almanac" in said["instructions"] and "2024-12-31" in said["instructions"]


def test_a_fact_comes_with_its_evidence(said: dict[str, Any]) -> None:
    (fact,) = said["italy"]["facts"]
    assert (fact["object"], fact["start"], fact["holds"]) == ("Mario Draghi", "2021-02-13", "correct")
    assert (fact["start_precision"], fact["relation_id"]) == ("day", "P6")
    assert fact["source"] and said["italy"]["known_to"] == "2024-12-31" and said["italy"]["base"] == "almanac"
    both = {fact["object"]: fact for fact in said["changing"]["facts"]}
    assert both["Mario Draghi"]["holds"] == "transitional" and both["Mario Draghi"]["why"] == "starts 2021-02-13"
    assert len(both) == 2 and "Transitional facts hold" in said["changing"]["notes"][0]
    assert said["still there"]["total"] == 1


def test_replies_are_limited_and_say_so(said: dict[str, Any]) -> None:
    assert len(said["object"]["facts"]) == 1 < said["object"]["total"]
    assert len(said["few"]["changes"]) == 2 < said["few"]["total"] == sum(said["few"]["counts"].values())
    assert "more not listed" in said["few"]["notes"][-1]
    assert "less than or equal to 200" in said["too many"] and "at most 300 characters" in said["too long"]


def test_a_query_is_answered_or_told_what_is_wrong_with_it(said: dict[str, Any]) -> None:
    (answer,) = said["query"]["answers"]
    assert answer["text"] == "Giuseppe Conte" and said["query"]["query"]["which"]["of"] == "Mario Draghi"
    assert "Did you mean 'relation'?" in said["no such key"]
    assert "head of government" in said["no such relation"] and "tool relations" in said["no such relation"]
    assert "'soon' is not a valid date" in said["no such time"]


def test_timelines_and_changes(said: dict[str, Any]) -> None:
    names = [fact["object"] for fact in said["timeline"]["facts"]]
    assert names.index("Giuseppe Conte") < names.index("Mario Draghi") and said["timeline"]["total"] == len(names)
    assert {change["status"] for change in said["changes"]["changes"]} <= {"new", "updated", "deleted"}
    assert said["changes"]["earlier"] == "2021-Q1"


def test_what_is_not_there_is_told_with_what_is(said: dict[str, Any]) -> None:
    assert "none that holds in" in said["other time"]["notes"][0]
    assert "With subject and object exchanged" in said["turned"]["notes"][0]
    assert said["unknown"]["status"] == "unknown" and said["not understood"]["status"] == "not understood"


def test_questions_and_names(said: dict[str, Any]) -> None:
    assert said["ask"]["answers"][0]["text"] == "Giuseppe Conte"
    assert said["ask"]["answers"][0]["facts"][0]["end_precision"] == "day"
    assert "Angela Merkel" in [thing["label"] for thing in said["search"]["found"]]
    assert "Angela Merkel" in said["misspelt search"]["notes"][0]
    assert any(thing["label"] == "head of government" for thing in said["relations"]["found"])
    assert said["hostile"]["found"] == []


def test_errors_help_the_assistant(said: dict[str, Any]) -> None:
    assert "Did you mean" in said["misspelt"] and "Italy" in said["misspelt"]
    assert "Did you mean 'head of government'? The tool relations lists them." in said["no relation"]
    assert "2021-02-31" in said["no date"] and "28 days" in said["no date"]
    assert "Give a subject, an object, or both" in said["nobody"]
    assert "comes after" in said["turned time"] and "no entity 'Q0'" in said["no entity"]
    assert "Traceback" not in json.dumps({name: said[name] for name in CALLS})


def test_a_wrong_base_is_told_before_anything_starts() -> None:
    with pytest.raises(UserError, match="does not exist"):
        asof.main(["mcp", "no/such/base"], standalone_mode=False)


def test_over_http_other_host_names_are_refused(almanac: FactStore) -> None:
    """A page of somebody else in the user's browser cannot speak to the server through a name of its own."""
    from starlette.testclient import TestClient

    app = make_server(almanac).streamable_http_app(host="127.0.0.1", stateless_http=True, json_response=True)
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "as_of", "arguments": {"subject": "Italy", "relation": "P6", "date": "2021-03"}},
    }
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    with TestClient(app, base_url="http://127.0.0.1:8322") as browser:
        found = browser.post("/mcp", json=call, headers=headers).json()
        assert found["result"]["structuredContent"]["facts"][0]["object"] == "Mario Draghi"
        assert browser.post("/mcp", json=call, headers=headers | {"host": "evil.example"}).status_code == 421
        assert browser.post("/mcp", json=call, headers=headers | {"origin": "http://evil.example"}).status_code == 403
