"""When a base can say no: it has the fact at another time, or says who or what had that place then.

That a base lacks a fact says nothing by itself. It would have it where there is one at a time and another is known for
that time, or where its timelines are complete.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from asof.facts import Relation
from asof.reading.ask.answer import FactEvidence, Holds
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.holding import in_order, judged
from asof.reading.ask.evaluate.relations import AskedRelation
from asof.reading.ask.lexicon.by_name import is_office
from asof.reading.ask.query import Ordered
from asof.timeline import Open

_PROPOSED = "That there is one at a time is suggested by the facts, and confirmed by nobody."
_FIRST_OR_LAST = (1, -1)  # whoever is known before the first one is enough to say no


@dataclass(frozen=True)
class Denial:
    """Whether no fact of a choice is known, or known not to be."""

    choice: Choice

    @property
    def is_known(self) -> bool:
        """Whether the base knows facts that leave no room for the one that is asked about."""
        if self.choice.row_end:
            return self._another_has_the_place
        if self.choice.query.event == "end" and any(_may_be_over(one) for one in self.choice.found):
            return False
        if self.choice.found and all(self._would_be_known(one) for one in self.choice.found):
            return True
        return self._lists_all_of_that_time

    @property
    def known(self) -> list[FoundFact]:
        """The facts that leave no room for it, in the order of time."""
        row = [one.found for one in self.choice.row] if self.choice.row_end else self.choice.found
        return in_order(row, self.choice.known_by)

    @cached_property
    def instead(self) -> list[FoundFact]:
        """What held in that time in the place of what was asked, where there is one at a time or all are known."""
        if self.choice.times is None or not self.choice.ends.object:
            return []
        return [one for one in in_order(self._timeline, self.choice.known_by) if self._judged(one)]

    @cached_property
    def _timeline(self) -> list[FoundFact]:
        """All facts of the subject, where there is one at a time or all are known."""
        choice, ends = self.choice, self.choice.ends
        if not ends.subject or any(mention.in_part or not mention.entities for mention in ends.object):
            return []  # of nobody known to the base another may be meant
        known = [one for one in choice.relations if self._relation(one).one_at_a_time or self._relation(one).complete]
        return [one for way in known for one in choice.lookup.facts([way], ends.without(way.end("object")))]

    @property
    def _lists_all_of_that_time(self) -> bool:
        """Whether the base promises all between the first and the last, and that time lies between them."""
        choice = self.choice
        if choice.times is None or not all(self._relation(one).complete for one in choice.relations):
            return False
        bounds = [one.fact.interval.bounds(known_by=choice.known_by) for one in self._timeline]
        if not bounds:
            return False
        first, last = min(one.latest_start for one in bounds), max(one.earliest_end for one in bounds)
        return all(first <= days.first and days.last <= last for days in choice.times)

    @property
    def surely(self) -> list[FoundFact]:
        """What held in that time as a whole in the place of what was asked."""
        relations = self.choice.lookup.store.relations
        single = [one for one in self.instead if relations[one.fact.relation].one_at_a_time]
        return [one for one in single if (found := self._judged(one)) and found.holds is Holds.WHOLE]

    @property
    def notes(self) -> tuple[str, ...]:
        """What it rests on."""
        guessed = any("one_at_a_time" in self._relation(one).proposed for one in self.choice.relations)
        return (_PROPOSED,) if guessed and self.instead else ()

    @property
    def _another_has_the_place(self) -> bool:
        """Whether others are known to be the first or the next; that they are the third may be for want of facts."""
        which, row = self.choice.query.which, self.choice.row
        if isinstance(which, Ordered) and (which.order not in _FIRST_OR_LAST or which.count != 1):
            return False
        return bool(row) and all(one.evidence.holds is not Holds.POSSIBLY for one in row)

    def _would_be_known(self, one: FoundFact) -> bool:
        """Whether a base that knows other times would know this one: not who else somebody was the head of."""
        relation = self.choice.lookup.store.relations[one.fact.relation]
        holds_an_office = one.wanted == "subject" and is_office(relation)
        return one.wanted is None or holds_an_office

    def _judged(self, one: FoundFact) -> FactEvidence | None:
        return judged(one.fact, self.choice.times, None, self.choice.known_by)

    def _relation(self, asked: AskedRelation) -> Relation:
        return self.choice.lookup.store.relations[asked.id]


def _may_be_over(one: FoundFact) -> bool:
    """Tell whether a fact may have ended, for all that the base says."""
    return one.fact.end in (Open.NOT_STATED, Open.UNKNOWN)
