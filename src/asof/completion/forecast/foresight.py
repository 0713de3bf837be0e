"""What comes next in a timeline, and when: asked on a day, answered from what was known until then."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asof.completion.dataset import AFTER_ALL, Dataset
from asof.completion.forecast.clocks import Clocks
from asof.completion.forecast.past_view import PastView
from asof.completion.forecast.successors import SuccessorChances, Successors
from asof.completion.forecast.waiting import WaitingCurve, WaitingTimes


@dataclass(frozen=True)
class PresentFact:
    """A fact that holds on the day, and when it will end; None where nothing is known of how long such facts last."""

    answer: int
    start: int
    ends: WaitingCurve | None


@dataclass(frozen=True)
class Outlook:
    """What is, what may follow and when.

    Args:
        next_begins: None where in this role nothing has ever followed.
    """

    day: int
    present: list[PresentFact]
    next_begins: WaitingCurve | None
    follows: SuccessorChances


@dataclass(frozen=True)
class Foresight:
    """Answers what comes next after a day."""

    known: PastView

    @classmethod
    def on(cls, dataset: Dataset, day: int) -> Foresight:
        """Look at what a dataset knew on a day."""
        return cls(PastView.on(dataset, min(day, last_known(dataset))))

    def outlook(self, entity: int, role: int) -> Outlook:
        """Tell what comes next in a timeline."""
        return Outlook(
            day=self.known.day,
            present=[self._present(int(place)) for place in self.known.present(entity, role)],
            next_begins=self._next_begins(entity, role),
            follows=self.successors(role).ask(entity),
        )

    def successors(self, role: int) -> Successors:
        """Return who learns who follows in a role."""
        if role not in self._successors:
            self._successors[role] = Successors.of(self.known, role)
        return self._successors[role]

    def ends(self, entity: int, role: int, start: int) -> WaitingCurve | None:
        """Tell when a fact that holds on the day will end."""
        if not self._lasting.knows(role):
            return None
        return self._lasting.curve(entity * self.known.roles + role, role, since=start, day=self.known.day)

    def _present(self, position: int) -> PresentFact:
        known = self.known
        start = int(known.start[position])
        ends = self.ends(int(known.entity[position]), int(known.role[position]), start)
        return PresentFact(int(known.answer[position]), start, ends)

    def _next_begins(self, entity: int, role: int) -> WaitingCurve | None:
        known = self.known
        first, after = (int(one[0]) for one in known.begun_before(np.array([entity]), role, known.day + 1))
        if first == after or not self._next.knows(role):
            return None
        timeline = entity * known.roles + role
        reach = int(known.end[first:after].max())
        if reach < known.day and self._vacant.knows(role):
            return self._vacant.curve(timeline, role, since=reach, day=known.day)
        return self._next.curve(timeline, role, since=int(known.start[after - 1]), day=known.day)

    @cached_property
    def _successors(self) -> dict[int, Successors]:
        return {}

    @cached_property
    def _clocks(self) -> Clocks:
        return Clocks.of(self.known)

    @cached_property
    def _lasting(self) -> WaitingTimes:
        return WaitingTimes.of(self._clocks.lasting, self.known.roles)

    @cached_property
    def _next(self) -> WaitingTimes:
        return WaitingTimes.of(self._clocks.next_one, self.known.roles)

    @cached_property
    def _vacant(self) -> WaitingTimes:
        return WaitingTimes.of(self._clocks.vacant, self.known.roles)


def last_known(dataset: Dataset) -> int:
    """Return the last time at which a fact begins; ends may be announced long before they come."""
    return int(dataset.all_facts.start.max(initial=-AFTER_ALL))
