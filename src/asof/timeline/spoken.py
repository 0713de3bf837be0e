"""One date as people say it in a question: "March 2021", "the late 1960s", "the 19th century", "last year".

Where people are vague we decide: early, mid and late are the years 0-3, 4-6 and 7-9 of a decade and thirds of any other
date; "the 60s" are the 1960s; "the 1800s" are a hundred years, "the 2000s" ten.
"""

from __future__ import annotations

import re

from asof.errors import DateError
from asof.timeline.calendar import calendar_day, day_number
from asof.timeline.date import MONTHS, Date, Precision, Span
from asof.timeline.days import Days
from asof.timeline.period import Granularity, Period

_MONTH = "(?:" + "|".join([*MONTHS, *(month[:3] + r"\b\.?" for month in MONTHS), r"Sept\b\.?"]) + ")"
_DAY = r"[0-9]{1,2}(?:st|nd|rd|th)?"
ERA = r"(?:\s?(?:B\.?C\.?E?\.?|A\.?D\.?|C\.E\.|CE))"
_YEAR = rf"(?:(?:AD|A\.D\.)\s?[0-9]{{1,4}}|[0-9]{{1,7}}{ERA}|[12][0-9]{{3}}|[0-9]{{3}})(?![0-9A-Za-z])"
_NUMBERS = (
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", "twenty-first",
)  # fmt: skip
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9}  # their first months; a winter has two years
_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties", "nineties")
# "20th Century Fox" is a name, "20th century German chancellors" are not.
_CENTURY = rf"(?:[0-9]{{1,2}}(?:st|nd|rd|th)|{'|'.join(reversed(_NUMBERS))})[ -](?!(?-i:Century [A-Z]))century{ERA}?"
_DATE = "|".join(
    (
        r"[+-]?[0-9]{3,4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9])",
        r"[0-9]{1,2}[./][0-9]{1,2}[./][0-9]{4}(?![0-9])",
        r"[0-9]{4}-?Q[1-4]",
        rf"(?:Q[1-4]|(?:the )?(?:first|second|third|fourth) quarter)(?: of)? {_YEAR}",
        r"[+-]?[0-9]{4}-[0-9]{2}(?![0-9])",
        rf"(?:the )?{_DAY} (?:of )?{_MONTH},? (?:of )?(?:{_YEAR}|[0-9]{{1,2}}\b)",
        rf"{_MONTH} (?:the )?{_DAY},? (?:{_YEAR}|[0-9]{{1,2}}(?![0-9A-Za-z]))",
        rf"{_MONTH},? (?:of )?{_YEAR}",
        rf"(?:the )?(?:spring|summer|autumn|fall)(?: of)? {_YEAR}",
        rf"(?:the )?(?:[0-9]{{3,4}}|['’]?[0-9]0)['’]?s\b{ERA}?",
        rf"(?:the )?(?:{'|'.join(_DECADES)})\b",
        rf"(?:the )?{_CENTURY}",
        rf"(?:the )?year [0-9]{{1,4}}\b{ERA}?",
        _YEAR,
    )
)
_PART = (
    r"(?:(?:the )?(?:early|mid|middle|late|beginning|start|end|close|(?:first|second|latter) half)"
    r"(?: part)?(?:[- ]of)?[- ](?:the )?)"
)
WHEN = rf"{_PART}?(?:{_DATE})"
_LENGTHS = {"month": Granularity.MONTH, "quarter": Granularity.QUARTER, "year": Granularity.YEAR}
_STEPS = {"this": 0, "last": -1, "next": 1}
RELATIVE = r"(?:this|last|next) (?:year|quarter|month)|yesterday|tomorrow|[0-9]{1,4} years? ago"
TODAY = (
    r"(?:right now|at present|at the moment|at this moment|nowadays|today|currently|presently|these days|as of now|now)"
)


def read_days(text: str, today: Date) -> Days:
    """Read the days of one date with or without "early", "the end of" and the like.

    >>> str(read_days("the late 60s", Date.parse("2024-05-01"))), str(read_days("last year", Date.parse("2024-05-01")))
    ('1967-01-01..1969-12-31', '2023-01-01..2023-12-31')
    """
    span = read_span(text, today)
    return Days(span.first, span.last)


