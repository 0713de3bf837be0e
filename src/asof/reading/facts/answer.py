"""What comes back from a question: the answers, each with the facts that support it, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from asof.facts import Entity, Fact


class Status(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    UNKNOWN = "unknown"  # understood, but the base has no such fact
    AMBIGUOUS = "ambiguous"  # a name fits several entities
    NOT_UNDERSTOOD = "not understood"


class Holds(StrEnum):
    """How well a fact fits the time that was asked for."""

    WHOLE = "the whole time asked"
    PART = "part of the time asked"
    POSSIBLY = "possibly"
    ALWAYS = "no time asked"  # nothing to compare with


@dataclass(frozen=True, slots=True)
class Evidence:
    """A fact that an answer rests on, and why it may not hold."""

    fact: Fact
    holds: Holds
    why: str = ""

    def as_row(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        fact = self.fact
        return {
            "subject": fact.subject_label,
            "relation": fact.relation_label,
            "object": fact.object_label,
            "start": str(fact.start),
            "end": str(fact.end),
            "holds": str(self.holds),
            "why": self.why,
            "subject_id": fact.subject,
            "relation_id": fact.relation,
            "object_id": fact.object,
            "source": fact.source,
            "statement": fact.statement,
        }


@dataclass(frozen=True, slots=True)
class Item:
    """One answer: a name, a time, a number, yes or no."""

    text: str
    holds: Holds
    evidence: tuple[Evidence, ...]
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The answer to a question.

    ``read_as`` says how the question was read; ``candidates`` are the entities that an unclear name fits. ``complete``
    says whether the base promises all that a first, a last, a count or a longest is taken from (None: nothing of the
    kind was asked); where it does not, ``hedge`` are the words to put before the answer.
    """

    question: str
    status: Status
    items: tuple[Item, ...] = ()
    notes: tuple[str, ...] = ()
    near: tuple[Evidence, ...] = ()  # facts that come nearest, where none fits
    candidates: tuple[Entity, ...] = ()
    read_as: dict[str, str] = field(default_factory=dict)
    complete: bool | None = None
    hedge: str = ""

    @property
    def texts(self) -> list[str]:
        """The answers as texts, in the order of time."""
        return [item.text for item in self.items]

    def as_row(self) -> dict[str, Any]:
        """Return plain values, for JSON."""
        return {
            "question": self.question,
            "status": str(self.status),
            "complete": self.complete,
            "hedge": self.hedge,
            "answers": [
                {
                    "text": item.text,
                    "id": item.id,
                    "holds": str(item.holds),
                    "facts": [one.as_row() for one in item.evidence],
                }
                for item in self.items
            ],
            "notes": list(self.notes),
            "nearest": [one.as_row() for one in self.near],
            "candidates": [asdict(entity) | {"aliases": list(entity.aliases)} for entity in self.candidates],
            "read_as": self.read_as,
        }
