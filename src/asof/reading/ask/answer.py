"""What comes back from a question: the answers, each with the facts that support it, or why there is none."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from asof.facts import Entity, Fact
from asof.facts.row import FactValidity
from asof.reading.ask.answer_row import answer_row
from asof.timeline import Date
from asof.timeline.days import Days


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

    @property
    def judged(self) -> FactValidity:
        """The same as the rows of facts say it."""
        if self is Holds.ALWAYS:
            return FactValidity()
        return FactValidity("correct" if self is Holds.WHOLE else "transitional", possibly=self is Holds.POSSIBLY)


@dataclass(frozen=True, slots=True)
class FactEvidence:
    """A fact that an answer rests on, and why it may not hold."""

    fact: Fact
    holds: Holds
    why: str = ""


@dataclass(frozen=True, slots=True)
class AnswerItem:
    """One answer: a name, a time, a number, yes or no."""

    text: str
    holds: Holds
    evidence: tuple[FactEvidence, ...]
    id: str | None = None


@dataclass(frozen=True, kw_only=True)
class FactsAnswer:
    """The answer to a question.

    ``read_as`` says how the question was read, ``times`` which days it asks about. ``not_understood`` are the words or
    the name that could not be understood, and ``candidates`` the entities that ``unclear``, a name in the question, may
    mean: where it fits several, or is nearly the name of some. ``known_to`` is the day up to which the base knows what
    is ongoing, ``entities`` are the ids that the question came with. ``complete`` says whether the base promises all
    that a first, a last, a count or a longest is taken from (None: nothing of the kind was asked); where it does not,
    ``hedge`` are the words to put before the answer. ``query`` is what the base was asked, as plain values.
    """

    question: str
    status: Status
    items: tuple[AnswerItem, ...] = ()
    notes: tuple[str, ...] = ()
    near: tuple[FactEvidence, ...] = ()  # facts that come nearest, where none fits
    candidates: tuple[Entity, ...] = ()
    read_as: dict[str, str] = field(default_factory=dict)
    not_understood: tuple[str, ...] = ()
    complete: bool | None = None
    hedge: str = ""
    base: str = ""
    known_to: Date | None = None
    entities: tuple[str, ...] = ()
    times: tuple[Days, ...] = ()
    unclear: str = ""
    query: dict[str, Any] | None = None

    @property
    def texts(self) -> list[str]:
        """The answers as texts, in the order of time."""
        return [item.text for item in self.items]

    def as_row(self, *, limit: int | None = None) -> dict[str, Any]:
        """Return plain values, the same at every door; what they mean is in ``asof schema answer``.

        Args:
            limit: At most so many answers, facts of each, and candidates.
        """
        row = asdict(answer_row(self, limit=limit))
        return row | {"candidates": [one | {"aliases": list(one["aliases"])} for one in row["candidates"]]}
