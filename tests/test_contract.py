"""One contract: the same rows from the command line, the explorer, the tools of assistants and Python.

Every result is held against its JSON Schema, on the almanac and on a base of somebody else: odd names, ids without
labels, years alone, years before Christ, open ends.
"""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator
from mcp import Client, StdioServerParameters, stdio_client

import asof as package
from asof.cli import asof
from asof.cli.schema import command, schema
from asof.facts import FactStore, InversionPolicy, find_entity, write_base
from asof.reading.ask import query_schema, read_query
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.reader import QuestionReader, ask
from asof.reading.verify.verification import TextVerifier
from asof.sources import open_source
from asof.timeline import parse_when
from asof.web.desks import Desks
from asof.web.explorer import Explorer
from tests.completion.players import write_toy
from tests.conftest import KNOWN_BY
from tests.web.conftest import served

GOLDEN = Path(__file__).parent / "data" / "schemas.json"
NAMES: list[str] = command.params[0].type.choices  # type: ignore[attr-defined]

Row = dict[str, Any]

_HEADER = ("subject", "subject_label", "relation", "relation_label", "object", "object_label", "start", "end")
_FOREIGN = [
    ("c:1", 'Łódź "the 2nd", <b>', "P6", "head of government", "p:1", "O'Neil\u200f, שרה", "1999", "2004"),
    ("c:1", 'Łódź "the 2nd", <b>', "P6", "head of government", "p:2", "💡 & Söhne", "2003-05", "ongoing"),
    ("c:1", 'Łódź "the 2nd", <b>', "P6", "head of government", "p/3?x=1", "", "", "1998"),
    ("Ω no label", "", "P6", "head of government", "p:4", "Nobody's\tTab", "-0044-03-15", "unknown"),
    ("Ω no label", "", "made up by", "", "100 %", "", "1850s", ""),
    ("Ω no label", "", "made up by", "", "p:1", "O'Neil\u200f, שרה", "-0500", "-0323-06"),
    ("Acme", "Acme", "P169", "chief executive officer", "p:5", "Ann", "2001", "2010-05-01"),
    ("Acme", "Acme", "P169", "chief executive officer", "p:6", "Bob", "2010-05-01", "ongoing"),
    ("Acme", "Acme", "P169", "chief executive officer", "p:7", "Eve", "2012", "2011"),
    ("Acme", "Acme", "P169", "chief executive officer", "p:8", "Zoe", "2004", "2007"),
]


_TEXTS = (
    "Bob is the CEO of Acme. Ann is the chief executive officer of Acme. Is she? Eve was CEO of Acme in 2012.",
    "Mario Monti is the prime minister of Italy. Mario Draghi will be. Romano Prodi is the prime minister of Italy.",
)


@dataclass(frozen=True)
class Asked:
    """A base, and what is asked of it at every door."""

    folder: str
    subjects: tuple[str, ...]
    dates: tuple[str, ...]
    periods: tuple[str, str]
    questions: tuple[str, ...]
    queries: tuple[Row, ...]


