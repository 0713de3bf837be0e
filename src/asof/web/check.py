"""Contradictions of the base, as ``asof check`` finds them, a hundred rows at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import pyarrow.compute as pc

from asof.facts import FactStore
from asof.facts.checks import PROBLEMS, find_problems
from asof.timeline import Date
from asof.web.entity import NotThereError
from asof.web.paging import Pages, Shelf

EXPLAINED = {
    "inverted": "ends before it starts",
    "two-holders": "two objects at a time, where the relation has one",
    "repeated": "the same fact twice",
    "gap": "nothing held between two facts of a relation with one object at a time",
}


@dataclass(frozen=True)
class Problem:
    """A contradiction; ``other`` is the object that does not go with the first, ``first`` and ``last`` its days."""

    problem: str
    subject: str
    subject_label: str
    relation: str
    relation_label: str
    object: str
    object_label: str
    other: str | None
    other_label: str | None
    first: str | None
    last: str | None


@dataclass(frozen=True)
class CheckPage:
    """Contradictions of one kind, or of all kinds but gaps; ``counts`` is over all pages."""

    problem: str
    counts: dict[str, int]
    facts: int
    page: int
    pages: int
    rows: int
    problems: list[Problem]


def check_page(store: FactStore, shelf: Shelf, *, problem: str, page: int) -> CheckPage:
    """Collect one page of contradictions."""
    table = shelf.get("check", lambda: find_problems(store, problems=PROBLEMS))
    counts = Counter(table["problem"].to_pylist())
    wanted = pc.equal(table["problem"], problem) if problem else pc.not_equal(table["problem"], "gap")
    chosen = table.filter(wanted)
    pages = Pages(page, chosen.num_rows)
    if not pages.is_there:
        raise NotThereError(f"There is no page {page}: there are {pages.count} of them.")
    return CheckPage(
        problem=problem,
        counts={name: counts[name] for name in PROBLEMS},
        facts=store.manifest.rows("facts"),
        page=page,
        pages=pages.count,
        rows=chosen.num_rows,
        problems=[_problem(row) for row in chosen.slice(pages.first, pages.size).to_pylist()],
    )


def _problem(row: dict[str, Any]) -> Problem:
    another = row["other"] != row["object"]
    ends = {side: None if row[side] is None else str(Date.from_day(row[side])) for side in ("first", "last")}
    return Problem(
        problem=row["problem"],
        subject=row["subject"],
        subject_label=row["subject_label"],
        relation=row["relation"],
        relation_label=row["relation_label"],
        object=row["object"],
        object_label=row["object_label"],
        other=row["other"] if another else None,
        other_label=row["other_label"] if another else None,
        first=ends["first"],
        last=ends["last"],
    )
