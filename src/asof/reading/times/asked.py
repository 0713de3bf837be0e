"""The time that a question asks about: its specifier, as days, and the question without it.

"In", "between", "before" and "after" are the types of Chen et al. 2021, section 2.2. Of several times in a question a
range counts before a single date, a finer date before a coarser one, and the last before the others: "the 1940's class
in Feb 1943" asks about February 1943.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from asof.reading.times.expressions import TimeExpression, find_times
from asof.timeline import Date, Precision

SpecifierType = Literal["from-to", "between", "in", "in part of decade", "before", "after", "none"]

_LEADING = re.compile(
    r"(?:,\s*)?(?:\b(?:during|in|over|for|within|throughout|spanning)\s+(?:the\s+)?"
    r"(?:(?:time\s+)?period|span|stretch|time|years|months?|timeframe|era)\s*(?:of\s+)?(?:time\s*)?(?:span\s*)?,?\s*)?"
    r"(?:\b(?:in|on|from|between|before|after|during|since|until|by|as of|prior to|around|starting)\s+"
    r"(?:the\s+)?(?:years?\s+)?)?"
    r"(?:early\s+|late\s+|mid[\s-])?$",
    re.IGNORECASE,
)
_WORD_BEFORE = re.compile(r"([A-Za-z]+)\s+(?:the\s+)?(?:years?\s+)?$")
_SHARE = re.compile(r"\b(early|late|mid)\b", re.IGNORECASE)


@dataclass(frozen=True)
class AskedTime:
    """When a question asks about: first and last day, and how it says so."""

    type: SpecifierType
    first: int
    last: int
    text: str
    rest: str  # the question without its time

    @property
    def known(self) -> bool:
        """Whether the question has a time at all."""
        return self.type != "none"

    @property
    def inside(self) -> bool:
        """Whether it is a time inside what is asked for ("in May 2011"), not its own range or a border of it."""
        return self.type in ("in", "between", "in part of decade")


def asked_time(question: str) -> AskedTime:
    """Read the time of a question.

    >>> asked = asked_time("In the stretch of time after Nov 1996, where did she study?")
    >>> asked.type, asked.text, asked.rest
    ('after', 'Nov 1996', 'where did she study?')
    >>> asked_time("Who lived there in early 1970s?").type, asked_time("Who owned it from 1811 to 1827?").type
    ('in part of decade', 'from-to')
    >>> asked_time("Who owned it?").known
    False
    """
    times = find_times(question)
    if not times:
        return AskedTime("none", 0, 0, "", question)
    chosen = max(times, key=lambda time: (time.kind == "range", _fineness(time), time.start))
    before = question[: chosen.start]
    leading = _LEADING.search(before)
    cut = leading.start() if leading else chosen.start
    rest = " ".join(f"{question[:cut]} {question[chosen.end :].lstrip(' ,')}".split())
    rest = re.sub(r"\s+([?.,])", r"\1", rest).strip(", ")
    return AskedTime(
        _type_of(chosen, before, question), chosen.first, chosen.last, question[chosen.start : chosen.end], rest
    )


def _fineness(time: TimeExpression) -> int:
    dates = [date for date in (time.interval.start, time.interval.end) if isinstance(date, Date)]
    return max((int(date.precision) for date in dates), default=0)


def _type_of(time: TimeExpression, before: str, question: str) -> SpecifierType:
    match = _WORD_BEFORE.search(before)
    word = match[1].lower() if match else ""
    if time.kind == "range":
        return "between" if word == "between" else "from-to"
    if word in ("before", "until", "prior", "till"):
        return "before"
    if word in ("after", "since", "following") or time.kind == "from":
        return "after"
    date = time.interval.start
    if isinstance(date, Date) and date.precision <= Precision.DECADE and _SHARE.search(question[: time.end]):
        return "in part of decade"
    return "before" if time.kind == "until" else "in"
