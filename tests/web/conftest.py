"""One real server for all tests: ``asof serve`` in a process of its own, on the almanac with runs and proposals."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import pytest
import uvicorn

from asof.benchmarks import build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.runs.folder import open_run
from asof.web.app import create_app
from asof.web.explorer import Explorer
from asof.web.guard import Guard
from asof.web.server import open_port
from asof.wording import Wording
from tests.browser import chromium
from tests.reports.conftest import guess
from tests.runs.test_cutoff import Offices, candidates_run

PROPOSALS = """subject\trelation\tobject\tstart\tend\tproposed\tprobability\tsubject_id\trelation_id\tobject_id
Angela Merkel\tmember of political party\tCDU\t1990\t2031\tend\t0.9100\tQ567\tP102\tQ49762
Italy\tcapital\tTurin\t1861\t1865\tend\t0.8000\tQ38\tP36\tQ495
Italy\tcapital\tFlorence\t1865\t1871\tstart\t0.7000\tQ38\tP36\tQ2044
<b>Bold</b>\tspouse\t</td><script>document.title='broken'</script>\t1990\t1999\tobject\t0.2000\tevil\tP26\tworse
"""
SCREENSHOTS = Path(os.environ.get("ASOF_SCREENSHOTS", Path(__file__).parents[2] / "build" / "screenshots"))


@dataclass(frozen=True)
class Site:
    """A running explorer: its address, what it was given, and a client."""

    address: str
    process: subprocess.Popen[str]
    review: Path
    client: httpx.Client

    def json(self, path: str, **query: Any) -> Any:
        reply = self.client.get(path, params=query, headers={"Accept": "application/json"})
        assert reply.status_code == 200, reply.text
        return reply.json()


def start(*arguments: str | Path) -> tuple[subprocess.Popen[str], str]:
    """Start ``asof serve`` and return its address."""
    command = [sys.executable, "-m", "asof", "serve", *map(str, arguments)]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    told = process.stderr.readline()
    found = re.search(r"http://127\.0\.0\.1:\d+/", told)
    assert found, told + process.stderr.read()
    return process, found[0]


@pytest.fixture(scope="session")
def site(almanac: FactStore, tiny: FactStore, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("serve")
    kind = TimeStress(facts=3, last_year=900, longer_than=30.0, stride=0.4)
    ages = build(folder / "middle-ages", kind, almanac, Wording(language="en"))
    runs = []
    for name, knows in (("knows-little", 0.2), ("knows-much", 2.0)):
        settings = {
            "benchmark": str(ages.folder), "benchmark_name": ages.name, "items_sha256": ages.items_sha256,
            "model": f"org/{name}", "format": "raw",
        }  # fmt: skip
        run = open_run(folder / name, settings, {"asof": "0"})
        lines = [json.dumps({"id": item.id, "logprob": guess(item, knows=knows)}) for item in ages.items()]
        run.predictions_path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        runs.append(run.folder)
    offices = build(folder / "offices", Offices(changing=24, lasting=4), tiny, Wording())
    runs.append(candidates_run(folder / "by-period", offices, "2017-Q4", heard=6, fame=1))
    proposals = folder / "proposals.tsv"
    proposals.write_text(PROPOSALS, encoding="utf-8")
    review = folder / "decisions.tsv"
    process, address = start("almanac", *runs, "--port", "0", "--proposals", proposals, "--review", review)
    with httpx.Client(base_url=address, timeout=120) as client:
        yield Site(address, process, review, client)
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0


@contextmanager
def served(explorer: Explorer) -> Iterator[httpx.Client]:
    """Serve an explorer from this process, through the same guard and server as the command."""
    listening = open_port(0)
    port = listening.getsockname()[1]
    config = uvicorn.Config(Guard(create_app(explorer), [f"127.0.0.1:{port}"]), log_level="critical", lifespan="off")
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=120) as client:
        yield client
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
