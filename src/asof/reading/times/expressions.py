"""Find time expressions in text and normalise them to intervals (Chen et al. 2021, section 4.6: the readers' errors).

Explicit dates, ranges, "since", "until", seasons and decades are *stated*. "Two years later", "that year", "in March"
are *derived*: they hang on the time that was last spoken of.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from asof.errors import DateError
from asof.reading.times._patterns import BARE_RANGE, DATE, in_year, small_letters, whole_date, without_year
from asof.timeline import Date, Interval, Open
from asof.timeline.calendar import calendar_day

Kind = Literal["at", "range", "from", "until"]

_JOIN = re.compile(
    r"\s?(?:[-–—]|to|until|till|through|up to|and)\s?(?:the\s|in\s|on\s|early\s|late\s|c\.\s|ca\s?\.?\s)?$"
)
_CLAUSE = r"(?:until|till)\s(?:[^\s\d,.;:()]+\s){1,8}?(?:in|on|during)\s(?:the\s|early\s|late\s)?$"
_JOIN_BY_CLAUSE = re.compile(rf"\s{_CLAUSE}")  # "from 1955 until he was sacked in 1962"
_UNTIL_CLAUSE = re.compile(rf"\b{_CLAUSE}", re.IGNORECASE)
_AND = re.compile(r"\s?and\s")
_BETWEEN_BEFORE = re.compile(r"\b[Bb]etween\s(?:the\s)?(?:years\s)?$")
_OPEN_AFTER = re.compile(
    r"\s?(?:[-–—]|to|until)\s?(?:the\s)?(?:present|now|today|date|current(?:ly)?|\?|\)|\]|$)", re.I
)
_ONWARDS = re.compile(r"\s(?:onwards?|on)\b(?!\s(?:the|a)\b)")
_FROM_BEFORE = re.compile(
    r"\b(?:[Ss]ince|[Ff]rom|[Aa]fter|[Ff]ollowing|[Ss]tarting\s(?:in|from)|[Bb]eginning\s(?:in|on|from)|[Ee]ffective|[Aa]s\sof)\s"
    r"(?:the\s|about\s|at\sleast\s|on\s|year\s)*$"
)
_UNTIL_BEFORE = re.compile(
    r"(?:\b(?:[Uu]ntil|[Tt]ill|[Uu]p\sto|[Tt]hrough|[Bb]efore|[Bb]y|[Pp]rior\sto|to)\s(?:the\s|about\s|at\sleast\s|its\s|his\s|her\s|death\s|retirement\s|end\sof\s|in\s|on\s)*"
    r"|(?:^|\s|\?|\()\s?[-–—]\s?)$"
)
_NUMBERS_TEXT = "one two three four five six seven eight nine ten eleven twelve"
_NUMBERS = {word: number for number, word in enumerate(_NUMBERS_TEXT.split(), start=1)} | {"a": 1, "an": 1}
_COUNT = rf"(?P<count>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_RELATIVE = re.compile(
    rf"""
    \b{_COUNT}\s(?P<unit>years?|months?|decades?)\s(?P<way>later|afterwards?|after|earlier|before)\b
    |\b[Tt]he\s(?P<step>following|next|previous|same)\s(?P<unit2>year|month|season|summer|spring|autumn|winter)\b
    |\b(?P<same>[Tt]hat\s(?:same\s)?(?:year|month|season|summer|spring|autumn|winter)|[Ll]ater\sthat\syear|[Tt]he\ssame\syear)\b
    |\b(?P<war>(?:World\sWar|First\sWorld\sWar|Second\sWorld\sWar)(?:\s(?:II|I|1|2|One|Two)\b)?)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_WARS = {1: (Date.of(1914, 7), Date.of(1918, 11)), 2: (Date.of(1939, 9), Date.of(1945, 9))}


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A time in a text: from which to which letter, which interval it means, and how it is known."""

    start: int
    end: int
    interval: Interval
    kind: Kind
    stated: bool = True

    @property
    def first(self) -> int:
        """The first day, or the only border there is."""
        day = self.interval.start if isinstance(self.interval.start, Date) else self.interval.end
        return day.first if isinstance(day, Date) else 0

    @property
    def last(self) -> int:
        """The last day, or the only border there is."""
        day = self.interval.end if isinstance(self.interval.end, Date) else self.interval.start
        return day.last if isinstance(day, Date) else 0


_TimeMatch = TimeExpression | re.Match[str]


def find_times(text: str, *, anchor: TimeExpression | None = None) -> list[TimeExpression]:
    """Return the time expressions of a text in their order.

    >>> def told(text):
    ...     return [f"{time.kind} {time.interval}" for time in find_times(text)]
    >>> told("He led Parma from 1985 to May 1990 , and Lazio until 1993 .")
    ['range 1985..1990-05', 'until not stated..1993']
    >>> told("Yuri Puntus ( 1 March 1996 – 30 November 2004 )"), told("2017-present - David Hudgens")
    (['range 1996-03-01..2004-11-30'], ['from 2017..ongoing'])
    >>> told("She joined in 1947 . Two years later she left ; in March of that year she won .")
    ['at 1947..1947', 'at 1949..1949', 'at 1949-03..1949-03', 'at 1949..1949']
    >>> told("the late 1980s , the 2010-11 season and 12 June – 3 July 1928")
    ['at 1980s..1980s', 'range 2010..2011', 'range 1928-06-12..1928-07-03']
    >>> told("He led it until he was sacked in 1962 ; she ran it from 1963 until the club folded in May 1970 .")
    ['until not stated..1962', 'range 1963..1970-05']

    Args:
        anchor: The time that was last spoken of before the text begins.
    """
    matches: list[_TimeMatch] = [*_stated(text), *_bare_ranges(text), *_RELATIVE.finditer(text)]
    found: list[TimeExpression] = []
    for match in sorted(matches, key=_begin):
        if found and _begin(match) < found[-1].end:
            continue
        before = found[-1] if found else anchor
        time = match if isinstance(match, TimeExpression) else _hung_on(match, before, text)
        if time:
            found.append(time)
    return found


def _begin(match: _TimeMatch) -> int:
    return match.start if isinstance(match, TimeExpression) else match.start()


def _hung_on(match: re.Match[str], anchor: TimeExpression | None, text: str) -> TimeExpression | None:
    if match.re is _RELATIVE:
        return _derived(match, anchor)
    partial = without_year(match)
    date = in_year(calendar_day(anchor.first)[0], partial) if partial and anchor else None
    return replace(_alone(text, match, (date, date)), stated=False) if date else None


def _bare_ranges(text: str) -> Iterator[TimeExpression]:
    for match in BARE_RANGE.finditer(text):
        interval = Interval(Date.of(int(match["one"])), Date.of(int(match["two"])))
        if not interval.inverted:
            yield TimeExpression(match.start(), match.end(), interval, "range")


def _stated(text: str) -> Iterator[_TimeMatch]:
    """Join the dates of a text to ranges, and read the words around those that stand alone.

    A month or day without a year is given back as it stands.
    """
    matches = list(DATE.finditer(text))
    index = 0
    while index < len(matches):
        match = matches[index]
        dates = whole_date(match)
        following = matches[index + 1] if index + 1 < len(matches) else None
        joined = bool(
            following
            and _joins(text[match.end() : following.start()])
            and (not _AND.match(text[match.end() :]) or _BETWEEN_BEFORE.search(text[: match.start()]))
        )
        last = whole_date(following) if joined and following else None
        if dates is None:
            partial = without_year(match)
            date = in_year(last[0].year, partial) if partial and last else None
            dates = (date, date) if date else None
        if dates and joined and following and not last:
            partial = without_year(following)
            date = in_year(dates[0].year, partial) if partial else None
            last = (date, date) if date else None
        if dates is None:
            if without_year(match):
                yield match
            index += 1
            continue
        if last and dates[0].first <= last[1].last:
            yield TimeExpression(match.start(), following.end(), Interval(dates[0], last[1]), "range")  # type: ignore[union-attr]
            index += 2
            continue
        yield _alone(text, match, dates)
        index += 1


def _joins(between: str) -> bool:
    return bool(_JOIN.fullmatch(between) or _JOIN_BY_CLAUSE.fullmatch(between))


def _alone(text: str, match: re.Match[str], dates: tuple[Date, Date]) -> TimeExpression:
    first, last = dates
    if first != last:
        return TimeExpression(match.start(), match.end(), Interval(first, last), "range")
    before, after = text[max(0, match.start() - 80) : match.start()], text[match.end() : match.end() + 20]
    open_end = _OPEN_AFTER.match(after)
    if open_end:
        until = Open.UNKNOWN if "?" in open_end[0] else Open.ONGOING
        return TimeExpression(match.start(), match.end() + open_end.end(), Interval(first, until), "from")
    if _FROM_BEFORE.search(before) or _ONWARDS.match(after):
        return TimeExpression(match.start(), match.end(), Interval(first, Open.NOT_STATED), "from")
    if _UNTIL_BEFORE.search(before) or _UNTIL_CLAUSE.search(before):
        return TimeExpression(match.start(), match.end(), Interval(Open.NOT_STATED, first), "until")
    return TimeExpression(match.start(), match.end(), Interval(first, first), "at")


def _derived(match: re.Match[str], anchor: TimeExpression | None) -> TimeExpression | None:
    """Count from the anchor: "two years later", "the following year", "that year"; wars need none."""
    if match["war"]:
        words = small_letters(match["war"])
        first, last = _WARS[2 if words.endswith((" ii", " 2", " two")) or "second" in words else 1]
        return TimeExpression(match.start(), match.end(), Interval(first, last), "range", stated=False)
    if anchor is None:
        return None
    year = calendar_day(anchor.first if match["way"] in ("earlier", "before") else anchor.last)[0]
    if anchor.kind != "range":
        year = calendar_day(anchor.first)[0]
    if match["count"]:
        count, unit, way = (small_letters(match[name]) for name in ("count", "unit", "way"))
        steps = (_NUMBERS.get(count) or int(count)) * (10 if unit.startswith("decade") else 1)
        steps = 0 if unit.startswith("month") else steps
        year += -steps if way in ("earlier", "before") else steps
    elif match["step"] and small_letters(match["unit2"]) != "month":
        year += {"following": 1, "next": 1, "previous": -1, "same": 0}[small_letters(match["step"])]
    try:
        date = Date.of(year)
    except DateError:
        return None
    return TimeExpression(match.start(), match.end(), Interval(date, date), "at", stated=False)
