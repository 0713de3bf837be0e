"""A server that others can reach answers whoever has its token, and nobody else."""

from __future__ import annotations

import http.client
import re
import statistics
import time
from collections.abc import Iterator
from threading import Thread

import httpx
import pytest
import uvicorn
from click.testing import CliRunner

from asof.agents.over_http import address_over_http, http_app
from asof.agents.server import make_server
from asof.cli import asof as command
from asof.errors import UserError
from asof.facts import FactStore
from asof.web.desks import Desks
from asof.web.explorer import Explorer
from asof.web.server import address_of, guarded, open_port, serve
from asof.web.token import TokenGuard, token_for

TOKEN = "correct-horse-battery"  # noqa: S105
BEARER = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Accept": "application/json"}


@pytest.fixture(scope="module")
def address(tiny: FactStore) -> Iterator[str]:
    """An explorer that listens on all addresses of this machine."""
    explorer = Explorer(tiny.folder, desks=Desks(tiny.folder, count=1))
    listening = open_port(0, "0.0.0.0")  # noqa: S104
    port = listening.getsockname()[1]
    config = uvicorn.Config(guarded(explorer, "0.0.0.0", port, TOKEN), log_level="critical", lifespan="off")  # noqa: S104
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join(10)


@pytest.mark.parametrize(
    "headers",
    [
        {}, {"Authorization": TOKEN}, {"Authorization": "Bearer"}, {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"}, {"Authorization": f"Basic {TOKEN}"}, {"Cookie": "asof_token=x"},
        {"Cookie": "asof_token"}, {"Cookie": f"other={TOKEN}"}, {"Authorization": "Bearer é"}, {"X-Token": TOKEN},
    ],
)  # fmt: skip
def test_nobody_else(address: str, headers: dict[str, str]) -> None:
    sent = {name: value.encode() for name, value in headers.items()}
    for path in ("/", "/api", "/static/explorer.css", "/suggest?q=a", "/nothing", f"/?token={TOKEN}x", "/?token="):
        reply = httpx.get(address + path, headers=sent)
        assert (reply.status_code, reply.headers["WWW-Authenticate"]) == (401, "Bearer")
        assert TOKEN not in reply.text and "Authorization: Bearer TOKEN" in reply.text
        assert "default-src 'none'" in reply.headers["Content-Security-Policy"]
    assert httpx.post(f"{address}/proposals?token={TOKEN}", headers=sent, json={}).status_code == 401


def test_programs_send_a_header_under_any_name_of_the_machine(address: str) -> None:
    for more in ({}, {"Host": "elsewhere.example"}, {"Host": "192.0.2.7:8321"}):
        reply = httpx.get(f"{address}/", headers=BEARER | JSON | more)
        assert reply.status_code == 200 and reply.json()["base"]["facts"] > 50


def test_a_browser_opens_the_address_once(address: str) -> None:
    with httpx.Client(base_url=address) as browser:
        first = browser.get(f"/?q=a&token={TOKEN}&on=")
        assert (first.status_code, first.headers["Location"]) == (303, "/?q=a&on=")
        cookie = first.headers["Set-Cookie"]
        assert "HttpOnly" in cookie and "SameSite=strict" in cookie
        assert browser.get("/").status_code == 200
        assert browser.get("/static/explorer.css").status_code == 200
    connection = http.client.HTTPConnection(address.removeprefix("http://"))
    connection.request("GET", f"//evil.example/x?token={TOKEN}")
    assert connection.getresponse().headers["Location"] == "/evil.example/x"  # of this host
    connection.close()


def test_without_a_token_only_this_machine(tiny: FactStore) -> None:
    assert token_for("127.0.0.1", None) is None and token_for("localhost", None) is None
    made = {token_for("0.0.0.0", None) for _ in range(20)}  # noqa: S104
    assert len(made) == 20 and all(made) and min(map(len, map(str, made))) >= 32
    assert token_for("127.0.0.1", TOKEN) == TOKEN
    with pytest.raises(UserError, match=r"The token has 5 characters; it needs 16 or more"):
        token_for("0.0.0.0", "short")  # noqa: S104
    listening = open_port(0, "0.0.0.0")  # noqa: S104
    with listening, pytest.raises(UserError, match=r"Others can reach 0\.0\.0\.0"):
        serve(Explorer(tiny.folder, desks=Desks(tiny.folder, count=1)), listening, ready=print)
    with pytest.raises(UserError, match=r"Others can reach 0\.0\.0\.0"):
        http_app(make_server(tiny), host="0.0.0.0", token=None)  # noqa: S104


def test_an_address_that_is_not_ours() -> None:
    with pytest.raises(UserError, match=r"'no\.such\.host\.invalid' is not an address of this machine"):
        open_port(0, "no.such.host.invalid")
    with pytest.raises(UserError, match=r"192\.0\.2\.7 is not an address of this machine"):
        open_port(None, "192.0.2.7")
    refused = CliRunner().invoke(command, ["serve", "--host", "0.0.0.0", "--token", "short"])  # noqa: S104
    assert "it needs 16 or more" in str(refused.exception)
    assert address_of("0.0.0.0", 1, None).startswith("http://")  # noqa: S104
    assert re.fullmatch(r"http://[^0].*:2/mcp", address_over_http("0.0.0.0", 2))  # noqa: S104


def test_the_tools_over_http(tiny: FactStore) -> None:
    from starlette.testclient import TestClient

    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "relations", "arguments": {}}}
    headers = {"accept": "application/json, text/event-stream", "mcp-protocol-version": "2025-06-18"}
    app = http_app(make_server(tiny), host="0.0.0.0", token=TOKEN)  # noqa: S104
    with TestClient(app, base_url="http://machine.example:8322") as client:
        assert client.post("/mcp", json=call, headers=headers).status_code == 401
        assert client.post("/mcp", json=call, headers=headers | {"Authorization": "Bearer no"}).status_code == 401
        found = client.post("/mcp", json=call, headers=headers | BEARER)
        assert found.status_code == 200 and found.json()["result"]["structuredContent"]["found"]
    here = http_app(make_server(tiny), host="127.0.0.1", token=None)
    with TestClient(here, base_url="http://127.0.0.1:8322") as client:
        assert client.post("/mcp", json=call, headers=headers).status_code == 200
        assert client.post("/mcp", json=call, headers=headers | {"host": "evil.example"}).status_code == 421


def test_how_long_it_takes_does_not_tell_how_much_is_right() -> None:
    """Nearly all of the token right takes as long as none of it: it is not compared letter by letter."""
    guard = TokenGuard(lambda scope, receive, send: None, "a" * 20_000)  # type: ignore[arg-type, return-value]

    def seconds(sent: str) -> float:
        begun = time.perf_counter()
        for _ in range(20):
            guard._is_right(sent)
        return time.perf_counter() - begun

    none, most = "b" * 20_000, "a" * 19_999 + "b"
    ratios = [seconds(most) / seconds(none) for _ in range(30)]
    assert 0.5 < statistics.median(ratios) < 2
