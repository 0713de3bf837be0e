"""The time that a question asks about: "in March 2021", "between 2005 and 2012", "before 1990", "in the late 1960s".

A specifier is a stretch of days that the words of a question name; "by 2010" is everything up to then. How vague dates
are read stands in ``spoken``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from asof.errors import DateError
from asof.timeline.date import MAX_DAY, MIN_DAY, Date
from asof.timeline.days import Days
from asof.timeline.parse import DAY_AND_MONTH, day_by_numbers
from asof.timeline.spoken import ERA, RELATIVE, TODAY, WHEN, read_days


@dataclass(frozen=True, slots=True, kw_only=True)
class Specifier:
    """A time in a question: where it stands in the text, and which days it means."""

    start: int
    end: int
    text: str
    days: Days


_BEFORE = r"(?:before|prior to|earlier than|preceding)"
_UNTIL = r"(?:up to and including|up to|up until|until|till|through|by|no later than)"
_AFTER = r"(?:after|following|later than)"
_SINCE = r"(?:ever since|since|starting in|starting from|beginning in|from)"
_IN = r"(?:as of|as at|in|on|during|at|within|throughout|around|for|over|of)"

_RANGE = re.compile(
    rf"\b(?:(?P<between>between)|from|in|during|for|over)?\s*\b(?P<one>{WHEN})\s*"
    rf"(?:(?(between)and|(?:to|until|till|through|and))|(?<=[0-9])\s*[-–—]\s*(?=[0-9]))\s+?(?:the )?(?P<other>{WHEN})"
    rf"|(?<![\w-])(?:(?:in|during|from)\s+(?:the\s+)?)?(?P<year1>[0-9]{{4}})\s?[-–—/]\s?(?P<year2>[0-9]{{4}}|1[3-9]|[2-9][0-9]"
    r"|[0-9]{2}(?=\s+season|\s+campaign))(?![\w-])(?:\s+(?:season|campaign)(?!\w))?",
    re.IGNORECASE,
)
_SINGLE = re.compile(
    rf"(?<![\w-])(?:(?P<before>{_BEFORE})|(?P<until>{_UNTIL})|(?P<after>{_AFTER})|(?P<since>{_SINCE})|{_IN})?"
    rf"\s*(?:the year (?=[0-9]))?(?<![\w-])(?P<when>{WHEN}|{RELATIVE})"
    r"(?:\s+(?:on|onwards?|season|campaign)(?!\w))?(?!\w)",
    re.IGNORECASE,
)
_SMALL_YEARS = re.compile(
    rf"(?<![\w-])(?:between (?P<one>[0-9]{{1,3}}) and|from (?P<from>[0-9]{{1,3}}) (?:to|until)) (?P<other>[0-9]{{1,4}})"
    rf"(?P<era>{ERA}?)(?!\w)",
    re.IGNORECASE,
)
_SMALL_YEAR = re.compile(r"(?<![\w-])in (?P<when>[0-9]{1,2})(?=\s*(?:[?.,!]|$))", re.IGNORECASE)
_SEASON = ("season", "campaign")
_NOW = re.compile(rf"(?<![\w-])(?:as of )?{TODAY}(?!\w)", re.IGNORECASE)
_BY_NUMBERS = re.compile(rf"(?<![\w.]){DAY_AND_MONTH.pattern}(?!\w)")


def find_specifiers(text: str, *, today: Date) -> list[Specifier]:
    """Find the times of a question, from left to right.

    >>> found = find_specifiers("Who led Italy before March 2021, or in the late 60s?", today=Date.parse("2024-05-01"))
    >>> [(time.text, str(time.days)) for time in found]
    [('before March 2021', 'until 2021-02-28'), ('in the late 60s', '1967-01-01..1969-12-31')]
    >>> [str(time.days) for time in find_specifiers("between 2005 and 2012", today=Date.parse("2024-05-01"))]
    ['2005-01-01..2012-12-31']
    """
    for by_numbers in _BY_NUMBERS.finditer(text):
        day_by_numbers(by_numbers)  # refuses what may be read in two orders
    found: list[Specifier] = []
    for pattern, read in _READERS:
        for match in pattern.finditer(text):
            found.append(_specifier(match, read(match, today)))
            text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    if not found:  # with another time, it is the name of a programme
        found = [_specifier(match, Days(today.first, today.last)) for match in _NOW.finditer(text)]
    return sorted(found, key=lambda specifier: specifier.start)


def _small_years(match: re.Match[str], today: Date) -> Days:
    years = (match["one"] or match["from"], match["other"])
    first, last = (read_days(year + match["era"], today) for year in years)
    return _between(match, first, last)


def _range(match: re.Match[str], today: Date) -> Days:
    one, other = match["one"] or match["year1"], match["other"] or match["year2"]
    if len(other) == 2:  # 1990-91; but 1990-11 is a month
        other = one[:2] + other
    if match[0].casefold().endswith(_SEASON) and int(other) == int(one) + 1:  # without the summers
        return Days(read_days(f"{one}-08-01", today).first, read_days(f"{other}-05-31", today).last)
    return _between(match, read_days(one, today), read_days(other, today))


def _single(match: re.Match[str], today: Date) -> Days:
    days = read_days(match["when"], today)
    if match["before"]:
        return Days(MIN_DAY, days.first - 1)
    if match["until"]:
        return Days(MIN_DAY, days.last)
    if match["after"]:
        return Days(days.last + 1, MAX_DAY)
    if not match["since"] or _of_a_time(match):
        return days
    return Days(days.first, MAX_DAY, (days.last, MAX_DAY))


def _of_a_time(match: re.Match[str]) -> bool:
    """Tell "presidents from the 1990s" from "from 1990" and "from the 1990s on"."""
    when = match["when"]
    vague = when.casefold().endswith(("s", "century")) and match[0].endswith(when)
    return vague and match["since"].casefold() == "from"


def _small_year(match: re.Match[str], today: Date) -> Days:
    return read_days(match["when"], today)


def _between(match: re.Match[str], first: Days, last: Days) -> Days:
    if first.first > last.last:
        raise DateError(f"{match[0].strip()!r} ends before it starts. Give the earlier date first.")
    by_its_ends = match[0].strip().casefold().startswith("from ") and first.last < last.first
    return Days(first.first, last.last, (first.last, last.first) if by_its_ends else None)


def _specifier(match: re.Match[str], days: Days) -> Specifier:
    start = match.start() + len(match[0]) - len(match[0].lstrip())
    return Specifier(start=start, end=match.end(), text=match[0].strip(), days=days)


_READERS = ((_SMALL_YEARS, _small_years), (_RANGE, _range), (_SINGLE, _single), (_SMALL_YEAR, _small_year))

__all__ = ["Days", "Specifier", "find_specifiers"]
