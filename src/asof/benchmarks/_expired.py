"""Which gold answers of a benchmark have expired: the facts behind its items that a newer base no longer has so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._folder import read_benchmark
from asof.facts import FactStore, FactTable
from asof.facts.engines import Engine
from asof.facts.fact import end_of_row
from asof.facts.versions import version_difference
from asof.timeline import Interval

EXPIRED = ("ended", "changed", "gone")

# A group is the id of its fact: the statement, or the three ids and the interval with spaces between.
_MEANT = """
    SELECT facts.* FROM facts WHERE statement IN (SELECT text FROM beginnings)
        OR (statement IS NULL AND concat_ws(' ', subject, relation, object) IN (SELECT text FROM beginnings))
"""


@dataclass(frozen=True)
class ExpiredAnswers:
    """The facts whose items have a gold answer that is no longer right, each with the number of its items."""

    facts: list[dict[str, Any]]  # rows of ``version_difference`` with group and items
    counts: dict[str, int]  # facts, items, expired_facts, expired_items, one for each change, unknown


def expired_answers(folder: Path, old: FactStore, new: FactStore, *, engine: Engine | None = None) -> ExpiredAnswers:
    """Find the facts behind the items of a benchmark that have ended, have changed or are gone in a newer base.

    Args:
        old: The base from which the benchmark was built.
    """
    items = Counter(read_benchmark(folder).table()["group"].to_pylist())
    changes = version_difference(old, new, engine=engine)
    changes = changes.filter(pc.is_in(changes["change"], value_set=pa.array(EXPIRED)))
    by_id = {_old_id(row): row for row in changes.to_pylist()}
    expired = [row | {"group": group, "items": items[group]} for group, row in by_id.items() if group in items]
    counted = Counter(row["change"] for row in expired)
    counts = {
        "facts": len(items),
        "items": sum(items.values()),
        "expired_facts": len(expired),
        "expired_items": sum(row["items"] for row in expired),
        **{change: counted[change] for change in EXPIRED},
        "unknown": len(items.keys() - _known(old, list(items))),
    }
    return ExpiredAnswers(expired, counts)


def _known(store: FactStore, groups: list[str]) -> set[str]:
    """Return the groups that are facts of a base."""
    texts = sorted({text for group in groups for text in _beginnings(group)})
    meant = store.sql(_MEANT, tables={"beginnings": pa.table({"text": pa.array(texts, pa.string())})})
    return {fact.id for fact in FactTable(meant)}


def _beginnings(group: str) -> Iterator[str]:
    """Give a group and all that it may begin with up to a space; ids and dates may have spaces too.

    >>> list(_beginnings("Q38 P6 Q294 2021..2022"))
    ['Q38 P6 Q294 2021..2022', 'Q38 P6 Q294', 'Q38 P6', 'Q38']
    """
    while group:
        yield group
        group = group.rpartition(" ")[0]


def _old_id(row: dict[str, Any]) -> str:
    """Return ``Fact.id`` of the older version of a fact that has changed."""
    if row["statement"]:
        return str(row["statement"])
    ends = {name.removeprefix("old_"): value for name, value in row.items() if name.startswith("old_")}
    interval = Interval(end_of_row(ends, "start"), end_of_row(ends, "end"))
    return f"{row['subject']} {row['relation']} {row['old_object']} {interval}"
