"""The ways to understand a question, the likeliest first, each with the facts that the base has for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from asof.reading.facts.clause import Clause, clauses, days_of, shared, told_by, told_of
from asof.reading.facts.cover import Cover
from asof.reading.facts.fits import can_answer, shared_days
from asof.reading.facts.holding import judged
from asof.reading.facts.items import Name
from asof.reading.facts.kinds import of_kind
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.offices import offices
from asof.reading.facts.question import Question, take_apart
from asof.reading.facts.said_in_templates import Templates
from asof.reading.facts.sense import RelationQuery, Sense
from asof.reading.facts.senses import senses
from asof.reading.facts.titles import title_of
from asof.reading.facts.words import Word, spoken
from asof.timeline import Date
from asof.timeline.specifier import Days


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One way to understand a question, and the facts of its relation whenever they hold."""

    question: Question
    sense: Sense
    found: list[FactMatch]
    times: tuple[Days, ...] | None
    when: str  # how the time was read
    knows_neighbour: bool = True  # the facts have what the question leans on

    @property
    def rests_on_careers(self) -> bool:
        """Whether an office was found only in the careers of people, which seldom name all who held it.

        "Governor of California" is the name of an office, but who governed California is also said by its heads of
        government: that is the better list, if there is one.
        """
        return not self.sense.said and {one.fact.relation for one in self.found} == {"P39"}

    @property
    def is_weak(self) -> bool:
        """Whether another reading with facts would be better."""
        return self.rests_on_careers or not self.knows_neighbour


