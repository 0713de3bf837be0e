"""From the facts that a query is about to its answer, or why it is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import msgspec

from asof.reading.ask.answer import AnswerItem, FactEvidence, FactsAnswer, Holds, Status
from asof.reading.ask.evaluate.choice import Choice, FittingFact
from asof.reading.ask.evaluate.denial import Denial
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.holding import in_order, nearest
from asof.reading.ask.evaluate.items import Telling
from asof.reading.ask.evaluate.read_as import read_as
from asof.reading.ask.evaluate.relations import in_careers
from asof.reading.ask.evaluate.unknown import nothing_known
from asof.reading.ask.evaluate.whole import Whole
from asof.reading.ask.query import Lookup, Neighbour, YesNo


@dataclass(frozen=True)
class Conclusion:
    """Draws the answer from a choice of facts."""

    choice: Choice

    def answer(self) -> FactsAnswer:
        """Return the answer."""
        kept = self._kept
        if kept:
            answer = self._made(Status.ANSWERED, Telling(self.choice).items(kept), self._notes())
            complete = None if self._doubt is None else not self._doubt
            return replace(answer, complete=complete, hedge=self._whole.hedge if self._doubt else "")
        if isinstance(self.choice.query, YesNo) and (no := self._no()):
            return no
        if not self.choice.found:
            return self._nothing()
        return (self._of_a_namesake() if self.choice.others else None) or self._unknown()

    def _of_a_namesake(self) -> FactsAnswer | None:
        """Answer for another of the same name, where the title fits only that: "the mayor of New York"."""
        choice = self.choice
        names, query = choice.lookup.names, choice.query
        if names.chosen or not isinstance(query.subject, str):
            return None
        (mention,) = choice.ends.subject
        for id in sorted(set(mention.entities) - {one.fact.subject for one in choice.found}):
            other = Choice(msgspec.structs.replace(query, subject=id), choice.lookup, choice.today)
            if other.found and (answer := Conclusion(other).answer()).status is Status.ANSWERED:
                note = f"{mention.text!r} is taken for {names.entities([id])[id]}."
                return replace(answer, read_as=self._said, notes=(note, *answer.notes))
        return None

    @cached_property
    def _kept(self) -> list[FittingFact]:
        kept = self.choice.kept
        labelled = self.choice.lookup.labelled(one.found for one in kept)
        return [
            FittingFact(one, FactEvidence(one.fact, before.evidence.holds, before.evidence.why))
            for one, before in zip(labelled, kept, strict=True)
        ]

    @cached_property
    def _whole(self) -> Whole:
        return Whole(self.choice)

    @cached_property
    def _doubt(self) -> str | None:
        """Why the base may lack what the answer depends on; None where it depends on its own facts alone."""
        return self._whole.doubt([one.found for one in self._kept]) if self._whole.needed else None

    def _no(self) -> FactsAnswer | None:
        """Say no where the base would know it: it has the fact at another time, or another had that place then."""
        choice = self.choice
        if choice.others or choice.lies_ahead:
            return None
        denial = Denial(choice)
        instead, surely = denial.instead, denial.surely
        if denial.is_known:
            return self._made(Status.ANSWERED, (_NO,), (*denial.notes, *self._notes()), [*instead, *denial.known])
        if surely and not choice.found:
            evidence = tuple(FactEvidence(one.fact, Holds.WHOLE) for one in choice.lookup.labelled(surely))
            return self._made(Status.ANSWERED, (AnswerItem("no", Holds.WHOLE, evidence),), denial.notes)
        return None

    def _unknown(self) -> FactsAnswer:
        """Say that nothing is known for that time, and what comes nearest."""
        choice, base = self.choice, self.choice.lookup.store.manifest.name
        when = self._said.get("when", "")
        when = f" {when}" if when else ""
        if choice.others:
            note = f"{base} knows no {choice.query.title} there{when}; it has a fact under another title."
            return self._made(Status.UNKNOWN, (), (note,), [one.found for one in choice.others][:3])
        if choice.lies_ahead:
            return self._made(Status.UNKNOWN, (), (f"That is after today, {choice.today}: {base} cannot know it.",), [])
        if isinstance(choice.query.which, Neighbour):
            when = f" {self._said['beside']}{when}"
        near = nearest(self._in_order(choice.found), choice.times, choice.known_by)
        return self._made(Status.UNKNOWN, (), (f"{base} has no matching fact{when}.", *choice.lookup.names.notes), near)

    def _nothing(self) -> FactsAnswer:
        """Say that the base has no such fact at all; a name that it does not know gets a guess."""
        notes, unclear, near = nothing_known(self.choice)
        return replace(self._made(Status.UNKNOWN, (), notes), unclear=unclear, candidates=tuple(near))

    def _in_order(self, found: Sequence[FoundFact]) -> list[FoundFact]:
        return in_order(found, self.choice.known_by)

    def _notes(self) -> tuple[str, ...]:
        notes = []
        query, base = self.choice.query, self.choice.lookup.store.manifest.name
        if isinstance(query, Lookup) and query.when is None and query.which is None:
            notes.append("No time was given: these are all matching facts of the base, in the order of time.")
        if isinstance(query.which, Neighbour) and (query.which.until or query.which.all):
            notes.append(f"As far as {base} knows them.")
        notes += [self._doubt] if self._doubt else []
        if self._rests_on_careers:
            notes.append("Found in the careers of people: others may have held it too.")
        return (*notes, *self.choice.lookup.names.notes)

    @property
    def _rests_on_careers(self) -> bool:
        store = self.choice.lookup.store
        careers = (one.found.wanted == "subject" and in_careers(one.found.fact.relation, store) for one in self._kept)
        return bool(self._kept) and all(careers)

    @cached_property
    def _said(self) -> dict[str, str]:
        return read_as(self.choice)

    def _made(
        self, status: Status, items: tuple[AnswerItem, ...], notes: tuple[str, ...], near: Sequence[FoundFact] = ()
    ) -> FactsAnswer:
        names = self.choice.lookup.names
        unclear, others = next(iter(names.namesakes.items()), ("", []))
        return FactsAnswer(
            question="",
            status=status,
            items=items,
            notes=notes,
            near=tuple(FactEvidence(one.fact, Holds.ALWAYS) for one in self.choice.lookup.labelled(near)),
            candidates=tuple(names.entities(others).values()) if others else (),
            read_as=self._said,
            times=self.choice.times or (),
            unclear=unclear,
        )


_NO = AnswerItem("no", Holds.ALWAYS, ())
