"""The three clocks of a timeline: how long a fact lasts, how long until the next begins, how long nobody is there."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import AFTER_ALL, Ints
from asof.completion.forecast.past_view import PastView
from asof.completion.forecast.waiting import WaitingSpells


@dataclass(frozen=True)
class Clocks:
    """What was waited for, of all timelines.

    Args:
        lasting: From the start of a fact to its end.
        next_one: From the latest start to the next.
        vacant: From the last end to the next start, where there was a time between.
    """

    lasting: WaitingSpells
    next_one: WaitingSpells
    vacant: WaitingSpells

    @classmethod
    def of(cls, known: PastView) -> Clocks:
        """Read them off the facts that were known on a day."""
        return cls(_lasting(known), *_successions(known))


def _lasting(known: PastView) -> WaitingSpells:
    """Return how long facts last; those of which nothing says whether they are over teach nothing."""
    over = known.end < AFTER_ALL
    told = over | known.goes_on
    waited = np.where(over, known.end, known.day + 1) - known.start
    return WaitingSpells(known.timeline_of, known.role, waited, over)[told]


def _successions(known: PastView) -> tuple[WaitingSpells, WaitingSpells]:
    begins = np.flatnonzero(np.diff(known.timeline_of, prepend=-1) | np.diff(known.start, prepend=known.day + 1))
    if not len(begins):
        nothing = WaitingSpells(*(np.zeros(0, np.int64),) * 3, np.zeros(0, bool))
        return nothing, nothing
    timeline, role, start = (column[begins] for column in (known.timeline_of, known.role, known.start))
    reach = _reached(known, begins)
    last = np.diff(timeline, append=-1) != 0
    following = np.where(last, known.day + 1, np.append(start[1:], 0))
    next_one = WaitingSpells(timeline, role, following - start, ~last)
    empty = (reach < known.day) & (reach < following) & (reach >= start)
    return next_one, WaitingSpells(timeline, role, following - reach, ~last)[empty]


def _reached(known: PastView, begins: Ints) -> Ints:
    """Return, for each start of a timeline, until when any fact that had begun by then lasts."""
    ends = np.maximum.reduceat(known.end, begins)
    group = np.cumsum(np.diff(known.timeline_of[begins], prepend=-1) != 0)
    lifted = ends + group * (4 * AFTER_ALL)  # no timeline reaches into the next
    found: Ints = np.maximum.accumulate(lifted) - group * (4 * AFTER_ALL)
    return found
