"""Who held something longest, shortest or most often: all times of one answer count together.

What is known only to the year has a shortest and a longest possible length; where these do not decide, all that may be
meant are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from asof.reading.facts.lookup import FactMatch
from asof.reading.facts.phrases import Extreme
from asof.timeline import Date


@dataclass(frozen=True, slots=True)
class Amount:
    """Days, or a number of times: at least so many, and at most."""

    least: int
    most: int


def extreme(matches: Sequence[FactMatch], order: Extreme, today: Date, known_by: Date | None) -> tuple[set[str], bool]:
    """Return the answers that have the most or the least of something, and whether that is sure."""
    amounts = {
        answer: amount(row, order, today, known_by)
        for answer, row in by_answer(matches).items()
        if order != "shortest" or all(isinstance(one.fact.end, Date) and one.fact.end.last <= today.last for one in row)
    }
    best = foremost(amounts, order)
    exact = all(amounts[answer].least == amounts[answer].most for answer in best)
    return best, len(best) == 1 or exact


def foremost(amounts: dict[str, Amount], order: Extreme) -> set[str]:
    """Return those of some answers that no other surely surpasses."""
    if order == "shortest":
        bound = min((one.most for one in amounts.values()), default=0)
        return {answer for answer, one in amounts.items() if one.least <= bound}
    bound = max((one.least for one in amounts.values()), default=0)
    return {answer for answer, one in amounts.items() if one.most >= bound}


def amount(row: Sequence[FactMatch], order: Extreme, today: Date, known_by: Date | None) -> Amount:
    """Return how long, up to today, or how often facts held."""
    if order == "most":
        return Amount(len(row), len(row))
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in row]
    sure = ((one.latest_start, min(one.earliest_end, today.last)) for one in bounds)
    possible = ((one.earliest_start, min(one.latest_end, today.last)) for one in bounds)
    return Amount(_days(sure), _days(possible))


def by_answer(matches: Iterable[FactMatch]) -> dict[str, list[FactMatch]]:
    """Put the facts of each answer together."""
    rows: dict[str, list[FactMatch]] = {}
    for one in matches:
        rows.setdefault(one.answer, []).append(one)
    return rows


def _days(stretches: Iterable[tuple[int, int]]) -> int:
    """Count the days of stretches; those that they share count once."""
    days, reached = 0, None
    for first, last in sorted(stretches):
        start = first if reached is None else max(first, reached)
        days += max(0, last - start)
        reached = last if reached is None else max(reached, last)
    return days
