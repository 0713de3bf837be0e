"""How the explorer carries 1, 10 and 50 people at a time: requests per second, p50 and p99, errors.

    python bench/serve.py [SECONDS] [USERS...]      default: 60 s each for 1, 10 and 50 users

The server is the real command in a process of its own; the clients are another process, which asks for the pages that
people ask for (completion, entities with and without a date, relations, changes, questions), one after the other
without a pause. CPU seconds are those of the server alone. Also timed: the page of a subject with 500 facts. Writes
results/serve.json and .png.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

import httpx
import numpy as np
import psutil
from growth import keep, panels

from asof.facts import FactStore, write_base
from asof.sources import open_source
from asof.sources.almanac import almanac_base

SECONDS = 60
USERS = (1, 10, 50)
_NAMES = ("merk", "un", "paris", "real mad", "john", "einst", "bei", "pope", "elis", "fr")
_QUESTIONS = (
    "Who was the pope in 1978?",
    "Who was the prime minister of Italy before Mario Draghi?",
    "Which teams did LeBron James play for between 2005 and 2012?",
    "Was Bonn the capital of Germany in 1980?",
    "When did Angela Merkel become chancellor of Germany?",
)
_RELATIONS = ("P6", "P35", "P39", "P54", "P286")


def start(*arguments: str) -> tuple[subprocess.Popen[str], str]:
    """Start the command and return its address."""
    command = [sys.executable, "-m", "asof", "serve", *arguments, "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    told = process.stderr.readline() if process.stderr else ""
    found = re.search(r"http://[^ ]+/", told)
    if not found:
        sys.exit(f"asof serve did not start: {told}")
    return process, found[0]


def address(random: Random, ids: list[str]) -> tuple[str, str]:
    """Draw what a person asks for next: its kind and its address."""
    year = random.randint(1900, 2024)
    kinds = {
        "suggest": (30, lambda: f"/suggest?q={random.choice(_NAMES)}"),
        "entity": (20, lambda: f"/entity/{random.choice(ids)}"),
        "entity on a date": (25, lambda: f"/entity/{random.choice(ids)}?on={year}"),
        "relation": (8, lambda: f"/relation/{random.choice(_RELATIONS)}?on={year}"),
        "changes": (2, lambda: f"/changes?from={year}&to={year + 1}"),
        "ask": (10, lambda: f"/ask?q={random.choice(_QUESTIONS)}"),
        "home": (5, lambda: "/"),
    }
    kind = random.choices(list(kinds), [weight for weight, _ in kinds.values()])[0]
    return kind, kinds[kind][1]()


async def person(client: httpx.AsyncClient, number: int, until: float, ids: list[str], seen: list[Any]) -> None:
    """Ask for one page after the other."""
    random = Random(number)
    while time.monotonic() < until:
        kind, path = address(random, ids)
        begun = time.monotonic()
        try:
            reply = await client.get(path)
            status = reply.status_code
        except httpx.HTTPError as error:
            status = type(error).__name__
        seen.append((kind, status, time.monotonic() - begun))


async def load(url: str, users: int, seconds: float, ids: list[str]) -> list[Any]:
    """Let so many people ask for so long."""
    seen: list[Any] = []
    limits = httpx.Limits(max_connections=users, max_keepalive_connections=users)
    async with httpx.AsyncClient(base_url=url, limits=limits, timeout=60) as client:
        until = time.monotonic() + seconds
        await asyncio.gather(*(person(client, number, until, ids, seen) for number in range(users)))
    return seen


def described(seen: list[Any], seconds: float) -> dict[str, Any]:
    """Return requests per second, latencies in milliseconds, and errors."""
    took = np.array([one[2] for one in seen]) * 1000
    wrong = [one[1] for one in seen if one[1] != 200]
    by_kind = {
        kind: {
            "requests": sum(one[0] == kind for one in seen),
            "p50_ms": float(np.median([one[2] for one in seen if one[0] == kind]) * 1000),
        }
        for kind in sorted({one[0] for one in seen})
    }
    return {
        "requests": len(seen),
        "errors": len(wrong),
        "error_kinds": sorted({str(one) for one in wrong}),
        "per_second": len(seen) / seconds,
        "p50_ms": float(np.quantile(took, 0.5)),
        "p99_ms": float(np.quantile(took, 0.99)),
        "slowest_ms": float(took.max()),
        "kinds": by_kind,
    }


def measured(url: str, process: subprocess.Popen[str], users: int, seconds: float, ids: list[str]) -> dict[str, Any]:
    """Measure one number of users."""
    server = psutil.Process(process.pid)
    before = sum(server.cpu_times()[:2])
    seen = asyncio.run(load(url, users, seconds, ids))
    spent = sum(server.cpu_times()[:2]) - before
    found = {"users": users, "seconds": seconds} | described(seen, seconds)
    return found | {
        "server_cpu_s": spent,
        "cpu_ms_per_request": 1000 * spent / max(1, len(seen)),
        "server_mb": server.memory_info().rss / 1e6,
        "load_average": os.getloadavg()[0],
    }


def large_subject(folder: Path) -> dict[str, Any]:
    """Time the page of a subject with 500 facts, in a base of its own."""
    rows = ["subject\trelation\tobject\tstart\tend"]
    rows += [f"Busy\tR{n % 9}\tThing {n}\t{1500 + n}\t{1503 + n}-06" for n in range(500)]
    (folder / "rows.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    write_base(folder / "base", [open_source(str(folder / "rows.tsv"))])
    process, url = start(str(folder / "base"))
    server = psutil.Process(process.pid)
    times, cpu = [], []
    with httpx.Client(base_url=url, timeout=60) as client:
        client.get("/entity/Busy")
        for _ in range(20):
            begun, before = time.monotonic(), sum(server.cpu_times()[:2])
            size = len(client.get("/entity/Busy?on=1700").content)
            times.append(time.monotonic() - begun)
            cpu.append(sum(server.cpu_times()[:2]) - before)
    process.send_signal(signal.SIGINT)
    process.wait(20)
    return {
        "facts": 500,
        "wall_ms": 1000 * float(np.median(times)),
        "slowest_ms": 1000 * max(times),
        "cpu_ms": 1000 * float(np.mean(cpu)),
        "kb": size / 1000,
    }


def plot(results: list[dict[str, Any]], path: Path) -> None:
    """Draw throughput and latency by users."""
    some = [one for one in results if "users" in one]
    users = [one["users"] for one in some]
    with panels(path, size=(9, 3.6), columns=2) as (left, right):
        left.plot(users, [one["per_second"] for one in some], "o-")
        left.set(title="requests per second", xlabel="users at a time", ylim=(0, None))
        for name, mark in (("p50_ms", "o-"), ("p99_ms", "s--")):
            right.plot(users, [one[name] for one in some], mark, label=name[:3])
        right.set(title="time of a reply (ms)", xlabel="users at a time", yscale="log")


def main(seconds: float, users: list[int]) -> None:
    """Measure, print, write JSON and plot."""
    store = FactStore(almanac_base())
    ids = [
        row["subject"]
        for row in store.sql(
            "SELECT subject FROM facts GROUP BY subject ORDER BY count(*) DESC, subject LIMIT 300"
        ).to_pylist()
        if "/" not in row["subject"]
    ]
    process, url = start()
    results = []
    try:
        measured(url, process, 4, 2, ids)  # what is made at the first request is made now
        for count in users:
            result = measured(url, process, count, seconds, ids)
            results.append(result)
            print(
                f"{count:>3} users: {result['per_second']:.0f} requests/s, p50 {result['p50_ms']:.0f} ms, "
                f"p99 {result['p99_ms']:.0f} ms, {result['errors']} errors of {result['requests']:,}; "
                f"{result['cpu_ms_per_request']:.1f} CPU ms each, {result['server_mb']:.0f} MB, "
                f"load {result['load_average']:.1f}"
            )
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
    with tempfile.TemporaryDirectory() as name:
        large = large_subject(Path(name))
    print(f"a subject with 500 facts: {large['wall_ms']:.0f} ms, {large['cpu_ms']:.0f} CPU ms, {large['kb']:.0f} kB")
    keep("serve", [*results, {"large subject": large}], plot)


if __name__ == "__main__":
    given = [int(one) for one in sys.argv[1:]]
    main(given[0] if given else SECONDS, given[1:] or list(USERS))
