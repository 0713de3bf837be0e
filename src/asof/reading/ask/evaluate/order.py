"""The first, the last, the nth, or a few in a row; what held longest, shortest or most often."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.holding import first_of, last_of, nth_of
from asof.reading.ask.query import Ordered
from asof.timeline import Date

Most = Literal["longest", "shortest", "most often"]


@dataclass(frozen=True, slots=True)
class Amount:
    """Days, or a number of times: at least so many, and at most."""

    least: int
    most: int


def in_place(found: Sequence[FoundFact], which: Ordered, known_by: Date | None) -> list[FoundFact]:
    """Return the facts that have a place in the order of time; none where the order is not sure."""
    if which.count == 1 and which.order in (1, -1):
        return (first_of if which.order == 1 else last_of)(found, known_by)
    positions = _places(which, len(found))
    row = [nth_of(found, position, known_by) for position in positions]
    return [one for ones in row for one in ones] if positions and all(row) else []


def _places(which: Ordered, many: int) -> range:
    """Return the places, from 1, that are asked for; none where there are not so many."""
    if which.order < 0:
        first = many + 1 + which.order
        positions = range(first, first + 1) if which.order < -1 else range(many + 1 - (which.count or many), many + 1)
    else:
        positions = range(which.order, which.order + (which.count or max(0, many + 1 - which.order)))
    return positions if positions and positions[0] >= 1 and positions[-1] <= many else range(0)


def extreme(found: Sequence[FoundFact], most: Most, today: Date, known_by: Date | None) -> tuple[set[str], bool]:
    """Return the answers that have the most or the least of something, and whether that is sure."""
    amounts = {
        answer: amount(row, most, today, known_by)
        for answer, row in by_answer(found).items()
        if most != "shortest" or all(_is_over(one, today) for one in row)
    }
    best = foremost(amounts, most)
    exact = all(amounts[answer].least == amounts[answer].most for answer in best)
    return best, len(best) == 1 or exact


def foremost(amounts: dict[str, Amount], most: Most) -> set[str]:
    """Return those of some answers that no other surely surpasses."""
    if most == "shortest":
        bound = min((one.most for one in amounts.values()), default=0)
        return {answer for answer, one in amounts.items() if one.least <= bound}
    bound = max((one.least for one in amounts.values()), default=0)
    return {answer for answer, one in amounts.items() if one.most >= bound}


def amount(row: Sequence[FoundFact], most: Most, today: Date, known_by: Date | None) -> Amount:
    """Return how long, up to today, or how often facts held."""
    if most == "most often":
        return Amount(len(row), len(row))
    bounds = [one.fact.interval.bounds(known_by=known_by) for one in row]
    sure = ((one.latest_start, min(one.earliest_end, today.last)) for one in bounds)
    possible = ((one.earliest_start, min(one.latest_end, today.last)) for one in bounds)
    return Amount(_days(sure), _days(possible))


def by_answer(found: Iterable[FoundFact]) -> dict[str, list[FoundFact]]:
    """Put the facts of each answer together."""
    rows: dict[str, list[FoundFact]] = {}
    for one in found:
        rows.setdefault(one.answer, []).append(one)
    return rows


def _is_over(one: FoundFact, today: Date) -> bool:
    return isinstance(one.fact.end, Date) and one.fact.end.last <= today.last


def _days(stretches: Iterable[tuple[int, int]]) -> int:
    """Count the days of stretches; those that they share count once."""
    days, reached = 0, None
    for first, last in sorted(stretches):
        start = first if reached is None else max(first, reached)
        days += max(0, last - start)
        reached = last if reached is None else max(reached, last)
    return days
