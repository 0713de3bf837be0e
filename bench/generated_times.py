"""Times as Wikidata's JSON writes them, drawn with the date that they mean; computed without asof's own calendar."""

from dataclasses import dataclass
from random import Random

_GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
_JULIAN = "http://www.wikidata.org/entity/Q1985786"


@dataclass(frozen=True)
class Time:
    """One time: how the dump writes it, and the text of the date."""

    time: str
    precision: int
    calendar: str
    text: str

    @property
    def value(self) -> dict[str, object]:
        """The value of a snak."""
        return {
            "time": self.time,
            "timezone": 0,
            "before": 0,
            "after": 0,
            "precision": self.precision,
            "calendarmodel": self.calendar,
        }


def a_point(random: Random) -> Time:
    """Draw any time."""
    return _time(random, _year(random, 20, 2027))


def a_spell(random: Random) -> tuple[Time, Time]:
    """Draw a start and an end some years later."""
    year = _year(random, 120, 2000)
    return _time(random, year), _time(random, year + random.randrange(1, 27))


def _year(random: Random, first: int, last: int) -> int:
    drawn = random.random()
    if drawn < 0.85:
        return random.randrange(1700, last)
    return random.randrange(first, 1700) if drawn < 0.95 else -random.randrange(first, 900)


def two_spells(random: Random) -> list[tuple[Time, Time]]:
    """Draw two spells, one after the other, exact enough to tell their order."""
    first = random.randrange(1600, 1960)
    gaps = [random.randrange(2, 15) for _ in range(3)]
    years = [first, first + gaps[0], first + sum(gaps[:2]), first + sum(gaps)]
    times = [_time(random, year, precisions=(9, 10, 11)) for year in years]
    return [(times[0], times[1]), (times[2], times[3])]


def bad_time(random: Random) -> Time:
    """Draw what is not a valid date: the year 0, or a precision that spans geological time."""
    if random.random() < 0.5:
        return Time("+0000-00-00T00:00:00Z", 9, _GREGORIAN, "")
    return Time("-4500000000-00-00T00:00:00Z", 3, _GREGORIAN, "")


def _time(random: Random, year: int, *, precisions: tuple[int, ...] = (11, 11, 11, 10, 9, 9, 9, 8, 7)) -> Time:
    precision = random.choice(precisions)
    month, day = random.randrange(1, 13), random.randrange(1, 29)
    shown = f"{'-' if year < 0 else '+'}{abs(year):04d}"
    era = " BCE" if year < 0 else ""
    written = f"{'-' if year < 0 else ''}{abs(year):04d}"
    if precision == 11:
        julian = year < 1582 and random.random() < 0.7
        text = _gregorian(year, month, day) if julian else f"{written}-{month:02d}-{day:02d}"
        return Time(f"{shown}-{month:02d}-{day:02d}T00:00:00Z", 11, _JULIAN if julian else _GREGORIAN, text)
    if precision == 10:
        return Time(f"{shown}-{month:02d}-00T00:00:00Z", 10, _GREGORIAN, f"{written}-{month:02d}")
    if precision == 9:
        filled = random.choice(("00-00", "01-01"))  # years of early imports say 1 January
        return Time(f"{shown}-{filled}T00:00:00Z", 9, _JULIAN if 0 < year < 1500 else _GREGORIAN, written)
    if precision == 8:
        return Time(f"{shown}-00-00T00:00:00Z", 8, _GREGORIAN, f"{abs(year) // 10 * 10}s{era}")
    return Time(f"{shown}-00-00T00:00:00Z", 7, _GREGORIAN, f"{_ordinal((abs(year) - 1) // 100 + 1)} century{era}")


def _ordinal(number: int) -> str:
    suffix = "th" if number in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"


def _gregorian(year: int, month: int, day: int) -> str:
    """Turn a Julian day into a Gregorian one over the Julian day number (Richards' formulas)."""
    astronomical = year + 1 if year < 0 else year
    a = (14 - month) // 12
    y, m = astronomical + 4800 - a, month + 12 * a - 3
    number = day + (153 * m + 2) // 5 + 365 * y + y // 4 - 32083
    b = number + 32044
    c = (4 * b + 3) // 146097
    d = b - 146097 * c // 4
    e = (4 * d + 3) // 1461
    f = d - 1461 * e // 4
    g = (5 * f + 2) // 153
    new_day, new_month, new_year = f - (153 * g + 2) // 5 + 1, g + 3 - 12 * (g // 10), 100 * c + e - 4800 + g // 10
    shown = f"{new_year:04d}" if new_year > 0 else f"-{1 - new_year:04d}"
    return f"{shown}-{new_month:02d}-{new_day:02d}"
