"""A time as people write it for a command, a page or a tool: whatever ``asof ask`` reads, such as "last year".

A date keeps its precision and a quarter is a period; what is neither ("summer 2020", "2011-2012") is a stretch of days.
"""

from __future__ import annotations

import re
from contextlib import suppress

from asof.errors import DateError
from asof.timeline.date import Date
from asof.timeline.days import Days
from asof.timeline.parse import parse_date
from asof.timeline.period import Period
from asof.timeline.specifier import find_specifiers
from asof.timeline.spoken import RELATIVE, TODAY, WHEN, read_span

Time = Date | Period | Days

_ONE = re.compile(rf"(?:in |on |during )?(?P<when>{WHEN}|{RELATIVE}|{TODAY})", re.IGNORECASE)
_HOW_TO_WRITE = (
    "Write 2011, 2011-03, 2011-03-20, 'March 2011', 'Q3 2021', 'summer 2020', 2011-2012, '44 BC', '1990s' "
    "or 'last year'."
)


def parse_when(text: str, *, today: Date | None = None) -> Time:
    """Read a time.

    >>> monday = Date.parse("2024-05-06")
    >>> [str(parse_when(text, today=monday)) for text in ("2021-Q1", "Q3 2021", "1st March 2011", "last year")]
    ['2021-Q1', '2021-Q3', '2011-03-01', '2023']
    >>> [str(parse_when(text, today=monday)) for text in ("summer 2020", "2011-2012", "since 1990", "5th century BC")]
    ['2020-06-01..2020-08-31', '2011-01-01..2012-12-31', 'from 1990-01-01 on', '5th century BCE']

    Args:
        today: What "today" means; by default the day of the clock.
    """
    plain = " ".join(text.split())
    if re.fullmatch(r"-?[0-9]+-?[Qq][1-4]", plain):  # also before Christ, which no question is about
        return Period.parse(plain)
    try:
        return parse_date(text)
    except DateError as error:
        not_a_date = error
    now = today or Date.today()
    if one := _ONE.fullmatch(plain):
        with suppress(DateError):  # 2012-13 is no month, but two years
            return read_span(one["when"], now)
    if ends := re.fullmatch(r"(?P<first>[^.]+)\.\.(?P<last>[^.]+)", plain):  # as ``Days`` and intervals are written
        first, last = (parse_when(ends[name], today=now) for name in ("first", "last"))
        if last.last < first.first:
            raise DateError(f"{text!r} ends before it starts. Give the earlier date first.")
        return Days(first.first, last.last)
    try:
        found = find_specifiers(plain, today=now)
    except DateError as error:
        raise (not_a_date if one else error) from None
    if len(found) == 1 and found[0].text == plain:
        return found[0].days
    raise DateError(f"{text!r} is not a valid date. {_HOW_TO_WRITE}")
