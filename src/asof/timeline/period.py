"""Periods of the calendar: one month, one quarter, one year (``2021-Q3``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import IntEnum

from asof.errors import DateError
from asof.timeline.calendar import calendar_day, day_number
from asof.timeline.date import written_year


class Granularity(IntEnum):
    """How long a period is; the numbers are months."""

    MONTH = 1
    QUARTER = 3
    YEAR = 12

    def __str__(self) -> str:
        return self.name.lower()


@dataclass(frozen=True, slots=True, order=True)
class Period:
    """One month, quarter or year. ``index`` counts periods of that length since year 0 (1 BCE).

    >>> period = Period.parse("2021-Q3")
    >>> str(period - 1), str(period + 2), period.last - period.first + 1
    ('2021-Q2', '2022-Q1', 92)
    """

    granularity: Granularity
    index: int

    @classmethod
    def parse(cls, text: str) -> Period:
        """Read ``2021``, ``2021-Q3`` or ``2021-03``, also as people say it: ``Q3 2021``; ``-0044`` is 44 BCE."""
        match = re.fullmatch(r"(-?)([0-9]{1,7})(?:-?[Qq]([1-4])|-([0-9]{2}))?", text.strip())
        if not match and (said := _as_people_say(text)):
            return said
        if not match or int(match[2]) == 0 or not 1 <= int(match[4] or 1) <= 12:
            raise DateError(
                f"{text!r} is not a valid period. Write a year (2021), a quarter (2021-Q3) or a month (2021-03)."
            )
        year = 1 - int(match[2]) if match[1] else int(match[2])
        if match[3]:
            return cls(Granularity.QUARTER, year * 4 + int(match[3]) - 1)
        if match[4]:
            return cls(Granularity.MONTH, year * 12 + int(match[4]) - 1)
        return cls(Granularity.YEAR, year)

    @classmethod
    def containing(cls, day: int, granularity: Granularity) -> Period:
        """Return the period of a length that holds a day number."""
        year, month, _ = calendar_day(day)
        return cls(granularity, (year * 12 + month - 1) // granularity)

    @property
    def first(self) -> int:
        """The number of the first day."""
        year, month = divmod(self.index * self.granularity, 12)
        return day_number(year, month + 1, 1)

    @property
    def last(self) -> int:
        """The number of the last day."""
        return (self + 1).first - 1

    def to(self, last: Period) -> Iterator[Period]:
        """Walk from this period to a later one of the same length, both included.

        >>> [str(period) for period in Period.parse("2020-Q4").to(Period.parse("2021-Q2"))]
        ['2020-Q4', '2021-Q1', '2021-Q2']
        """
        if last.granularity is not self.granularity:
            raise DateError(
                f"{self} is a {self.granularity}, {last} is a {last.granularity}: give two periods of the same length."
            )
        return (Period(self.granularity, index) for index in range(self.index, last.index + 1))

    def __add__(self, steps: int) -> Period:
        return Period(self.granularity, self.index + steps)

    def __sub__(self, steps: int) -> Period:
        return self + -steps

    def __str__(self) -> str:
        year, month = divmod(self.index * self.granularity, 12)
        if self.granularity is Granularity.YEAR:
            return written_year(year)
        if self.granularity is Granularity.QUARTER:
            return f"{written_year(year)}-Q{month // 3 + 1}"
        return f"{written_year(year)}-{month + 1:02d}"


def _as_people_say(text: str) -> Period | None:
    """Read "Q3 2021", "March 2021" or "last year"; None for what is not a month, a quarter or a year."""
    from asof.timeline.when import parse_when

    lengths = {"month": Granularity.MONTH, "year": Granularity.YEAR}
    with suppress(DateError):
        span = parse_when(text)
        if isinstance(span, Period):
            return span
        length = lengths.get(str(getattr(span, "precision", "")))
        return Period.containing(span.first, length) if length else None
    return None
