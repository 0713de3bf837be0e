"""Put a benchmark to a model; stopped at any moment, the same call goes on where it was."""

import json
import os
import platform
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from asof import __version__
from asof.benchmarks import Benchmark, Item
from asof.errors import UserError
from asof.models import Model
from asof.models.usage import Usage, tallied
from asof.places.folders import location_of
from asof.probes import FAILED, LEFT_OUT, Fit, Probe, Row, can_probe, open_probe, settings_of
from asof.runs.folder import Run, open_run
from asof.runs.items_by_themselves import predicted_by_themselves
from asof.runs.spending import Budget
from asof.whole_file import sync_file

_ITEMS_PER_STEP = 1024  # items that are asked together
_ITEMS_WITHIN_BUDGET = 16  # ... where each step is weighed against what may be spent
_SECONDS_ON_DISK = 1.0  # what a power cut may cost, where single items come as fast as a server gives them
ITEMS_IN_ORDER = 16 * _ITEMS_PER_STEP  # so many are sorted, so that those that begin alike meet in one step


def run(
    benchmark: Benchmark,
    model: Model,
    folder: Path,
    *,
    probe: Probe | None = None,
    limit: int | None = None,
    budget: Budget | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_message: Callable[[str], None] = lambda sentence: None,
    known: Callable[[Item], Row | None] = lambda item: None,
) -> Run:
    """Ask about every item that has no prediction yet.

    Args:
        probe: How items are put to the model; by default as the benchmark says.
        limit: So many facts at most, the most popular first; a later run with more goes on from there.
        budget: What may be spent, of money or calls, together with what the run spent before.
        on_progress: Called with the number of items that are done, and of all.
        on_message: Called with what a person should know before it begins: how many items cannot be asked, and why.
        known: Gives the row of an item, as it is put to the model, that needs no asking: the same model gave it before.
    """
    probe = probe or open_probe(benchmark.probe)
    fit = fit_items(benchmark, model, probe, limit=limit)
    if str(fit):
        on_message(str(fit))
    settings = {
        "benchmark": location_of(benchmark.folder),
        "benchmark_name": benchmark.name,
        "items_sha256": benchmark.items_sha256,
        "model": model.name,
        "probe": probe.name,
    } | settings_of(probe)
    if model_settings := dict(getattr(model, "settings", {})):  # of models that answer otherwise with others
        settings["model_settings"] = model_settings
    versions = {
        "asof": __version__,
        "python": platform.python_version(),
        "machine": platform.machine(),
    } | model.describe()
    opened = open_run(folder, settings, versions)
    done = {id for id, row in opened.rows().items() if FAILED not in row}
    _keep(opened, [{"id": id, LEFT_OUT: reason} for id, reason in fit.left_out.items() if id not in done])
    rows = {item.id: row for item in fit.items if item.id not in done and (row := known(item)) is not None}
    _keep(opened, [{"id": id} | row for id, row in rows.items()])
    waiting = [item for item in fit.items if item.id not in done and item.id not in rows]
    finished, total = len(fit.items) - len(waiting), len(fit.items)
    on_progress(finished, total)
    told: set[str] = set()
    for row in _predicted(opened, waiting, probe, model, budget or Budget()):
        finished += 1
        on_progress(finished, total)
        for sentence in _told_of(row, told):
            on_message(sentence)
    return opened


def _predicted(
    opened: Run, waiting: Sequence[Item], probe: Probe, model: Model, budget: Budget
) -> Iterator[dict[str, Any]]:
    """Put items to a model and keep the row of each, with what was spent for it."""
    at_once = int(getattr(model, "items_at_once", 0))
    if at_once and not set(probe.needs) & getattr(
        model, "together", frozenset()
    ):  # several items under way, each by itself: what was answered is kept whatever happens to the others
        on_disk = time.monotonic()
        try:
            for row in predicted_by_themselves(waiting, probe, model, at_once, budget, opened.usage_by_line()):
                late = time.monotonic() - on_disk > _SECONDS_ON_DISK
                on_disk = time.monotonic() if late else on_disk
                _keep(opened, [row], onto_disk=late)
                yield row
        finally:
            if opened.predictions_path.is_file():
                sync_file(opened.predictions_path)
        return
    size = min(probe.items_per_step, _ITEMS_PER_STEP)
    for step in steps(waiting, min(size, _ITEMS_WITHIN_BUDGET) if budget.is_limited else size):
        if budget.is_limited:
            before = opened.usage_by_line()
            spent = sum(before, Usage())
            each = spent.shared(len(before))[0] if before else Usage()
            if not budget.holds(spent, each.times(len(step))):
                raise budget.used_up(spent)
        with tallied() as tally:
            rows = probe.predict(step, model)
            if isinstance(rows, list):
                shares = tally.usage.shared(len(rows))
                kept = [
                    {"id": item.id} | row | tally.share(share)
                    for item, row, share in zip(step, rows, shares, strict=True)
                ]
                _keep(opened, kept)
                yield from kept
                continue
            for item, row in zip(step, rows, strict=True):
                one = {"id": item.id} | row | tally.taken()
                _keep(opened, [one], onto_disk=item is step[-1])
                yield one


def _told_of(row: Row, remarked: set[str]) -> Iterator[str]:
    """Say what is remarkable about an answer, once for each kind."""
    for name, begins in (
        ("answered_by", "The server answers with another model"),
        ("declined", "An item got no answer"),
    ):
        if name in row and f"{name} {row[name]}" not in remarked:
            remarked.add(f"{name} {row[name]}")
            yield f"{begins}: {row[name]}. It is recorded with each prediction."


def fit_items(benchmark: Benchmark, model: Model, probe: Probe, *, limit: int | None = None) -> Fit:
    """Tell which items of a benchmark a probe can put to a model; nothing is asked yet."""
    can_probe(model, probe, benchmark.name)
    wanted = list(benchmark.items(limit=limit))
    fit = probe.fit(wanted, model, everything=benchmark.items())
    if wanted and not fit.items:
        raise UserError(
            f"{probe.name} can ask none of the {len(wanted):,} items of {benchmark.folder} to {model.name}.\n{fit}\n"
            "Use another probe (asof list probes), or another model."
        )
    return fit


def steps(items: Sequence[Item], size: int | None = None) -> Iterator[Sequence[Item]]:
    """Cut items into steps; within a longer stretch, items that begin alike go together: models read them faster."""
    size = size or _ITEMS_PER_STEP
    for start in range(0, len(items), ITEMS_IN_ORDER):
        stretch = sorted(items[start : start + ITEMS_IN_ORDER], key=lambda item: item.prompt)
        for first in range(0, len(stretch), size):
            yield stretch[first : first + size]


def _keep(opened: Run, rows: Sequence[Row], *, onto_disk: bool = True) -> None:
    """Append predictions; when the disk is full, leave the file as it was before.

    Args:
        onto_disk: Wait until they also survive a power cut, not only the end of this process.
    """
    if not rows:
        return
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path = opened.predictions_path
    before = path.stat().st_size if path.is_file() else 0
    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(lines)
            file.flush()
            if onto_disk:
                os.fsync(file.fileno())
    except OSError as error:
        with path.open("r+b") as file:
            file.truncate(before)
        raise UserError(
            f"{path} could not be written: {error.strerror}. Free some space and run the same command again."
        ) from error
