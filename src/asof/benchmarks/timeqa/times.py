"""The times that TimeQA asks about: "in May 2005", "from 1811 to 1827", "before 1990", "in the early 1970s".

Chen et al. 2021 (arXiv:2108.06314), section 2.2. What a time asks for is decided here, once:

* *from A to B* asks for what held throughout, from some day of A to some day of B;
* every other time asks for all that held at some time in it. *Between A and B* runs from the first day of A to the last
  day of B; *before x* is all that came before the first day of x, *after x* all after its last day; the early years of
  a decade are its first four (0-3), the late ones its last three (7-9).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Precision, in_words
from asof.timeline.calendar import calendar_day
from asof.timeline.date import MONTHS

Kind = Literal["in", "between", "from", "before", "after", "early", "late"]
_EARLY_YEARS, _LATE_YEARS = 4, 3  # 0-3 and 7-9, as in ``reading.times``


@dataclass(frozen=True, slots=True)
class DayRange:
    """A stretch of days, both included."""

    first: int
    last: int


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """The time of a question. ``one`` is its date, or the first of two; for early and late it is the decade.

    >>> print(QuestionTime("between", Date.of(2005, 5), Date.of(2007)))
    between May 2005 and 2007
    >>> print(QuestionTime("early", Date.decade(1990)))
    in the early 1990s
    """

    kind: Kind
    one: Date
    other: Date | None = None

    @property
    def days(self) -> DayRange:
        """The days that it speaks of; open ends are the ends of time."""
        one, other = self.one, self.other or self.one
        match self.kind:
            case "before":
                return DayRange(MIN_DAY, one.first - 1)
            case "after":
                return DayRange(one.last + 1, MAX_DAY)
            case "early":
                return DayRange(one.first, Date.of(one.year + _EARLY_YEARS - 1).last)
            case "late":
                return DayRange(Date.of(calendar_day(one.last)[0] - _LATE_YEARS + 1).first, one.last)
        return DayRange(one.first, other.last)

    @property
    def core(self) -> DayRange:
        """The days on each of which a fact holds that held from some day of A to some day of B."""
        return DayRange(self.one.last, (self.other or self.one).first)

    def judge(self) -> Callable[[Bounds], bool | None]:
        """Return who tells whether a fact is asked for: None when a date that is not known well enough decides it."""
        span = self.core if self.kind == "from" else self.days
        first, last = span.first, span.last

        def throughout(bounds: Bounds) -> bool | None:
            if bounds.latest_start <= first and last <= bounds.earliest_end:
                return True
            return None if bounds.earliest_start <= first and last <= bounds.latest_end else False

        def at_some_time(bounds: Bounds) -> bool | None:
            if bounds.latest_start <= last and first <= bounds.earliest_end:
                return True
            return None if bounds.earliest_start <= last and first <= bounds.latest_end else False

        return throughout if self.kind == "from" else at_some_time

    def words(self, *, short_months: bool = False) -> str:
        """Say it as it stands in a question; the published questions write "Mar 1811" and "in early 1990s"."""
        one = _spoken(self.one, short_months)
        other = _spoken(self.other, short_months) if self.other else ""
        match self.kind:
            case "from":
                return f"from {one} to {other}"
            case "between":
                return f"between {one} and {other}"
            case "early" | "late":
                decade = one.removeprefix("the ")
                return f"in {self.kind} {decade}" if short_months else f"in the {self.kind} {decade}"
        return f"{self.kind} {one}"

    def __str__(self) -> str:
        return self.words()


def shown(date: Date, *, new_year_is_year: bool = False) -> Date:
    """Return a date as questions show it: never a day.

    Args:
        new_year_is_year: Take 1 January for a year whose month nobody knows, as the published program does.

    >>> str(shown(Date.of(2021, 2, 13))), str(shown(Date.of(2021, 1, 1), new_year_is_year=True))
    ('2021-02', '2021')
    """
    if date.precision is not Precision.DAY:
        return date
    year, month, day = calendar_day(date.first)
    return Date.of(year) if new_year_is_year and (month, day) == (1, 1) else Date.of(year, month)


def month_index(date: Date) -> int:
    """Count months; a year alone stands before its January, as the published program has it.

    >>> month_index(Date.of(1811)), month_of(month_index(Date.of(1811)) + 1) == Date.of(1811, 1)
    (21732, True)
    """
    year, month, _ = calendar_day(date.first)
    return year * 12 + (month if date.precision >= Precision.MONTH else 0)


def month_of(index: int) -> Date:
    """Return the month of an index."""
    year, month = divmod(index - 1, 12)
    return Date.of(year, month + 1)


def parts_of_decades(start: Date, end: Date) -> list[QuestionTime]:
    """Return the early years of the last decade of a segment, and the late years of its first, if it has them."""
    if start.year // 10 == end.year // 10 or start.year < 1:
        return []
    early = [QuestionTime("early", Date.decade(end.year))] if end.year % 10 >= 3 else []
    return [*early, QuestionTime("late", Date.decade(start.year))] if start.year % 10 <= 7 else early


def _spoken(date: Date, short_months: bool) -> str:
    text = in_words(date)
    if short_months and date.precision is Precision.MONTH:
        name, _, year = text.partition(" ")
        return f"{name[:3]} {year}" if name in MONTHS else text
    return text
