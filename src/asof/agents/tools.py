"""The tools over one base: who calls them gets typed results with evidence, or an error that says what to do next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import islice
from typing import Any, NamedTuple

from asof.agents.results import Changes, Facts, Problems, Things
from asof.errors import UserError
from asof.facts import FactStore, FactTable, find_entity, find_relation
from asof.facts.change_row import change_rows
from asof.facts.checks import find_problems
from asof.facts.known_day import beyond_known_day
from asof.facts.names import UnknownNameError
from asof.facts.problem_row import USUAL_PROBLEMS, problem_row
from asof.facts.relation_row import meaning_in_words
from asof.facts.row import fact_row, written
from asof.facts.snapshots import STATUSES, difference
from asof.facts.timelines import Timeline, timeline
from asof.live import LiveEntities, LiveEntity
from asof.reading.ask import read_query
from asof.reading.ask.answer_row import AnswerRow, answer_row
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.reader import QuestionReader
from asof.reading.verify.claim_row import VerificationRow
from asof.reading.verify.verification import TextVerifier
from asof.timeline import Time, Verdict, parse_date, parse_when
from asof.web.suggestions import Suggestion, Suggestions

MOST = 200  # rows of one reply
_LONGEST = 300  # characters of a name or a date; questions have their own limit
_RELATIONS = "SELECT relation, count(*) AS facts FROM facts GROUP BY relation ORDER BY facts DESC, relation"
_CHANGED = tuple(status for status in STATUSES if status != "unchanged")


class _Given(NamedTuple):
    """The ids of what was named."""

    subject: str | None
    relation: str | None
    object: str | None

    def facts(self, store: FactStore, on: Time | None = None) -> FactTable:
        return store.facts(subject=self.subject, relation=self.relation, object=self.object, on=on)


class Tools:
    """Look-ups in one base. Names may be labels, aliases or ids, and are looked up by the base itself.

    Args:
        live: A Wikibase that is asked for the facts of subjects that the base has not.
    """

    def __init__(self, store: FactStore, live: LiveEntities | None = None) -> None:
        self.store = store
        self.live = live

    @cached_property
    def _reader(self) -> QuestionReader:
        return QuestionReader(self.store)

    @cached_property
    def _verifier(self) -> TextVerifier:
        return TextVerifier(self.store)

    @cached_property
    def _suggestions(self) -> Suggestions:
        return Suggestions(self.store)

    @property
    def _known_to(self) -> str | None:
        return written(self.store.known_by)

    def search(self, name: str, *, limit: int = 10) -> Things:
        """Find entities and relations by the beginning of a name or of a word in it; a typing error gets a guess."""
        found = self._suggestions.of(_short(name), limit=limit)
        if not found and self.live is not None:
            elsewhere = [Suggestion(one.id, one.label, None, one.description) for one in self.live.search(_short(name))]
            return Things(self.store.manifest.name, elsewhere[:limit], [f"Not in the base; found at {self.live.name}."])
        notes = [] if found else [self._no_name(name)]
        return Things(self.store.manifest.name, found, notes)

    def relations(self) -> Things:
        """List the relations of the base, those with the most facts first."""
        rows = self.store.sql(_RELATIONS)
        known = self.store.relations
        found = [
            Suggestion(row["relation"], known[row["relation"]].label, "relation", self._about(row), True)
            for row in rows.to_pylist()[:MOST]
        ]
        return Things(self.store.manifest.name, found)

    def _about(self, row: dict[str, Any]) -> str:
        meaning = meaning_in_words(self.store.relations[row["relation"]], self.store.relations)
        return f"{row['facts']:,} facts" + (f"; {meaning}" if meaning else "")

    def as_of(
        self, date: str, *, subject: str | None, relation: str | None, object: str | None, limit: int = 50
    ) -> Facts:
        """Find the facts that hold on a date."""
        when = self._time(date)
        if subject and (entity := self._live_instead(subject)):
            return self._of_live(entity, date, relation=relation, object=object, limit=limit)
        given = self._given(subject, relation, object)
        found = given.facts(self.store, when)
        notes = [] if len(found) else [self._nothing(given, when)]
        return self._facts(found, limit, notes, when)

    def timeline(self, *, subject: str | None, relation: str | None, object: str | None, limit: int = 100) -> Facts:
        """Find all facts of a subject or object in the order of time, with gaps and overlaps."""
        if subject and (entity := self._live_instead(subject)):
            return self._of_live(entity, None, relation=relation, object=object, limit=limit)
        given = self._given(subject, relation, object)
        found = timeline(self.store, subject=given.subject, relation=given.relation, object=given.object)
        rows = [fact_row(fact, known_to=self.store.known_by) for fact in found.facts[:limit]]
        notes = self._breaks(found) if rows else [self._nothing(given, None)]
        notes += _more(len(found.facts), limit)
        return Facts(self.store.manifest.name, self._known_to, len(found.facts), rows, notes)

    def changes(
        self, earlier: str, later: str, *, subject: str | None, relation: str | None, limit: int = 50
    ) -> Changes:
        """Find what is new, updated or deleted from one time to another."""
        given = self._given(subject, relation, None, needs_one=False)
        spans = self._time(earlier), self._time(later)
        table = difference(self.store, *spans, subject=given.subject, relation=given.relation, statuses=_CHANGED)
        return Changes(
            base=self.store.manifest.name,
            known_to=self._known_to,
            earlier=str(spans[0]),
            later=str(spans[1]),
            total=table.num_rows,
            counts=dict(Counter(table["status"].to_pylist())),
            changes=change_rows(self.store, table.slice(0, limit).to_pylist()),
            notes=[
                *_more(table.num_rows, limit),
                *([beyond] if (beyond := beyond_known_day(self.store, spans[1])) else []),
            ],
        )

    def check(self, problem: str | None, *, subject: str | None, relation: str | None, limit: int = 50) -> Problems:
        """Find what cannot be in the base and what is suspicious."""
        given = self._given(subject, relation, None, needs_one=False)
        kinds = (problem,) if problem else USUAL_PROBLEMS
        table = find_problems(self.store, problems=kinds, subject=given.subject, relation=given.relation)
        return Problems(
            base=self.store.manifest.name,
            known_to=self._known_to,
            total=table.num_rows,
            counts=dict(Counter(table["problem"].to_pylist())),
            problems=[problem_row(row) for row in table.slice(0, limit).to_pylist()],
            notes=_more(table.num_rows, limit),
        )

    def ask(self, question: str, *, today: str | None, entities: Sequence[str] = (), limit: int = 20) -> AnswerRow:
        """Answer a question in plain words."""
        for id in entities:
            self.store.entity(_short(id))
        reader = self._reader
        if today or entities:
            reader = QuestionReader(self.store, today=parse_date(_short(today)) if today else None, entities=entities)
        row = answer_row(reader.ask(question), limit=limit)
        return replace(row, notes=[*row.notes, *_more(row.total, limit)])

    def query(
        self, query: dict[str, Any], *, today: str | None, entities: Sequence[str] = (), limit: int = 20
    ) -> AnswerRow:
        """Answer a query."""
        for id in entities:
            self.store.entity(_short(id))
        day = parse_date(_short(today)) if today else None
        row = answer_row(evaluate(read_query(query), self.store, today=day, entities=entities), limit=limit)
        return replace(row, notes=[*row.notes, *_more(row.total, limit)])

    def look_up_live(self, subject: str, date: str | None, *, relation: str | None, limit: int = 50) -> Facts:
        """Find the facts of a subject at the live Wikibase, also where the base has it."""
        if self.live is None:
            raise UserError("There is no live Wikibase. Start with: asof mcp --live wikidata")
        known = self.store.rows("entities", _short(subject), columns=["id"]).num_rows
        with suppress(UserError):  # the live Wikibase may know the name
            subject = subject if known else find_entity(self.store, subject).id
        return self._of_live(self.live.entity(subject), date, relation=relation, object=None, limit=limit)

    def _live_instead(self, subject: str) -> LiveEntity | None:
        """Look up what the base has not; None where it has it, or where there is nothing to ask."""
        try:
            find_entity(self.store, _short(subject))
        except UnknownNameError:
            return None if self.live is None else self.live.entity(subject)
        except UserError:
            pass  # several fit: the caller says so
        return None

    def _of_live(
        self, entity: LiveEntity, date: str | None, *, relation: str | None, object: str | None, limit: int
    ) -> Facts:
        """Ask the base that a live entity is, and say where that is from and how old it is."""
        tools = Tools(entity.store)
        given: dict[str, Any] = {"relation": relation, "object": object, "limit": limit}
        if not entity.store.count():
            none = f"{entity.id} has no statement with a date at {entity.server}."
            return Facts(entity.store.manifest.name, written(entity.store.known_by), 0, [], [none, entity.note])
        if date is None:
            found = tools.timeline(subject=entity.id, **given)
        else:
            found = tools.as_of(date, subject=entity.id, **given)
        return replace(found, notes=[entity.note, *found.notes])

    def verify(self, text: str, *, on: str | None) -> VerificationRow:
        """Hold the claims of a text against the facts."""
        verifier = self._verifier if on is None else TextVerifier(self.store, on=self._time(on))
        return verifier.verify(text).row()

    def _facts(self, table: FactTable, limit: int, notes: list[str], when: Time) -> Facts:
        rows = [fact_row(fact, known_to=self.store.known_by, on=when) for fact in islice(table, limit)]
        if Verdict.TRANSITIONAL in table.verdicts:
            notes = [*notes, "Transitional facts hold only during a part of the date, or only possibly: see why."]
        notes = [*notes, *_more(len(table), limit)]
        return Facts(self.store.manifest.name, self._known_to, len(table), rows, notes)

    def _given(
        self, subject: str | None, relation: str | None, object: str | None, *, needs_one: bool = True
    ) -> _Given:
        if needs_one and not subject and not object:
            raise UserError("Whose facts? Give a subject, an object, or both; a relation alone would match too many.")
        return _Given(
            find_entity(self.store, _short(subject)).id if subject else None,
            find_relation(self.store, _short(relation)).id if relation else None,
            find_entity(self.store, _short(object)).id if object else None,
        )

    def _time(self, text: str) -> Time:
        return parse_when(_short(text))

    def _nothing(self, given: _Given, when: Time | None) -> str:
        """Say what there is instead of nothing: facts of other times, or at the other end."""
        base = self.store.manifest.name
        if when is not None and (others := len(given.facts(self.store))):
            matching = f"{others:,} matching {'fact' if others == 1 else 'facts'}"
            return f"{base} has {matching}, but none that holds in {when}: see the tool timeline."
        turned = _Given(given.object, None, given.subject)
        if others := len(turned.facts(self.store)):
            exchanged = f"there is {others:,}" if others == 1 else f"there are {others:,}"
            return f"{base} has no matching fact. With subject and object exchanged {exchanged}."
        return f"{base} has no matching fact. That does not mean that it is false."

    def _breaks(self, timeline: Timeline) -> list[str]:
        """Tell gaps and overlaps, where one object at a time can hold."""
        kinds = {(fact.subject, fact.relation) for fact in timeline.facts}
        if len(kinds) != 1 or not self.store.relations[timeline.facts[0].relation].one_at_a_time:
            return []
        stretches = [("gap", one) for one in timeline.gaps] + [("overlap", one) for one in timeline.overlaps]
        return [f"{name} {one}: {one.before.object_label} / {one.after.object_label}" for name, one in stretches[:20]]

    def _no_name(self, name: str) -> str:
        try:
            return f"The nearest is {find_entity(self.store, _short(name))}."
        except UserError as error:
            return str(error)


def _short(text: str) -> str:
    if len(text) > _LONGEST:
        raise UserError(f"{text[:40]!r}... has {len(text):,} characters; names and dates have up to {_LONGEST}.")
    return text


def _more(total: int, limit: int) -> list[str]:
    left = total - limit
    return [f"{left:,} more not listed: ask for a narrower time or relation, or a higher limit."] if left > 0 else []
