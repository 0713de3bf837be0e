"""Problems of the base, as ``asof check`` finds them, a hundred rows at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from asof.facts import FactStore
from asof.facts.checks import find_problems
from asof.facts.problem_row import PROBLEMS, USUAL_PROBLEMS, ProblemRow, problem_row
from asof.web.entity import NotThereError
from asof.web.paging import Pages, Shelf


@dataclass(frozen=True)
class CheckPage:
    """Problems of one kind, or of all kinds that are looked for unasked; ``counts`` is over all pages."""

    problem: str
    counts: dict[str, int]
    facts: int
    page: int
    pages: int
    rows: int
    problems: list[ProblemRow]


def check_page(store: FactStore, shelf: Shelf, *, problem: str, page: int) -> CheckPage:
    """Collect one page of problems, without those that are noted as fine."""
    table = shelf.get("check", lambda: find_problems(store, problems=PROBLEMS))
    counts = Counter(table["problem"].to_pylist())
    kinds = pa.array([problem] if problem else USUAL_PROBLEMS)
    chosen = table.filter(pc.is_in(table["problem"], value_set=kinds))
    pages = Pages(page, chosen.num_rows)
    if not pages.is_there:
        raise NotThereError(f"There is no page {page}; the last page is {pages.count}.")
    return CheckPage(
        problem=problem,
        counts={name: counts[name] for name in PROBLEMS},
        facts=store.facts_count,
        page=page,
        pages=pages.count,
        rows=chosen.num_rows,
        problems=[problem_row(row) for row in chosen.slice(pages.first, pages.size).to_pylist()],
    )
