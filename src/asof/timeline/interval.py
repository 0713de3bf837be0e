"""An interval: from a start to an end, both included; an end that is no date stays what it is.

``ongoing``, ``unknown`` (it ended, nobody knows when) and ``not stated`` (the source is silent) are three things.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from asof.errors import DateError
from asof.timeline.date import MAX_DAY, MIN_DAY, Date, Span


class Open(Enum):
    """An end of an interval that is no date."""

    ONGOING = "ongoing"
    UNKNOWN = "unknown"
    NOT_STATED = "not stated"

    def __str__(self) -> str:
        return self.value


End = Date | Open


class Bounds(NamedTuple):
    """The earliest and latest day on which an interval can have started, and can have ended."""

    earliest_start: int
    latest_start: int
    earliest_end: int
    latest_end: int

    def covers(self, span: Span) -> bool:
        """Tell whether the interval surely holds on every day of a span."""
        return self.latest_start <= span.first and span.last <= self.earliest_end

    def surely_meets(self, span: Span) -> bool:
        """Tell whether the interval surely holds on some day of a span."""
        return self.latest_start <= span.last and span.first <= self.earliest_end

    def possibly_meets(self, span: Span) -> bool:
        """Tell whether the interval may hold on some day of a span."""
        return self.earliest_start <= span.last and span.first <= self.latest_end


@dataclass(frozen=True, slots=True)
class Interval:
    """The time in which a fact holds.

    >>> print(Interval(Date.of(2021, 2, 13), Date.of(2022, 10, 22)))
    2021-02-13..2022-10-22
    >>> print(Interval(Date.of(2022, 10, 22), Open.ONGOING))
    2022-10-22..ongoing
    """

    start: End
    end: End

    def __post_init__(self) -> None:
        if self.start is Open.ONGOING:
            raise DateError("A start cannot be 'ongoing': give a date, 'unknown' or nothing.")

    @classmethod
    def parse(cls, start: str, end: str) -> Interval:
        """Read the two ends as a table writes them; an empty text is *not stated*."""
        from asof.timeline.parse import parse_end

        return cls(parse_end(start), parse_end(end))

    @property
    def inverted(self) -> bool:
        """Whether it surely ends before it starts."""
        return isinstance(self.start, Date) and isinstance(self.end, Date) and self.end.last < self.start.first

    def bounds(self, *, known_by: Date | None = None) -> Bounds:
        """Return the four day numbers that decide every comparison.

        An unknown start lies anywhere before the end, an unknown end anywhere after the start. What is ongoing surely
        holds until the day up to which the base is known, and possibly afterwards. Without such a day nobody can say
        how long it held: "ongoing" then tells no more than an end that is not stated.
        """
        dated_start = self.start if isinstance(self.start, Date) else None
        dated_end = self.end if isinstance(self.end, Date) else None
        earliest_start = dated_start.first if dated_start else MIN_DAY
        latest_end = dated_end.last if dated_end else MAX_DAY
        held_until = known_by.last if known_by and self.end is Open.ONGOING else None
        if dated_end:
            earliest_end = dated_end.first
        else:
            earliest_end = earliest_start if held_until is None else max(held_until, earliest_start)
        if dated_start:
            latest_start = dated_start.last
        elif dated_end:
            latest_start = latest_end
        else:
            latest_start = MAX_DAY if held_until is None else earliest_end
        return Bounds(earliest_start, latest_start, earliest_end, latest_end)

    def __str__(self) -> str:
        return f"{self.start}..{self.end}"


def latest_stated_day(intervals: Iterable[Interval], today: Date) -> Date | None:
    """Return the latest day by which dates show that something was known: the stand-in for a day nobody stated.

    Of an imprecise date the first day counts, since "2011" may have been written on 1 January. Dates after today are
    plans and show nothing. ``facts.store`` has the same rule in SQL.

    >>> held = [Interval.parse("2001", "2010-05"), Interval.parse("2009", "2099-12-31")]
    >>> print(latest_stated_day(held, today=Date.of(2026, 11, 18)))
    2010-05-01
    """
    ends = (end.first for interval in intervals for end in (interval.start, interval.end) if isinstance(end, Date))
    latest = max((day for day in ends if day <= today.last), default=None)
    return None if latest is None else Date.from_day(latest)
