"""Does a base promise all facts that a first, a last, a count or a longest is taken from?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.facts.completeness import Completeness
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.relations import ENDS, other
from asof.reading.ask.lexicon.by_name import is_symmetric
from asof.reading.ask.query import Count, Extreme, Ordered

_NOBODY_HAS_SAID = Completeness()


@dataclass(frozen=True)
class Whole:
    """Holds a query for the first, the last, the nth, all or an extreme against what the base promises."""

    choice: Choice

    @property
    def needed(self) -> bool:
        """Whether the answer depends on facts that may be missing."""
        return isinstance(self.choice.query.which, Ordered | Extreme) or isinstance(self.choice.query, Count)

    def doubt(self, kept: Sequence[FoundFact]) -> str:
        """Say why one of those facts may be missing, by the marks of the timelines in which the chosen ones stand.

        Empty where none is. What is first or longest of all that may bear a title and surely bears it is so among
        those who do; of a count, or the third of them, each must bear it.
        """
        choice, base = self.choice, self.choice.lookup.store.manifest.name
        fitting = choice.title.borne(choice.found)
        part = len(fitting) < len(choice.found) or choice.times is not None or self._several
        order = None if part else self._order
        settled = {one.answer for one in kept if any(mark.settles(order) for mark in self._marks(one))}
        named = (f"{one.fact.relation_label} of {_whose(one)}" for one in kept)
        timelines = ", ".join(dict.fromkeys(named))
        if settled != {one.answer for one in kept}:
            return f"{base} may lack some facts: it does not state that its timeline is complete ({timelines})."
        if not choice.title.surely_borne(fitting if self._counts else kept):
            return f"{base} does not say of everyone there that the title is right ({timelines})."
        return ""

    @property
    def hedge(self) -> str:
        """The words that go before an answer from an incomplete timeline."""
        return f"the {self._order} known here" if self._order in ("first", "last") else "of those known here"

    @property
    def _several(self) -> bool:
        which = self.choice.query.which
        return isinstance(which, Ordered) and which.count != 1

    @property
    def _counts(self) -> bool:
        """Whether each fact counts, not only the one that is chosen."""
        return self._several or not (isinstance(self._order, str))

    @property
    def _order(self) -> str | int | None:
        which = self.choice.query.which
        if isinstance(which, Extreme):
            return which.most
        if not isinstance(which, Ordered):
            return None
        return {1: "first", -1: "last"}.get(which.order, which.order if which.order > 0 else None)

    def _marks(self, one: FoundFact) -> list[Completeness]:
        """Return what is promised of the timeline of a fact; where both ends were named, of that of each."""
        fact, store = one.fact, self.choice.lookup.store
        relation = store.relations[fact.relation]
        given = ENDS if one.wanted is None else (other(one.wanted),)
        ids = {"subject": fact.subject, "object": fact.object}
        keys = [
            (fact.relation, role, ids[end]) for end in given for role in (ENDS if is_symmetric(relation) else (end,))
        ]
        marks = [store.completeness.get(key, _NOBODY_HAS_SAID) for key in keys]
        return [mark._replace(between=True) if relation.complete else mark for mark in marks]


def _whose(one: FoundFact) -> str:
    fact = one.fact
    return (fact.object_label if one.wanted == "subject" else fact.subject_label) or ""
