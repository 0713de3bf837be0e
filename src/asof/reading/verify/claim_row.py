"""What was found in a text as every door gives it: the claims with their verdicts, and what was left alone."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from asof.facts.row import FactRow, FactValidity, fact_row, said, written

if TYPE_CHECKING:
    from asof.reading.verify.claim import Claim, UnreadSentence
    from asof.reading.verify.judgement import ClaimJudgement
    from asof.timeline import Date

Verdict = Literal["holds", "outdated", "not yet", "contradicted", "unknown"]


@dataclass(frozen=True, kw_only=True)
class ClaimRow:
    """One claim of a text, and what the base says of it."""

    claim: str = field(metadata=said("The words of the text that make the claim."))
    sentence: int = field(metadata=said("The number of its sentence, from 0."))
    start: int = field(metadata=said("Where that sentence begins in the text, in characters."))
    end: int = field(metadata=said("Where that sentence ends."))
    subject: str | None = field(
        metadata=said("What is named at the subject's end of the relation; null where none is.")
    )
    relation: str = field(metadata=said("The relation by which it was judged, or the word that the text has for it."))
    object: str | None = field(metadata=said("What is named at the object's end."))
    when: str | None = field(metadata=said("The time that the claim states, in its words; null where it states none."))
    reads: str = field(metadata=said("What is claimed of the fact: holds now, held at some time, began, and others."))
    denied: bool = field(metadata=said("Whether the text says that it is not so."))
    verdict: Verdict = field(
        metadata=said(
            "holds; outdated: it held until held_until; not yet: it holds from holds_from; contradicted: the facts say "
            "otherwise; unknown: the base cannot tell."
        )
    )
    possibly: bool = field(metadata=said("Whether the dates of the base are too imprecise, or too old, to be sure."))
    why: str | None = field(metadata=said("Why, in a few words."))
    held_until: str | None = field(metadata=said("Of what is outdated: when it ended."))
    holds_from: str | None = field(metadata=said("Of what does not hold yet: when it begins."))
    facts: list[FactRow] = field(metadata=said("The facts that the verdict rests on."))
    instead: list[FactRow] = field(metadata=said("The facts that hold in the place of what is claimed."))


@dataclass(frozen=True, kw_only=True)
class LeftAloneRow:
    """A sentence of which no claim was judged."""

    text: str
    sentence: int
    start: int
    end: int
    why: str = field(metadata=said("Why it was left alone."))


@dataclass(frozen=True, kw_only=True)
class VerificationRow:
    """A text held against a base as of a day.

    ``verdict`` is the worst of its claims: contradicted, outdated, not yet, unknown, holds; null where none was found.
    """

    verdict: Verdict | None
    on: str = field(metadata=said("The day or period that now means in the text."))
    base: str
    known_to: str | None = field(metadata=said("The day to which the base is current."))
    stale: bool = field(
        metadata=said("Whether the text is judged by facts that are older than the day it is judged on.")
    )
    counts: dict[str, int] = field(metadata=said("The number of claims of each verdict."))
    claims: list[ClaimRow]
    left_alone: list[LeftAloneRow]
    notes: list[str] = field(metadata=said("What else to know, in words."))


def claim_row(claim: Claim, judged: ClaimJudgement, relations: dict[str, str], known_to: Date | None) -> ClaimRow:
    """Return a judged claim as a row.

    Args:
        relations: The labels of the relations that the claim may mean, by id.
    """
    use = claim.groups[0][0]
    fact = next(iter((*judged.facts, *judged.instead)), None)
    use = next((one for group in claim.groups for one in group if fact and one.relation == fact.relation), use)
    subject, object = claim.at("subject", use.head), claim.at("object", use.head)
    return ClaimRow(
        claim=claim.said,
        sentence=claim.sentence.number,
        start=claim.sentence.start,
        end=claim.sentence.end,
        subject=subject.text if subject else None,
        relation=relations[use.relation],
        object=object.text if object else None,
        when=claim.time.text if claim.time else None,
        reads=str(claim.kind),
        denied=claim.negated,
        verdict=judged.verdict.value,
        possibly=judged.possibly,
        why=judged.why or None,
        held_until=written(judged.held_until),
        holds_from=written(judged.holds_from),
        facts=[_fact(fact, known_to) for fact in judged.facts],
        instead=[_fact(fact, known_to) for fact in judged.instead],
    )


def _fact(fact: object, known_to: Date | None) -> FactRow:
    return fact_row(fact, known_to=known_to, judged=FactValidity())  # type: ignore[arg-type]


def left_alone_row(unread: UnreadSentence) -> LeftAloneRow:
    """Return a sentence that was left alone as a row."""
    sentence = unread.sentence
    return LeftAloneRow(
        text=sentence.text, sentence=sentence.number, start=sentence.start, end=sentence.end, why=unread.why
    )