@pytest.fixture(scope="module", params=["almanac", "foreign"])
def asked(request: pytest.FixtureRequest, almanac: FactStore, tmp_path_factory: pytest.TempPathFactory) -> Asked:
    if request.param == "almanac":
        questions = (
            "Who was the prime minister of Italy before Mario Draghi?", "Who was the pope in 1978?",
            "Was Bonn the capital of Germany in 1980?", "Who was the president of France in 1066?",
            "Which position did John Smith hold in 1840?", "Why is the sky blue?", "How many popes were there?",
            "Who was chancellor of Germany longer, Angela Merkel or Helmut Kohl?", "Who is the king of Norway in 2030?",
        )  # fmt: skip
        dates = ("2021-02", "44 BC", "1990s", "2030")
        italy = {"ask": "lookup", "relation": "head of government", "subject": "Italy"}
        queries: tuple[Row, ...] = (
            italy | {"when": "2012"}, italy | {"which": {"pick": "neighbour", "side": "before", "of": "Draghi"}},
            italy | {"when": {"facts": {"ask": "lookup", "relation": "head of state", "object": "Obama"}}},
            italy | {"when": "1066"},
            {"ask": "lookup", "relation": "position held", "subject": "John Smith", "when": "1840"},
            {"ask": "yes-no", "relation": "capital", "subject": "Germany", "object": "Bonn", "when": "1980"},
            {"ask": "compare", "one": italy | {"object": "Mario Monti"}, "other": italy | {"object": "Enrico Letta"},
             "by": "longer"},
        )  # fmt: skip
        return Asked(str(almanac.folder), ("Italy", "Q567", "Q1048"), dates, ("2021-Q1", "2021-Q2"), questions, queries)
    folder = tmp_path_factory.mktemp("foreign")
    with (folder / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([_HEADER, *_FOREIGN])
    write_base(
        folder / "base", [open_source(str(folder / "rows.csv"))], inverted=InversionPolicy.KEEP, known_by=KNOWN_BY
    )
    return Asked(
        str(folder / "base"), ("c:1", "Ω no label", "Acme", "Ann"), ("2003", "44 BC", "1855", "2011", "2030"),
        ("2003", "2011"), ("Who was CEO of Acme in 2020?", "Who was CEO of Acme in 2010?", "Who was it?",
        "Who was CEO of Acme in 1950?", "Who was the head of government of Ω no label?"),
        (
            {"ask": "lookup", "relation": "made up by", "subject": "Ω no label"},
            {"ask": "when", "relation": "chief executive officer", "subject": "Acme", "object": "Bob"},
            {"ask": "count", "relation": "head of government", "subject": "c:1"},
        ),
    )  # fmt: skip


@pytest.fixture(scope="module")
def store(asked: Asked) -> FactStore:
    return FactStore(asked.folder)


@pytest.fixture(scope="module")
def web(asked: Asked) -> Iterator[httpx.Client]:
    with served(Explorer(Path(asked.folder), desks=Desks(Path(asked.folder), count=1))) as client:
        client.headers["Accept"] = "application/json"
        yield client


class Tools:
    """The server of tools in a process of its own; every call of a test goes in one session."""

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def call(self, *calls: tuple[str, Row]) -> list[Row]:
        with ThreadPoolExecutor(1) as apart:  # tests of pages leave a loop running in this thread
            return apart.submit(anyio.run, self._call, calls).result()

    def described(self) -> Row:
        with ThreadPoolExecutor(1) as apart:
            return apart.submit(anyio.run, self._described).result()

    @property
    def _server(self) -> StdioServerParameters:
        return StdioServerParameters(
            command=sys.executable, args=["-m", "asof", "mcp", self.folder], env=dict(os.environ)
        )

    async def _call(self, calls: tuple[tuple[str, Row], ...]) -> list[Row]:
        found = []
        async with Client(stdio_client(self._server)) as client:
            for tool, arguments in calls:
                result = await client.call_tool(tool, arguments)
                assert not result.is_error, result.content
                assert result.structured_content is not None
                found.append(result.structured_content)
        return found

    async def _described(self) -> Row:
        async with Client(stdio_client(self._server)) as client:
            return {tool.name: tool.output_schema for tool in (await client.list_tools()).tools}


@pytest.fixture(scope="module")
def tools(asked: Asked) -> Tools:
    return Tools(asked.folder)


def shell(*words: str) -> list[Row]:
    """Run a command with --json; questions that are not understood end with 1, contradictions with 3."""
    ran = CliRunner().invoke(asof, [*words, "--json"])
    assert ran.exit_code in (0, 1, 3), ran.output
    return [json.loads(line) for line in ran.stdout.splitlines()]


def keeps(name: str, *rows: Row) -> None:
    """Hold rows against a schema; keys come in its order, too."""
    wanted = schema(name)
    for row in rows:
        Draft202012Validator(wanted).validate(row)
        assert list(row) == list(wanted["properties"])


def without_descriptions(value: Any) -> Any:
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key != "description" or not isinstance(one, str)}
        return {key: without_descriptions(one) for key, one in kept.items()}
    return [without_descriptions(one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize("name", NAMES)
def test_a_schema_changes_only_with_its_version(name: str) -> None:
    made = schema(name)
    Draft202012Validator.check_schema(made)
    known = json.loads(GOLDEN.read_text(encoding="utf-8"))
    if os.environ.get("ASOF_WRITE_SCHEMAS"):
        GOLDEN.write_text(
            json.dumps(known | {made["$id"]: without_descriptions(made)}, indent=1, ensure_ascii=False) + "\n",
            encoding="utf-8",
        )
        return
    assert made["$id"] == f"urn:asof:{name}:{made['version']}"
    assert known.get(made["$id"]) == without_descriptions(made), "raise the version, then write with ASOF_WRITE_SCHEMAS"


def test_a_schema_refuses_what_is_not_in_it(tiny: FactStore) -> None:
    row = next(iter(tiny.facts())).as_row()
    keeps("fact", row)
    wrong: list[Row] = [
        row | {"end": 5}, row | {"holds": "surely"}, row | {"label": "x"}, row | {"end_precision": "open"},
        {key: value for key, value in row.items() if key != "why"},
    ]  # fmt: skip
    assert not any(Draft202012Validator(schema("fact")).is_valid(one) for one in wrong)


def test_the_command_prints_schemas() -> None:
    argv = [sys.executable, "-m", "asof", "schema"]
    printed = subprocess.run([*argv, "answer"], capture_output=True, text=True, check=True, encoding="utf-8").stdout
    assert json.loads(printed) == schema("answer")
    assert [row["schema"] for row in shell("schema")] == list(NAMES)


def test_facts_on_a_date_are_the_same_rows_at_every_door(
    asked: Asked, store: FactStore, web: httpx.Client, tools: Tools
) -> None:
    pairs = [(subject, date) for subject in asked.subjects for date in asked.dates]
    told = tools.call(*(("as_of", {"subject": name, "date": date, "limit": 200}) for name, date in pairs))
    verdicts = set()
    for (name, date), reply in zip(pairs, told, strict=True):
        id, on = find_entity(store, name).id, parse_when(date)
        found = store.facts(subject=id, on=on)
        python = [fact.as_row(known_to=store.known_by, on=on) for fact in found]
        assert [row["holds"] for row in python] == [str(verdict) for verdict in found.verdicts]
        page = web.get(f"/entity/{id}", params={"on": date}).json()
        groups = [group for group in page["groups"] if group["side"] == "subject"]
        shown = [row for group in groups for row in group["facts"]]
        keeps("fact", *python, *shown)
        assert shell("facts", "--base", asked.folder, "--subject", name, "--on", date) == python == reply["facts"]
        assert in_order(row for row in shown if row["holds"] != "incorrect") == in_order(python)
        assert page["known_to"] == reply["known_to"] == "2024-12-31"
        verdicts |= {(row["holds"], row["possibly"], row["why"] is None) for row in shown}
    assert verdicts >= {("correct", False, True), ("transitional", False, False), ("incorrect", False, False)}
    assert ("transitional", True, False) in verdicts  # what is ongoing, after the day up to which the base is known


def test_timelines_and_relations_are_the_same_rows(
    asked: Asked, store: FactStore, web: httpx.Client, tools: Tools
) -> None:
    told = tools.call(*(("timeline", {"subject": name, "limit": 200}) for name in asked.subjects))
    relations, ends = set(), set()
    for name, reply in zip(asked.subjects, told, strict=True):
        id = find_entity(store, name).id
        python = [fact.as_row(known_to=store.known_by) for fact in store.facts(subject=id)]
        keeps("fact", *python)
        assert shell("timeline", name, "--base", asked.folder)[:200] == reply["facts"]
        assert in_order(shell("facts", "--base", asked.folder, "--subject", name)) == in_order(python)
        assert all(row["holds"] is row["why"] is row["possibly"] is None for row in python)
        relations |= {row["relation_id"] for row in python}
        ends |= {row["end_precision"] for row in python if row["end"] is None}
    for relation in relations:
        page = web.get(f"/relation/{relation}", params={"subject": find_entity(store, asked.subjects[0]).id}).json()
        keeps("fact", *page["facts"])
    assert "ongoing" in ends


def test_answers_are_the_same_at_every_door(asked: Asked, store: FactStore, web: httpx.Client, tools: Tools) -> None:
    told = tools.call(*(("ask", {"question": question, "limit": 200}) for question in asked.questions))
    for question, reply in zip(asked.questions, told, strict=True):
        answer = ask(store, question)
        python = answer.as_row()
        keeps("answer", python)
        for row in [*python["nearest"], *(fact for one in python["answers"] for fact in one["facts"])]:
            keeps("fact", row)
        assert shell("ask", question, "--base", asked.folder) == [python]
        assert web.get("/ask", params={"q": question}).json() == answer.as_row(limit=100)
        assert reply == answer.as_row(limit=200)
        if python["status"] in ("ambiguous", "not understood"):
            assert python["candidates"] or python["not_understood"] or python["notes"]
            keeps("entity", *python["candidates"])


def test_queries_are_answered_the_same_at_every_door(
    asked: Asked, store: FactStore, web: httpx.Client, tools: Tools
) -> None:
    told = tools.call(*(("query", {"query": query, "limit": 200}) for query in asked.queries))
    for query, reply in zip(asked.queries, told, strict=True):
        python = evaluate(read_query(query), store).as_row()
        keeps("answer", python)
        Draft202012Validator(query_schema(store)).validate(query)
        assert python["query"] == query
        assert shell("query", json.dumps(query), "--base", asked.folder) == [python]
        assert web.get("/query", params={"q": json.dumps(query)}).json() == evaluate(read_query(query), store).as_row(
            limit=100
        )
        assert reply == evaluate(read_query(query), store).as_row(limit=200)
    assert web.get("/query/schema").json() == query_schema(store) == shell("schema", "query", "--base", asked.folder)[0]


def test_a_text_is_verified_the_same_at_every_door(
    asked: Asked, store: FactStore, web: httpx.Client, tools: Tools
) -> None:
    told = tools.call(*(("verify", {"text": text, "on": "2012"}) for text in _TEXTS))
    verdicts: set[str] = set()
    for text, reply in zip(_TEXTS, told, strict=True):
        python = TextVerifier(store, on=parse_when("2012")).verify(text).as_row()
        keeps("verification", python)
        for claim in python["claims"]:
            keeps("claim", claim)
            keeps("fact", *claim["facts"], *claim["instead"])
        assert shell("verify", text, "--on", "2012", "--base", asked.folder) == [python] == [reply]
        assert web.get("/verify", params={"text": text, "on": "2012"}).json() == python
        assert web.post("/verify", json={"text": text, "on": "2012"}).json() == python
        assert package.open(asked.folder).verify(text, on="2012").verification == python
        verdicts |= {claim["verdict"] for claim in python["claims"]} | {one["why"] for one in python["left_alone"]}
    assert {"holds", "outdated", "it is a question"} <= verdicts
    assert web.post("/verify", content=b"{").json()["error"].startswith("This is not a text to verify")


def test_a_question_gives_the_query_that_answers_it_again(asked: Asked, store: FactStore) -> None:
    reader = QuestionReader(store)
    rows = [row for question in asked.questions if (row := reader.ask(question).as_row())["query"]]
    assert len(rows) > 2
    for row in rows:
        keeps("answer", row)
        again = evaluate(read_query(row["query"]), store).as_row()
        assert again["answers"] == row["answers"] and again["status"] == row["status"]


def test_every_status_and_verdict_of_an_answer_is_tried(almanac: FactStore) -> None:
    rows = [ask(almanac, question).as_row() for question in (
        "Who was the pope in 1978?", "Who was the president of France in 1066?", "Why is the sky blue?",
        "Which position did John Smith hold in 1840?", "Who is the king of Norway in 2030?",
    )]  # fmt: skip
    assert [row["status"] for row in rows] == ["answered", "unknown", "not understood", "ambiguous", "unknown"]
    assert {one["holds"] for one in rows[0]["answers"]} == {"transitional"}
    assert rows[2]["not_understood"] == ["Why", "blue"] and rows[3]["not_understood"] == ["John Smith"]


def test_changes_and_contradictions_are_the_same_rows(asked: Asked, web: httpx.Client, tools: Tools) -> None:
    earlier, later = asked.periods
    (told,) = tools.call(("changes", {"earlier": earlier, "later": later, "limit": 20}))
    printed = shell("diff", earlier, later, "--base", asked.folder)
    page = web.get("/changes", params={"from": earlier, "to": later}).json()
    keeps("change", *printed, *page["changes"])
    assert printed[:20] == told["changes"] == page["changes"][:20] and printed
    by_period = shell("diff", later, later, "--each", "--base", asked.folder)
    keeps("change", *by_period)


def test_problems_are_the_same_rows(asked: Asked, web: httpx.Client, tools: Tools) -> None:
    problems, checked = shell("check", "--base", asked.folder), web.get("/check").json()
    (told,) = tools.call(("check", {"limit": 200}))
    keeps("problem", *problems)
    assert problems[:100] == checked["problems"] and problems
    assert problems == package.open(asked.folder).check().to_pylist()
    assert problems[:200] == told["problems"] and told["total"] == len(problems)
    if asked.folder.endswith("base"):
        assert {row["problem"] for row in problems} == {"inverted", "two-holders"}


def test_relations_are_the_same_rows(asked: Asked) -> None:
    printed = shell("relations", asked.folder)
    keeps("relation", *printed)
    assert printed == package.open(asked.folder).relations().to_pylist() and printed


def test_versions_of_a_base_are_rows(asked: Asked, almanac: FactStore, tmp_path: Path) -> None:
    if asked.folder == str(almanac.folder):
        pytest.skip("one version of it is here")
    later = [(*row[:7], "2020" if row[7] == "ongoing" else row[7]) for row in _FOREIGN[1:]]
    with (tmp_path / "rows.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([_HEADER, *later])
    write_base(tmp_path / "base", [open_source(str(tmp_path / "rows.csv"))], known_by=KNOWN_BY)
    rows = shell("diff", asked.folder, str(tmp_path / "base"))
    keeps("version-change", *rows)
    assert {row["change"] for row in rows} >= {"ended", "gone"}
    ended = next(row for row in rows if row["change"] == "ended")
    assert (ended["old_end"], ended["old_end_precision"], ended["new_end"]) == (None, "ongoing", "2020")


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("completion")
    how = {"to": folder / "model", "epochs": 1, "rank": 2, "seed": 0}
    return str(package.train("timeplex-base", write_toy(folder / "toy"), **how).folder)


def test_predictions_are_the_same_rows(model: str) -> None:
    club = {"relation": "playsFor", "object": "Club 4"}
    asked: list[tuple[Row, set[str]]] = [
        ({"subject": "Player 09", "relation": "playsFor", "on": "1988"}, {"object"}),
        (club | {"top": 3}, {"subject"}),
        ({"subject": "Nobody Knows Him", "relation": "playsFor"}, {"object"}),
        (club | {"subject": "Player 04"}, {"interval"}),
        ({"subject": "Player 09", "relation": "playsFor", "after": "1988"}, {"ends", "next is"}),
        (club | {"after": "1990"}, {"ends", "next is"}),
    ]
    opened = package.open_completion(model)
    for question, wanted in asked:
        options = [word for name, value in question.items() for word in (f"--{name}", str(value))]
        printed = shell("predict", model, *options, *(["--when"] if wanted == {"interval"} else []))
        keeps("prediction", *printed)
        assert {row["what"] for row in printed} >= wanted
        assert opened.predict(**question).to_pylist() == printed
        assert all(row["curve"] is None for row in printed[1:]) and (printed[0]["curve"] is None) == (
            wanted != {"interval"}
        )


def test_programs_that_look_things_up_read_the_same_schema(web: httpx.Client, tools: Tools) -> None:
    """OpenAPI and the schemas of tools name the same keys."""
    parts = web.get("/openapi.json").json()["components"]["schemas"]
    described = tools.described()
    rows = {
        "FactRow": "fact",
        "AnswerRow": "answer",
        "ChangeRow": "change",
        "ProblemRow": "problem",
        "Entity": "entity",
        "ClaimRow": "claim",
        "VerificationRow": "verification",
    }
    for part, name in rows.items():
        assert list(parts[part]["properties"]) == list(schema(name)["properties"]), part
    assert parts["FactRow"]["properties"]["known_to"]["description"]
    for tool, name in (("as_of", "fact"), ("timeline", "fact"), ("changes", "change"), ("check", "problem")):
        part = {"fact": "FactRow", "change": "ChangeRow", "problem": "ProblemRow"}[name]
        assert list(described[tool]["$defs"][part]["properties"]) == list(schema(name)["properties"])
    assert list(described["ask"]["properties"]) == list(schema("answer")["properties"])
    assert list(described["verify"]["properties"]) == list(schema("verification")["properties"])


def in_order(rows: Any) -> list[str]:
    return sorted(json.dumps(row) for row in rows)
