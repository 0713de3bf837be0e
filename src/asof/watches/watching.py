"""Do what is due: build the benchmarks, open each model, ask what it was not asked yet, keep all of it.

What fails of one model does not stop the others. Stopped at any moment, the same call goes on where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any

from asof import registry
from asof.api.any_model import open_model, types_of_model_settings, with_documents
from asof.benchmarks import Benchmark
from asof.errors import UserError, did_you_mean
from asof.lock import only_writer
from asof.models import Model
from asof.probes import FAILED, LEFT_OUT, Probe, settings_of
from asof.runs.folder import Run
from asof.runs.runner import run
from asof.watches.history import CheckRecord, Failure, KeptCheck, WatchHistory, read_history, write_failures
from asof.watches.identity import digest, files_hash, identity_of
from asof.watches.planning import REMEMBERED, Plan, PlannedCheck, opened
from asof.watches.reuse import known_answers
from asof.watches.settings import WatchedModel, WatchSettings

_LATER = "Run the watch again: what is kept is not asked again."


@dataclass
class WatchWork:
    """What a session of a watch did.

    Args:
        asked: Of each check that was done, how many items were put to the model, and how many answers were there.
        failures: What could not be done.
    """

    asked: list[tuple[PlannedCheck, int, int]] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)


def run_watch(
    watch: WatchSettings,
    *,
    today: date | None = None,
    limit: int | None = None,
    on_message: Callable[[str], None] = lambda sentence: None,
    on_progress: Callable[..., None] = lambda done, total, what="": None,
) -> WatchWork:
    """Do what is due.

    Args:
        today: The day of the schedule and of the records.
        limit: Ask about so many facts at most, for a try; a later session goes on from there.
        on_progress: Called with how many items of a check are done, of how many, and which check it is.
    """
    watch.history_folder.mkdir(parents=True, exist_ok=True)
    with only_writer(watch.history_folder):
        return _Session(watch, today or date.today(), limit, on_message, on_progress).work()


class _Session:
    def __init__(
        self,
        watch: WatchSettings,
        today: date,
        limit: int | None,
        on_message: Callable[[str], None],
        on_progress: Callable[..., None],
    ) -> None:
        self._watch, self._today = watch, today
        self._on_message, self._on_progress = on_message, on_progress
        self._plan = Plan(watch, read_history(watch), today=today, limit=limit)
        self._made: dict[str, Benchmark | UserError] = {}
        self._work = WatchWork()

    def work(self) -> WatchWork:
        try:
            for _, of_model in groupby(self._plan.due, key=lambda planned: id(planned.model)):
                models = _ModelOpener(self._watch)  # let go of with the last check of the model: memory is short
                for planned in of_model:
                    with self._failing_alone(planned):
                        if planned.broken:
                            raise UserError(planned.broken)
                        self._do(planned, models)
        finally:
            write_failures(self._watch.history_folder, self._work.failures)
        return self._work

    @contextmanager
    def _failing_alone(self, planned: PlannedCheck) -> Iterator[None]:
        """Note what one model cannot do, and go on with the next; a library says so in many ways."""
        try:
            yield
        except (UserError, OSError, RuntimeError, MemoryError) as error:
            why = str(error) if isinstance(error, UserError) else f"{type(error).__name__}: {error}"
            names = planned.model.name, planned.release, planned.benchmark.name, planned.probe.name
            self._work.failures.append(Failure(*names, why, str(self._today)))
            self._on_message(f"{planned.title} on {planned.benchmark.name}: {why}")

    def _benchmark(self, planned: PlannedCheck) -> Benchmark:
        name = planned.benchmark.name
        if name not in self._made:
            try:
                self._made[name] = self._plan.versions[name].make()
            except UserError as error:
                self._made[name] = error
        made = self._made[name]
        if isinstance(made, UserError):
            raise made
        return made

    def _do(self, planned: PlannedCheck, models: _ModelOpener) -> None:
        self._on_message(f"{planned.title} on {planned.benchmark.name} with {planned.probe.name} ({planned.due}) ...")
        benchmark, probe = self._benchmark(planned), opened(planned.probe)
        model = models.open(planned.model, benchmark, probe)
        kept = self._kept(planned, benchmark, probe, model)
        kept.bring_home()
        kept.write()
        earlier = known_answers(self._earlier(kept, benchmark), probe, model)
        there = _answered(kept.run) if (kept.folder / "settings.toml").is_file() else 0
        limit = self._plan.limit_of(planned.benchmark)
        finished = run(
            benchmark,
            model,
            kept.folder,
            probe=probe,
            limit=limit,
            known=earlier.row,
            on_message=self._on_message,
            on_progress=lambda done, total: self._on_progress(done, total, what=planned.title),
        )
        asked = _answered(finished) - there - len(earlier.used)
        done = replace(
            kept.record,
            asked=kept.record.asked + asked,
            reused=kept.record.reused + len(earlier.used),
            limit=_limit_now(kept.record, limit),
            done=str(self._today),
        )
        replace(kept, record=done).write()
        self._work.asked.append((planned, asked, there + len(earlier.used)))
        self._told(planned, asked, there + len(earlier.used))
        if lost := finished.lost():
            raise UserError(f"{sum(lost.values()):,} items were lost: {next(iter(lost))}. {_LATER}")

    def _told(self, planned: PlannedCheck, asked: int, there: int) -> None:
        from_before = f", {there:,} answers were there" if there else ""
        where = f"{planned.title} on {planned.benchmark.name}"
        self._on_message(f"{where}: {asked:,} {'item' if asked == 1 else 'items'} asked{from_before}.")

    def _kept(self, planned: PlannedCheck, benchmark: Benchmark, probe: Probe, model: Model) -> KeptCheck:
        """Return the check that is to be done or gone on with, with its folder."""
        watched, history = planned.model, read_history(self._watch)
        remembered = history.folder / REMEMBERED
        identity = identity_of(model, watched, files_hash(self._watch.place(watched.location), remembered))
        settings = settings_of(probe)
        same = [
            one
            for one in history.of(
                model=watched.name, release=planned.release, benchmark=planned.benchmark.name, probe=probe.name,
                items_sha256=benchmark.items_sha256,
            )
            if one.record.identity == identity and one.record.probe_settings == settings
        ]  # fmt: skip
        if same:
            return same[-1]
        record = CheckRecord(
            number=max((one.record.number for one in history.checks), default=0) + 1,
            model=watched.name,
            release=planned.release,
            released=str(watched.released or (planned.release if watched.moving else "")) or None,
            benchmark=planned.benchmark.name,
            base=benchmark.base,
            items_sha256=benchmark.items_sha256,
            probe=probe.name,
            probe_settings=settings,
            identity=identity,
            limit=self._plan.limit_of(planned.benchmark),
            begun=str(self._today),
        )
        return KeptCheck(_folder(history, record), record, history.folder)

    def _earlier(self, kept: KeptCheck, benchmark: Benchmark) -> Iterator[KeptCheck]:
        """Return checks of the same model in which it may have been asked the same."""
        mine = kept.record
        for one in read_history(self._watch).of(probe=mine.probe):
            its = one.record
            same = its.identity == mine.identity and its.probe_settings == mine.probe_settings
            moved = self._moves(mine.model) and (its.model, its.release) != (mine.model, mine.release)
            if one.folder == kept.folder or not same or moved or not (one.folder / "settings.toml").is_file():
                continue
            if one.run.benchmark().documents_sha256 == benchmark.documents_sha256:
                yield one

    def _moves(self, name: str) -> bool:
        return any(one.moving for one in self._watch.models if one.name == name)


class _ModelOpener:
    """Opens a model once for all of its benchmarks, where it does not depend on them."""

    def __init__(self, watch: WatchSettings) -> None:
        self._watch = watch
        self._model: Model | None = None

    def open(self, watched: WatchedModel, benchmark: Benchmark, probe: Probe) -> Model:
        location = self._watch.place(watched.location)
        self._check_settings(watched, location)
        settings: dict[str, Any] = dict(watched.settings)
        if location.partition(":")[0] in registry.readers.names():
            return open_model(location, benchmark=benchmark, probe=probe, **settings)
        if self._model is None:
            self._model = open_model(location, **settings)
        return with_documents(self._model, benchmark, probe)

    def _check_settings(self, watched: WatchedModel, location: str) -> None:
        known = types_of_model_settings(location) if watched.settings else {}
        for name in watched.settings:
            if name not in known:
                has = f"It has: {', '.join(known)}." if known else "It has none."
                raise UserError(f"{location} has no setting {name!r}.{did_you_mean(name, known)} {has}")


def _answered(run: Run) -> int:
    return sum(LEFT_OUT not in row or FAILED in row for row in run.rows().values())


def _limit_now(record: CheckRecord, limit: int | None) -> int | None:
    """Return the limit up to which all is asked: a smaller one, for a try, takes nothing back."""
    if record.done is None:
        return limit
    return None if record.limit is None or limit is None else max(limit, record.limit)


def _folder(history: WatchHistory, record: CheckRecord) -> Path:
    parts: Sequence[str] = (record.benchmark, record.items_sha256[:8], record.probe, digest(record.identity)[:6])
    more = digest(record.probe_settings)[:4]
    release = f"{record.model}-{record.release}" if record.release else record.model
    return history.folder / "runs" / release / "-".join((*parts, more))
