"""Items of a run parted by a tag, such as their relation or their period."""

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError, did_you_mean

_OWN = {"id", "prompt", "answers", "group"}


def parted(table: pa.Table, tag: str) -> dict[Any, pa.Table]:
    """Part items by a tag, in the order of its values."""
    tags = [name for name in table.column_names if name not in _OWN]
    if tag not in tags:
        raise UserError(f"Items have no tag {tag!r}.{did_you_mean(tag, tags)} They have: {', '.join(tags)}.")
    values = _named(table, tag)
    return {
        value: table.filter(pa.array([one == value for one in values]))
        for value in sorted(set(values), key=lambda one: (one is None, one))
    }


def _named(table: pa.Table, tag: str) -> list[Any]:
    """Return the values of a tag; of ids that have labels the labels, unless two of them share one."""
    values: list[Any] = table[tag].to_pylist()
    if f"{tag}_label" not in table.column_names:
        return values
    labels = table[f"{tag}_label"].to_pylist()
    label_of = {value: label or value for value, label in zip(values, labels, strict=True)}
    return [label_of[value] for value in values] if len(set(label_of.values())) == len(label_of) else values


def parted_by_fact(table: pa.Table, tag: str) -> dict[Any, pa.Table]:
    """Part items by a tag that is the same for all items of a fact, where facts are scored as a whole."""
    parts = parted(table, tag)
    facts = [pc.count_distinct(some["group"]).as_py() for some in (table, *parts.values())]
    if sum(facts[1:]) > facts[0]:
        raise UserError(
            f"Items of one fact differ in {tag}, and this benchmark scores whole facts. Give a tag that they "
            "share, such as relation."
        )
    return parts