@dataclass(frozen=True)
class Readings:
    """Finds the readings of one question."""

    lookup: Lookup
    cover: Cover
    templates: Templates
    today: Date

    def of(self, text: str) -> Iterator[list[Reading]]:
        """Walk over the readings of a text: as a whole, then cut into a main part and a clause of time."""
        for main, clause in clauses(text, self.cover.phrases.table["tenures"]):
            readings = self._readings(main, clause)
            tried = []
            for reading in readings:
                tried.append(reading)
                if reading.found and not reading.is_weak:
                    break
            yield tried

    def told(self, sentence: str) -> Reading | None:
        """Read a sentence that names who or what it tells of: "Reagan was president in 1985"."""
        question = replace(take_apart(sentence, today=self.today), kind="which")
        times, when = self._times(question, None)
        careers = None
        for sense in self._senses(question):
            named = any(asked.subject or asked.object for group in sense.groups for asked in group)
            if named and not (sense.neighbour or sense.order) and (found := self._found(sense)):
                told = Reading(question=question, sense=sense, found=found, times=times, when=when)
                if not told.rests_on_careers:
                    return told
                careers = careers or told
        return careers

    def _readings(self, main: str, clause: Clause | None) -> Iterator[Reading]:
        question = take_apart(main, today=self.today)
        times, when = self._times(question, clause)
        if clause and times is None:
            return
        for sense in self._senses(question):
            if question.kind == "which":
                sense = self._without_offices(sense)
            if not sense.groups or not can_answer(sense, question):
                continue
            present = (question.present or sense.in_present) and question.kind in ("which", "yes or no", "how many")
            if question.kind == "which" and sense.begins and times is None:  # "which team did he start with"
                sense = replace(sense, order="first", event=None)
            if question.kind == "when" and sense.at_first:
                sense = replace(sense, event=sense.event or "start")
            special = sense.neighbour or sense.before_now or sense.order
            now = times is None and (sense.now or present) and not special
            found = self._found(sense, question)
            name = sense.neighbour
            yield Reading(
                question=question,
                sense=replace(sense, event=sense.event or question.event),
                found=found,
                times=(Days(self.today.first, self.today.last),) if now else times,
                when=f"today, {self.today}" if now else when,
                knows_neighbour=name is None or bool(self.lookup.called({one.answer for one in found}, name)),
            )

    def _without_offices(self, sense: Sense) -> Sense:
        """Leave out offices where a place is asked for: "which country was Trajan emperor of"."""
        if sense.neighbour or not any(title_of(said) in self.cover.phrases.table["titles"] for said in sense.said):
            return sense
        kept = (
            group for group in sense.groups if any(one.relation != "P1308" or one.wanted == "object" for one in group)
        )
        return replace(sense, groups=tuple(kept))

    def _senses(self, question: Question) -> Iterator[Sense]:
        words = list(question.words)
        yield from self.templates.senses(words, question, self.cover)
        rows = [words]
        if question.fronted:  # "of which country was he a citizen" is "which country was he a citizen of"
            rows = [[*words, Word(question.fronted, question.fronted, 0, 0)], words]
        for row in rows:
            for items in self.cover.coverings(row):
                yield from senses(items)

    def _times(self, question: Question, clause: Clause | None) -> tuple[tuple[Days, ...] | None, str]:
        stated = shared_days(question)
        said = " and ".join(f"{time.text} ({time.days})" for time in question.times)
        if clause is None:
            return stated, said
        names = self.cover.names(question.words)
        named = {id for name, _, _ in names for id in name.entities}
        whole = (told for said in told_of([name for name, _, _ in names], clause) if (told := self._days(said, named)))
        told = next(whole, None)
        if told is None:
            return None, ""
        if stated is not None:
            told = shared(told, stated)
        when = f"{clause.link} {clause.text.rstrip('?. ')} ({', '.join(map(str, told))})"
        return told or None, f"{said} and {when}" if said else when

    def _days(self, clause: Clause, named: set[str]) -> tuple[Days, ...] | None:
        """Read a clause of time and return the days that it speaks of, in the places that the question names."""
        question = take_apart(clause.text, today=self.today)
        stated = shared_days(question)
        known_by = self.lookup.store.known_by
        for sense in self._senses(replace(question, kind="which")):
            given = any(asked.subject or asked.object for group in sense.groups for asked in group)
            if given and not sense.neighbour and (found := self._found(sense)):
                if clause.link == "under":  # a vice president of the United States served under none of India
                    found = [one for one in found if self._belongs(one.fact.subject, named)]
                found = [one for one in found if judged(one.fact, stated, sense.event, known_by)]
                found = told_by(found, sense.event, named, known_by)
                return days_of(found, sense.event, clause.link, known_by, stated)
        return None

    def _belongs(self, place: str, named: set[str]) -> bool:
        """Tell whether a place is named, or the office that is named belongs to it."""
        where = self.cover.index.things([place])
        label = f" {spoken(where[place].label).removeprefix('kingdom of ')} " if place in where else ""
        offices = self.cover.index.things(named).values()
        return place in named or any(label in f" {spoken(f'{one.label} {one.description}')} " for one in offices)

    def _found(self, sense: Sense, question: Question | None = None) -> list[FactMatch]:
        """Look up the first group of relations that has facts; of the kind that a question asks for, if it can be."""
        groups = ([one for asked in group for one in self._facts(asked, sense.neighbour)] for group in sense.groups)
        if sense.neighbour and not sense.said:  # "who replaced Ferguson at Manchester United": as what tell the facts
            name = sense.neighbour
            return next((found for found in groups if self.lookup.called({one.answer for one in found}, name)), [])
        found = self._of_its_kind(groups, sense, question) if question else next(filter(None, groups), [])
        if sense.neighbour or not sense.said:
            return found
        held = offices(sense, self.cover.index, self.cover.phrases, besides=bool(found))
        return found + [one for asked in held for one in self._facts(asked, None)]

    def _of_its_kind(self, groups: Iterator[list[FactMatch]], sense: Sense, question: Question) -> list[FactMatch]:
        """Return the first facts of the kind that is asked for; where there are none, the first."""
        words = [word for word in question.words if word not in sense.named]
        first: list[FactMatch] = []
        for found in filter(None, groups):
            if sense.neighbour or of_kind(found, words, self.lookup, self.cover.phrases):
                return found
            first = first or found
        return first

    def _facts(self, asked: RelationQuery, neighbour: Name | None) -> list[FactMatch]:
        if asked.subject or asked.object:
            return self.lookup.facts(asked) or self._of_national_team(asked)
        return self.lookup.timelines_with(asked.relation, neighbour) if neighbour else []

    def _of_national_team(self, asked: RelationQuery) -> list[FactMatch]:
        """Look up who coached a country: its team."""
        if asked.relation != "P286" or asked.subject is None:
            return []
        things = self.cover.index.things(asked.subject.entities).values()
        called = dict.fromkeys((asked.subject.spoken, *(spoken(thing.label) for thing in things)))
        names = [name.format(country) for country in called for name in self._team_names]
        teams = [entities for name in names if (entities := self.cover.index.entities(name))]
        return self.lookup.facts(replace(asked, subject=replace(asked.subject, entities=teams[0]))) if teams else []

    @property
    def _team_names(self) -> list[str]:
        return list(self.cover.phrases.table["national_teams"]["names"])
