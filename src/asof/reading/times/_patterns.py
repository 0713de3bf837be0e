"""The forms of dates in running English text, also where every sign stands alone between spaces."""

from __future__ import annotations

import re

from asof.errors import DateError
from asof.timeline import Date, Precision, bce
from asof.timeline.date import MONTHS

_MONTH_NUMBERS = {
    written.lower(): number for number, name in enumerate(MONTHS, start=1) for written in (name, name[:3])
} | {"sept": 9}
_MONTH = r"(?:{})".format("|".join(sorted((*MONTHS, *(name[:3] for name in MONTHS), "Sept"), key=len, reverse=True)))
_YEAR = r"(?<![\d$£€#,.])(?:1\d{3}|20\d{2})(?!\d|,\d|\.\d|s\b|\s?%|\s?(?:km|metres|meters|feet|ft|people|men|kg|hp)\b)"
_OLD_YEAR = r"(?<![\d$£€#,.])\d{1,4}"
_ERA = r"\s?(?:AD|CE|BCE?|A\.D\.|B\.C\.)\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

DATE = re.compile(
    rf"""
    (?P<iso>(?<!\d)\d{{4}}-\d{{2}}-\d{{2}}(?!\d))
    |(?<![\d./])(?:(?P<one>\d{{1,2}})(?P<sign>[./]))?(?P<two>\d{{1,2}})(?(sign)(?P=sign)|[./])(?P<year0>(?:1\d|20)\d{{2}})(?![\d/])
    |(?P<day1>\b{_DAY})\s(?:of\s)?(?P<month1>{_MONTH})\b\s?\.?\s?,?\s(?P<year1>{_YEAR})
    |(?P<month2>\b{_MONTH})\s?\.?\s(?P<day2>{_DAY})\s?,?\s(?P<year2>{_YEAR})
    |(?P<month3>\b{_MONTH})\b\s?[.,]?\s(?:of\s)?(?P<year3>{_YEAR})
    |(?P<years>{_YEAR})(?:[-–—/])(?P<short>\d{{2}})(?![\d-])
    |(?:(?P<share>early|mid|late|beginning\sof|end\sof)(?:\s|-)(?:the\s)?)?(?P<decade>(?<!\d)\d{{3}}0)\s?'?s\b
    |(?:(?P<share_century>early|mid|late)(?:\s|-)(?:the\s)?)?(?P<century>\d{{1,2}})(?:st|nd|rd|th)\s(?:century|centuries)
    |(?P<era_year>{_OLD_YEAR})(?P<era>{_ERA})
    |(?:(?P<share_year>early|mid|late|beginning\sof|end\sof|summer|spring|autumn|fall|winter)(?:\s|-)(?:of\s|in\s)?)?
     (?P<year>{_YEAR})
    |(?P<day4>\b{_DAY})\s(?P<month4>{_MONTH})\b(?!\s\d{{3}})
    |(?P<month5>\b{_MONTH})\s(?P<day5>{_DAY})\b(?!\s?[,:]?\d)
    |(?<=[Ii]n\s)(?P<month6>{_MONTH})\b|(?<=[Ss]ince\s)(?P<month7>{_MONTH})\b|(?<=[Uu]ntil\s)(?P<month8>{_MONTH})\b
    |(?<=[Ff]rom\s)(?P<month9>{_MONTH})\b
    """,
    re.VERBOSE,
)
# Two to three digits are a year only where a question or a list puts them: "from 196 to 220".
BARE_RANGE = re.compile(r"\b(?:from|between)\s(?P<one>\d{2,3})\s(?:to|and|until)\s(?P<two>\d{2,4})\b", re.IGNORECASE)

_MONTHS = 12
_SHARES = {"early": (0.0, 0.4), "beginning of": (0.0, 0.3), "mid": (0.3, 0.7), "late": (0.6, 1.0), "end of": (0.7, 1.0)}
_SEASONS = {"spring": (3, 5), "summer": (6, 8), "autumn": (9, 11), "fall": (9, 11), "winter": (12, 12)}


def small_letters(text: str) -> str:
    """Return what a pattern that does not mind case took for English words: it takes İ and ı for i, and ſ for s.

    >>> small_letters("Followİng"), small_letters("ſame")
    ('following', 'same')
    """
    return text.replace("İ", "i").lower().translate({ord("ı"): "i", ord("ſ"): "s"})


def whole_date(match: re.Match[str]) -> tuple[Date, Date] | None:
    """Return first and last date of what a match says, None when it is no date or lacks its year."""
    try:
        return _whole_date(match)
    except DateError:
        return None


def without_year(match: re.Match[str]) -> tuple[int, int | None] | None:
    """Return month and day of a match that has no year."""
    for number in (4, 5, 6, 7, 8, 9):
        month = match[f"month{number}"]
        if month:
            day = match[f"day{number}"] if number in (4, 5) else None
            return _MONTH_NUMBERS[month.lower()], int(re.sub(r"\D", "", day)) if day else None
    return None


def in_year(year: int, month_and_day: tuple[int, int | None]) -> Date | None:
    """Put a month or day into a year; None when the year has no such day."""
    try:
        return Date.of(year, *month_and_day)
    except DateError:
        return None


def _whole_date(match: re.Match[str]) -> tuple[Date, Date] | None:
    if match["iso"]:
        return _twice(Date.of(*map(int, match["iso"].split("-"))))
    if match["year0"]:
        return _twice(_in_numbers(int(match["year0"]), match["one"], int(match["two"]), match["sign"]))
    for number in (1, 2, 3):
        if match[f"year{number}"]:
            month = _MONTH_NUMBERS[match[f"month{number}"].lower()]
            day = int(re.sub(r"\D", "", match[f"day{number}"])) if number < 3 else None
            return _twice(Date.of(int(match[f"year{number}"]), month, day))
    if match["years"]:
        first = int(match["years"])
        last = first // 100 * 100 + int(match["short"])
        last += 100 if last < first and last % 100 == 0 else 0
        return (Date.of(first), Date.of(last)) if last > first else _twice(Date.of(first))
    if match["decade"]:
        return _twice(_share_of(Date.decade(int(match["decade"])), match["share"]))
    if match["century"]:
        return _twice(_share_of(Date.century(int(match["century"])), match["share_century"]))
    if match["era_year"]:
        year = int(match["era_year"])
        return _twice(Date.of(bce(year) if "B" in match["era"] else year)) if year else None
    if match["year"]:
        return _twice(_part_of_year(int(match["year"]), match["share_year"]))
    return None


def _in_numbers(year: int, one: str | None, two: int, sign: str | None) -> Date:
    """Read "08/2019", "31.8.2019", "8/31/2019"; of "7/8/2019", which may be either, the year."""
    if one is None:
        return Date.of(year, two)
    first, second = int(one), two
    if sign == "." or first > _MONTHS:
        return Date.of(year, second, first)
    return Date.of(year, first, second) if second > _MONTHS else Date.of(year)


def _twice(date: Date) -> tuple[Date, Date]:
    return date, date


def _share_of(date: Date, share: str | None) -> Date:
    low, high = _SHARES[share] if share else (0.0, 1.0)
    days = date.last - date.first + 1
    return Date(date.first + round(low * days), date.first + round(high * days) - 1, date.precision)


def _part_of_year(year: int, share: str | None) -> Date:
    if share in _SEASONS:
        first, last = _SEASONS[share]
        return Date(Date.of(year, first).first, Date.of(year, last).last, Precision.MONTH)
    return _share_of(Date.of(year), share)
