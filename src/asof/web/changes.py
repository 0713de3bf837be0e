"""What changed between two periods, as ``asof diff`` finds it, a hundred rows at a time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts import FactStore
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
class Change:
    """A subject and relation whose objects are not the same in the two periods."""

    status: str
    subject: str
    subject_label: str
    relation: str
    relation_label: str
    before: list[Named]
    after: list[Named]


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
    changes: list[Change]
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
        raise NotThereError(f"There is no page {page}: there are {pages.count} of them.")
    return ChangesPage(
        earlier=before,
        later=after,
        relation=relation,
        status=status,
        counts={name: counts[name] for name in CHANGED},
        page=page,
        pages=pages.count,
        rows=table.num_rows,
        changes=_changes(store, table.slice(pages.first, pages.size)),
        relations=sorted(relations, key=lambda one: one.label),
        notes=[note] if (note := beyond_known_day(store, spans[1])) else [],
    )


def _changes(store: FactStore, table: pa.Table) -> list[Change]:
    rows = table.to_pylist()
    cut = [(row["before"][:_MOST_OBJECTS], row["after"][:_MOST_OBJECTS]) for row in rows]
    labels = store.labels({row["subject"] for row in rows} | {id for pair in cut for side in pair for id in side})

    def named(ids: list[str]) -> list[Named]:
        return [Named(id, labels.get(id, id)) for id in ids]

    return [
        Change(
            status=row["status"],
            subject=row["subject"],
            subject_label=labels.get(row["subject"], row["subject"]),
            relation=row["relation"],
            relation_label=store.relations[row["relation"]].label,
            before=named(before),
            after=named(after),
        )
        for row, (before, after) in zip(rows, cut, strict=True)
    ]
