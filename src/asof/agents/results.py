"""What tools give back: plain values with the evidence, so that an assistant can say where an answer is from.

The text of a docstring here is what an assistant reads about a result.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.facts import Entity, Fact
from asof.facts.transitional import why
from asof.reading.facts import Evidence
from asof.timeline import Date, End, Span, Verdict


@dataclass(frozen=True)
class FactFound:
    """One fact with its dates as precise as they are known.

    ``holds`` is "correct" when the fact holds on the whole date that was asked for, "transitional" when on a part of it
    or only possibly, null when no date was asked for. ``why`` says why it is transitional, and up to which day what is
    ongoing is known. A precision is day, month, year, decade, century or millennium, or ongoing, unknown or not stated
    where that end is no date.
    """

    subject: str
    relation: str
    object: str
    start: str
    start_precision: str
    end: str
    end_precision: str
    holds: str | None
    why: str
    subject_id: str
    relation_id: str
    object_id: str
    source: str
    statement: str | None


@dataclass(frozen=True)
class Facts:
    """Facts that fit, in the order of time. ``known_by`` is the day up to which "ongoing" is known to be true."""

    base: str
    known_by: str | None
    total: int
    facts: list[FactFound]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Change:
    """A subject and relation whose objects differ: updated (others), new (none before) or deleted (none any more)."""

    status: str
    subject: str
    relation: str
    before: list[str]
    after: list[str]
    subject_id: str
    relation_id: str
    before_ids: list[str]
    after_ids: list[str]


@dataclass(frozen=True)
class Changes:
    """What changed from one time to another; ``counts`` is of all changes, also those that are not listed."""

    base: str
    known_by: str | None
    earlier: str
    later: str
    total: int
    counts: dict[str, int]
    changes: list[Change]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Thing:
    """An entity or a relation; give its id to other tools when a name means several."""

    id: str
    label: str
    kind: str | None
    description: str | None
    is_relation: bool = False


@dataclass(frozen=True)
class Things:
    """What a name may mean, the likeliest first."""

    base: str
    found: list[Thing]
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AnswerFound:
    """One answer and the facts that it rests on; ``holds`` says how well they fit the time asked for."""

    text: str
    holds: str
    id: str | None
    evidence: list[FactFound]


@dataclass(frozen=True)
class Answered:
    """The answer to a question.

    ``status`` is answered, unknown (understood, but the base has no such fact), ambiguous (choose one of
    ``candidates`` and ask again with its id in ``entities``) or not understood. ``nearest`` are facts of other times.
    ``complete`` is false where a first, a last, a count or a longest is taken from facts of which some may be missing:
    then say it with the words of ``hedge``; null where nothing of the kind was asked.
    """

    base: str
    known_by: str | None
    question: str
    status: str
    complete: bool | None
    hedge: str
    answers: list[AnswerFound]
    nearest: list[FactFound]
    candidates: list[Thing]
    read_as: dict[str, str]
    notes: list[str] = field(default_factory=list)


def fact_found(
    fact: Fact, verdict: Verdict | None = None, when: Span | None = None, known_by: Date | None = None
) -> FactFound:
    """Return a fact as tools give it."""
    reason = why(fact, when, known_by) if verdict is Verdict.TRANSITIONAL and when else ""
    return _found(fact, None if verdict is None else str(verdict), reason)


def evidence_found(one: Evidence) -> FactFound:
    """Return a fact that an answer rests on as tools give it."""
    return _found(one.fact, str(one.holds), one.why)


def thing(entity: Entity) -> Thing:
    """Return an entity as tools give it."""
    return Thing(entity.id, entity.label, entity.kind, entity.description)


def _found(fact: Fact, holds: str | None, reason: str) -> FactFound:
    return FactFound(
        subject=fact.subject_label or fact.subject,
        relation=fact.relation_label or fact.relation,
        object=fact.object_label or fact.object,
        start=str(fact.start),
        start_precision=_precision(fact.start),
        end=str(fact.end),
        end_precision=_precision(fact.end),
        holds=holds,
        why=reason,
        subject_id=fact.subject,
        relation_id=fact.relation,
        object_id=fact.object,
        source=fact.source,
        statement=fact.statement,
    )


def _precision(end: End) -> str:
    return str(end.precision) if isinstance(end, Date) else str(end)
