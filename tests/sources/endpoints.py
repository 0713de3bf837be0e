"""Real SPARQL engines for the tests, and a proxy before them that misbehaves on order."""

import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

_SECONDS_TO_START = 60
_VIRTUOSO = Path(os.environ.get("ASOF_VIRTUOSO") or Path.home() / ".cache" / "asof" / "virtuoso")
_VIRTUOSO_SETTINGS = """
[Database]
DatabaseFile=virtuoso.db
ErrorLogFile=virtuoso.log
LockFile=virtuoso.lck
TransactionFile=virtuoso.trx
xa_persistent_file=virtuoso.pxa
[TempDatabase]
DatabaseFile=temp.db
TransactionFile=temp.trx
[Parameters]
ServerPort=127.0.0.1:{sql_port}
ServerThreads=10
NumberOfBuffers=10000
MaxDirtyBuffers=6000
DirsAllowed=.
ThreadsPerQuery=1
[HTTPServer]
ServerPort=127.0.0.1:{port}
ServerThreads=5
[SPARQL]
ResultSetMaxRows={most_rows}
MaxQueryExecutionTime=60
"""


@contextmanager
def oxigraph(triples: str, folder: Path) -> Iterator[str]:
    """Start Oxigraph with some triples; give its address."""
    binary = Path(sys.executable).with_name("oxigraph")
    if not binary.is_file():
        pytest.skip("no oxigraph beside Python: pip install oxigraph")
    file = folder / "triples.nt"
    file.write_text(triples, encoding="utf-8")
    subprocess.run([binary, "load", "--location", folder / "store", "--file", file], check=True, capture_output=True)
    port = _free_port()
    with _running([binary, "serve", "--location", folder / "store", "--bind", f"127.0.0.1:{port}"], folder):
        yield _when_up(f"http://127.0.0.1:{port}/query")


@contextmanager
def virtuoso(triples: str, folder: Path, *, most_rows: int = 10_000) -> Iterator[str]:
    """Start Virtuoso with some triples; give its address."""
    binaries = _VIRTUOSO / "usr" / "bin"
    if not (binaries / "virtuoso-t").is_file():
        pytest.skip("no Virtuoso: get it with scripts/virtuoso.sh")
    port, sql_port = _free_port(), _free_port()
    (folder / "triples.nt").write_text(triples, encoding="utf-8")
    settings = _VIRTUOSO_SETTINGS.format(port=port, sql_port=sql_port, most_rows=most_rows)
    (folder / "virtuoso.ini").write_text(settings, encoding="utf-8")
    libraries = sorted({str(path.parent) for path in _VIRTUOSO.rglob("lib*.so*")})
    surroundings = os.environ | {"LD_LIBRARY_PATH": ":".join(libraries)}
    with _running([binaries / "virtuoso-t", "+configfile", "virtuoso.ini", "+foreground"], folder, surroundings):
        address = _when_up(f"http://127.0.0.1:{port}/sparql")
        load = "DB.DBA.TTLP(file_to_string_output('triples.nt'), '', 'http://test.example/', 512); checkpoint;"
        subprocess.run(
            [binaries / "isql-vt", f"127.0.0.1:{sql_port}", "dba", "dba", f"exec={load}"],
            cwd=folder, env=surroundings, check=True, capture_output=True,
        )  # fmt: skip
        yield address


@contextmanager
def _running(command: list[Any], folder: Path, surroundings: dict[str, str] | None = None) -> Iterator[None]:
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, env=surroundings, stdout=log, stderr=log)
    try:
        yield
    finally:
        process.kill()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def _when_up(address: str) -> str:
    until = time.monotonic() + _SECONDS_TO_START
    while True:
        try:
            urllib.request.urlopen(f"{address}?query=ASK%20%7B%7D", timeout=_SECONDS_TO_START).close()  # noqa: S310
            return address
        except (urllib.error.URLError, ConnectionError):
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


@dataclass(frozen=True)
class Fault:
    """What to do to an answer in place of passing it on."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes | None = None  # an answer of its own
    change: Callable[[bytes], bytes] | None = None  # the true answer, changed
    break_off: bool = False  # promise all of the body, send half of it, hang up
    wait: float = 0.0  # seconds of silence before


@dataclass
class Proxy:
    """A server that asks a real one, and does to each answer what ``rule`` says for the question."""

    behind: str
    rule: Callable[[str], Fault | None] = lambda query: None
    queries: list[str] = field(default_factory=list)
    agents: list[str] = field(default_factory=list)
    address: str = ""

    @contextmanager
    def serving(self) -> Iterator["Proxy"]:
        """Serve until the end of the block."""
        server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        server.daemon_threads = True
        self.address = f"http://127.0.0.1:{server.server_address[1]}/sparql"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield self
        finally:
            server.shutdown()
            server.server_close()

    def faults(self, *faults: Fault | None) -> None:
        """Do these to the next answers, one each, then pass on all that come."""
        waiting = list(faults)
        self.rule = lambda query: waiting.pop(0) if waiting else None

    def _handler(proxy) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                query = urllib.parse.parse_qs(body.decode())["query"][0]
                proxy.queries.append(query)
                proxy.agents.append(self.headers["User-Agent"])
                self._answer(proxy.rule(query), body)

            def _answer(self, fault: Fault | None, question: bytes) -> None:
                fault = fault or Fault()
                time.sleep(fault.wait)
                status, headers, body = fault.status, dict(fault.headers), fault.body
                if body is None and status == 200:
                    status, body, theirs = _passed_on(proxy.behind, question, self.headers["Accept"])
                    headers = theirs | headers
                body = body or b""
                if fault.change and status == 200:
                    body = fault.change(body)
                self.send_response(status)
                for name, value in (headers | {"Content-Length": str(len(body))}).items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body[: len(body) // 2] if fault.break_off else body)
                if fault.break_off:
                    self.close_connection = True

            def log_message(self, format: str, *args: Any) -> None:
                pass

        return Handler


def _passed_on(address: str, question: bytes, accept: str) -> tuple[int, bytes, dict[str, str]]:
    headers = {"Accept": accept, "Content-Type": "application/x-www-form-urlencoded"}
    request = urllib.request.Request(address, question, headers)  # noqa: S310
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:  # noqa: S310
            kept = {
                name: value for name, value in answer.headers.items() if name.lower().startswith(("content-t", "x-"))
            }
            return answer.status, answer.read(), kept
    except urllib.error.HTTPError as error:
        return error.code, error.read(), {}


def rows_changed(change: Callable[[list[Any]], list[Any]]) -> Callable[[bytes], bytes]:
    """Make a change of an answer out of a change of its rows."""

    def changed(body: bytes) -> bytes:
        content = json.loads(body)
        content["results"]["bindings"] = change(content["results"]["bindings"])
        return json.dumps(content).encode()

    return changed
