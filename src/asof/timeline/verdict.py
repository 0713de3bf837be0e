"""Is a date right for a fact? Correct, incorrect or transitional (Ammar Khodja et al. 2025, section 3).

Correct: the fact surely holds on every day of the date. Incorrect: it holds on none. Transitional: the rest, such
as the year in which a president changed. One rule for single dates, numpy columns and SQL.
"""

from enum import IntEnum

import numpy as np
import numpy.typing as npt

from asof.timeline.date import Date, Span
from asof.timeline.interval import Interval

Column = npt.NDArray[np.integer]


class Verdict(IntEnum):
    """What a date is for a fact; a higher number is a surer yes."""

    INCORRECT = 0
    TRANSITIONAL = 1
    CORRECT = 2

    def __str__(self) -> str:
        return self.name.lower()


def verdict(date: Span, interval: Interval, *, whole_ends: bool = False, known_by: Date | None = None) -> Verdict:
    """Judge a date (or period) against the interval of a fact.

    The three examples of the paper:

    >>> str(verdict(Date.parse("2020"), Interval.parse("January 2019", "2021")))
    'correct'
    >>> str(verdict(Date.parse("1 January 2019"), Interval.parse("February 2019", "2020")))
    'incorrect'
    >>> str(verdict(Date.parse("2021"), Interval.parse("8 August 2021", "3 April 2023")))
    'transitional'

    Args:
        whole_ends: Count an imprecise end in full, as the published program does: a fact that starts in "2011" then
            holds from 1 January 2011, and 2011 is correct instead of transitional.
        known_by: The day up to which "ongoing" is known to be true.
    """
    bounds = interval.bounds(known_by=known_by)
    if not bounds.possibly_meets(date):
        return Verdict.INCORRECT
    if whole_ends:
        surely = bounds.earliest_start <= date.first and date.last <= bounds.latest_end
    else:
        surely = bounds.covers(date)
    return Verdict.CORRECT if surely else Verdict.TRANSITIONAL


def verdicts(
    first: Column,
    last: Column,
    earliest_start: Column,
    latest_start: Column,
    earliest_end: Column,
    latest_end: Column,
    *,
    whole_ends: bool = False,
    any_day: bool = False,
) -> npt.NDArray[np.int8]:
    """Judge many dates at once; the columns broadcast, so facts × dates makes a matrix of verdicts.

    Args:
        whole_ends: As for ``verdict``.
        any_day: Call a date correct when the fact surely holds on some day of it, not only on every day.

    >>> day = Date.of(2020)
    >>> bounds = Interval.parse("2019-01", "2021").bounds()
    >>> verdicts(np.array([day.first]), np.array([day.last]), *(np.array([bound]) for bound in bounds))
    array([2], dtype=int8)
    """
    possible = (earliest_start <= last) & (first <= latest_end)
    if whole_ends:
        sure = (earliest_start <= first) & (last <= latest_end)
    elif any_day:
        sure = (latest_start <= last) & (first <= earliest_end)
    else:
        sure = (latest_start <= first) & (last <= earliest_end)
    return possible.astype(np.int8) + (possible & sure).astype(np.int8)
