"""A prediction as every door gives it: who or what is likely, when a fact held, or what comes next."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from asof.facts.row import said

PredictedPart = Literal[
    "subject", "object", "interval", "ends", "does not end", "next begins", "none begins", "next is"
]


@dataclass(frozen=True, kw_only=True)
class TimeProbability:
    """How likely a fact held at one time."""

    time: str = field(metadata=said("A year, or a day."))
    probability: float = field(metadata=said("The share of the fact's time that is expected there."))


@dataclass(frozen=True, kw_only=True)
class PredictionRow:
    """One prediction of a trained model, or of what is counted: a statement and its probability."""

    what: PredictedPart = field(
        metadata=said(
            "What is predicted: the subject or the object of a fact, the interval in which it held, or what comes next."
        )
    )
    subject: str | None = field(
        metadata=said("The label of the subject, given or predicted. Null where the statement is about none of them.")
    )
    relation: str = field(metadata=said("The label of the relation."))
    object: str | None = field(metadata=said("The label of the object, given or predicted; null as for the subject."))
    start: str | None = field(default=None, metadata=said("Of an interval: the first year or day of the fact."))
    end: str | None = field(default=None, metadata=said("Of an interval: the last year or day of the fact."))
    first: str | None = field(
        default=None,
        metadata=said("Of what comes next: the first year or day of the time in which it comes, or does not."),
    )
    last: str | None = field(default=None, metadata=said("The last year or day of that time."))
    probability: float = field(metadata=said("How likely it is; of an interval the share of the fact's time in it."))
    known: list[str] = field(
        default_factory=list, metadata=said("When the facts say that just this held, within the asked time.")
    )
    subject_id: str | None = field(metadata=said("The id of the subject; null where the model has never seen it."))
    relation_id: str = field(metadata=said("The id of the relation."))
    object_id: str | None = field(metadata=said("The id of the object; null where the model has never seen it."))
    curve: list[TimeProbability] | None = field(
        default=None,
        metadata=said("Of the likeliest interval: the probability of each time at which the fact may have held."),
    )


def prediction_columns(what: PredictedPart) -> tuple[str, ...]:
    """Return the columns that a person looks at first."""
    if what == "interval":
        return ("start", "end", "probability")
    if what in ("subject", "object"):
        return (what, "probability", "known")
    return ("what", "subject", "object", "first", "last", "probability")
