"""The times in a sentence, as claims say them: since, until, from one to another, in a year."""

from __future__ import annotations

import re

from asof.errors import DateError
from asof.reading.verify.claim import SaidTime
from asof.timeline import MAX_DAY, MIN_DAY, Date
from asof.timeline.days import Days
from asof.timeline.specifier import Specifier
from asof.timeline.spoken import WHEN, read_days

_OPEN = re.compile(
    rf"\b(?:from |since )?(?P<when>{WHEN})\s*(?:[-–—]\s*|\s(?:to|until|till|through)\s)"
    r"(?:the )?(?:present(?: day)?|now|today|date)\b",
    re.IGNORECASE,
)
_SINCE = re.compile(r"(?:ever since|since|starting (?:in|from)|beginning (?:in|from)|from)\b", re.IGNORECASE)
_UNTIL = re.compile(r"(?:up to and including|up to|up until|until|till|through)\b", re.IGNORECASE)
_AROUND = re.compile(
    r"(?:before|prior to|after|following|by|no later than|earlier than|later than|preceding)\b", re.IGNORECASE
)
_AT = re.compile(
    r"(?:as of|as at|in|on|during|within|throughout|between|last year|yesterday|this year|last month)\b", re.IGNORECASE
)
_JOINER = re.compile(r"\s*(?:(?<=[0-9])\s*[-–—/]\s*(?=[0-9])|\b(?:to|until|till|through|and)\b)\s*", re.IGNORECASE)
_OPENING = re.compile(r"^(?:between|from|in|during|for|over)\s+(?:the (?:years )?)?", re.IGNORECASE)
_PART = re.compile(
    r"\b(?:the )?(?P<part>early|mid|middle|late|beginning|start|end|close)"
    r"(?: part)?(?:[- ]of)?[- ](?:the )?(?=[0-9A-Z])",
    re.IGNORECASE,
)
_THIRDS = {
    "early": "early ", "beginning": "early ", "start": "early ", "mid": "mid ", "middle": "mid ", "late": "late ",
    "end": "late ", "close": "late ",
}  # fmt: skip
_DAY = re.compile(r"[0-9]{1,2}(?:st|nd|rd|th)?\s+\w+|\w+\.?\s+[0-9]{1,2}(?:st|nd|rd|th)?,?\s|[0-9]{4}-[0-9]{2}")


def plain_times(text: str) -> str:
    """Say open spans with "since": "2015-present" is "since 2015"."""
    return _OPEN.sub(lambda match: f"since {match['when']}", text)


def form_of(time: Specifier, *, in_brackets: bool = False) -> str:
    """Return what a time says: at, since, until, span, around, or nothing where it may belong to another word.

    >>> from asof.timeline.specifier import find_specifiers
    >>> [form_of(one) for text in ("since 2015", "from 2010 to 2014", "the 2014 one", "in May 2010", "before 1990")
    ...  for one in find_specifiers(text, today=Date.of(2024))]
    ['since', 'span', '', 'at', 'around']
    """
    text = time.text
    if _is_span(time):
        return "span"
    if re.search(r"[0-9].*\band\b", text, re.IGNORECASE):
        return ""
    if _SINCE.match(text):
        return "since" if time.days.last == MAX_DAY else "at"
    if _UNTIL.match(text):
        return "until"
    if _AROUND.match(text):
        return "around"
    return "at" if _AT.match(text) or in_brackets or _DAY.search(text) else ""


def said_time(time: Specifier, today: Date) -> SaidTime:
    """Return a time with its two ends, where it is a span; of a vague part the whole, too: "the end of 2021"."""
    ends = _ends(time.text, today) if _is_span(time) else None
    days = time.days
    if _SINCE.match(time.text) or _UNTIL.match(time.text) or _PART.search(time.text):
        days = _bare(time, today) or days
    whole = _bare(time, today, part="") if _PART.search(time.text) and ends is None else None
    return SaidTime(time.text, days, ends, whole)


def _bare(time: Specifier, today: Date, *, part: str | None = None) -> Days | None:
    """Return the days of "2015" in "since 2015"; the end of a year is its last third."""
    opening = _SINCE.match(time.text) or _UNTIL.match(time.text) or _AROUND.match(time.text) or _AT.match(time.text)
    rest = re.sub(r"\s+(?:on|onwards?)$", "", (time.text[opening.end() :] if opening else time.text).strip())
    return _read(_PART.sub(lambda match: _THIRDS[match["part"].lower()] if part is None else part, rest), today)


def _is_span(time: Specifier) -> bool:
    """Tell a span with two ends from a single time."""
    if time.days.first == MIN_DAY or time.days.last == MAX_DAY:
        return False
    text = _OPENING.sub("", time.text)
    if re.search(r"\band\b", text, re.IGNORECASE) and not time.text.casefold().startswith("between"):
        return False  # "in 2021 and 2022" tells of two times
    return re.fullmatch(r"[0-9]{3,4}-[0-9]{2}(?:-[0-9]{2})?", text) is None and len(_JOINER.split(text)) == 2


def _ends(text: str, today: Date) -> tuple[Days, Days] | None:
    parts = _JOINER.split(_OPENING.sub("", text))
    if len(parts) != 2:
        return None
    one, other = parts
    if re.fullmatch(r"[0-9]{2}", other) and re.fullmatch(r"[0-9]{4}", one):
        other = one[:2] + other
    first, last = _read(one, today), _read(other, today)
    return (first, last) if first and last else None


def _read(text: str, today: Date) -> Days | None:
    try:
        return read_days(re.sub(r"^the (?=[0-9]{4}$)", "", text), today)
    except DateError:
        return None
