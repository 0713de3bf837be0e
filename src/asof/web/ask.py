"""The page of a question: the answer, the facts it rests on, or the names to choose from."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from asof.errors import UserError
from asof.facts import Entity, FactStore
from asof.reading.ask import read_query
from asof.reading.ask.answer import FactsAnswer, Status
from asof.reading.ask.answer_row import AnswerRow, answer_row
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date, Days, parse_date

LONGEST = 300  # characters of a question
_MOST = 100  # answers, facts of each, and candidates


@dataclass(frozen=True)
class AskPage:
    """An answer, the times that its question asks about, and for each candidate the question that means it."""

    answer: AnswerRow
    times: list[Days]
    again: list[str]


def ask_page(reader: QuestionReader, question: str, *, entities: Collection[str], today: str | None) -> AskPage:
    """Answer a question."""
    if len(question) > LONGEST:
        raise UserError(
            f"The question has {len(question):,} characters; at most {LONGEST} are allowed. Ask one thing at a time."
        )
    day: Date | None = parse_date(today) if today else None
    if entities or day:
        reader = QuestionReader(reader.store, today=day, entities=entities)
    found = reader.ask(question)
    row = answer_row(found, limit=_MOST)
    return AskPage(row, list(found.times), [_asked_again(found, one) for one in row.candidates])


def query_row_of(store: FactStore, query: str, *, entities: Collection[str], today: str | None) -> AnswerRow:
    """Answer a query that is given as JSON."""
    day: Date | None = parse_date(today) if today else None
    return answer_row(evaluate(read_query(query), store, today=day, entities=entities), limit=_MOST)


def _asked_again(answer: FactsAnswer, entity: Entity) -> str:
    """Ask again about an entity; a name that the base does not know gives way to the entity's own."""
    unknown = answer.status is Status.UNKNOWN and answer.unclear
    return answer.question.replace(answer.unclear, entity.label) if unknown else answer.question
