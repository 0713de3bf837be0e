"""Which facts hold in the time asked for, and which of them is the first, the last or the nth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from asof.facts import Fact
from asof.reading.facts.answer import FactEvidence, Holds
from asof.reading.facts.lookup import FactMatch
from asof.reading.facts.phrases import Event
from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Open
from asof.timeline.specifier import Days


def judged(fact: Fact, times: Sequence[Days] | None, event: Event | None, known_by: Date | None) -> FactEvidence | None:
    """Say how a fact (or its start, or its end) fits the times asked for; None when it does not."""
    if times is None:
        return FactEvidence(fact, Holds.ALWAYS)
    bounds = fact.interval.bounds(known_by=known_by)
    found = [one for days in times if (one := _judged(fact, bounds, days, event, known_by))]
    order = (Holds.WHOLE, Holds.PART, Holds.POSSIBLY)
    return min(found, key=lambda one: order.index(one.holds), default=None)


def _judged(fact: Fact, bounds: Bounds, days: Days, event: Event | None, known_by: Date | None) -> FactEvidence | None:
    if event:
        return _event_judged(fact, bounds, days, event)
    if not bounds.possibly_meets(days):
        return None
    if bounds.covers(days.whole):
        return FactEvidence(fact, Holds.WHOLE)
    if bounds.surely_meets(days):
        return FactEvidence(fact, Holds.PART)
    return FactEvidence(fact, Holds.POSSIBLY, why_not_sure(fact, days, known_by))


def _event_judged(fact: Fact, bounds: Bounds, days: Days, event: Event) -> FactEvidence | None:
    end = fact.start if event == "start" else fact.end
    if not isinstance(end, Date):
        return None
    if days.first <= end.first and end.last <= days.last:
        return FactEvidence(fact, Holds.WHOLE)
    if end.first <= days.last and days.first <= end.last:
        return FactEvidence(fact, Holds.POSSIBLY, f"{event}s {end}")
    return None


def why_not_sure(fact: Fact, days: Days, known_by: Date | None) -> str:
    """Say in a few words why a fact holds only possibly."""
    reasons = []
    if not isinstance(fact.start, Date):
        reasons.append(f"start {fact.start}")
    elif fact.start.first != fact.start.last and fact.start.last > days.first:
        reasons.append(f"it starts at some time in {fact.start}")
    if fact.end is Open.ONGOING:
        until = fact.interval.bounds(known_by=known_by).earliest_end
        reasons.append("unconfirmed" + ("" if until == MIN_DAY else f" since {Date.from_day(until)}"))
    elif not isinstance(fact.end, Date):
        reasons.append(f"end {fact.end}")
    elif fact.end.first != fact.end.last and fact.end.first < days.last:
        reasons.append(f"it ends at some time in {fact.end}")
    return ", ".join(reasons)


def in_order(matches: Iterable[FactMatch], known_by: Date | None) -> list[FactMatch]:
    """Sort facts by their start."""

    def key(match: FactMatch) -> tuple[int, int, str]:
        bounds = match.fact.interval.bounds(known_by=known_by)
        return bounds.earliest_start, bounds.latest_end, match.answer

    return sorted(matches, key=key)


def nearest(matches: Sequence[FactMatch], times: Sequence[Days] | None, known_by: Date | None) -> list[FactMatch]:
    """Return the last fact before and the first fact after the times asked for."""
    if not times:
        return []
    first, last = min(days.first for days in times), max(days.last for days in times)
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in matches]
    earlier = [(its.latest_end, index) for index, its in enumerate(bounds) if its.latest_end < first]
    later = [(its.earliest_start, index) for index, its in enumerate(bounds) if its.earliest_start > last]
    near = [matches[max(earlier)[1]]] if earlier else []
    return near + ([matches[min(later)[1]]] if later else [])


def picked(
    matches: Sequence[FactMatch], order: Literal["first", "last"] | int, known_by: Date | None
) -> list[FactMatch]:
    """Return the first, the last or the nth of some facts."""
    if order == "first":
        return first_of(matches, known_by)
    return last_of(matches, known_by) if order == "last" else nth_of(matches, order, known_by)


def row_of(
    matches: Sequence[FactMatch], order: Literal["first", "last"] | int, many: int, known_by: Date | None
) -> list[FactMatch]:
    """Return the first or the last few facts; none where the order is not sure."""
    ranks = range(1, many + 1) if order == "first" else range(len(matches) - many + 1, len(matches) + 1)
    row = [nth_of(matches, rank, known_by) for rank in ranks if rank > 0]
    return [one for ones in row for one in ones] if len(row) == many and all(row) else []


def nth_of(matches: Sequence[FactMatch], rank: int, known_by: Date | None) -> list[FactMatch]:
    """Return the fact that began after just so many less one; none where the order is not sure."""
    row = in_order(matches, known_by)
    if len(row) < rank:
        return []
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in row]
    its = bounds.pop(rank - 1)
    sure = all(one.latest_start < its.earliest_start for one in bounds[: rank - 1])
    sure &= all(its.latest_start < one.earliest_start for one in bounds[rank - 1 :])
    return [row[rank - 1]] if sure else []


def first_of(matches: Sequence[FactMatch], known_by: Date | None) -> list[FactMatch]:
    """Return the facts that began before all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in matches]
    earliest = min((one.latest_start for one in bounds), default=MIN_DAY)
    return [one for one, its in zip(matches, bounds, strict=True) if its.earliest_start <= earliest]


def last_of(matches: Sequence[FactMatch], known_by: Date | None) -> list[FactMatch]:
    """Return the facts that began after all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in matches]
    latest = max((one.earliest_start for one in bounds), default=MAX_DAY)
    return [one for one, its in zip(matches, bounds, strict=True) if its.latest_start >= latest]
