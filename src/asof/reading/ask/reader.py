"""The reader of questions: from people's English to scored queries, and from the best of them to an answer."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from asof.facts import FactStore
from asof.reading.ask.answer import FactsAnswer, Status
from asof.reading.ask.clauses import Clause, clauses, told_of
from asof.reading.ask.evaluate import Choice, FactLookup, evaluate, fact_lookup, name_index
from asof.reading.ask.evaluate.names import UnclearNameError
from asof.reading.ask.frame import QuestionGrammar, frames
from asof.reading.ask.halves import second_question
from asof.reading.ask.kinds import Kind, Pick, Split, kinds
from asof.reading.ask.kinds.patterns import openings
from asof.reading.ask.lattice import Lattice
from asof.reading.ask.lexicon import lexicon_of
from asof.reading.ask.meanings import Meanings
from asof.reading.ask.miss import MissedQuestion, example_question
from asof.reading.ask.named_offices import Offices
from asof.reading.ask.presence import Presence
from asof.reading.ask.query import Compare, During, Event, Lookup, Neighbour, Ordered, Query
from asof.reading.ask.query_of import Reading, replaced
from asof.reading.ask.query_schema import relation_names
from asof.reading.ask.rewriting import Rewriting
from asof.reading.ask.spelling import mended
from asof.reading.ask.statement import StatedFact
from asof.reading.ask.tags import Mark, Name, Small
from asof.reading.ask.templates import QuestionTemplates
from asof.reading.ask.words import ARTICLES, Word, cleaned, words_with_times
from asof.timeline import Date
from asof.timeline.specifier import Specifier

_PRESENT = frozenset(("is", "are", "does", "do"))
_COUNTED = frozenset(("many", "different"))
_DEFAULT, _STATED = "lookup", "statement"
_CLAUSE = 0.1  # what a clause costs
_TEMPLATE = -2.0  # the score of a question in the words of a template
_WEAK, _STRONG, _UNCLEAR = 1, 2, 3  # how much the base has for a reading
_GENERAL = (
    "start",
    "end",
    "now",
    "narrowing",
    "change",
    "past",
    "origin",
)  # marks that no kind of question needs to take


@dataclass(frozen=True)
class OpenedQuestion:
    """A question without the words that open it."""

    asks: str
    opened: tuple[str, ...]
    event: Event | None
    words: tuple[Word, ...]
    present: bool
    fronted: Word | None = None  # "of" in "of which country was he a citizen"


class QuestionReader:
    """Reads questions to one base, and answers them; keep it to ask many.

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

    def ask(self, question: str) -> FactsAnswer:
        """Answer a question.

        Raises:
            UserError: The question is empty, too long, or names a date that cannot be.
        """
        lookup = fact_lookup(self.store, self._entities)
        readings = self.read(question, lookup=lookup)
        if more := self._second_question(question):
            note = f"These are two questions in one: the second is {more!r}. Ask one at a time."
            return replace(self._not_understood(question), not_understood=(), notes=(note,))
        if not readings:
            return self._not_understood(question)
        best = readings[0]
        answer = evaluate(best.query, self.store, today=self.today, entities=self._entities, lookup=lookup)
        on_names_alone = not best.words and best.score != _TEMPLATE
        if answer.status is Status.UNKNOWN and on_names_alone and self._has_strange_words(question):
            return self._not_understood(question)
        return replace(answer, question=question, notes=(*best.notes, *answer.notes))

    def _second_question(self, question: str) -> str:
        text = self._rewriting.plainer(cleaned(question)).text
        return second_question(text, words_with_times(text, today=self.today))

    def _has_strange_words(self, question: str) -> bool:
        """Tell whether there are words without a part that are hardly names: "hello"."""
        words = self._lattice.unexplained(words_with_times(cleaned(question), today=self.today))
        return any(word.written[:1].islower() for word in words)

    def read(self, question: str, *, lookup: FactLookup | None = None) -> list[Reading]:
        """Return the ways to understand a question, the best first; those of which the base has facts before others."""
        plainer = self._rewriting.plainer(cleaned(question))
        lookup = lookup or fact_lookup(self.store, self._entities)
        readings = self._read(plainer.text, lookup)
        if not readings and (text := self._of_a_time_to_come(plainer.text)):
            readings = self._read(text, lookup)
        if self._may_be_misspelt(plainer.text, readings, lookup) and (text := self._mended(plainer.text)):
            again = [replace(one, notes=(f"Read as: {text}", *one.notes)) for one in self._read(text, lookup)]
            readings = again if not readings or self._has_facts(again, lookup) else readings
        return [replace(one, notes=(*one.notes, *plainer.notes)) for one in readings]

    def _may_be_misspelt(self, text: str, readings: Sequence[Reading], lookup: FactLookup) -> bool:
        """Tell whether words are strange and no reading has facts."""
        strange = self._lattice.unexplained(words_with_times(text, today=self.today))
        return bool(strange) and not self._has_facts(readings, lookup)

    def _has_facts(self, readings: Sequence[Reading], lookup: FactLookup) -> bool:
        return bool(readings) and bool(self._strength(readings[0].query, lookup))

    def _of_a_time_to_come(self, text: str) -> str:
        """Ask of a time to come as of any other, as the facts say whether they reach there; nothing of other times."""
        words = words_with_times(text, today=self.today)
        ahead = any(word.time is not None and word.time.days.first > self.today.last for word in words)
        position = next((number for number, word in enumerate(words) if word.text == "will"), None)
        if not ahead or position is None:
            return ""
        will, behind = words[position], words[position + 1 : position + 2]
        be = bool(behind) and behind[0].text == "be"
        return f"{text[: will.start]}{'is' if be else 'did'}{text[behind[0].end if be else will.end :]}"

    def _mended(self, text: str) -> str:
        words = words_with_times(text, today=self.today)
        return mended(text, words, self._lattice.unexplained(words), self._lattice.spelled)

    def _read(self, text: str, lookup: FactLookup) -> list[Reading]:
        words = words_with_times(text, today=self.today)
        found: dict[Query, Reading] = {}
        for reading in (*self._whole(words, lookup), *self._with_clauses(words, lookup)):
            known = found.get(reading.query)
            if known is None or known.score < reading.score:
                found[reading.query] = reading
        return self._with_facts_first(sorted(found.values(), key=lambda one: -one.score), lookup)

    def _whole(self, words: Sequence[Word], lookup: FactLookup) -> Iterator[Reading]:
        """Walk over the readings of a question without a clause of time."""
        yield from self._readings(self._open(words), None)
        yield from self._templated(words)
        for kind in self._kinds.values():
            for split in kind.splits(words):
                yield from self._joined(split, lookup)

    def _templated(self, words: Sequence[Word]) -> Iterator[Reading]:
        """Walk over the readings in the very words of a template."""
        plain = [word for word in words if not word.time]
        times = tuple(word.time.text for word in words if word.time)
        names = self._lattice.names(plain)
        for relation, end, name in self._templates.asked([word.text for word in plain], names):
            when = (times[0] if len(times) == 1 else times) if times else None
            query = Lookup(relation=self._grammar.relation_names[relation], when=when)
            yield Reading(replaced(query, **{end: name.said}), _TEMPLATE, ())

    def _joined(self, split: Split, lookup: FactLookup) -> Iterator[Reading]:
        """Read the parts of a question by themselves, and make one query of them; each must have facts."""
        rows: list[list[Reading]] = []
        for part in split.parts:
            row = self._statements(part) if split.statements else self._readings(self._open(part), None)
            readings = self._with_facts_first(sorted(row, key=lambda one: -one.score), lookup)
            if not readings or (split.needs_all and not self._strength(readings[0].query, lookup)):
                return
            rows.append(readings)
        best = max(rows, key=lambda row: self._strength(row[0].query, lookup))[0]
        for readings in rows:  # what has no facts is read as what has
            readings.sort(key=lambda one: one.words != best.words or _shape(one.query) != _shape(best.query))
        if (query := split.join([row[0] for row in rows])) is not None and self._strength(query, lookup):
            yield replace(best, query=query, score=min(row[0].score for row in rows))

    def _with_clauses(self, words: Sequence[Word], lookup: FactLookup) -> Iterator[Reading]:
        """Walk over the readings of a question whose time other facts tell."""
        for main, clause in clauses(words, self._grammar.lexicon.table.get("tenures", {})):
            opened = self._open(main)
            names = [name for name, _, _ in self._lattice.names(opened.words)]
            for told in self._told(clause, names, lookup):
                for reading in self._readings(opened, told):
                    yield replace(reading, score=reading.score - _CLAUSE)

    def _told(self, clause: Clause, main: Sequence[Name], lookup: FactLookup) -> Iterator[During]:
        """Read a clause as a statement; the first one that has facts tells the time."""
        if clause.ruler:
            yield from self._ruled(clause, [id for name in main for id in name.entities])
            return
        for words in told_of(clause, [name.words for name in main]):
            row = sorted(self._statements(words), key=_says_most)
            for statement in row:
                query = statement.query
                if not isinstance(query, Lookup) or query.which is not None:
                    continue
                moment = clause.moment(query.event)
                plain = replaced(query, event=None)
                if moment and self._strength(plain, lookup):
                    yield During(facts=plain, moment=moment)
                    return

    def _ruled(self, clause: Clause, main: Sequence[str]) -> Iterator[During]:
        """Read "under Lincoln": while he held what makes somebody a ruler, or a boss."""
        for tags in self._lattice.coverings(clause.words):
            names = [tag for tag in tags if isinstance(tag, Name)]
            if len(names) == 1 and all(isinstance(tag, Small) for tag in tags if tag is not names[0]):
                presence = self._grammar.presence
                held = presence.relations(names[0], "object")
                for row in self._grammar.meanings.groups("ruled"):
                    ids = [id for id, _ in row if id in held]
                    if ids:
                        labels = tuple(self._grammar.relation_names[id] for id in ids)
                        here = presence.belonging(names[0], ids, main)
                        if here is not None:
                            yield During(facts=Lookup(relation=labels, object=names[0].said, subject=here or None))
                        return

    def _statements(self, words: Sequence[Word]) -> Iterator[Reading]:
        """Walk over what a statement may say: "Merkel became chancellor"."""
        opened = OpenedQuestion(_STATED, (), None, tuple(words), False)
        yield from self._readings(opened, None, StatedFact())

    def _with_facts_first(self, readings: list[Reading], lookup: FactLookup) -> list[Reading]:
        """Put the first reading that has facts before others; one that is weak only if there is none better."""
        weak: Reading | None = None
        for reading in readings:
            strength = self._strength(reading.query, lookup, said=bool(reading.words))
            if strength == _UNCLEAR and weak is None:
                weak = reading
                break
            if strength == _STRONG:
                return [reading, *(one for one in readings if one is not reading)]
            weak = weak or (reading if strength else None)
        return [weak, *(one for one in readings if one is not weak)] if weak else readings

    def _strength(self, query: Query, lookup: FactLookup, *, said: bool = True) -> int:
        """Tell how much the base has for a query: nothing, something, or facts that surely are what is asked about."""
        if isinstance(query, Compare):
            return min(self._strength(query.one, lookup), self._strength(query.other, lookup))
        try:
            choice = Choice(query, lookup, self.today)
            found = choice.found
            if not found or (isinstance(query.when, During) and choice.times is None):
                return 0
            names = choice.lookup.names
            if query.besides and not names.called({one.answer for one in found}, names.named(query.besides)):
                return 0  # "who else besides Merkel", who is none of them
            if (query.title and not choice.title.borne(found)) or self._is_out_of_place(choice):
                return 0
            careers = not said and {one.fact.relation for one in found} <= self._grammar.meanings.flat("careers")
            return _WEAK if careers or not self._knows_neighbour(choice) else _STRONG
        except UnclearNameError:
            return _UNCLEAR

    def _is_out_of_place(self, choice: Choice) -> bool:
        """Tell whether something returned that was there but once."""
        which = choice.query.which
        return isinstance(which, Ordered) and which.order > 1 and which.count == 0 and not choice.kept

    def _knows_neighbour(self, choice: Choice) -> bool:
        which = choice.query.which
        if not isinstance(which, Neighbour) or which.of is None:
            return True
        names = choice.lookup.names
        return bool(names.called({one.answer for one in choice.found}, names.named(which.of)))

    def _readings(self, opened: OpenedQuestion, clause: During | None, kind: Kind | None = None) -> Iterator[Reading]:
        kind = kind or self._kinds[opened.asks]
        times = tuple(word.time for word in opened.words if word.time)
        plain = [word for word in opened.words if not word.time]
        rows = [[*plain, opened.fronted], plain] if opened.fronted else [plain]
        for row in rows:
            yield from self._of_row(row, times, opened, clause, kind)

    def _of_row(
        self,
        row: Sequence[Word],
        times: tuple[Specifier, ...],
        opened: OpenedQuestion,
        clause: During | None,
        kind: Kind,
    ) -> Iterator[Reading]:
        for position, tags in enumerate(self._lattice.coverings(row)):
            for pick in self._picks(tags):
                for frame in frames(
                    tags, pick, asks=opened.asks, opened=opened.opened, opening=opened.event, present=opened.present,
                    clause=clause, times=times, grammar=self._grammar,
                ):  # fmt: skip
                    for reading in kind.queries(frame):
                        yield replace(reading, score=reading.score - position * 0.002)

    def _picks(self, tags: Sequence[object]) -> Iterator[Pick]:
        """Walk over the ways to read the marks that pick facts; each must be taken by one kind."""
        picking = {tag.kind for tag in tags if isinstance(tag, Mark)} - set(_GENERAL)
        if not picking:
            yield Pick(tuple(tags))  # type: ignore[arg-type]
            return
        for kind in self._kinds.values():
            if kind.marks:
                for pick in kind.picks(tags):  # type: ignore[arg-type]
                    left = {tag.kind for tag in pick.rest if isinstance(tag, Mark)} - set(_GENERAL)
                    if not left - {"most of"}:
                        yield pick

    def _open(self, words: Sequence[Word]) -> OpenedQuestion:
        """Find the kind of question by the words that open it."""
        first = next((position for position, word in enumerate(words) if not word.time), len(words))
        ahead = words[:first]
        row, fronted = _fronted(words[first:])
        spoken_row = [(position, word.text) for position, word in enumerate(row) if word.text not in ARTICLES]
        texts = tuple(text for _, text in spoken_row)
        for length in range(min(len(texts), self._longest), 0, -1):
            if (match := self._openings.get(texts[:length])) and not self._is_a_label(texts[length - 2 : length + 1]):
                asks, event = match
                keep = (asks == "yes-no" and texts[0] != "is") or (texts[:2] != ("is", "it") and asks == "yes-no")
                start = 0 if keep else spoken_row[length - 1][0] + 1
                behind = row[start:]
                if behind and texts[length - 1] in _COUNTED:
                    behind[0] = replace(behind[0], counted=True)
                left = (*ahead, *behind)
                return OpenedQuestion(
                    asks, texts[:length], event, left, any(word.text in _PRESENT for word in left), fronted
                )
        return OpenedQuestion(_DEFAULT, (), None, (*ahead, *row), any(word.text in _PRESENT for word in row), fronted)

    def _is_a_label(self, texts: tuple[str, ...]) -> bool:
        """Tell "the number of students", of a base that keeps it, from a number that is to be counted."""
        own = self._grammar.lexicon.by_first_word.get("number", ()) if texts[:2] == ("number", "of") else ()
        return any(one.words[:3] == texts for one in own)

    def _not_understood(self, question: str) -> FactsAnswer:
        plainer = words_with_times(self._rewriting.plainer(cleaned(question)).text, today=self.today)
        words = self._open(plainer).words
        missed = MissedQuestion(self.store, self._lattice, words, self._example)
        return FactsAnswer(
            question=question,
            status=Status.NOT_UNDERSTOOD,
            not_understood=missed.strange,
            notes=missed.notes(),
            base=self.store.manifest.name,
            known_to=self.store.known_by,
        )

    @cached_property
    def _example(self) -> str:
        return example_question(self.store)

    @cached_property
    def _kinds(self) -> dict[str, Kind]:
        return {name: kinds.get(name)() for name in kinds.names()}

    @cached_property
    def _openings(self) -> dict[tuple[str, ...], tuple[str, Event | None]]:
        return {
            row: (name, event)
            for name, kind in self._kinds.items()
            for pattern, event in kind.openings.items()
            for row in openings(pattern)
        }

    @cached_property
    def _templates(self) -> QuestionTemplates:
        return QuestionTemplates.of(self.store.relations)

    @cached_property
    def _rewriting(self) -> Rewriting:
        return Rewriting(self._grammar.lexicon, name_index(self.store))

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._openings), default=0)

    @cached_property
    def _lattice(self) -> Lattice:
        marks: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        lexicon = self._grammar.lexicon
        said = [
            (kind, text)
            for part in self._kinds.values()
            for kind, texts in part.marks.items()
            for text in texts.split("|")
        ]
        said += [(kind, word) for kind in _GENERAL for word in lexicon.words(kind)]
        for kind, text in said:
            words = tuple(word for word in text.split() if word not in ARTICLES)
            marks.setdefault(words[0], []).append((words, kind))
        return Lattice(name_index(self.store), lexicon, marks)

    @cached_property
    def _grammar(self) -> QuestionGrammar:
        lexicon = lexicon_of(self.store)
        names = dict(zip(lexicon.relations, relation_names(lexicon.relations.values()), strict=True))
        index = name_index(self.store)
        meanings = Meanings(lexicon)
        return QuestionGrammar(lexicon, meanings, Presence(self.store, index), Offices(lexicon, meanings, index), names)


