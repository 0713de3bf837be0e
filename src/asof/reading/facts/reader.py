"""The reader ``facts``: answers a question from a base, with the facts that say so, or tells why it cannot.

The question is put in plainer words (``courtesy``, ``rewording``) and taken apart (``question``), every word of it is
given a part (``cover``), the names are given to the ends of a relation (``roles``, ``senses``), facts are looked up
(``lookup``) and held against the time asked for (``conclude``). The first reading for which the base has facts of any
time is the one that counts; nothing is guessed beyond that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property

from asof.facts import FactStore
from asof.reading.facts.answer import FactsAnswer, Status
from asof.reading.facts.compared import FactsComparison
from asof.reading.facts.comparison import choices, than
from asof.reading.facts.conclude import Conclusion
from asof.reading.facts.conjunction import both, chosen, either, of_each
from asof.reading.facts.courtesy import without_courtesy
from asof.reading.facts.cover import Cover
from asof.reading.facts.eras import eras_in
from asof.reading.facts.index import Index
from asof.reading.facts.lookup import Lookup, UnclearNameError
from asof.reading.facts.not_read import not_understood, nothing_known
from asof.reading.facts.others import besides, without
from asof.reading.facts.phrases import phrases
from asof.reading.facts.question import take_apart
from asof.reading.facts.readings import Reading, Readings
from asof.reading.facts.said_in_templates import Templates
from asof.reading.facts.states import in_their_time
from asof.reading.facts.words import Word, cleaned, words_of
from asof.timeline import Date

_LIKE, _SHORTEST = 0.84, 5  # how like a word a misspelt one must be, by difflib; letters of the shortest that is meant


class FactsReader:
    """Answers questions from one base; keep it to ask many.

    Args:
        today: What "now" means; by default the day of the clock.
        entities: Ids that settle which of several entities a name means.
    """

    def __init__(self, store: FactStore, *, today: Date | None = None, entities: Collection[str] = ()) -> None:
        self.store = store
        self._today = today
        self._entities = entities

    @property
    def today(self) -> Date:
        """The day that "today" means."""
        return self._today or Date.today()

    @cached_property
    def _cover(self) -> Cover:
        return Cover(Index(self.store), phrases().with_relations(self.store.relations.values()))

    @cached_property
    def _templates(self) -> Templates:
        return Templates.of(self.store.relations)

    def ask(self, question: str) -> FactsAnswer:
        """Answer a question.

        Raises:
            UserError: The question is empty, too long, or names a date that cannot be.
        """
        text, store = cleaned(question), self.store
        try:
            answer = self._read(question, text)
            if answer.status in (Status.ANSWERED, Status.UNKNOWN):
                answer = replace(answer, notes=(*answer.notes, *eras_in(text)))
        except UnclearNameError as unclear:
            answer = FactsAnswer(
                question=question,
                status=Status.AMBIGUOUS,
                not_understood=(unclear.name,),
                candidates=tuple(unclear.entities),
                unclear=unclear.name,
                notes=(f"{unclear.name!r} is ambiguous; it may be one of {len(unclear.entities)}.",),
            )
        base, given = store.manifest.name, tuple(self._entities)
        return replace(answer, base=base, known_to=store.known_by, entities=given)

    def _read(self, question: str, text: str) -> FactsAnswer:
        if compared := self._compared(question, text):
            return compared
        if others := self._others(question, text):
            return others
        answer = self._answer(question, text, self._lookup(self._entities))
        if answer.status is Status.NOT_UNDERSTOOD and (of_both := self._of_both(question, text)):
            return of_both
        if answer.status is Status.NOT_UNDERSTOOD and (mended := self._mended(text)):
            again = self._answer(question, mended, self._lookup(self._entities))
            if again.status is not Status.NOT_UNDERSTOOD:
                return replace(again, notes=(f"Read as: {mended}", *again.notes))
        return answer

    def _answer(self, question: str, text: str, lookup: Lookup) -> FactsAnswer:
        understood: Reading | None = None
        beside_nobody: Reading | None = None
        text = in_their_time(text, self._cover.index)
        for tried in Readings(lookup, self._cover, self._templates, self.today).of(text):
            with_facts = [reading for reading in tried if reading.found]
            if with_facts:  # the last one ended the search; else the first that is at least weak
                best = with_facts[0] if with_facts[-1].is_weak else with_facts[-1]
                if best.knows_neighbour:
                    return self._concluded(question, best, lookup)
                beside_nobody = beside_nobody or best
            understood = understood or next(iter(tried), None)
        if beside_nobody:
            return self._concluded(question, beside_nobody, lookup)
        unexplained = self._cover.unexplained(take_apart(text, today=self.today).words)
        if understood is None:
            return not_understood(question, unexplained)
        return self._no_such_pair(question, understood, lookup) or nothing_known(
            question, understood.sense, self.store, unexplained
        )

    def _compared(self, question: str, text: str) -> FactsAnswer | None:
        """Answer a comparison of two; nothing where the question is none."""
        lookup = self._lookup(self._entities)
        asked = without_courtesy(text)
        for comparison in (*choices(asked), *than(asked, self._spans_of_names)):
            readings = Readings(lookup, self._cover, self._templates, self.today)
            one, other = (readings.told(sentence) for sentence in comparison.sentences)
            if one and other:
                found = FactsComparison(
                    question, comparison, (one, other), lookup, self._cover.phrases, self.today
                ).answer()
                if found:
                    return found
        return None

    def _others(self, question: str, text: str) -> FactsAnswer | None:
        """Answer who else, besides one that is named; nothing where the question asks for none."""
        for asked in besides(without_courtesy(text)):
            names = self._cover.names(words_of(asked.known))  # the longest first
            known = {id for name, _, length in names if length == names[0][2] for id in name.entities}
            others = without(self._answer(question, asked.all, self._lookup(self._entities)), known)
            if others:
                return others
        return None

    def _of_both(self, question: str, text: str) -> FactsAnswer | None:
        """Answer a question that names two things in one place."""
        for one, other in of_each(text, self._spans_of_names(text)):
            first, second = (self._answer(question, each, self._lookup(self._entities)) for each in (one, other))
            if answer := both(first, second, self.store):
                return answer
        for (one_name, one), (other_name, other) in either(text, self._spans_of_names(text)):
            first, second = (self._answer(question, each, self._lookup(self._entities)) for each in (one, other))
            if answer := chosen((one_name, other_name), (first, second)):
                return answer
        return None

    def _spans_of_names(self, text: str) -> list[tuple[int, int]]:
        names = self._cover.names(words_of(text))
        return [(name.words[0].start, name.words[-1].end) for name, _, _ in names if not name.possessive]

    def _lookup(self, entities: Collection[str]) -> Lookup:
        return Lookup(self.store, self._cover.index, entities)

    def _conclusion(self, question: str, reading: Reading, lookup: Lookup) -> Conclusion:
        return Conclusion(question, reading, lookup, self._cover.phrases, self.today)

    def _concluded(self, question: str, reading: Reading, lookup: Lookup) -> FactsAnswer:
        """Draw the answer; where the title that is asked for fits only a namesake, of that: "the mayor of New York"."""
        conclusion = self._conclusion(question, reading, lookup)
        answer = conclusion.answer()
        if answer.status is not Status.UNKNOWN or not conclusion.has_other_titles or lookup.chosen:
            return answer
        taken = {one.fact.subject for one in reading.found}
        for asked in (asked for group in reading.sense.groups for asked in group):
            for id in sorted(set(asked.subject.entities) - taken) if asked.subject else ():
                other = self._lookup([id])
                namesake = replace(reading, found=other.facts(asked))
                if not namesake.found:
                    continue
                named = self._conclusion(question, namesake, other).answer()
                if asked.subject and named.status is Status.ANSWERED:
                    which = other.entities([id])[id]
                    return replace(named, notes=(f"{asked.subject.text!r} is taken for {which}.", *named.notes))
        return answer

    def _mended(self, text: str) -> str:
        """Put words in the place of those that are misspelt; nothing where none is."""
        words = take_apart(text, today=self.today).words
        mended = text
        for word in self._cover.unexplained(words):
            if _may_be_misspelt(word, words):
                meant = [one for one in self._cover.vocabulary if one[0] == word.text[0] and len(one) >= _SHORTEST]
                near = get_close_matches(word.text, sorted(meant), n=1, cutoff=_LIKE)
                mended = re.sub(rf"\b{re.escape(word.written)}\b", near[0], mended, count=1) if near else mended
        return mended if mended != text else ""

    def _no_such_pair(self, question: str, reading: Reading, lookup: Lookup) -> FactsAnswer | None:
        """Answer no where subject and object never had the relation, and another surely had it at that time."""
        if reading.question.kind != "yes or no":
            return None
        for asked in (asked for group in reading.sense.groups for asked in group):
            relation = self.store.relations.get(asked.relation)
            known = asked.subject and asked.object and asked.object.entities and not asked.object.in_part
            if known and relation and relation.one_at_a_time:
                instead = replace(reading, found=lookup.facts(replace(asked, object=None)))
                answer = self._conclusion(question, instead, lookup).somebody_else()
                if answer:
                    return answer
        return None


def _may_be_misspelt(word: Word, words: Sequence[Word]) -> bool:
    """Tell words from names: these have a capital, or stand first."""
    return word.written[:1].islower() or word == words[0]


def ask(store: FactStore, question: str, *, today: Date | None = None, entities: Collection[str] = ()) -> FactsAnswer:
    """Answer one question from a base.

    Args:
        today: What "now" means; by default the day of the clock.
        entities: Ids that settle which of several entities a name means.
    """
    return FactsReader(store, today=today, entities=entities).ask(question)
