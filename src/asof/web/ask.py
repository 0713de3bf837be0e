"""The page of a question: the answer, the facts it rests on, or the names to choose from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.facts import Answer, Evidence, FactsReader
from asof.reading.facts import Item as AnswerItem
from asof.timeline import Date, parse_date
from asof.web.rows import FactRow, fact_row

LONGEST = 300  # characters of a question
_MOST = 100  # answers, and facts of each


@dataclass(frozen=True)
class Support:
    """A fact that an answer rests on, how well it fits the time asked for, and why it may not hold."""

    fact: FactRow
    holds: str
    why: str


@dataclass(frozen=True)
class AnswerRow:
    """One answer."""

    text: str
    id: str | None
    holds: str
    facts: list[Support]


@dataclass(frozen=True)
class Candidate:
    """An entity that an unclear name may mean."""

    id: str
    label: str
    kind: str | None
    description: str | None


@dataclass(frozen=True)
class AskPage:
    """The answer to a question; ``nearest`` are facts that come near where none fits.

    ``complete`` says whether the base promises all that a first, a last, a count or a longest is taken from, null where
    none was asked for; ``hedge`` are the words to put before an answer where it does not.
    """

    question: str
    status: str
    complete: bool | None
    hedge: str
    answers: list[AnswerRow]
    answers_count: int
    notes: list[str]
    nearest: list[Support]
    candidates: list[Candidate]
    read_as: dict[str, str]
    entities: list[str]
    known_by: str | None


def ask_page(reader: FactsReader, question: str, *, entities: Collection[str], today: str | None) -> AskPage:
    """Answer a question."""
    if len(question) > LONGEST:
        raise UserError(f"The question has {len(question):,} characters; up to {LONGEST} are read here. Ask one thing.")
    store = reader.store
    day: Date | None = parse_date(today) if today else None
    if entities or day:
        reader = FactsReader(store, today=day, entities=entities)
    return _page(store, reader.ask(question), list(entities))


def _page(store: FactStore, answer: Answer, entities: list[str]) -> AskPage:
    return AskPage(
        question=answer.question,
        status=str(answer.status),
        complete=answer.complete,
        hedge=answer.hedge,
        answers=[_answer(store, item) for item in answer.items[:_MOST]],
        answers_count=len(answer.items),
        notes=list(answer.notes),
        nearest=[_support(store, one) for one in answer.near],
        candidates=[Candidate(one.id, one.label, one.kind, one.description) for one in answer.candidates[:_MOST]],
        read_as=answer.read_as,
        entities=entities,
        known_by=str(store.known_by) if store.known_by else None,
    )


def _answer(store: FactStore, item: AnswerItem) -> AnswerRow:
    facts = [_support(store, one) for one in item.evidence[:_MOST]]
    return AnswerRow(item.text, item.id, str(item.holds), facts)


def _support(store: FactStore, one: Evidence) -> Support:
    return Support(fact_row(one.fact, store.known_by), str(one.holds), one.why)
