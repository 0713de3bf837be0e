"""A date: a pair of day numbers (first, last) and a precision.

"2011", "March 2011" and "20 March 2011" are three dates. Comparing dates is comparing integers.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date as calendar_date
from enum import IntEnum
from typing import Protocol

from asof.errors import DateError
from asof.timeline.calendar import calendar_day, day_number, days_in_month, julian_day_number

MIN_DAY = -(2**31)  # the ends of time: below and above every date (int32)
MAX_DAY = 2**31 - 1
_MOST_YEARS = 5_000_000  # int32 day numbers reach 5.8 million years both ways

MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Precision(IntEnum):
    """How exactly a date is known; the numbers are Wikidata's codes."""

    MILLENNIUM = 6
    CENTURY = 7
    DECADE = 8
    YEAR = 9
    MONTH = 10
    DAY = 11

    def __str__(self) -> str:
        return self.name.lower()


class Span(Protocol):
    """Anything with a first and a last day: a date or a period."""

    @property
    def first(self) -> int:
        """The number of the first day."""

    @property
    def last(self) -> int:
        """The number of the last day."""


@dataclass(frozen=True, slots=True, order=True)
class Date:
    """A day, month, year, decade, century or millennium. Sorts by first day, then by last day.

    >>> Date.of(2011).last - Date.of(2011).first
    364
    >>> str(Date.of(2011, 3, 20)), str(Date.of(bce(44), 3)), str(Date.decade(1990)), str(Date.century(19))
    ('2011-03-20', '-0044-03', '1990s', '19th century')
    """

    first: int
    last: int
    precision: Precision

    @classmethod
    def of(cls, year: int, month: int | None = None, day: int | None = None, *, julian: bool = False) -> Date:
        """Make a date from astronomical year (0 is 1 BCE), month and day; leave out what is not known.

        A Julian day becomes the same day of the Gregorian calendar. A Julian month or year keeps its name, as in
        Wikidata's RDF: its borders are known no better than that.
        """
        _check(year, month, day, julian=julian)
        if month is None:
            return cls(day_number(year, 1, 1), day_number(year, 12, 31), Precision.YEAR)
        if day is None:
            last = day_number(year, month, days_in_month(year, month))
            return cls(day_number(year, month, 1), last, Precision.MONTH)
        number = (julian_day_number if julian else day_number)(year, month, day)
        return cls(number, number, Precision.DAY)

    @classmethod
    def decade(cls, year: int, *, before_christ: bool = False) -> Date:
        """Make the decade that holds a year counted as people count: 1990 is 1990-1999, 40 BCE is 49-40 BCE.

        There is no year 0, so the years 1-9 and the years 9-1 BCE are decades of nine years.
        """
        low = year - year % 10
        if before_christ:
            return cls.years(bce(low + 9), bce(max(low, 1)), Precision.DECADE)
        return cls.years(max(low, 1), low + 9, Precision.DECADE)

    @classmethod
    def century(cls, number: int, *, before_christ: bool = False) -> Date:
        """Make a century: the 19th is 1801-1900, the 1st BCE is 100-1 BCE."""
        if before_christ:
            return cls.years(bce(100 * number), bce(100 * number - 99), Precision.CENTURY)
        return cls.years(100 * number - 99, 100 * number, Precision.CENTURY)

    @classmethod
    def millennium(cls, number: int, *, before_christ: bool = False) -> Date:
        """Make a millennium: the 2nd is 1001-2000."""
        if before_christ:
            return cls.years(bce(1000 * number), bce(1000 * number - 999), Precision.MILLENNIUM)
        return cls.years(1000 * number - 999, 1000 * number, Precision.MILLENNIUM)

    @classmethod
    def years(cls, first: int, last: int, precision: Precision) -> Date:
        """Make a date that spans whole astronomical years."""
        _check(first, None, None, julian=False)
        _check(last, None, None, julian=False)
        return cls(day_number(first, 1, 1), day_number(last, 12, 31), precision)

    @classmethod
    def from_day(cls, number: int) -> Date:
        """Make a date of day precision from a day number."""
        return cls(number, number, Precision.DAY)

    @classmethod
    def today(cls) -> Date:
        """Make the day that the clock shows here."""
        now = calendar_date.today()
        return cls.of(now.year, now.month, now.day)

    @classmethod
    def parse(cls, text: str) -> Date:
        """Read a date as people, Wikidata or ISO 8601 write it; see ``asof.timeline.parse``."""
        from asof.timeline.parse import parse_date

        return parse_date(text)

    @property
    def year(self) -> int:
        """The astronomical year of the first day: 0 is 1 BCE."""
        return calendar_day(self.first)[0]

    @property
    def month(self) -> int:
        """The month of the first day, 1 to 12."""
        return calendar_day(self.first)[1]

    @property
    def day(self) -> int:
        """The day of the month of the first day, 1 to 31."""
        return calendar_day(self.first)[2]

    @property
    def farthest_year(self) -> int:
        """Its year farthest from the birth of Christ, counted as people do: 1999 for the 1990s, 49 for the 40s BCE."""
        year = calendar_day(self.first)[0]
        return calendar_day(self.last)[0] if year > 0 else 1 - year

    @property
    def ordinal(self) -> int:
        """The number of a century or millennium: 19 for the 19th century."""
        length = 100 if self.precision is Precision.CENTURY else 1000
        return (self.farthest_year - 1) // length + 1

    @property
    def shares_digits(self) -> bool:
        """Whether it is a hundred years that share their first digits (19XX, 1900-1999), not a century (1901-2000)."""
        return self.precision is Precision.CENTURY and self.farthest_year % 100 == 99

    def within(self, other: Span) -> bool:
        """Tell whether every day of this date lies in the other.

        >>> Date.of(2011, 3).within(Date.of(2011))
        True
        """
        return other.first <= self.first and self.last <= other.last

    def __str__(self) -> str:
        year, month, day = calendar_day(self.first)
        if self.precision >= Precision.YEAR:
            parts = (f"-{month:02d}", f"-{day:02d}")[: self.precision - Precision.YEAR]
            return written_year(year) + "".join(parts)
        if self.shares_digits:
            return f"{'' if year > 0 else '-'}{self.farthest_year // 100:02d}XX"
        era = "" if year > 0 else " BCE"
        if self.precision is Precision.DECADE:
            return f"{self.farthest_year // 10 * 10}s{era}"
        return f"{ordinal(self.ordinal)} {self.precision}{era}"


