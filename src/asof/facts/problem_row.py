"""A problem of a base as every door gives it, with an id that stays the same when the base is mined again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from asof.facts.row import said
from asof.timeline import Date

Problem = Literal[
    "inverted", "two-holders", "repeated", "overlapping", "unlikely-length", "alike-names", "adjacent", "gap"
]

# Contradictions cannot be so; what is suspicious may be so; the last two are often so, and looked for when asked.
EXPLAINED: dict[str, str] = {
    "inverted": "ends before it starts",
    "two-holders": "two objects at a time, where the relation has one",
    "repeated": "the same fact twice",
    "overlapping": "the same subject and object in two overlapping times",
    "unlikely-length": "lasts far longer or shorter than others of its relation",
    "alike-names": "two names that look like one thing",
    "adjacent": "the same subject and object twice, without a day between",
    "gap": "nothing held between two facts of a relation with one object at a time",
}
PROBLEMS = tuple(EXPLAINED)
CONTRADICTIONS = PROBLEMS[:4]
USUAL_PROBLEMS = PROBLEMS[:6]


@dataclass(frozen=True, kw_only=True)
class ProblemRow:
    """Something that cannot be or is suspicious; between the first and the last day it is so."""

    id: str = field(metadata=said("Names the problem, the same in every version of the base."))
    problem: Problem
    subject: str = field(metadata=said("The label of the subject; of names that look alike the one."))
    relation: str | None = field(metadata=said("The label of the relation; null for names that look alike."))
    object: str = field(metadata=said("The label of the object; of names that look alike the other."))
    other: str | None = field(metadata=said("The label of the object that does not go with it; null where it is one."))
    first: str | None = field(metadata=said("The first day, as a date; null where open."))
    last: str | None = field(metadata=said("The last day, as a date; null where open."))
    why: str | None = field(metadata=said("What it is judged by, in words, where the problem does not say it."))
    proposed: bool = field(
        metadata=said("It is one only if the relation has one object at a time, which is proposed and not confirmed.")
    )
    fine: str | None = field(metadata=said("Why somebody noted that it is none."))
    subject_id: str
    relation_id: str | None
    object_id: str
    other_id: str | None

    @property
    def in_words(self) -> str:
        """The problem as a line for people."""
        relation = f", {self.relation}" if self.relation else ""
        others = f" and {self.other}" if self.other else ""
        days = [day for day in dict.fromkeys((self.first, self.last)) if day]
        time = f", {' to '.join(days)}" if days else ""
        why = f": {self.why}" if self.why else ""
        return f"{self.subject}{relation}: {self.object}{others}{time}{why}"


def problem_row(row: Mapping[str, Any]) -> ProblemRow:
    """Return a row of ``checks.find_problems`` as doors give it."""
    another = row["other"] != row["object"]
    first, last = (None if row[side] is None else str(Date.from_day(row[side])) for side in ("first", "last"))
    return ProblemRow(
        id=row["id"],
        problem=row["problem"],
        subject=row["subject_label"],
        relation=row["relation_label"],
        object=row["object_label"],
        other=row["other_label"] if another else None,
        first=first,
        last=last,
        why=row["why"],
        proposed=row["proposed"],
        fine=row["fine"],
        subject_id=row["subject"],
        relation_id=row["relation"],
        object_id=row["object"],
        other_id=row["other"] if another else None,
    )
