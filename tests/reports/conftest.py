"""A benchmark of the almanac's facts and runs on it that no model made: log-probabilities from a formula."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from asof.benchmarks import Benchmark, Item, build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.runs.folder import open_run
from asof.wording import Wording

MakeRun = Callable[..., Path]


@pytest.fixture(scope="session")
def benchmark(almanac: FactStore, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """Nine long facts of the Middle Ages and before, so that popularity and relations differ."""
    kind = TimeStress(facts=9, last_year=900, longer_than=30.0, stride=0.2)
    return build(tmp_path_factory.mktemp("report") / "middle-ages", kind, almanac, Wording(language="en"))


def guess(item: Item, *, knows: float = 1.0) -> float:
    """Give the fact's own time the highest value, shaken by a number that depends on the item only."""
    shaken = sum(map(ord, item.id)) % 17 / 17
    return -3.0 - knows * max(0.0, abs(float(item.tags["alpha"] or 0)) - 0.5) - shaken * (len(item.group) % 3)


@pytest.fixture
def make_run(benchmark: Benchmark, tmp_path: Path) -> MakeRun:
    """A function that writes a finished run folder and returns it."""

    def make(
        name: str = "run", *, model: str = "org/small", format: str = "raw", knows: float = 1.0,
        facts: int | None = None, on: Benchmark = benchmark, logprob: Callable[..., float] = guess,
    ) -> Path:  # fmt: skip
        settings = {
            "benchmark": str(on.folder.resolve()), "benchmark_name": on.name, "items_sha256": on.items_sha256,
            "model": model, "format": format,
        }  # fmt: skip
        run = open_run(tmp_path / name, settings, {"asof": "0", "model": model})
        lines = [json.dumps({"id": item.id, "logprob": logprob(item, knows=knows)}) for item in on.items(limit=facts)]
        run.predictions_path.write_text("\n".join(lines) + "\n" if lines else "", encoding="utf-8")
        return run.folder

    return make


def nothing_at_all(item: Item, *, knows: float) -> float:
    """Say that the answer cannot be, at wrong dates."""
    return -math.inf if item.tags["verdict"] == "incorrect" else -1.0
