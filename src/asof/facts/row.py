"""A fact as every door gives it: the command line's JSON, the explorer, tools of assistants and Python.

``Fact.as_row`` is the door; the JSON Schema of ``FactRow`` is what ``asof schema fact`` prints. A key that is not known
is null, never missing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from asof.facts.transitional import why
from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, End, Span, Verdict, verdict

if TYPE_CHECKING:
    from asof.facts.fact import Fact

EndPrecision = Literal["day", "month", "year", "decade", "century", "millennium", "ongoing", "unknown", "not stated"]
Verdicts = Literal["correct", "transitional", "incorrect"]


def said(description: str) -> dict[str, str]:
    """Return what a key means, for the JSON Schema, OpenAPI and the tools of assistants."""
    return {"description": description}


@dataclass(frozen=True, kw_only=True)
class FactRow:
    """One fact: labels, ids, when it held, and what it is worth at the time that was asked for."""

    subject: str = field(metadata=said("The label of the subject; its id where it has none."))
    relation: str = field(metadata=said("The label of the relation."))
    object: str = field(metadata=said("The label of the object."))
    subject_id: str = field(metadata=said("The id of the subject in the base."))
    relation_id: str = field(metadata=said("The id of the relation."))
    object_id: str = field(metadata=said("The id of the object."))
    start: str | None = field(
        metadata=said(
            "The start of the valid time, as precisely as it is known: 2021, 2021-02, 2021-02-13, "
            "-0044. Null without a date."
        )
    )
    end: str | None = field(
        metadata=said("The end of the valid time. Null where it is ongoing, unknown or not stated.")
    )
    start_precision: EndPrecision = field(metadata=said("How precise the start is, or why it is not a date."))
    end_precision: EndPrecision = field(metadata=said("How precise the end is, or why it is not a date."))
    holds: Verdicts | None = field(
        metadata=said(
            "correct: surely holds during the whole time asked for. transitional: during a part of it, or only "
            "possibly. incorrect: not then. Null where no time was asked for."
        )
    )
    why: str | None = field(metadata=said("Why it is transitional or incorrect, in a few words."))
    known_to: str | None = field(
        metadata=said("The day to which the base is current: later than that, ongoing facts are unconfirmed.")
    )
    rank: Literal["preferred", "normal"] = field(metadata=said("The rank that the source gives it."))
    source: str | None = field(metadata=said("The file or dump that it comes from."))
    statement: str | None = field(metadata=said("The id of the statement in its source."))
    possibly: bool | None = field(
        metadata=said("Whether a transitional fact may hold on no day asked for. Null where no time was asked for.")
    )
    earliest_start: int | None = field(
        metadata=said("The first day on which it may have begun, as a number: 1970-01-01 is 0. Null where open.")
    )
    latest_start: int | None = field(metadata=said("The day from which it surely holds. Null where open."))
    earliest_end: int | None = field(metadata=said("The day up to which it surely holds. Null where open."))
    latest_end: int | None = field(metadata=said("The last day on which it may hold. Null where open."))
    known_from: str | None = field(
        metadata=said("The first day on which the base said so. Null where its first version states no day.")
    )
    known_until: str | None = field(metadata=said("The last day on which the base said so. Null: it still does."))

    @property
    def bounds(self) -> Bounds:
        """The four day numbers, with the ends of time where they are open."""
        days = (self.earliest_start, self.latest_start, self.earliest_end, self.latest_end)
        return Bounds(*(limit if day is None else day for day, limit in zip(days, _OPEN, strict=True)))

    @property
    def start_in_words(self) -> str:
        """The start as a table shows it: a date, or why there is none."""
        return self.start or self.start_precision

    @property
    def end_in_words(self) -> str:
        """The end as a table shows it: a date, or why there is none."""
        return self.end or self.end_precision


_OPEN = Bounds(MIN_DAY, MAX_DAY, MIN_DAY, MAX_DAY)


@dataclass(frozen=True)
class FactValidity:
    """What a fact is worth at a time, as its row says it."""

    holds: Verdicts | None = None
    possibly: bool | None = None
    why: str | None = None


def fact_row(
    fact: Fact, *, known_to: Date | None, on: Span | None = None, judged: FactValidity | None = None
) -> FactRow:
    """Return a fact as a row.

    Args:
        known_to: The day to which the base is current: later than that, ongoing facts are unconfirmed.
        on: The time that was asked for, by which the fact is judged.
        judged: What the fact is worth, where that was decided already: then ``on`` does not count.
    """
    bounds = fact.interval.bounds(known_by=known_to)
    worth = judged or (FactValidity() if on is None else _judged(fact, on, bounds, known_to))
    return FactRow(
        subject=fact.subject_label or fact.subject,
        relation=fact.relation_label or fact.relation,
        object=fact.object_label or fact.object,
        subject_id=fact.subject,
        relation_id=fact.relation,
        object_id=fact.object,
        start=written(fact.start),
        end=written(fact.end),
        start_precision=precision(fact.start),
        end_precision=precision(fact.end),
        holds=worth.holds,
        why=worth.why,
        known_to=written(known_to),
        rank=fact.rank.value,
        source=fact.source or None,
        statement=fact.statement,
        possibly=worth.possibly,
        **{name: None if day == limit else day for name, day, limit in zip(Bounds._fields, bounds, _OPEN, strict=True)},
        known_from=written(fact.known_from),
        known_until=written(fact.known_until),
    )


def written(end: End | None) -> str | None:
    """Return a date at its precision; None where there is none."""
    return str(end) if isinstance(end, Date) else None


def precision(end: End) -> EndPrecision:
    """Return how precise an end is, or why it is no date."""
    return str(end.precision if isinstance(end, Date) else end)  # type: ignore[return-value]


def _judged(fact: Fact, on: Span, bounds: Bounds, known_to: Date | None) -> FactValidity:
    found = verdict(on, fact.interval, known_by=known_to)
    possibly = found is Verdict.TRANSITIONAL and not bounds.surely_meets(on)
    reason = None if found is Verdict.CORRECT else why(fact, on, known_to) or None
    return FactValidity(str(found), possibly, reason)  # type: ignore[arg-type]
