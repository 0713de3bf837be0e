"""What changed as every door gives it: between two periods of a base, or between two versions of one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from asof.facts.fact import end_of_row
from asof.facts.row import EndPrecision, precision, said, written
from asof.facts.store import FactStore


@dataclass(frozen=True, kw_only=True)
class ChangeRow:
    """A subject and relation whose objects differ between two periods: updated, new (none before) or deleted."""

    status: Literal["updated", "new", "deleted", "unchanged"]
    subject: str = field(metadata=said("The label of the subject."))
    relation: str = field(metadata=said("The label of the relation."))
    before: list[str] = field(metadata=said("The labels of the objects in the earlier period."))
    after: list[str] = field(metadata=said("The labels of the objects in the later period."))
    subject_id: str
    relation_id: str
    before_ids: list[str] = field(metadata=said("The ids of the objects before, in the same order."))
    after_ids: list[str] = field(metadata=said("The ids of the objects after, in the same order."))
    period: str | None = field(metadata=said("The later period, where each of many is compared with the one before."))
    known_to: str | None = field(
        metadata=said("The day to which the base is current: later than that, ongoing facts are unconfirmed.")
    )


@dataclass(frozen=True, kw_only=True)
class VersionChangeRow:
    """A fact that differs between two versions of a base: new, ended, changed or gone."""

    change: Literal["new", "ended", "changed", "gone"]
    subject: str = field(metadata=said("The label of the subject."))
    relation: str = field(metadata=said("The label of the relation."))
    object: str = field(metadata=said("The label of the object."))
    subject_id: str
    relation_id: str
    object_id: str
    old_start: str | None = field(metadata=said("When it began, in the older version. Null without a date."))
    old_end: str | None
    old_start_precision: EndPrecision | None = field(metadata=said("Null where the older version has no such fact."))
    old_end_precision: EndPrecision | None
    new_start: str | None = field(metadata=said("When it began, in the newer version. Null without a date."))
    new_end: str | None
    new_start_precision: EndPrecision | None = field(metadata=said("Null where the newer version has no such fact."))
    new_end_precision: EndPrecision | None
    statement: str | None
    items: int | None = field(metadata=said("How many items of the benchmark rest on it, where one was given."))
    group: str | None = field(metadata=said("The group of those items."))


def change_rows(store: FactStore, rows: Sequence[Mapping[str, Any]], *, most: int | None = None) -> list[ChangeRow]:
    """Return rows of ``snapshots.difference`` with labels.

    Args:
        most: Name at most so many objects on each side.
    """
    cut = [(row["before"][:most], row["after"][:most]) for row in rows]
    labels = store.labels({row["subject"] for row in rows} | {id for pair in cut for side in pair for id in side})
    return [
        ChangeRow(
            status=row["status"],
            subject=labels.get(row["subject"], row["subject"]),
            relation=store.relations[row["relation"]].label,
            before=[labels.get(id, id) for id in before],
            after=[labels.get(id, id) for id in after],
            subject_id=row["subject"],
            relation_id=row["relation"],
            before_ids=before,
            after_ids=after,
            period=row.get("period"),
            known_to=written(store.known_by),
        )
        for row, (before, after) in zip(rows, cut, strict=True)
    ]


def version_change_rows(rows: Sequence[Mapping[str, Any]], old: FactStore, new: FactStore) -> list[VersionChangeRow]:
    """Return rows of ``versions.version_difference`` with labels; the newer version's where both have one."""
    ids = {row[column] for row in rows for column in ("subject", "object")}
    labels = old.labels(ids) | new.labels(ids)
    relations = old.relations | new.relations
    return [
        VersionChangeRow(
            change=row["change"],
            subject=labels.get(row["subject"], row["subject"]),
            relation=relations[row["relation"]].label,
            object=labels.get(row["object"], row["object"]),
            subject_id=row["subject"],
            relation_id=row["relation"],
            object_id=row["object"],
            **_ends(row, "old"),
            **_ends(row, "new"),
            statement=row["statement"],
            items=row.get("items"),
            group=row.get("group"),
        )
        for row in rows
    ]


def _ends(row: Mapping[str, Any], version: str) -> dict[str, Any]:
    columns = {key.removeprefix(f"{version}_"): value for key, value in row.items() if key.startswith(f"{version}_")}
    found: dict[str, Any] = {}
    for side in ("start", "end"):
        end = None if columns["start_precision"] is None else end_of_row(columns, side)
        found[f"{version}_{side}"] = None if end is None else written(end)
        found[f"{version}_{side}_precision"] = None if end is None else precision(end)
    return found