def bce(year: int) -> int:
    """Return the astronomical year of a year before Christ.

    >>> bce(44), bce(1)
    (-43, 0)
    """
    return 1 - year


def written_year(year: int) -> str:
    """Write an astronomical year as Wikidata's JSON does: no year 0, 44 BCE is -0044.

    >>> written_year(2011), written_year(14), written_year(-43)
    ('2011', '0014', '-0044')
    """
    return f"{year:04d}" if year > 0 else f"-{1 - year:04d}"


def ordinal(number: int) -> str:
    """Write an English ordinal number.

    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 21, 22)]
    ['1st', '2nd', '3rd', '4th', '11th', '12th', '21st', '22nd']
    """
    suffix = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _check(year: int, month: int | None, day: int | None, *, julian: bool) -> None:
    written = written_year(year) + "".join(f"-{part:02d}" for part in (month, day) if part is not None)
    if abs(year) > _MOST_YEARS:
        raise DateError(f"{written} is out of reach: asof keeps years up to {_MOST_YEARS:,} before and after Christ.")
    if month is not None and not 1 <= month <= 12:
        raise DateError(f"{written} is not a valid date: there is no month {month}.")
    if day is not None and month is not None:
        length = days_in_month(year, month, julian=julian)
        if not 1 <= day <= length:
            where = f"{MONTHS[month - 1]} {written_year(year).lstrip('0')}"
            raise DateError(f"{written} is not a valid date: {where} has {length} days.")
