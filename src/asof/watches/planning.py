"""What is due, and why. Nothing is asked, and no model is opened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import cached_property

from asof.errors import UserError
from asof.probes import Probe, open_probe, settings_of
from asof.watches.history import KeptCheck, WatchHistory
from asof.watches.identity import answering_settings, files_hash
from asof.watches.settings import ProbeSettings, Schedule, WatchedBenchmark, WatchedModel, WatchSettings, title_of
from asof.watches.versions import Versions

REMEMBERED = "hashes.json"  # of the files of models, in the history


@dataclass(frozen=True)
class PlannedCheck:
    """One release, one benchmark, one probe: what is kept of it, and whether it is due.

    Args:
        release: As in the file, or the day for a model that moves.
        newest: The newest that is kept, of any version of the benchmark.
        due: Why something is to be done; nothing where all is done.
        broken: Why it cannot even be told, such as a base that is gone.
    """

    model: WatchedModel
    release: str
    benchmark: WatchedBenchmark
    probe: ProbeSettings
    newest: KeptCheck | None
    due: str
    broken: str = ""

    @property
    def title(self) -> str:
        """Name and release of the model."""
        return title_of(self.model.name, self.release)


class Plan:
    """All checks that a watch asks for, in the order of its file."""

    def __init__(self, watch: WatchSettings, history: WatchHistory, *, today: date, limit: int | None = None) -> None:
        self._watch, self._history, self.today, self._limit = watch, history, today, limit
        self.versions = {one.name: Versions(watch, one) for one in watch.benchmarks}
        self._files: dict[str, str] = {}

    @cached_property
    def checks(self) -> list[PlannedCheck]:
        """Every check with its state."""
        return list(self._checks())

    @property
    def due(self) -> list[PlannedCheck]:
        """Those of which something is to be done, or cannot be told."""
        return [one for one in self.checks if one.due or one.broken]

    def limit_of(self, benchmark: WatchedBenchmark) -> int | None:
        """Return how many facts are asked about: as in the file, or fewer for a try."""
        return min((one for one in (benchmark.limit, self._limit) if one is not None), default=None)

    def _checks(self) -> Iterator[PlannedCheck]:
        for model in self._watch.models:
            for benchmark in self._watch.benchmarks_of(model):
                try:
                    present, why = self._present(benchmark)
                    probes = [self._named(benchmark, probe) for probe in benchmark.asked_with]
                except UserError as error:
                    yield PlannedCheck(model, model.release, benchmark, ProbeSettings(name=""), None, "", str(error))
                    continue
                for probe in probes:
                    yield self._check(model, benchmark, probe, present, why)

    def _present(self, benchmark: WatchedBenchmark) -> tuple[str | None, str]:
        if benchmark.name not in self._presents:
            self._presents[benchmark.name] = self.versions[benchmark.name].present()
        return self._presents[benchmark.name]

    @cached_property
    def _presents(self) -> dict[str, tuple[str | None, str]]:
        return {}

    def _named(self, benchmark: WatchedBenchmark, probe: ProbeSettings) -> ProbeSettings:
        """Put the probe that the benchmark declares in the place of none."""
        return (
            probe if probe.name else ProbeSettings(name=self.versions[benchmark.name].probe(), settings=probe.settings)
        )

    def _check(
        self, model: WatchedModel, benchmark: WatchedBenchmark, probe: ProbeSettings, present: str | None, why: str
    ) -> PlannedCheck:
        release = model.release
        kept = self._kept(model, None if model.moving else release, benchmark, probe)
        newest = kept[-1] if kept else None
        if model.moving:
            going_on = newest is not None and newest.record.done is None
            release = newest.record.release if newest and going_on else str(self.today)
        due = "" if model.retired else self._reason(model, benchmark, kept, present, why)
        if model.moving and newest and not due:
            release = newest.record.release
        return PlannedCheck(model, release, benchmark, probe, newest, due)

    def _kept(
        self, model: WatchedModel, release: str | None, benchmark: WatchedBenchmark, probe: ProbeSettings
    ) -> list[KeptCheck]:
        wanted = settings_of(opened(probe))
        found = self._history.of(model=model.name, release=release, benchmark=benchmark.name, probe=probe.name)
        return [one for one in found if one.record.probe_settings == wanted]

    def _reason(
        self, model: WatchedModel, benchmark: WatchedBenchmark, kept: list[KeptCheck], present: str | None, why: str
    ) -> str:
        """Say why a check is due, nothing when it is not."""
        if not kept:
            return "new release" if self._asked_before(model, benchmark) else "never asked"
        if present is None:
            return why or "the benchmark was never built"
        same = [one for one in kept if one.record.items_sha256 == present]
        if not same:
            return f"new items: {self._origin(benchmark, present)}"
        record = same[-1].record
        if record.done is None:
            return "not finished"
        if record.identity.get("settings") != answering_settings(model):
            return "other settings of the model"
        if not model.moving and record.identity.get("files", "") != self._files_of(model):
            return "the model's files changed"
        limit = self.limit_of(benchmark)
        if record.limit is not None and (limit is None or limit > record.limit):
            return f"about {record.limit:,} facts so far, {'all' if limit is None else f'{limit:,}'} wanted"
        lost = sum(same[-1].run.lost().values())
        if lost:
            return f"{lost:,} {'item was' if lost == 1 else 'items were'} lost"
        return on_schedule(self._watch.when, date.fromisoformat(record.done), self.today)

    def _origin(self, benchmark: WatchedBenchmark, present: str) -> str:
        made = self.versions[benchmark.name].read(present)
        return f"{made.name} from {made.base}"

    def _asked_before(self, model: WatchedModel, benchmark: WatchedBenchmark) -> bool:
        return bool(self._history.of(model=model.name, benchmark=benchmark.name))

    def _files_of(self, model: WatchedModel) -> str:
        if model.location not in self._files:
            remembered = self._history.folder / REMEMBERED
            self._files[model.location] = files_hash(self._watch.place(model.location), remembered, keep=False)
        return self._files[model.location]


def opened(probe: ProbeSettings) -> Probe:
    """Make a probe with its settings."""
    return open_probe(probe.name, probe.settings)


def on_schedule(when: Schedule, done: date, today: date) -> str:
    """Say which date of a schedule has come since something was done, nothing if none has.

    >>> monthly = Schedule(every_days=30, on=(date(2026, 3, 1),))
    >>> on_schedule(monthly, date(2026, 1, 1), date(2026, 1, 30))
    ''
    >>> on_schedule(monthly, date(2026, 1, 1), date(2026, 1, 31))
    '30 days since 2026-01-01'
    >>> on_schedule(monthly, date(2026, 2, 20), date(2026, 3, 5))
    'scheduled on 2026-03-01'
    """
    for day in sorted(when.on):
        if done < day <= today:
            return f"scheduled on {day}"
    if when.every_days is not None and today - done >= timedelta(days=when.every_days):
        return f"{(today - done).days} days since {done}"
    return ""
