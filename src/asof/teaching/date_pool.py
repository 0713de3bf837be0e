"""The dates of a fact: years around the time in which it holds, and months and days in them, right and wrong ones.

As in TimeStress (Ammar Khodja et al. 2025, section 4.1.3) they reach five lengths before and after the middle, never
beyond the day up to which the base is known. Odd years can be held out: they are not taught, at no precision.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from asof.teaching.facts import DatedAnswer, TeachingFact
from asof.timeline import Date, Precision, Verdict
from asof.timeline.calendar import calendar_day, days_in_month

HoldOut = Literal["odd", "none"]
PRECISIONS = (Precision.YEAR, Precision.MONTH, Precision.DAY)
_REACH = 5.0  # lengths, from the middle
_MOST_YEARS = 201  # TimeStress looks at as many
_NEAR = 4  # years beside the ends are never passed over
_TRIES = 8  # to find a month or a day in the year in which a fact began or ended
_SHORTEST = 365  # days: what happened on one day has years around it, too


@dataclass(frozen=True)
class DatePool:
    """The years around a fact, in order, each with its verdict."""

    fact: TeachingFact
    years: tuple[int, ...]
    verdicts: tuple[Verdict, ...]
    hold_out: HoldOut

    @classmethod
    def of(cls, fact: TeachingFact, hold_out: HoldOut) -> DatePool:
        """Look for the years of a fact; none where nobody knows when it held."""
        years = years_around(fact.answer)
        return cls(fact, years, tuple(fact.answer.verdict(Date.of(year)) for year in years), hold_out)

    @cached_property
    def spares_years(self) -> bool:
        """Whether years are held out: there must be a right one to teach and a right one to ask about."""
        parities = {year % 2 for year, found in self._judged if found is Verdict.CORRECT}
        return self.hold_out == "odd" and len(parities) == 2

    @property
    def _judged(self) -> Sequence[tuple[int, Verdict]]:
        return list(zip(self.years, self.verdicts, strict=True))

    def is_taught(self, year: int) -> bool:
        """Tell whether a year may be taught."""
        return not (self.spares_years and year % 2)

    @cached_property
    def taught(self) -> dict[Verdict, list[int]]:
        """Where the years that may be taught stand among all, by verdict."""
        found: dict[Verdict, list[int]] = {one: [] for one in Verdict}
        for index, (year, judged) in enumerate(self._judged):
            if self.is_taught(year):
                found[judged].append(index)
        return found

    def year(self, verdict: Verdict, *, taught: bool) -> list[int]:
        """Return the years of a verdict that are taught, or those that are not."""
        return [year for year, found in self._judged if found is verdict and self.is_taught(year) is taught]

    @cached_property
    def can_be_taught(self) -> bool:
        """Whether there are right and wrong dates to teach."""
        right = self.taught[Verdict.CORRECT] or any(self._sure(index) for index in self.taught[Verdict.TRANSITIONAL])
        return bool(right and self.taught[Verdict.INCORRECT])

    def _sure(self, index: int) -> bool:
        """Tell whether the fact surely holds in a month or on a day of a year in which it began or ended."""
        return self.date_in(index, Precision.DAY, Verdict.CORRECT, np.random.default_rng(0)) is not None

    def date_in(self, index: int, precision: Precision, verdict: Verdict, random: np.random.Generator) -> Date | None:
        """Draw a date of a precision in a year, None where none of a verdict was found."""
        year = self.years[index]
        if precision is Precision.YEAR:
            return Date.of(year) if self.verdicts[index] is verdict else None
        for _ in range(_TRIES):
            date = drawn_in(year, precision, random)
            if self.verdicts[index] is verdict or self.fact.answer.verdict(date) is verdict:
                return date
        return None

    def right(self, precision: Precision, random: np.random.Generator) -> Date | None:
        """Draw a right date that may be taught; one in three from the years in which the fact began or ended."""
        whole, part = self.taught[Verdict.CORRECT], self.taught[Verdict.TRANSITIONAL]
        if precision is not Precision.YEAR and part and (not whole or random.random() < 1 / 3):
            found = self.date_in(int(random.choice(part)), precision, Verdict.CORRECT, random)
            if found:
                return found
        return self.date_in(int(random.choice(whole)), precision, Verdict.CORRECT, random) if whole else None

    def wrong(
        self, precision: Precision, random: np.random.Generator, hardest: Callable[[list[int]], int]
    ) -> tuple[Date, int] | None:
        """Draw a wrong date that may be taught, and the place of its year: any, one near the ends, or a hard one.

        Args:
            hardest: Chooses among places of years.
        """
        whole, part = self.taught[Verdict.INCORRECT], self.taught[Verdict.TRANSITIONAL]
        chance = random.random()
        if precision is not Precision.YEAR and part and chance < 1 / 6:
            index = int(random.choice(part))
        elif chance < 1 / 2 and self._near_ends:
            index = int(random.choice(self._near_ends))
        elif chance < 5 / 6:
            index = hardest(whole)
        else:
            index = int(random.choice(whole))
        date = self.date_in(index, precision, Verdict.INCORRECT, random)
        return (date, index) if date else None

    @cached_property
    def _near_ends(self) -> list[int]:
        """The places of wrong years that lie within 1.2 lengths of the middle, and of those beside the ends."""
        held = [index for index, found in enumerate(self.verdicts) if found is not Verdict.INCORRECT]
        if not held:
            return []
        first, last = self.years[held[0]], self.years[held[-1]]
        reach = max(_NEAR, round(0.7 * (last - first + 1)))
        return [index for index in self.taught[Verdict.INCORRECT] if first - reach <= self.years[index] <= last + reach]


def drawn_in(year: int, precision: Precision, random: np.random.Generator) -> Date:
    """Draw a month or a day of a year."""
    month = int(random.integers(1, 13))
    if precision is Precision.MONTH:
        return Date.of(year, month)
    return Date.of(year, month, int(random.integers(1, days_in_month(year, month) + 1)))


def years_around(answer: DatedAnswer) -> tuple[int, ...]:
    """Return the years around the times in which an answer is right, those beside the ends among them."""
    known_by = answer.known_by or Date.today()
    bounds = [interval.bounds(known_by=known_by) for interval in answer.intervals]
    firm = [one for one in bounds if one.latest_start <= one.earliest_end]
    if not firm:
        return ()
    first = min(one.latest_start for one in firm)
    last = max(min(one.earliest_end, known_by.last) for one in firm)
    length = max(_SHORTEST, last - first)
    middle = (first + last) / 2
    days = np.floor(middle + np.linspace(-_REACH, _REACH, _MOST_YEARS) * length).astype(np.int64)
    years = {int(year) for year in calendar_day(days)[0]}
    for day in (first, last):
        end = int(calendar_day(np.array([day]))[0][0])
        years |= set(range(end - _NEAR, end + _NEAR + 1))
    return tuple(sorted(year for year in years if Date.of(year).last <= known_by.last))
