"""How facts fit the time that is asked for, and which of them is the first, the last or the nth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from asof.facts import Fact
from asof.reading.ask.answer import FactEvidence, Holds
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.query import Event
from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Days, Open

_SUREST = (Holds.WHOLE, Holds.ALWAYS, Holds.PART, Holds.POSSIBLY)


def surest(found: Iterable[FactEvidence]) -> Holds:
    """Return how well the best of some facts fits."""
    return min((one.holds for one in found), key=_SUREST.index)


def judged(fact: Fact, times: Sequence[Days] | None, event: Event | None, known_by: Date | None) -> FactEvidence | None:
    """Say how a fact (or its start, or its end) fits the times asked for; None when it does not."""
    if times is None:
        return FactEvidence(fact, Holds.ALWAYS)
    bounds = fact.interval.bounds(known_by=known_by)
    found = [one for days in times if (one := _judged(fact, bounds, days, event, known_by))]
    return min(found, key=lambda one: _SUREST.index(one.holds), default=None)


def _judged(fact: Fact, bounds: Bounds, days: Days, event: Event | None, known_by: Date | None) -> FactEvidence | None:
    if event:
        return _event_judged(fact, days, event)
    if not bounds.possibly_meets(days):
        return None
    if bounds.covers(days.whole):
        return FactEvidence(fact, Holds.WHOLE)
    if bounds.surely_meets(days):
        return FactEvidence(fact, Holds.PART)
    return FactEvidence(fact, Holds.POSSIBLY, why_not_sure(fact, days, known_by))


def _event_judged(fact: Fact, days: Days, event: Event) -> FactEvidence | None:
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


def in_order(found: Iterable[FoundFact], known_by: Date | None) -> list[FoundFact]:
    """Sort facts by their start."""

    def key(one: FoundFact) -> tuple[int, int, str]:
        bounds = one.fact.interval.bounds(known_by=known_by)
        return bounds.earliest_start, bounds.latest_end, one.answer

    return sorted(found, key=key)


def beside_each_other(found: Sequence[FoundFact], known_by: Date | None) -> bool:
    """Tell whether different answers of one relation hold at the same time, such as members, not one after another."""
    last: dict[tuple[str, str], dict[str, int]] = {}
    for one in in_order(found, known_by):
        bounds = one.fact.interval.bounds(known_by=known_by)
        ends = last.setdefault((one.fact.relation, one.given), {})
        if any(end > bounds.latest_start for answer, end in ends.items() if answer != one.answer):
            return True
        ends[one.answer] = max(ends.get(one.answer, MIN_DAY), bounds.earliest_end)
    return False


def nearest(found: Sequence[FoundFact], times: Sequence[Days] | None, known_by: Date | None) -> list[FoundFact]:
    """Return the last fact before and the first fact after the times asked for."""
    if not times:
        return []
    first, last = min(days.first for days in times), max(days.last for days in times)
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    earlier = [(its.latest_end, position) for position, its in enumerate(bounds) if its.latest_end < first]
    later = [(its.earliest_start, position) for position, its in enumerate(bounds) if its.earliest_start > last]
    near = [found[max(earlier)[1]]] if earlier else []
    return near + ([found[min(later)[1]]] if later else [])


def first_of(found: Sequence[FoundFact], known_by: Date | None) -> list[FoundFact]:
    """Return the facts that began before all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    earliest = min((one.latest_start for one in bounds), default=MIN_DAY)
    return [one for one, its in zip(found, bounds, strict=True) if its.earliest_start <= earliest]


def last_of(found: Sequence[FoundFact], known_by: Date | None) -> list[FoundFact]:
    """Return the facts that began after all others; several when that cannot be told apart."""
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    latest = max((one.earliest_start for one in bounds), default=MAX_DAY)
    return [one for one, its in zip(found, bounds, strict=True) if its.latest_start >= latest]


def nth_of(found: Sequence[FoundFact], position: int, known_by: Date | None) -> list[FoundFact]:
    """Return the fact that began after just so many less one; none where the order is not sure."""
    row = in_order(found, known_by)
    if not 1 <= position <= len(row):
        return []
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in row]
    its = bounds.pop(position - 1)
    sure = all(one.latest_start < its.earliest_start for one in bounds[: position - 1])
    sure &= all(its.latest_start < one.earliest_start for one in bounds[position - 1 :])
    return [row[position - 1]] if sure else []
