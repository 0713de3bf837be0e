"""The answers of a subject and relation, spell by spell: from when to when exactly the same answers were right.

Facts as columns in (pair, answer, first and last period), spells out. An answer is right in every period that its
interval touches, so that two are right where one takes the place of the other (Margatina et al. 2023, section 3.1).
Everything is counted in periods (``Period.index``), in numpy: a base of a million facts takes a second or two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]
NONE = -1  # where there is no answer


class AnswerSpells(NamedTuple):
    """Which answer was right for which pair from one period to another, both included; in the order of time."""

    pair: Numbers
    answer: Numbers
    start: Numbers
    end: Numbers


@dataclass(frozen=True)
class Spells:
    """Spells in the order of pairs and time; those without any answer are gaps, the last of them after the range.

    Args:
        pair: Whose spell it is.
        start: The period since which exactly these answers are right.
        end: The last such period, at most the last one of the range.
        size: How many answers are right.
        before: How many were right in the period before the spell.
        entered: How many of the answers were not right in the period before.
        left: How many that were right then no longer are.
        previous: The answer that was the last to cease to be right, and is not right again; or NONE.
        spell_of: The spell of each right answer; beside it ``answer``, in the order in which they became right.
    """

    pair: Numbers
    start: Numbers
    end: Numbers
    size: Numbers
    before: Numbers
    entered: Numbers
    left: Numbers
    previous: Numbers
    spell_of: Numbers
    answer: Numbers


def spells(held: AnswerSpells, last: int) -> Spells:
    """Cut the history of each pair where an answer comes or goes; what happens after the last period is not seen.

    >>> conte_draghi_meloni = AnswerSpells(*map(np.array, ([0, 0, 0], [7, 8, 9], [0, 3, 6], [3, 6, 99])))
    >>> found = spells(conte_draghi_meloni, last=10)
    >>> found.start.tolist(), found.end.tolist(), found.size.tolist(), found.previous.tolist()
    ([0, 3, 4, 6, 7, 11], [2, 3, 5, 6, 10, 10], [1, 2, 1, 2, 1, 0], [-1, -1, 7, 7, 8, 9])
    """
    held = _seen(held, last)
    # A number for each pair and period, so that one sort orders both.
    lowest = int(held.start.min(initial=last))
    width = last + 3 - lowest
    starts, ends = (held.pair * width + (day - lowest) for day in (held.start, held.end + 1))
    points = np.unique(np.concatenate([starts, ends]))
    cell, fact = spread(np.searchsorted(points, starts), np.searchsorted(points, ends))
    cell, fact = _once(cell, fact, held.answer)
    entered, left = _moves(cell, held.answer[fact], len(points))
    # A cell in which nothing came or went goes on with the spell before it: a second term of the same person.
    changed = (entered > 0) | (left > 0)
    number = np.cumsum(changed) - 1
    opens = changed[cell]
    spell, answer = number[cell[opens]], held.answer[fact[opens]]
    pair, start = points[changed] // width, points[changed] % width + lowest
    size = np.bincount(spell, minlength=len(pair))
    follows = np.zeros(len(pair), bool)
    follows[1:] = pair[1:] == pair[:-1]
    before, end = np.zeros_like(size), np.full_like(start, last)
    before[1:] = np.where(follows[1:], size[:-1], 0)
    end[:-1] = np.where(follows[1:], start[1:] - 1, last)
    return Spells(
        pair=pair,
        start=start,
        end=end,
        size=size,
        before=before,
        entered=entered[changed],
        left=left[changed],
        previous=_previous(spell, answer, follows),
        spell_of=spell,
        answer=answer,
    )


def _seen(held: AnswerSpells, last: int) -> AnswerSpells:
    """Leave out what begins after the last period or ends before it begins, and cut what goes on."""
    kept = (held.start <= last) & (held.start <= held.end)
    pair, answer, start, end = (column[kept].astype(np.int64) for column in held)
    return AnswerSpells(pair, answer, start, np.minimum(end, last))


def spread(begin: Numbers, stop: Numbers) -> tuple[Numbers, Numbers]:
    """Return every number from begin to before stop, and the row that it comes from."""
    lengths = stop - begin
    row = np.repeat(np.arange(len(begin)), lengths)
    ahead = np.cumsum(lengths) - lengths
    return np.arange(len(row)) - ahead[row] + begin[row], row


def _once(cell: Numbers, fact: Numbers, answers: Numbers) -> tuple[Numbers, Numbers]:
    """Keep each answer of a cell once, by the fact that came first; in the order of cells and facts."""
    order = np.lexsort((fact, answers[fact], cell))
    cell, fact = cell[order], fact[order]
    again = np.zeros(len(cell), bool)
    again[1:] = (cell[1:] == cell[:-1]) & (answers[fact][1:] == answers[fact][:-1])
    cell, fact = cell[~again], fact[~again]
    order = np.lexsort((fact, cell))
    return cell[order], fact[order]


def _moves(cell: Numbers, answer: Numbers, cells: int) -> tuple[Numbers, Numbers]:
    """Count the answers that come with each cell, and those that are gone with it.

    Neighbours by number may be of two pairs; but the last cell of a pair is empty, so nothing goes on from it.
    """
    came, goes = _borders(cell, answer)
    entered = np.bincount(cell[came], minlength=cells)
    left = np.bincount(cell[goes] + 1, minlength=cells + 1)[:cells]
    return entered, left


def _borders(position: Numbers, answer: Numbers) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell which answers are not in the place before their own, and which are not in the place after it."""
    order = np.lexsort((position, answer))
    goes_on = np.zeros(len(order) + 1, bool)
    goes_on[1:-1] = (answer[order][1:] == answer[order][:-1]) & (position[order][1:] == position[order][:-1] + 1)
    came, goes = np.empty(len(order), bool), np.empty(len(order), bool)
    came[order], goes[order] = ~goes_on[:-1], ~goes_on[1:]
    return came, goes


def _previous(spell: Numbers, answer: Numbers, follows: npt.NDArray[np.bool_]) -> Numbers:
    """Return the answer that was the last to go before or with each spell; of several the last to have come."""
    _, goes = _borders(spell, answer)
    gone = np.full(len(follows) + 1, NONE, np.int64)
    gone[spell[goes] + 1] = answer[goes]  # in the order of time, so that the last one stays
    gone = gone[:-1]
    gone[~follows] = NONE
    numbers = np.arange(len(gone))
    latest = np.maximum.accumulate(np.where((gone != NONE) | ~follows, numbers, 0))
    found = gone[latest]
    width = int(answer.max(initial=0)) + 2
    back = np.isin(numbers * width + found, spell * width + answer)
    return np.where(back, NONE, found)
