"""Put a benchmark to a model; stopped at any moment, the same call goes on where it was."""

import json
import math
import os
import platform
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import cast

from asof import __version__
from asof.benchmarks import Benchmark, Item
from asof.errors import UserError
from asof.models import Model, ScoresAnswers
from asof.probes import answer_likelihood, can_probe
from asof.runs.folder import Run, open_run

_ITEMS_PER_STEP = 1024  # predictions that a crash may cost
ITEMS_IN_ORDER = 16 * _ITEMS_PER_STEP  # so many are sorted, so that those that begin alike meet in one step


def run(
    benchmark: Benchmark,
    model: Model,
    folder: Path,
    *,
    format: str = "raw",
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Run:
    """Score every item that has no prediction yet.

    Args:
        limit: So many facts at most, the most popular first; a later run with more goes on from there.
        progress: Called with the number of items that are done, and of all.
    """
    can_probe(model, benchmark.needs, benchmark.name)
    settings = {
        "benchmark": str(benchmark.folder.resolve()),
        "benchmark_name": benchmark.name,
        "items_sha256": benchmark.items_sha256,
        "model": model.name,
        "format": format,
    }
    versions = {
        "asof": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    } | model.describe()
    opened = open_run(folder, settings, versions)
    done = opened.predictions()
    wanted = list(benchmark.items(limit=limit))
    waiting = [item for item in wanted if item.id not in done]
    finished = len(wanted) - len(waiting)
    progress(finished, len(wanted))
    for step in steps(waiting):
        scores = answer_likelihood(step, cast(ScoresAnswers, model), format=format)
        _check(step, scores, model)
        _keep(opened, step, scores)
        finished += len(step)
        progress(finished, len(wanted))
    return opened


def steps(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Cut items into steps; within a longer stretch, items that begin alike go together: models read them faster."""
    for start in range(0, len(items), ITEMS_IN_ORDER):
        stretch = sorted(items[start : start + ITEMS_IN_ORDER], key=lambda item: item.prompt)
        for first in range(0, len(stretch), _ITEMS_PER_STEP):
            yield stretch[first : first + _ITEMS_PER_STEP]


def _check(items: Sequence[Item], scores: Sequence[float], model: Model) -> None:
    for item, score in zip(items, scores, strict=True):
        if math.isnan(score) or score > 0:
            raise UserError(
                f"{model.name} gave {score} as log-probability of {item.answers[0]!r} after {item.prompt!r}. "
                "Its weights or its number format are broken; what was scored before is kept."
            )


def _keep(opened: Run, items: Sequence[Item], scores: Sequence[float]) -> None:
    """Append predictions; when the disk is full, leave the file as it was before."""
    lines = "".join(
        json.dumps({"id": item.id, "logprob": score}, ensure_ascii=False) + "\n"
        for item, score in zip(items, scores, strict=True)
    )
    path = opened.predictions_path
    before = path.stat().st_size if path.is_file() else 0
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        with path.open("r+b") as file:
            file.truncate(before)
        raise UserError(
            f"{path} could not be written: {error.strerror}. Free some space and run the same again."
        ) from error
