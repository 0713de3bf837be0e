"""Which facts hold in the time asked for, and which of them is the first, the last or the nth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from asof.facts import Fact
from asof.reading.facts.answer import Evidence, Holds
from asof.reading.facts.lookup import Found
from asof.reading.facts.phrases import Event
from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Open
from asof.timeline.specifier import Days


def judged(fact: Fact, times: Sequence[Days] | None, event: Event | None, known_by: Date | None) -> Evidence | None:
    """Say how a fact (or its start, or its end) fits the times asked for; None when it does not."""
    if times is None:
        return Evidence(fact, Holds.ALWAYS)
    bounds = fact.interval.bounds(known_by=known_by)
    found = [one for days in times if (one := _judged(fact, bounds, days, event, known_by))]
    order = (Holds.WHOLE, Holds.PART, Holds.POSSIBLY)
    return min(found, key=lambda one: order.index(one.holds), default=None)


def _judged(fact: Fact, bounds: Bounds, days: Days, event: Event | None, known_by: Date | None) -> Evidence | None:
    if event:
        return _event_judged(fact, bounds, days, event)
    if not bounds.possibly_meets(days):
        return None
    if bounds.covers(days.whole):
        return Evidence(fact, Holds.WHOLE)
    if bounds.surely_meets(days):
        return Evidence(fact, Holds.PART)
    return Evidence(fact, Holds.POSSIBLY, why_not_sure(fact, days, known_by))


def _event_judged(fact: Fact, bounds: Bounds, days: Days, event: Event) -> Evidence | None:
    end = fact.start if event == "start" else fact.end
    if not isinstance(end, Date):
        return None
    if days.first <= end.first and end.last <= days.last:
        return Evidence(fact, Holds.WHOLE)
    if end.first <= days.last and days.first <= end.last:
        return Evidence(fact, Holds.POSSIBLY, f"{event}s {end}")
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


def in_order(found: Iterable[Found], known_by: Date | None) -> list[Found]:
    """Sort facts by their start."""

    def key(one: Found) -> tuple[int, int, str]:
        bounds = one.fact.interval.bounds(known_by=known_by)
        return bounds.earliest_start, bounds.latest_end, one.answer

    return sorted(found, key=key)


def nearest(found: Sequence[Found], times: Sequence[Days] | None, known_by: Date | None) -> list[Found]:
    """Return the last fact before and the first fact after the times asked for."""
    if not times:
        return []
    first, last = min(days.first for days in times), max(days.last for days in times)
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    earlier = [(its.latest_end, place) for place, its in enumerate(bounds) if its.latest_end < first]
    later = [(its.earliest_start, place) for place, its in enumerate(bounds) if its.earliest_start > last]
    near = [found[max(earlier)[1]]] if earlier else []
    return near + ([found[min(later)[1]]] if later else [])


def picked(found: Sequence[Found], order: Literal["first", "last"] | int, known_by: Date | None) -> list[Found]:
    """Return the first, the last or the nth of some facts."""
    if order == "first":
        return first_of(found, known_by)
    return last_of(found, known_by) if order == "last" else nth_of(found, order, known_by)


def row_of(
    found: Sequence[Found], order: Literal["first", "last"] | int, many: int, known_by: Date | None
) -> list[Found]:
    """Return the first or the last few facts; none where the order is not sure."""
    places = range(1, many + 1) if order == "first" else range(len(found) - many + 1, len(found) + 1)
    row = [nth_of(found, place, known_by) for place in places if place > 0]
    return [one for ones in row for one in ones] if len(row) == many and all(row) else []


def nth_of(found: Sequence[Found], place: int, known_by: Date | None) -> list[Found]:
    """Return the fact that began after just so many less one; none where the order is not sure."""
    row = in_order(found, known_by)
    if len(row) < place:
        return []
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in row]
    its = bounds.pop(place - 1)
    sure = all(one.latest_start < its.earliest_start for one in bounds[: place - 1])
    sure &= all(its.latest_start < one.earliest_start for one in bounds[place - 1 :])
    return [row[place - 1]] if sure else []


def first_of(found: Sequence[Found], known_by: Date | None) -> list[Found]:
    """Return the facts that began before all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    earliest = min((one.latest_start for one in bounds), default=MIN_DAY)
    return [one for one, its in zip(found, bounds, strict=True) if its.earliest_start <= earliest]


def last_of(found: Sequence[Found], known_by: Date | None) -> list[Found]:
    """Return the facts that began after all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    latest = max((one.earliest_start for one in bounds), default=MAX_DAY)
    return [one for one, its in zip(found, bounds, strict=True) if its.latest_start >= latest]
