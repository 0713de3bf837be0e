"""The days that a query asks about: as people write a time, or as other facts tell it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from asof.errors import UserError
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.holding import in_order
from asof.reading.ask.query import Event, Moment, Texts
from asof.timeline import MAX_DAY, MIN_DAY, Date, Days, parse_when

_EVENTS: dict[Moment, Event] = {"start": "start", "after start": "start", "end": "end", "before end": "end",
    "day before": "start", "day after": "end",
}  # fmt: skip

Times = tuple[Days, ...]


def written_days(when: Texts, today: Date) -> Times:
    """Return the days that a time means; of several, those that they have in common.

    >>> [str(days) for days in written_days(("2011", "since March 2011"), Date.parse("2024-05-01"))]
    ['2011-03-01..2011-12-31']

    Raises:
        UserError: It is no time, or no day is all of them at once.
    """
    row = (when,) if isinstance(when, str) else when
    spans = [parse_when(text, today=today) for text in row]
    days = [span if isinstance(span, Days) else Days(span.first, span.last) for span in spans]
    both: Times = (days[0],)
    for one in days[1:]:
        both = shared(both, (one,))
    if not both:
        raise UserError(f"No day is {' and '.join(map(repr, row))} at once. Give one time.")
    return both


def shared(one: Sequence[Days], other: Sequence[Days]) -> Times:
    """Return the days that are in one as in the other."""
    both = ((max(a.first, b.first), min(a.last, b.last)) for a in one for b in other)
    return tuple(Days(first, last) for first, last in both if first <= last)


def meant(found: Sequence[FoundFact], moment: Moment, named: Collection[str], known_by: Date | None) -> list[FoundFact]:
    """Keep the facts that a time means where it leaves an end open: "when Shaq joined", "while Elizabeth was queen".

    They are those whose end the query names too ("coach of the Lakers"); else, of several, one must span all, or none
    is meant; when it began, the others had not.
    """
    ends = {one.answer for one in found if one.wanted}
    if len(ends) < 2:
        return list(found)
    if there := [one for one in found if one.answer in named]:
        return there
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in found]
    first, last = min(one.earliest_start for one in bounds), max(one.latest_end for one in bounds)
    widest = [
        one for one, its in zip(found, bounds, strict=True) if its.earliest_start == first and its.latest_end == last
    ]
    return list(found) if widest and moment not in _EVENTS else widest


def told_days(found: Sequence[FoundFact], moment: Moment, stated: Times | None, known_by: Date | None) -> Times | None:
    """Return the days of a start, of an end, or of the whole of facts, and what lies before or after them.

    Args:
        stated: Days that are named besides: "while Blair was prime minister in 2003".
    """
    row = in_order(found, known_by)
    stretches = tuple(days for one in row if (days := _stretch(one, moment, known_by)))
    if stated is not None:
        stretches = shared(stretches, stated)
    if not stretches:
        return None
    ahead = min(days.first for days in stretches) - 1
    behind = max(days.last for days in stretches) + 1
    beside: dict[Moment, Days] = {
        "before": Days(MIN_DAY, ahead), "before end": Days(MIN_DAY, ahead), "day before": Days(ahead, ahead),
        "after": Days(behind, MAX_DAY), "after start": Days(behind, MAX_DAY), "day after": Days(behind, behind),
    }  # fmt: skip
    return (beside[moment],) if moment in beside else stretches


def _stretch(one: FoundFact, moment: Moment, known_by: Date | None) -> Days | None:
    fact = one.fact
    if moment in _EVENTS:
        end = fact.start if _EVENTS[moment] == "start" else fact.end
        return Days(end.first, end.last) if isinstance(end, Date) else None
    bounds = fact.interval.bounds(known_by=known_by)
    if moment in ("before", "after"):
        return Days(bounds.earliest_start, bounds.latest_end)
    if bounds.latest_start + 1 < bounds.earliest_end:  # without the days on which one hands over to the next
        return Days(bounds.latest_start + 1, bounds.earliest_end - 1)
    if bounds.latest_start <= bounds.earliest_end:  # surely in these days; where none is sure, at some time in those
        return Days(bounds.latest_start, bounds.earliest_end)
    return Days(bounds.earliest_start, bounds.latest_end)
