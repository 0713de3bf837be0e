"""What a relation is: one object at a time, symmetric, an office or a place. It stands in the base, not in the code.

Sources say it for their relations, ``asof mine`` proposes it where the facts suggest it, a person sets it. What nobody
has said is null, which is not the same as no.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

import pyarrow as pa

from asof.facts.schema import RELATIONS

Kind = Literal["office", "career", "place", "award", "membership", "name", "creative role"]
KINDS: tuple[str, ...] = get_args(Kind)
FLAGS = ("one_at_a_time", "symmetric", "for_life", "complete")  # yes, no, or not said
MEANINGS = ("one_at_a_time", "symmetric", "inverse", "kind", "for_life", "complete")

Row = dict[str, Any]


def merged_relations(batches: Iterable[pa.RecordBatch]) -> pa.RecordBatch:
    """Bring together what sources say of relations: the first to say a thing counts, the next fill what it left open.

    What somebody knows goes before what was only proposed. There are few relations, so they are handled one by one.
    """
    merged: dict[str, Row] = {}
    for batch in batches:
        for row in batch.to_pylist():
            merged[row["id"]] = _completed(merged[row["id"]], row) if row["id"] in merged else _whole(row)
    rows = with_inverses([row | {"proposed": _in_order(row["proposed"])} for _, row in sorted(merged.items())])
    return pa.RecordBatch.from_pylist(rows, schema=RELATIONS)


def with_inverses(rows: list[Row]) -> list[Row]:
    """Say of the inverse of each relation that it is the inverse of this one, where nobody has said otherwise."""
    by_id = {row["id"]: row for row in rows}
    for row in rows:
        other = by_id.get(row["inverse"]) if row["inverse"] else None
        if other and other["inverse"] is None:
            other["inverse"] = row["id"]
            if "inverse" in (row["proposed"] or ()):
                other["proposed"] = _in_order([*(other["proposed"] or ()), "inverse"])
    return rows


def told_batch(meanings: Mapping[str, Mapping[str, Any]]) -> pa.RecordBatch:
    """Return what a person has said of relations, as a source would say it."""
    rows: list[Row] = [{"id": id, "label": id, "aliases": [], **said} for id, said in sorted(meanings.items())]
    return pa.RecordBatch.from_pylist(rows, schema=RELATIONS)


def _whole(row: Row) -> Row:
    """Give a row all columns, as those of sources written for earlier versions have fewer."""
    said = {name: row.get(name) for name in RELATIONS.names}
    return said | {"label": said["label"] or row["id"], "aliases": said["aliases"] or []}


def _completed(first: Row, second: Row) -> Row:
    """Fill what the first row leaves open from the second."""
    second = _whole(second)
    row = dict(first)
    if first["label"] == first["id"]:
        row["label"] = second["label"]
    names = [*first["aliases"], *([] if second["label"] == second["id"] else [second["label"]]), *second["aliases"]]
    row["aliases"] = [name for name in dict.fromkeys(names) if name != row["label"]]
    proposed, also_proposed = set(first["proposed"] or ()), set(second["proposed"] or ())
    for name in MEANINGS:
        known_now = name in proposed and name not in also_proposed and second[name] is not None
        if first[name] is None or known_now:
            row[name] = second[name]
            proposed = (proposed - {name}) | (also_proposed & {name})
    return row | {"proposed": list(proposed)}


def _in_order(proposed: Iterable[str] | None) -> list[str] | None:
    """Return names of meanings in their order, null for none, so that equal rows are equal to the byte."""
    return [name for name in MEANINGS if name in (proposed or ())] or None