def read_span(text: str, today: Date) -> Date | Period | Days:
    """Read one date as people say it: a date or a period where it is one, else a stretch of days.

    >>> today = Date.parse("2024-05-01")
    >>> [str(read_span(text, today)) for text in ("last year", "last month", "Q3 2021", "summer 2020", "yesterday")]
    ['2023', '2024-04', '2021-Q3', '2020-06-01..2020-08-31', '2024-04-30']
    """
    plain = " ".join(text.casefold().replace("’", "'").split())
    if relative := _relative_to(plain, today):
        return relative
    part = re.match(rf"(?i){_PART}(?=\S)", plain)
    date = _date(plain[part.end() :] if part else plain, text)
    return _part_of(date, part[0]) if part else date


def _relative_to(text: str, today: Date) -> Date | Period | None:
    if re.fullmatch(TODAY, text):
        return today
    if text in ("yesterday", "tomorrow"):
        return Date.from_day(today.first + (1 if text == "tomorrow" else -1))
    if ago := re.fullmatch(r"([0-9]+) years? ago", text):
        return Date.of(today.year - int(ago[1]))
    if step := re.fullmatch(r"(this|last|next) (year|quarter|month)", text):
        return Period.containing(today.first, _LENGTHS[step[2]]) + _STEPS[step[1]]
    return None


def _date(text: str, written: str) -> Date | Period | Days:
    text = text.removeprefix("the ").removeprefix("year ").replace("'", "")
    text = re.sub(r"(?<=\d) of (?=\d)|(?<=[a-z]) of (?=\d)|(?<=[a-z.]) the (?=\d)", " ", text)
    if re.fullmatch(r"[0-9]{4}-?q[1-4]", text):
        return Period.parse(text)
    if quarter := re.fullmatch(r"(?:q([1-4])|(first|second|third|fourth) quarter)(?: of)? (.+)", text):
        number = int(quarter[1]) if quarter[1] else _NUMBERS.index(quarter[2]) + 1
        return Period.parse(f"{quarter[3]}-Q{number}")
    if season := re.fullmatch(r"(spring|summer|autumn|fall)(?: of)? (.+)", text):
        month, year = _SEASONS[season[1]], Date.parse(season[2]).year
        return Days(Date.of(year, month).first, Date.of(year, month + 2).last)
    if text in _DECADES:
        return Date.decade(1920 + 10 * _DECADES.index(text))
    if re.fullmatch(r"[0-9]0s", text):
        return Date.decade(int(text[:2]) + (2000 if text < "20" else 1900))
    if re.fullmatch(r"[0-9]{1,2}00s", text) and text != "2000s":
        hundreds = int(text[:-1])
        return Date.years(hundreds, hundreds + 99, Precision.CENTURY)
    if re.fullmatch(r"[0-9]{3,4}s", text) and not text.endswith("0s"):
        raise DateError(f"{written!r} is not a valid decade. Write the decade as '1990s'.")
    century = re.fullmatch(rf"({'|'.join(reversed(_NUMBERS))})[ -]century(.*)", text)
    if century:
        text = f"{_NUMBERS.index(century[1]) + 1}th century{century[2]}"
    try:
        return Date.parse(text.replace("-century", " century"))
    except DateError as error:
        raise DateError(f"{written.strip()!r}: {error}") from error


def _part_of(date: Span, part: str) -> Days:
    """Take the early, middle or late part of a date."""
    first, last = date.first, date.last
    start, end = calendar_day(first)[0], calendar_day(last)[0]
    decade = isinstance(date, Date) and date.precision is Precision.DECADE
    short = isinstance(date, Period) or (isinstance(date, Date) and date.precision >= Precision.YEAR)
    if short and re.search("beginning|start", part):
        return Days(first, first)
    if short and re.search("end|close", part):
        return Days(last, last)
    if "half" in part:
        middle = day_number((start + end + 1) // 2, 1, 1) if end > start else day_number(start, 7, 1)
        return Days(first, middle - 1) if "first" in part else Days(middle, last)
    cuts = [day_number(start + 4, 1, 1), day_number(start + 7, 1, 1)] if decade else _thirds(first, last)
    if re.search("early|beginning|start", part):
        return Days(first, cuts[0] - 1)
    if re.search("mid", part):
        return Days(cuts[0], cuts[1] - 1)
    return Days(cuts[1], last)


def _thirds(first: int, last: int) -> list[int]:
    length = last - first + 1
    return [first + length // 3, first + 2 * length // 3]
