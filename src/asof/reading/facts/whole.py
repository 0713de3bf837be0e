"""Does a base promise all facts that a first, a last, a count or a longest is taken from?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.facts.completeness import Completeness
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.phrases import BOTH_WAYS, Phrases, Role
from asof.reading.facts.readings import Reading
from asof.reading.facts.titles import bear_title, with_title

_NOBODY_HAS_SAID = Completeness()


@dataclass(frozen=True)
class CompletenessCheck:
    """Holds a question for the first, the last, the nth, all or an extreme against what the base promises."""

    reading: Reading
    lookup: Lookup
    phrases: Phrases

    @property
    def needed(self) -> bool:
        """Whether the answer depends on facts that may be missing."""
        return bool(self.reading.sense.order) or self.reading.question.kind.startswith("how many")

    def doubt(self, kept: Sequence[FactMatch]) -> str:
        """Say why one of those facts may be missing, by the marks of the timelines in which the chosen ones stand.

        Empty where none is. What is first or longest of all that may bear a title and surely bears it is so among
        those who do; of a count, or the third of them, each must bear it.
        """
        sense, base = self.reading.sense, self.lookup.store.manifest.name
        fitting = with_title(self.reading.found, sense.said, self.lookup, self.phrases)
        part = len(fitting) < len(self.reading.found) or self.reading.times is not None or bool(sense.many)
        order = None if part else sense.order
        settled = {one.answer for one in kept if any(mark.settles(order) for mark in self._marks(one))}
        named = (f"{one.fact.relation_label} of {_whose(one)}" for one in kept)
        timelines = ", ".join(dict.fromkeys(named))
        if settled != {one.answer for one in kept}:
            return f"{base} may lack some facts: it does not state that its timeline is complete ({timelines})."
        counts = not isinstance(sense.order, str) or bool(sense.many)
        if not bear_title(fitting if counts else kept, sense.said, self.lookup, self.phrases):
            return f"{base} does not say of everyone there that the title is right ({timelines})."
        return ""

    @property
    def hedge(self) -> str:
        """The words that go before an answer from an incomplete timeline."""
        order = self.reading.sense.order
        return f"the {order} known here" if order in ("first", "last") else "of those known here"

    def _marks(self, match: FactMatch) -> list[Completeness]:
        """Return what is promised of the timeline of a fact; where both ends were named, of that of each."""
        fact, marks = match.fact, self.lookup.store.completeness
        ends: dict[Role, str] = {"subject": fact.subject, "object": fact.object}
        if match.wanted is not None:
            del ends[match.wanted]
        roles: tuple[Role, ...] = ("subject", "object")
        keys = [
            (fact.relation, role, id)
            for end, id in ends.items()
            for role in (roles if fact.relation in BOTH_WAYS else (end,))
        ]
        return [marks.get(key, _NOBODY_HAS_SAID) for key in keys]


def _whose(match: FactMatch) -> str:
    fact = match.fact
    return (fact.object_label if match.wanted == "subject" else fact.subject_label) or ""
