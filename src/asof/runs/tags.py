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
    values = table[tag].to_pylist()
    return {
        value: table.filter(pa.array([one == value for one in values]))
        for value in sorted(set(values), key=lambda one: (one is None, one))
    }


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
