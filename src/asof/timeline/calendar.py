"""Day numbers and calendar days, for integers and for numpy arrays alike.

Day 0 is 1 January 1970, in the proleptic Gregorian calendar, as in Arrow's date32. Years are astronomical:
year 0 is 1 BCE, year -43 is 44 BCE. Only whole-number arithmetic, so that numpy and SQL give the same.
"""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

Days = TypeVar("Days", int, npt.NDArray[np.int64])

_DAYS_BEFORE_EPOCH = 719_468  # from 1 March of year 0 to 1 January 1970
_DAYS_IN_400_YEARS = 146_097
_DAYS_IN_4_JULIAN_YEARS = 1_461
_MONTH_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def day_number(year: Days, month: Days, day: Days) -> Days:
    """Return the number of a day of the proleptic Gregorian calendar.

    >>> day_number(1970, 1, 1), day_number(2000, 2, 29), day_number(-43, 3, 15)
    (0, 11016, -735160)
    """
    years: Days = year - (month <= 2)  # years begin in March here, so that 29 February comes last
    era = years // 400
    year_of_era = years - era * 400
    day_of_year = _day_of_march_year(month, day)
    day_of_era: Days = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * _DAYS_IN_400_YEARS + day_of_era - _DAYS_BEFORE_EPOCH


def julian_day_number(year: Days, month: Days, day: Days) -> Days:
    """Return the number of a day that is given in the proleptic Julian calendar.

    >>> julian_day_number(1582, 10, 5) == day_number(1582, 10, 15)
    True
    """
    years = year - (month <= 2)
    cycle = years // 4
    day_of_cycle = (years - cycle * 4) * 365 + _day_of_march_year(month, day)
    return cycle * _DAYS_IN_4_JULIAN_YEARS + day_of_cycle - _DAYS_BEFORE_EPOCH - 2


def calendar_day(number: Days) -> tuple[Days, Days, Days]:
    """Return year, month and day of a day number: the inverse of ``day_number``.

    >>> calendar_day(11016)
    (2000, 2, 29)
    """
    shifted = number + _DAYS_BEFORE_EPOCH
    era = shifted // _DAYS_IN_400_YEARS
    day_of_era = shifted - era * _DAYS_IN_400_YEARS
    year_of_era = (day_of_era - day_of_era // 1_460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    march_month = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * march_month + 2) // 5 + 1
    month = (march_month + 2) % 12 + 1
    return year_of_era + era * 400 + (month <= 2), month, day


def days_in_month(year: int, month: int, *, julian: bool = False) -> int:
    """Return how many days a month has.

    >>> days_in_month(1900, 2), days_in_month(1900, 2, julian=True)
    (28, 29)
    """
    leap = year % 4 == 0 and (julian or year % 100 != 0 or year % 400 == 0)
    return 29 if leap and month == 2 else _MONTH_LENGTHS[month - 1]


def _day_of_march_year(month: Days, day: Days) -> Days:
    return (153 * ((month + 9) % 12) + 2) // 5 + day - 1
