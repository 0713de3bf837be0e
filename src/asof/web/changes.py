"""What changed between two periods, as ``asof diff`` finds it, a hundred rows at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.change_row import ChangeRow, change_rows
from asof.facts.known_day import beyond_known_day
from asof.facts.snapshots import STATUSES, difference
from asof.web.entity import NotThereError
from asof.web.paging import Pages, Shelf
from asof.web.rows import read_date

CHANGED = tuple(status for status in STATUSES if status != "unchanged")
_MOST_OBJECTS = 20  # of a subject that are named on each side


@dataclass(frozen=True)
class Named:
    """An entity by id and label."""

    id: str
    label: str


@dataclass(frozen=True)
class ChangesPage:
    """What is new, updated or deleted from one period to another; ``counts`` is over all pages."""

    earlier: str
    later: str
    relation: str
    status: str
    counts: dict[str, int]
    page: int
    pages: int
    rows: int
    changes: list[ChangeRow]
    relations: list[Named]
    notes: list[str]


def changes_page(
    store: FactStore, shelf: Shelf, *, earlier: str, later: str, relation: str, status: str, page: int
) -> ChangesPage:
    """Collect one page of changes."""
    spans = read_date(earlier), read_date(later)
    if spans[0] is None or spans[1] is None:
        raise UserError("Give two periods, for example 2020-Q1 and 2021-Q1.")
    if relation and relation not in store.relations:
        raise NotThereError(f"{store.manifest.name} has no relation {relation[:200]!r}.")
    before, after = str(spans[0]), str(spans[1])
    table = shelf.get(
        ("changes", before, after),
        lambda: difference(store, spans[0], spans[1], statuses=CHANGED),  # type: ignore[arg-type]
    )
    relations = [
        Named(id, store.relations[id].label) for id in table["relation"].unique().to_pylist() if id in store.relations
    ]
    if relation:
        table = table.filter(pc.equal(table["relation"], relation))
    counts = Counter(table["status"].to_pylist())
    if status:
        table = table.filter(pc.equal(table["status"], status))
    pages = Pages(page, table.num_rows)
    if not pages.is_there:
        raise NotThereError(f"There is no page {page}; the last page is {pages.count}.")
    return ChangesPage(
        earlier=before,
        later=after,
        relation=relation,
        status=status,
        counts={name: counts[name] for name in CHANGED},
        page=page,
        pages=pages.count,
        rows=table.num_rows,
        changes=change_rows(store, table.slice(pages.first, pages.size).to_pylist(), most=_MOST_OBJECTS),
        relations=sorted(relations, key=lambda one: one.label),
        notes=[note] if (note := beyond_known_day(store, spans[1])) else [],
    )


def refused_page(store: FactStore, *, earlier: str, later: str, relation: str, status: str) -> ChangesPage:
    """Return a page without changes that has kept what was given, for its form to be corrected."""
    chosen = [Named(relation, store.relations[relation].label)] if relation in store.relations else []
    counts = dict.fromkeys(CHANGED, 0)
    return ChangesPage(earlier, later, relation, status, counts, 1, 1, 0, [], chosen, [])
