"""The days that a clause of time speaks of: "when Merkel became chancellor", "while Reagan was president"."""

from __future__ import annotations

from collections.abc import Sequence

from asof.reading.facts.holding import in_order
from asof.reading.facts.lookup import Found
from asof.reading.facts.phrases import Event
from asof.reading.times.specifier import Days
from asof.timeline import MAX_DAY, MIN_DAY, Date


def days_of(found: Sequence[Found], event: Event | None, link: str, known_by: Date | None) -> tuple[Days, ...] | None:
    """Return the days of a start, of an end, or of the whole of facts, and what lies before or after them."""
    stretches = [days for one in in_order(found, known_by) if (days := _stretch(one, event, known_by))]
    if not stretches:
        return None
    if link.endswith("before"):
        return (Days(MIN_DAY, min(days.first for days in stretches) - 1),)
    if link.endswith("after"):
        return (Days(max(days.last for days in stretches) + 1, MAX_DAY),)
    return tuple(stretches)


def _stretch(one: Found, event: Event | None, known_by: Date | None) -> Days | None:
    fact = one.fact
    if event:
        end = fact.start if event == "start" else fact.end
        return Days(end.first, end.last) if isinstance(end, Date) else None
    bounds = fact.interval.bounds(known_by=known_by)
    if bounds.latest_start <= bounds.earliest_end:  # surely in these days; where none is sure, at some time in those
        return Days(bounds.latest_start, bounds.earliest_end)
    return Days(bounds.earliest_start, bounds.latest_end)
