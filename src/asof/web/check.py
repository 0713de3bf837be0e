"""Contradictions of the base, as ``asof check`` finds them, a hundred rows at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow.compute as pc

from asof.facts import FactStore
from asof.facts.checks import PROBLEMS, ProblemRow, find_problems, problem_row
from asof.web.entity import NotThereError
from asof.web.paging import Pages, Shelf

EXPLAINED = {
    "inverted": "ends before it starts",
    "two-holders": "two objects at a time in a relation that has one",
    "repeated": "the same fact twice",
    "gap": "nothing held between two facts of a relation with one object at a time",
}


@dataclass(frozen=True)
class CheckPage:
    """Contradictions of one kind, or of all kinds but gaps; ``counts`` is over all pages."""

    problem: str
    counts: dict[str, int]
    facts: int
    page: int
    pages: int
    rows: int
    problems: list[ProblemRow]


def check_page(store: FactStore, shelf: Shelf, *, problem: str, page: int) -> CheckPage:
    """Collect one page of contradictions."""
    table = shelf.get("check", lambda: find_problems(store, problems=PROBLEMS))
    counts = Counter(table["problem"].to_pylist())
    wanted = pc.equal(table["problem"], problem) if problem else pc.not_equal(table["problem"], "gap")
    chosen = table.filter(wanted)
    pages = Pages(page, chosen.num_rows)
    if not pages.is_there:
        raise NotThereError(f"There is no page {page}; the last page is {pages.count}.")
    return CheckPage(
        problem=problem,
        counts={name: counts[name] for name in PROBLEMS},
        facts=store.manifest.rows("facts"),
        page=page,
        pages=pages.count,
        rows=chosen.num_rows,
        problems=[problem_row(row) for row in chosen.slice(pages.first, pages.size).to_pylist()],
    )
