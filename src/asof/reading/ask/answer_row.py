"""The answer to a question as every door gives it: the command line's JSON, the explorer, tools and Python."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal

from asof.facts import Entity
from asof.facts.row import FactRow, Verdicts, fact_row, said, written

if TYPE_CHECKING:
    from asof.reading.ask.answer import AnswerItem, FactEvidence, FactsAnswer


@dataclass(frozen=True, kw_only=True)
class QuestionRow:
    """How a question was read, in words; null what it does not say."""

    kind: str | None = field(metadata=said("which, yes or no, when, how long, how many, how many times, comparison."))
    subject: str | None = field(metadata=said("The subject, as the question names it."))
    relation: str | None = field(metadata=said("The relations that were looked up, each with its id."))
    object: str | None = field(metadata=said("The object, as the question names it."))
    when: str | None = field(metadata=said("The time that was asked for."))
    beside: str | None = field(metadata=said("Beside whom the answer stands: right before Mario Draghi."))
    which: str | None = field(metadata=said("Which of several: first, last, longest, start, end."))
    sentences: str | None = field(metadata=said("What a comparison compares."))
    by: str | None = field(metadata=said("By what it compares: longer, earlier, later, more often."))
    words: str | None = field(metadata=said("The query in a plain line."))

    @property
    def said(self) -> dict[str, str]:
        """What the question says."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ItemRow:
    """One answer, and the facts that it rests on."""

    text: str = field(metadata=said("A name, a time, a number, yes or no."))
    id: str | None = field(metadata=said("The id of what is named."))
    holds: Verdicts | None = field(
        metadata=said("correct: fits the whole time asked for. transitional: a part of it, or possibly. Null: no time.")
    )
    possibly: bool | None = field(metadata=said("Whether it may fit on no day asked for. Null: no time was asked."))
    facts: list[FactRow]


@dataclass(frozen=True, kw_only=True)
class AnswerRow:
    """The answer to a question, with the facts it rests on, or why there is none.

    A status is answered, unknown (understood, but the base has no such fact), ambiguous (choose one of ``candidates``
    and ask again with its id) or not understood.
    """

    question: str
    status: Literal["answered", "unknown", "ambiguous", "not understood"]
    read_as: QuestionRow
    answers: list[ItemRow]
    total: int = field(metadata=said("The number of answers, also of those that are not listed."))
    complete: bool | None = field(
        metadata=said(
            "Whether the base promises all that a first, a last, a count or a longest is taken from; null where none "
            "was asked for."
        )
    )
    hedge: str | None = field(metadata=said("The words to put before an answer that is not complete."))
    nearest: list[FactRow] = field(metadata=said("Facts that come nearest where none fits, or that held instead."))
    not_understood: list[str] = field(metadata=said("The words that were not understood, or the name that is unclear."))
    candidates: list[Entity] = field(metadata=said("The entities that an unclear name fits."))
    notes: list[str] = field(metadata=said("What else to know, in words."))
    entities: list[str] = field(metadata=said("The ids that the question came with, to settle what names mean."))
    base: str
    known_to: str | None = field(
        metadata=said("The day to which the base is current: later than that, ongoing facts are unconfirmed.")
    )
    query: dict[str, Any] | None = field(
        metadata=said("What the base was asked, as asof query takes it; null where the question was not understood.")
    )


def answer_row(answer: FactsAnswer, *, limit: int | None = None) -> AnswerRow:
    """Return an answer as a row.

    Args:
        limit: At most so many answers, facts of each, and candidates.
    """
    return AnswerRow(
        question=answer.question,
        status=answer.status.value,
        read_as=QuestionRow(**{one.name: answer.read_as.get(one.name) for one in fields(QuestionRow)}),
        answers=[_item(answer, item, limit) for item in answer.items[:limit]],
        total=len(answer.items),
        complete=answer.complete,
        hedge=answer.hedge or None,
        nearest=[_fact(answer, one) for one in answer.near[:limit]],
        not_understood=list(answer.not_understood),
        candidates=list(answer.candidates[:limit]),
        notes=list(answer.notes),
        entities=list(answer.entities),
        base=answer.base,
        known_to=written(answer.known_to),
        query=answer.query,
    )


def _item(answer: FactsAnswer, item: AnswerItem, limit: int | None) -> ItemRow:
    judged = item.holds.judged
    facts = [_fact(answer, one) for one in item.evidence[:limit]]
    return ItemRow(text=item.text, id=item.id, holds=judged.holds, possibly=judged.possibly, facts=facts)


def _fact(answer: FactsAnswer, one: FactEvidence) -> FactRow:
    judged = replace(one.holds.judged, why=one.why or None)
    return fact_row(one.fact, known_to=answer.known_to, judged=judged)
