"""What the checks of a watch came to: scores and knowledge cutoffs by release, in the order of the releases."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from asof.errors import UserError
from asof.metrics import Result
from asof.runs.compare import Comparison, compare_runs
from asof.runs.cutoff import Cutoff, CutoffOf
from asof.runs.cutoff_history import has_periods
from asof.runs.item_scores import scores_of
from asof.runs.measured import Scores
from asof.watches.history import KeptCheck, WatchHistory
from asof.watches.settings import WatchedModel, WatchSettings


@dataclass(frozen=True)
class Outcome:
    """One check that was done, and what it came to."""

    kept: KeptCheck

    @property
    def title(self) -> str:
        """Name and release of the model."""
        return self.kept.record.title

    @property
    def model(self) -> str:
        """The name of the model without its release."""
        return self.kept.record.model

    @property
    def release(self) -> str:
        """What the release is called; the name of the model where it has none."""
        return self.kept.record.release or self.kept.record.model

    @cached_property
    def scores(self) -> Scores:
        """What each item or fact is worth."""
        return scores_of(self.kept.run)

    @cached_property
    def results(self) -> dict[str, Result]:
        """Every measure with its interval."""
        return self.scores.results()

    @cached_property
    def cutoff_of(self) -> CutoffOf | None:
        """The run as it is read for a cutoff; None where it cannot be."""
        found = self._read_for_a_cutoff
        return found if isinstance(found, CutoffOf) else None

    @property
    def why_no_cutoff(self) -> str:
        """Why the run cannot be read for a cutoff; empty where it can."""
        found = self._read_for_a_cutoff
        return found if isinstance(found, str) else ""

    @cached_property
    def _read_for_a_cutoff(self) -> CutoffOf | str:
        if not has_periods(self.scores.table.column_names):
            return "this benchmark gives no knowledge cutoff, as its items have no periods; dynamic-templama does"
        try:
            return CutoffOf(self.kept.run)
        except UserError as error:
            return str(error).rstrip(".")

    @property
    def cutoff(self) -> Cutoff | None:
        """The estimate over all relations."""
        return None if self.cutoff_of is None else self.cutoff_of.overall

    @property
    def told_cutoff(self) -> ToldCutoff:
        """The estimate in words."""
        cutoff = self.cutoff
        if cutoff is None:
            return ToldCutoff("", "", 0)
        if cutoff.best is None:
            return ToldCutoff("cannot tell", cutoff.why, cutoff.facts)
        border = {"newer": " or later", "older": " or earlier"}.get(cutoff.status, "")
        return ToldCutoff(f"{cutoff.best}{border}", f"{cutoff.low} to {cutoff.high}", cutoff.facts)

    @property
    def base_hash(self) -> str:
        """The base that its items were made from."""
        about: dict[str, Any] = self.kept.run.benchmark().description.get("base", {})
        return str(about.get("hash", ""))


@dataclass(frozen=True)
class ToldCutoff:
    """An estimate in words: the period, its 95 % interval or why it cannot be told, and on how many facts it rests."""

    text: str
    span: str
    facts: int


@dataclass(frozen=True)
class Track:
    """The releases of one model on one benchmark with one probe, from the first to the newest.

    Args:
        outcomes: Of each release the newest check that is done.
        missing: The newest release, if it has no result yet.
    """

    model: str
    benchmark: str
    probe: str
    outcomes: tuple[Outcome, ...]
    missing: str = ""

    @property
    def newest(self) -> Outcome:
        """The newest release."""
        return self.outcomes[-1]

    @cached_property
    def steps(self) -> list[ReleaseStep]:
        """Each release with the one before it."""
        return [ReleaseStep(before, after) for before, after in zip(self.outcomes, self.outcomes[1:], strict=False)]


@dataclass(frozen=True)
class ReleaseStep:
    """From one release to the next."""

    before: Outcome
    after: Outcome

    @cached_property
    def comparison(self) -> Comparison | None:
        """The two runs, paired by fact; None where they share no fact."""
        try:
            return compare_runs(self.before.kept.run, self.after.kept.run)
        except UserError:
            return None


def tracks_of(watch: WatchSettings, history: WatchHistory) -> list[Track]:
    """Put the checks that are done together by model, benchmark and probe, in the order of the file."""
    models = list(dict.fromkeys(one.name for one in watch.models))
    benchmarks = [one.name for one in watch.benchmarks]
    groups: dict[tuple[str, str, str], dict[str, KeptCheck]] = {}
    for kept in history.checks:  # a later one takes the place of an earlier one of the same release
        record = kept.record
        if record.done is not None and record.model in models and record.benchmark in benchmarks:
            groups.setdefault((record.model, record.benchmark, record.probe), {})[record.release] = kept
    tracks = []
    for (model, benchmark, probe), of_release in groups.items():
        checks = sorted(of_release.values(), key=lambda kept: _moment(watch, kept))
        outcomes = tuple(one for one in map(Outcome, checks) if one.results)
        missing = newest_release(watch, model, benchmark)
        if outcomes:
            told = missing.title if missing and missing.release not in of_release else ""
            tracks.append(Track(model, benchmark, probe, outcomes, told))
    return sorted(tracks, key=lambda one: (models.index(one.model), benchmarks.index(one.benchmark)))


def newest_release(watch: WatchSettings, name: str, benchmark: str) -> WatchedModel | None:
    """Return the newest release of a model that is asked a benchmark; None where releases come by themselves."""
    own = [
        one
        for one in watch.models
        if one.name == name and benchmark in [named.name for named in watch.benchmarks_of(one)]
    ]
    if not own or any(one.moving for one in own):
        return None
    return max(own, key=lambda one: _days(watch)[one.name, one.release])


def _moment(watch: WatchSettings, kept: KeptCheck) -> tuple[str, int, int]:
    """Return what releases are sorted by: their day, their place in the file, the number of the check."""
    record = kept.record
    day, index = _days(watch).get((record.model, record.release), (record.released or "", len(watch.models)))
    return day, index, record.number


def _days(watch: WatchSettings) -> dict[tuple[str, str], tuple[str, int]]:
    """Return day and place of each release of the file; one without a day has that of the one before it there."""
    days: dict[tuple[str, str], tuple[str, int]] = {}
    last: dict[str, str] = {}
    for index, model in enumerate(watch.models):
        last[model.name] = str(model.released) if model.released else last.get(model.name, "")
        days[model.name, model.release] = last[model.name], index
    return days
