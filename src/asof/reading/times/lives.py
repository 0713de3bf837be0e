"""Dates of birth and death behind a name: they tell when somebody lived, not when what is said of him held."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.reading.times.expressions import TimeExpression

_BORN_OR_DIED = re.compile(r"\b(?:born|died|née)\b|(?:^|\s)[bd]\s?\.", re.IGNORECASE)
_NAME_BEFORE = re.compile(r"[A-ZÀ-ÖØ-Þ][\w'’.-]*\s*$")
_LIFE = 45 * 365  # days: few hold an office for longer, few of those who have a page died younger


def without_lives(text: str, times: Sequence[TimeExpression], *, entry: bool) -> list[TimeExpression]:
    """Leave out the times in parentheses that say when somebody was born and died.

    >>> from asof.reading.times.expressions import find_times
    >>> text = "In 1808 George Pennant ( 1764–1840 ) inherited it from Ann Lee ( born 1737 ) ."
    >>> [str(time.interval) for time in without_lives(text, find_times(text), entry=False)]
    ['1808..1808']
    >>> text = "Ralph Lauren ( 1967–2015 )"  # all that a list of heads says of one
    >>> [str(time.interval) for time in without_lives(text, find_times(text), entry=True)]
    ['1967..2015']

    Args:
        entry: The text is an entry of a list, where a long range that stands alone is when somebody held a place.
    """
    alone = entry and len(times) == 1
    return [time for time in times if not _tells_life(text, time, long_ones=not alone)]


def _tells_life(text: str, time: TimeExpression, *, long_ones: bool) -> bool:
    begin, end = text.rfind("(", 0, time.start), text.find(")", time.end)
    if begin < 0 or end < 0 or ")" in text[begin : time.start]:
        return False
    if _BORN_OR_DIED.search(text[begin + 1 : end]):
        return True
    lasts = time.kind == "range" and time.last - time.first >= _LIFE
    return long_ones and lasts and bool(_NAME_BEFORE.search(text[:begin]))
