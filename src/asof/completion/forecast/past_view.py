"""What was known on a day: facts that had begun, and those ends that had come.

Nothing later is in here, so whatever is made of it cannot look ahead. A fact that ends later goes on, as far as is
known; a fact without a start counts only if it was over by then.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints

Flags = npt.NDArray[np.bool_]
_SPAN = 4 * AFTER_ALL  # more than any two times are apart


@dataclass(frozen=True)
class PastView:
    """Facts in both directions, in the order of entity, role, start and answer.

    Args:
        day: The last year (or day) of which anything is known.
        role: The relation, or from R on the relation turned round.
        end: AFTER_ALL where it had not come.
        goes_on: Which facts are known to hold beyond the day.
        met: Which entities any fact had named.
    """

    day: int
    roles: int
    entity: Ints
    role: Ints
    answer: Ints
    start: Ints
    end: Ints
    goes_on: Flags
    met: Flags

    def __len__(self) -> int:
        return len(self.entity)

    @classmethod
    def on(cls, dataset: Dataset, day: int) -> PastView:
        """Take what a dataset knew on a day, whichever split it is in."""
        facts, relations = dataset.all_facts, len(dataset.relations)
        ends = facts.end if dataset.later_ends is None else dataset.later_ends
        ongoing = np.zeros(len(facts), bool) if dataset.ongoing is None else dataset.ongoing
        begun = (facts.start > BEFORE_ALL) & (facts.start <= day)
        over_by_then = (facts.start == BEFORE_ALL) & (ends > BEFORE_ALL) & (ends <= day)
        met = np.zeros(len(dataset.entities), bool)
        for column in (facts.subject, facts.object):
            met[column[begun | over_by_then]] = True
        goes_on = ((ends > day) & (ends < AFTER_ALL)) | (ongoing & (ends == AFTER_ALL))
        end = np.where(ends > day, AFTER_ALL, ends)
        entity = np.concatenate([facts.subject[begun], facts.object[begun]])
        answer = np.concatenate([facts.object[begun], facts.subject[begun]])
        role = np.concatenate([facts.relation[begun], facts.relation[begun] + relations])
        start, end, goes_on = (np.tile(column[begun], 2) for column in (facts.start, end, goes_on))
        order = np.lexsort((end, answer, start, role, entity))
        entity, role, answer, start, end = (column[order] for column in (entity, role, answer, start, end))
        return cls(day, 2 * relations, entity, role, answer, start, end, goes_on[order], met)

    @cached_property
    def timeline_of(self) -> Ints:
        """The number of the timeline (entity and role) that each fact is in."""
        return self.entity * self.roles + self.role

    @cached_property
    def _moments(self) -> Ints:
        return self.timeline_of * _SPAN + (self.start - BEFORE_ALL)

    @cached_property
    def _by_entity(self) -> tuple[Ints, Ints]:
        keys = self.entity * _SPAN + (self.start - BEFORE_ALL)
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    def begun_before(self, entity: Ints, role: Ints | int, time: int) -> tuple[Ints, Ints]:
        """Return the places from the first fact of timelines to the first that had not begun before a time."""
        timeline = entity * self.roles + role
        first = np.searchsorted(self._moments, timeline * _SPAN)
        return first, np.searchsorted(self._moments, timeline * _SPAN + (time - BEFORE_ALL))

    def of_entity(self, entity: int, time: int, *, most: int) -> Ints:
        """Return the facts of an entity that had begun before a time, the latest of them."""
        keys, order = self._by_entity
        first, after = np.searchsorted(keys, [entity * _SPAN, entity * _SPAN + (time - BEFORE_ALL)])
        found: Ints = order[max(first, after - most) : after]
        return found

    def last_heard_of(self, entities: Ints, time: int) -> Ints:
        """Return when the latest fact of each entity had begun before a time; BEFORE_ALL where none had."""
        keys, order = self._by_entity
        place = np.searchsorted(keys, entities * _SPAN + (time - BEFORE_ALL)) - 1
        before = order[np.maximum(place, 0)]
        there = (place >= 0) & (self.entity[before] == entities) if len(order) else np.zeros(len(entities), bool)
        return np.where(there, self.start[before], BEFORE_ALL) if len(order) else np.full(len(entities), BEFORE_ALL)

    def turned(self, role: int) -> int:
        """Return the role seen from the other end."""
        return (role + self.roles // 2) % self.roles

    def present(self, entity: int, role: int) -> Ints:
        """Return the facts of a timeline that hold on the day, or may: without an end that is known to come, the last.

        What has no end, and is not known to go on, is over when something else has begun after it.
        """
        first, after = (int(one[0]) for one in self.begun_before(np.array([entity]), role, self.day + 1))
        places = np.arange(first, after)
        latest = self.start[places].max(initial=BEFORE_ALL)
        open_ = self.end[places] == AFTER_ALL
        found: Ints = places[open_ & (self.goes_on[places] | (self.start[places] == latest))]
        return found