def _fronted(words: Sequence[Word]) -> tuple[list[Word], Word | None]:
    """Take away a small word that stands before "which": "of which country was he a citizen"."""
    asks = len(words) > 2 and words[0].text in _FRONTED and words[1].text in ("which", "what", "whom", "whose", "who")
    if not asks or (words[1].text in ("which", "what") and words[2].text in _TIMES):
        return list(words), None
    return list(words[1:]), words[0]


def _says_most(reading: Reading) -> tuple[float, bool]:
    """Order readings by score; of equal ones, what tells of an event first: "married" rather than "was married"."""
    return -round(reading.score, 1), getattr(reading.query, "event", None) is None


def _shape(query: Query) -> tuple[object, ...]:
    """Return what queries about two names have in common."""
    if isinstance(query, Compare):
        return (Compare,)
    return type(query), query.relation, query.subject is None, query.object is None, query.when


_FRONTED = frozenset(("for", "of", "in", "at", "to", "with", "by", "under", "after", "on", "from"))
_TIMES = frozenset(("year", "years", "date", "day", "days", "month", "period", "point"))


def ask(store: FactStore, question: str, *, today: Date | None = None, entities: Collection[str] = ()) -> FactsAnswer:
    """Answer one question from a base.

    Args:
        today: What "now" means; by default the day of the clock.
        entities: Ids that settle which of several entities a name means.
    """
    return QuestionReader(store, today=today, entities=entities).ask(question)
