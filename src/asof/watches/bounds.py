"""Whether what must hold does hold, for the newest release of each model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Literal

from asof.errors import did_you_mean
from asof.metrics import Result
from asof.reports.html import cell, difference
from asof.timeline import Period
from asof.watches.outcomes import Outcome, Track
from asof.watches.settings import Bound, WatchSettings

State = Literal["kept", "broken", "unknown"]


@dataclass(frozen=True)
class BoundVerdict:
    """One bound for one model.

    Args:
        state: "unknown" where there is nothing to judge by: no result, or no such metric.
        told: The figures that it rests on, in a sentence.
    """

    bound: Bound
    model: str
    title: str
    probe: str
    state: State
    told: str

    def as_row(self) -> dict[str, str]:
        """Return it as a row of a table."""
        return {
            "model": self.title, "benchmark": self.bound.benchmark, "probe": self.probe, "bound": str(self.bound),
            "state": self.state, "told": self.told,
        }  # fmt: skip


def verdicts(watch: WatchSettings, tracks: Sequence[Track]) -> list[BoundVerdict]:
    """Judge every bound, in the order of the file."""
    return [verdict for bound in watch.bounds for verdict in _of_bound(watch, tracks, bound)]


def _of_bound(watch: WatchSettings, tracks: Sequence[Track], bound: Bound) -> Iterator[BoundVerdict]:
    names = dict.fromkeys(
        one.name
        for one in watch.models
        if (not bound.models or one.name in bound.models)
        and any(named.name == bound.benchmark for named in watch.benchmarks_of(one))
    )
    for name in names:
        found = [
            track
            for track in tracks
            if (track.model, track.benchmark) == (name, bound.benchmark)
            and (not bound.probe or track.probe == bound.probe)
        ]
        if not found:
            yield BoundVerdict(bound, name, name, bound.probe, "unknown", "there is no result yet")
        for track in found:
            if track.missing:
                told = f"there is no result of {track.missing} yet"
                yield BoundVerdict(bound, name, track.missing, track.probe, "unknown", told)
            else:
                yield BoundVerdict(bound, name, track.newest.title, track.probe, *_judged(bound, track))


def _judged(bound: Bound, track: Track) -> tuple[State, str]:
    if bound.cutoff_not_older_than is not None:
        return _cutoff(track.newest, Period.parse(bound.cutoff_not_older_than), strict=bound.strict)
    result = track.newest.results.get(bound.metric)
    if result is None:
        known = list(track.newest.results)
        return "unknown", f"no metric {bound.metric!r}.{did_you_mean(bound.metric, known)} There is: {', '.join(known)}"
    return _level(bound, result) if bound.worse_by_at_most is None else _worse(bound, bound.worse_by_at_most, track)


def _cutoff(outcome: Outcome, oldest: Period, *, strict: bool) -> tuple[State, str]:
    cutoff = outcome.cutoff
    if cutoff is None:
        return "unknown", outcome.why_no_cutoff
    if cutoff.best is None or cutoff.low is None or cutoff.high is None:
        return "broken", f"cannot tell: {cutoff.why}"
    told = f"{cutoff.best} [{cutoff.low}, {cutoff.high}], {cutoff.facts:,} changed facts"
    if cutoff.older_than(oldest) is None:
        return "broken", f"cannot tell: {told}, and the benchmark asks about no later time"
    older = cutoff.best.last < oldest.first if strict else cutoff.older_than(oldest)
    return "broken" if older else "kept", told


def _level(bound: Bound, result: Result) -> tuple[State, str]:
    """Compare a score with its bound: its whole interval must lie beyond to break it, or itself if it is strict."""
    if not result.n or isnan(result.value):
        return "unknown", "no fact is scored"
    low, high = (result.value, result.value) if bound.strict or isnan(result.low) else (result.low, result.high)
    beyond = high < bound.at_least if bound.at_least is not None else bound.at_most is not None and low > bound.at_most
    return "broken" if beyond else "kept", cell(result)


def _worse(bound: Bound, allowed: float, track: Track) -> tuple[State, str]:
    """Compare the newest release with the one before, paired by fact."""
    if not track.steps:
        return "kept", "there is no release before it"
    step = track.steps[-1]
    found = [row for row in step.comparison.differences if row.measure == bound.metric] if step.comparison else []
    if not found or not found[0].n:
        return "unknown", f"{step.before.title} and {step.after.title} have no fact in common"
    row = found[0]
    if row.better == "neither":
        return "unknown", f"nothing says whether a high or a low {bound.metric} is good"
    sign = -1 if row.better == "higher" else 1
    least = sign * row.difference if bound.strict or isnan(row.low) else min(sign * row.low, sign * row.high)
    told = f"{difference(row.difference, row.low, row.high)} against {step.before.title}, {row.n:,} facts"
    surely = least > allowed or (not allowed and row.ahead == "first")  # against no difference there is a sharper test
    return "broken" if surely else "kept", f"{told}, p = {row.p_holm:.3g} after Holm"
