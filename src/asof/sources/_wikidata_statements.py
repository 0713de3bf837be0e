"""The intervals of one Wikidata statement, from all values of its start (P580), end (P582) and point (P585).

A statement may have several starts and ends: an office that somebody held twice. Each pair becomes a fact of its own.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from asof.timeline import Date, End, parse_end

_PLAIN = re.compile(r"(?!0000)([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2}))?)?")  # the bulk of all dates


def intervals_of(starts: Sequence[str], ends: Sequence[str], points: Sequence[str]) -> list[tuple[str, str]]:
    """Pair starts with ends, as texts that the intake reads.

    Each start goes with the first end that can follow it and does not come after the next start. What finds no
    partner stands alone: a start without an end, an end without a start. One start and one end are a pair even when
    the end comes first, so that the intake can say so. Points count only where there is neither start nor end.

    >>> intervals_of(["2009", "2017"], ["2013", "2021"], [])
    [('2009', '2013'), ('2017', '2021')]
    >>> intervals_of(["2017", "2009"], ["2013"], [])
    [('2009', '2013'), ('2017', '')]
    >>> intervals_of([], [], ["1969-07-20"])
    [('1969-07-20', '1969-07-20')]

    Args:
        starts: Dates, "unknown", or "" for a start that has no value; that says nothing and is passed over.
        ends: Dates, "unknown", or "ongoing" for an end that has no value.
        points: Dates, or "unknown".
    """
    starts = [start for start in starts if start]
    if len(starts) <= 1 and len(ends) <= 1:
        if starts or ends:
            return [(starts[0] if starts else "", ends[0] if ends else "")]
        return [(point, point) for point in _in_order(points)]
    return _pairs(_in_order(starts), _in_order(ends))


def _pairs(starts: list[str], ends: list[str]) -> list[tuple[str, str]]:
    dated_starts, open_starts = _dated(starts), [text for text in starts if not _is_date(text)]
    dated_ends, open_ends = _dated(ends), [text for text in ends if not _is_date(text)]
    partners, lonely_ends = _follow(dated_starts, dated_ends)
    for start in reversed(dated_starts):  # what has not ended is the latest
        if start not in partners and open_ends:
            partners[start] = open_ends.pop()
    for start in open_starts:
        partners[start] = lonely_ends.pop(0) if lonely_ends else open_ends.pop() if open_ends else ""
    pairs = [(start, partners.get(start, "")) for start in (*open_starts, *dated_starts)]
    return pairs + [("", end) for end in (*lonely_ends, *open_ends)]


def _follow(starts: list[str], ends: list[str]) -> tuple[dict[str, str], list[str]]:
    """Give each start the next end before the next start; return the pairs and the ends that are left."""
    partners: dict[str, str] = {}
    lonely: list[str] = []
    waiting = list(ends)
    for start, following in zip(starts, [*starts[1:], ""], strict=False):
        while waiting and _date(waiting[0]).last < _date(start).first:
            lonely.append(waiting.pop(0))
        if waiting and (not following or _date(waiting[0]).first <= _date(following).last):
            partners[start] = waiting.pop(0)
    return partners, lonely + waiting


def _in_order(texts: Sequence[str]) -> list[str]:
    """Sort by time, each value once; what is no date comes last."""
    return sorted(set(texts), key=lambda text: (not _is_date(text), _date(text) if _is_date(text) else None, text))


def _dated(texts: list[str]) -> list[str]:
    return [text for text in texts if _is_date(text)]


@lru_cache(maxsize=65_536)
def _end(text: str) -> End:
    plain = _PLAIN.fullmatch(text)
    return Date.of(*(int(part) for part in plain.groups() if part)) if plain else parse_end(text)


def _is_date(text: str) -> bool:
    return isinstance(_end(text), Date)


def _date(text: str) -> Date:
    date = _end(text)
    if not isinstance(date, Date):
        raise TypeError(f"{text!r} is not a valid date")
    return date
