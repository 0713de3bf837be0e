"""A base of facts, open for questions: ``asof.open``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from asof.api.fact_frame import AnswerFrame, FactFrame, table_of
from asof.api.frame import Frame
from asof.api.own_facts import assumed_of, base_of_file, base_of_frame, rejected_rows, see_options
from asof.api.python_words import in_python
from asof.api.relation_settings import accepted, see_that_it_may_change, set_checked
from asof.api.updating import update_of
from asof.errors import UserError, did_you_mean
from asof.facts import Entity, FactStore, Relation, find_entity, find_relation
from asof.facts.change_row import change_rows, version_change_rows
from asof.facts.checks import find_problems
from asof.facts.elsewhere import found_elsewhere
from asof.facts.known_day import beyond_known_day
from asof.facts.mirror import is_base
from asof.facts.problem_row import PROBLEMS, USUAL_PROBLEMS, problem_row
from asof.facts.relation_row import relation_rows
from asof.facts.row import fact_row
from asof.facts.row_table import rows_table, with_dates
from asof.facts.store import When, as_span
from asof.facts.timelines import Timeline, timeline
from asof.facts.update import BaseUpdate
from asof.places import remote_address
from asof.places.copies import local_file
from asof.sources import named_as_a_file
from asof.sources.almanac import almanac_base
from asof.timeline import Date

if TYPE_CHECKING:
    from asof.api.verified import VerificationFrame
    from asof.reading.ask import Query
    from asof.reading.ask.answer import FactsAnswer

_ANSWERS_SHOWN = 20
_FACT_COLUMNS = ("subject", "relation", "object", "start", "end")
_JUDGED_COLUMNS = (*_FACT_COLUMNS, "holds", "why")


class Base:
    """A temporal knowledge base. Subjects, relations and objects are given by name or by id."""

    def __init__(self, store: FactStore) -> None:
        self.store = store

    @property
    def name(self) -> str:
        """What the base is called."""
        return self.store.manifest.name

    @property
    def known_to(self) -> Date | None:
        """The day up to which "ongoing" is known to be true."""
        return self.store.known_by

    def as_known_on(self, day: When) -> Base:
        """Return the base as it was on a day: everything asked of it is answered by what it said then."""
        return Base(self.store.as_known_on(day))

    def update(self, source: str | PathLike[str], **options: Any) -> BaseUpdate:
        """Take a newer state into the base and keep what it said before, as ``asof update`` does.

        Args:
            source: A newer table or dump, entity JSON of Wikidata, a daily adds-changes dump, or the API of a Wikibase.
            options: ``known_by="2024-06-01"`` for the day of the new state; ``replaces=``, ``max_rejects=`` and
                ``max_gone=`` as the command has them; whatever else the source takes.
        """
        see_that_it_may_change(self.store.folder, "facts")
        done = update_of(self.store, source, options)
        self.store = FactStore(self.store.folder)
        return done

    def versions(self) -> Frame:
        """List the states that the base has taken in: from which day on it said so, and what changed."""
        return Frame.of([asdict(version) for version in self.store.manifest.versions])

    def __len__(self) -> int:
        return self.store.facts_count

    def __repr__(self) -> str:
        rows = {"facts": len(self)} | {name: self.store.manifest.rows(name) for name in ("entities", "relations")}
        words = {"facts": "fact", "entities": "entity", "relations": "relation"}
        counts = ", ".join(f"{count:,} {words[name] if count == 1 else name}" for name, count in rows.items())
        known = "" if self.store.known_on is None else f" as known on {self.store.known_on}"
        return f"<asof base {self.name!r}{known}: {counts}; data current to {self.known_to or 'an unknown day'}>"

    def entity(self, name: str) -> Entity:
        """Return the entity that a name or an id means; where several do, the error lists them."""
        return find_entity(self.store, name)

    def relation(self, name: str) -> Relation:
        """Return the relation that a name or an id means."""
        return find_relation(self.store, name)

    def relations(self) -> Frame:
        """List the relations of the base with the number of their facts, what they are, and what is only proposed."""
        rows = [vars(row) for row in relation_rows(self.store)]
        return Frame.of(rows, shown=("relation", "facts", "meaning"))

    def set_relation(self, name: str, **meanings: Any) -> Relation:
        """Say what a relation is, in a new version of the base; it is kept when the base is mined again.

        Args:
            meanings: ``one_at_a_time=True``, ``symmetric``, ``for_life``, ``complete``, ``inverse="manages"``,
                ``kind="office"``, ``label``, ``aliases`` (a list of names); None takes back what was said.
        """
        id = self.relation(name).id
        set_checked(self.store, {id: meanings})
        self.store = FactStore(self.store.folder)
        return self.store.relations[id]

    def accept_proposals(self) -> Frame:
        """Confirm all that is proposed for relations, in a new version of the base."""
        set_checked(self.store, accepted(self.store))
        self.store = FactStore(self.store.folder)
        return self.relations()

    def facts(
        self,
        subject: str | None = None,
        relation: str | None = None,
        *,
        object: str | None = None,
        on: When | None = None,
        during: When | None = None,
        surely: bool = False,
        limit: int | None = None,
    ) -> FactFrame:
        """Return the facts that fit.

        Args:
            on: Facts that hold on this date as a whole (correct) or on a part of it (transitional).
            during: Facts that hold at any time in this period.
            surely: Leave out those that hold only possibly.
        """
        found = self.store.facts(
            subject=subject, relation=relation, object=object, on=on, during=during, surely=surely, limit=limit
        )
        when = on if on is not None else during
        span = None if when is None else as_span(when)
        notes = [] if span is None else [beyond_known_day(self.store, span)]
        table = with_dates(rows_table(found.table, known_to=self.known_to, on=span))
        if not table.num_rows:
            ends = self.store.ids(subject=subject, relation=relation, object=object)
            time = "" if when is None else f"{'during' if on is None else 'on'}='{when}'"
            notes.insert(0, self._elsewhere(ends, time))
        return FactFrame(
            table, _FACT_COLUMNS if span is None else _JUDGED_COLUMNS, tuple(note for note in notes if note), found
        )

    def _elsewhere(self, ids: Mapping[str, str], time: str) -> str:
        """Say where there are facts, when none fits: the command gives the same hint."""
        ends = {end: ids.get(end) for end in ("subject", "relation", "object")}
        return in_python(found_elsewhere(self.store, **ends, time=time))

    def timeline(
        self, subject: str | None = None, relation: str | None = None, *, object: str | None = None
    ) -> FactFrame:
        """Return who or what followed whom; gaps and overlaps are told in the notes."""
        if subject is None and object is None:
            raise UserError("Whose timeline? Give a subject, as in base.timeline('Italy'), or object=...")
        found = timeline(self.store, subject=subject, relation=relation, object=object)
        rows = [fact_row(fact, known_to=self.known_to) for fact in found.facts]
        return FactFrame(table_of(rows), _FACT_COLUMNS, tuple(self._breaks(found)), found.facts)

    def diff(
        self,
        earlier: When | None = None,
        later: When | None = None,
        *,
        relation: str | None = None,
        subject: str | None = None,
        surely: bool = False,
        unchanged: bool = False,
        known_from: When | None = None,
        known_until: When | None = None,
    ) -> Frame:
        """Return which subjects and relations have other objects in a later period than in an earlier one.

        What became true and what became known are two questions: with ``known_from`` alone, or with ``known_until``,
        these are the facts that the base said on one of the two days and not on the other, or said otherwise.
        """
        if known_from is not None:
            return self._became_known(known_from, known_until)
        if earlier is None or later is None:
            raise UserError("Give two periods, as in base.diff('2021-Q1', '2021-Q2'), or known_from='2024-05-01'.")
        from asof.facts.snapshots import STATUSES, difference

        statuses = STATUSES if unchanged else tuple(status for status in STATUSES if status != "unchanged")
        rows = difference(
            self.store, earlier, later, relation=relation, subject=subject, surely=surely, statuses=statuses
        ).to_pylist()
        note = "" if surely else beyond_known_day(self.store, as_span(later))
        shown = ("status", "subject", "relation", "before", "after")
        return Frame.of(map(asdict, change_rows(self.store, rows)), shown=shown, notes=[note] if note else [])

    def _became_known(self, known_from: When, known_until: When | None) -> Frame:
        from asof.facts.versions import version_difference

        old = self.store.as_known_on(known_from)
        new = self.store if known_until is None else self.store.as_known_on(known_until)
        rows = version_change_rows(version_difference(old, new).to_pylist(), old, new)
        shown = ("change", "subject", "relation", "object", "old_start", "old_end", "new_start", "new_end")
        return Frame.of(map(asdict, rows), shown=shown)

    def ask(self, question: str, *, entities: Sequence[str] = (), today: str | Date | None = None) -> AnswerFrame:
        """Answer a question in plain English; the rows are the facts that say so.

        Args:
            entities: Whom names mean that fit several: ids.
            today: What "now" means in the question (default: the day of the clock).
        """
        from asof.reading.ask.reader import QuestionReader

        day = Date.parse(today) if isinstance(today, str) else today
        return _answer_frame(QuestionReader(self.store, today=day, entities=tuple(entities)).ask(question))

    def query(
        self, query: Query | Mapping[str, Any] | str, *, entities: Sequence[str] = (), today: str | Date | None = None
    ) -> AnswerFrame:
        """Answer a query: ``{"ask": "lookup", "relation": "manager", "subject": "Acme", "when": "2014"}``, or its JSON.

        Args:
            query: What ``asof schema query`` describes; ``asof.reading.ask`` has it as classes.
            entities: Whom names mean that fit several: ids.
            today: What "today" means in the query (default: the day of the clock).
        """
        from asof.reading.ask import read_query
        from asof.reading.ask.evaluate import evaluate

        asked = read_query(dict(query) if isinstance(query, Mapping) else query)
        day = Date.parse(today) if isinstance(today, str) else today
        return _answer_frame(evaluate(asked, self.store, today=day, entities=tuple(entities)))

    def verify(self, text: str, *, on: When | None = None) -> VerificationFrame:
        """Hold the claims of a text against the facts: holds, outdated, not yet, contradicted, or unknown.

        Args:
            on: What "now" means in the text (default: today, or the day to which the base is current).
        """
        from asof.api.verified import verification_frame
        from asof.reading.verify.verification import TextVerifier

        return verification_frame(TextVerifier(self.store, on=None if on is None else as_span(on)).verify(text))

    def verify_passages(
        self,
        passages: Iterable[Mapping[str, Any] | str],
        *,
        on: When | None = None,
        drop: Sequence[str] = ("outdated", "contradicted"),
        field: str | None = None,
        only_kept: bool = False,
    ) -> list[dict[str, Any]]:
        """Tell which retrieved passages may be used: each comes back with ``keep`` and ``verification``.

        Args:
            passages: Texts, or mappings with a text.
            on: The day on which they are to be used.
            drop: The verdicts for which a passage is dropped.
            field: The key of the text (default: text, content or passage).
            only_kept: Leave out those that are dropped.
        """
        from asof.reading.verify.passages import verified_passages
        from asof.reading.verify.verification import TextVerifier

        given = [{"text": one} if isinstance(one, str) else one for one in passages]
        verifier = TextVerifier(self.store, on=None if on is None else as_span(on))
        rows = verified_passages(verifier, given, dropping=drop, field=field)
        return [one.as_row() for one in rows if one.keep or not only_kept]

    def check(
        self,
        *,
        problems: Sequence[str] = USUAL_PROBLEMS,
        relation: str | None = None,
        subject: str | None = None,
        with_fine: bool = False,
    ) -> Frame:
        """Find what cannot be in the base and what is suspicious, as ``asof check`` does.

        Args:
            problems: The kinds to look for; "adjacent" and "gap" are often right, and looked for only when asked.
            with_fine: Also those of which somebody noted that they are none.
        """
        for problem in problems:
            if problem not in PROBLEMS:
                known = ", ".join(PROBLEMS)
                guess = did_you_mean(problem, PROBLEMS)
                raise UserError(f"{problem!r} is not a kind of problem.{guess} Known: {known}.")
        found = find_problems(
            self.store, problems=problems, relation=relation, subject=subject, with_fine=with_fine
        ).to_pylist()
        shown = ("id", "problem", "subject", "relation", "object", "other", "first", "last", "why")
        return Frame.of([asdict(problem_row(row)) for row in found], shown=shown)

    def rejects(self) -> Frame:
        """Return the rows of the table that are not in the base, each with its line and the reason."""
        texts = (
            row if isinstance(row["row"], str) else row | {"row": json.dumps(row["row"], ensure_ascii=False)}
            for row in rejected_rows(self.store)
        )
        return Frame.of(texts)

    def assumed(self) -> list[str]:
        """Say what was assumed of the table: its form, which columns were taken, how dates were read, names merged."""
        return assumed_of(self.store)

    def sql(self, query: str, **parameters: Any) -> Frame:
        """Ask the base in SQL: the tables facts, entities, relations and names; ``$name`` stands for a parameter."""
        try:
            return Frame(self.store.sql(query, parameters))
        except duckdb.Error as error:
            raise UserError(str(error)) from error

    def _breaks(self, timeline: Timeline) -> list[str]:
        relations, subjects = ({getattr(fact, end) for fact in timeline.facts} for end in ("relation", "subject"))
        if len(relations) != 1 or len(subjects) != 1 or not self.store.relations[relations.pop()].one_at_a_time:
            return []
        return [
            f"{name} {stretch}: {stretch.before.object_label} / {stretch.after.object_label}"
            for name, stretches in (("gap", timeline.gaps), ("overlap", timeline.overlaps))
            for stretch in stretches
        ]


def _answer_frame(answer: FactsAnswer) -> AnswerFrame:
    """Return an answer as a table of the facts that say so.

    Raises:
        UserError: A name fits several, or the question was not understood.
    """
    from asof.reading.ask.answer import Status
    from asof.reading.ask.answer_row import answer_row
    from asof.reading.ask.headline import headline, why_no_answer

    if answer.status in (Status.AMBIGUOUS, Status.NOT_UNDERSTOOD):
        example = f"entities=[{answer.candidates[0].id!r}]" if answer.candidates else ""
        raise UserError(why_no_answer(answer, example))
    row = answer_row(answer)
    rows = [one for item in row.answers for one in item.facts] or row.nearest
    evidence = [one for item in answer.items for one in item.evidence] or answer.near
    facts = [one.fact for one in evidence]
    text = headline(answer, _ANSWERS_SHOWN)
    return AnswerFrame(table_of(rows), _JUDGED_COLUMNS, answer.notes, facts, text, answer.as_row())


def open_base(what: str | PathLike[str] | Base | FactStore | Any = "almanac", **options: Any) -> Base:
    """Open a base of facts.

    Args:
        what: ``"almanac"``, the base that comes with asof; a folder that ``asof mine`` wrote, or a place of one such as
            ``"s3://bucket/base"``; a table, also behind ``https://`` (.csv, .tsv, .jsonl,
            .parquet, .xlsx) or a data frame (pandas, polars, Arrow) with the columns subject, relation, object, start,
            end.
        options: For tables and data frames: ``columns={"object": "team"}`` where columns are called otherwise and
            ``relation="coach of"`` where no column says it (of a wide table a list of each);
            ``date_format="dd/mm/yyyy"`` where a column does not say itself what 03/04/2011 is; ``separator``,
            ``encoding`` and ``sheet`` where they are not found; ``keep_spellings=True`` to keep names apart that
            differ in case or spaces only; ``relations="relations.csv"`` for a table that says what relations are (one
            of that name beside a table is found); ``name="teams"``; ``known_by="2024-12-31"`` for the day up to which
            what is ongoing is known (default: today); ``inverted="swap"`` or ``"drop"`` for facts that end before they
            start; ``max_rejects=0.2`` for the share of rows that may be unreadable.
    """
    see_options(options)
    named = isinstance(what, str | PathLike) and (what == "almanac" or is_base(os.fspath(what)))
    if options and (named or isinstance(what, Base | FactStore)):
        raise UserError(
            f"A base is opened as it is, without {', '.join(options)}: these are for tables and data frames."
        )
    if isinstance(what, Base):
        return what
    if isinstance(what, FactStore):
        return Base(what)
    if not isinstance(what, str | PathLike):
        return Base(base_of_frame(what, **options))
    if what == "almanac":
        return Base(FactStore(almanac_base()))
    table_at_place = remote_address(what) is not None and named_as_a_file(os.fspath(what))
    if named or (remote_address(what) is not None and not table_at_place):
        return Base(FactStore(os.fspath(what)))
    path = local_file(os.fspath(what)) if table_at_place else Path(what)
    if not path.exists():
        raise UserError(
            f"{str(path)!r} does not exist. Give 'almanac', a folder that 'asof mine' wrote, a table (.csv, .tsv, "
            ".jsonl, .parquet, .xlsx), or a data frame."
        )
    return Base(base_of_file(path, **options))


def ask(question: str, base: str | PathLike[str] | Base | FactStore | Any = "almanac") -> AnswerFrame:
    """Answer a question in plain English from the facts of a base."""
    return open_base(base).ask(question)
