"""How long facts held, in words; terms that follow each other without a break are one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from asof.facts import Fact
from asof.timeline import Date, Interval, Open

_DAYS_IN_A_YEAR = 365.2425
_COUNTED_IN_DAYS = 730  # shorter times are told in days
TOUCHING = 1  # day: one begins on the day on which the other ended, or on the next
OF_A_LEGISLATURE = 300  # days: terms ended in March, and the next could begin in December


def length_in_words(fact: Fact, today: Date) -> str:
    """Say how long a fact held: one length where both ends are known to the day, else the shortest and the longest.

    >>> from asof.timeline import Interval
    >>> fact = Fact(subject="a", relation="b", object="c", interval=Interval.parse("1997-01-01", "2006-12-31"))
    >>> length_in_words(fact, Date.parse("2026-11-16"))
    '10.0 years'
    """
    if not isinstance(fact.start, Date) or (not isinstance(fact.end, Date) and fact.end is not Open.ONGOING):
        return "unknown"
    end = fact.end if isinstance(fact.end, Date) else today
    shortest, longest = _days(fact.start.last, end.first), _days(fact.start.first, end.last)
    length = days_in_words(shortest, longest)
    return f"{length} up to today, if it still holds" if fact.end is Open.ONGOING else length


def days_in_words(shortest: int, longest: int) -> str:
    """Say how long so many days are, at least and at most.

    >>> days_in_words(49, 49), days_in_words(3000, 3400)
    ('49 days', 'between 8.2 years and 9.3 years')
    """
    least, most = _years(shortest), _years(longest)
    return least if least == most else f"between {least} and {most}"


def joined(facts: Sequence[Fact], known_by: Date | None) -> Fact:
    """Make one fact of terms that follow each other: from the first start to the last end."""
    ends = [fact.interval.bounds(known_by=known_by).latest_end for fact in facts]
    return replace(facts[0], interval=Interval(facts[0].start, facts[ends.index(max(ends))].end))


def without_breaks(facts: Iterable[Fact], longest: int, known_by: Date | None) -> list[list[Fact]]:
    """Put terms together that follow each other, with at most so many days between two.

    >>> terms = [("2001", "2003"), ("2003", "2005"), ("2010", "2011")]
    >>> facts = [Fact(subject="a", relation="b", object="c", interval=Interval.parse(*term)) for term in terms]
    >>> [[str(fact.start) for fact in row] for row in without_breaks(facts, TOUCHING, None)]
    [['2001', '2003'], ['2010']]
    """
    rows: list[list[Fact]] = []
    reached = 0
    for fact in sorted(facts, key=lambda fact: fact.interval.bounds(known_by=known_by)[:2]):
        bounds = fact.interval.bounds(known_by=known_by)
        if rows and isinstance(fact.start, Date) and bounds.earliest_start - reached <= longest:
            rows[-1].append(fact)
            reached = max(reached, bounds.latest_end)
        else:
            rows.append([fact])
            reached = bounds.latest_end
    return rows


def _days(first: int, last: int) -> int:
    """Count the days from one to another; the day on which one hands over to the next counts once."""
    return max(1, last - first)


def _years(days: int) -> str:
    if days >= _COUNTED_IN_DAYS:
        return f"{days / _DAYS_IN_A_YEAR:.1f} years"
    return f"{days:,} days" if days > 1 else "1 day"
