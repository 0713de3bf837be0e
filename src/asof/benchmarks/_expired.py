"""Which gold answers of a benchmark have expired: the facts behind its items that a newer base no longer has so."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.benchmarks._folder import read_benchmark
from asof.facts import FactStore, FactTable
from asof.facts.engines import Engine
from asof.facts.fact import end_of_row
from asof.facts.versions import CHANGES, version_difference
from asof.timeline import Interval

EXPIRED = ("ended", "changed", "gone")

# A group is the id of its fact: the statement, or the three ids and the interval with spaces between.
_ABOUT_A_TIME = {"subject", "relation", "first_day", "last_day"}  # tags of items on a history and some days of it
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

    Items that ask what held in some days expire when anything else holds in them; a new fact may do that, too.

    Args:
        old: The base from which the benchmark was built.
    """
    table = read_benchmark(folder).table()
    changes = version_difference(old, new, engine=engine)
    if set(table.column_names) >= _ABOUT_A_TIME:
        return _of_histories(table, changes, old)
    items = Counter(table["group"].to_pylist())
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


def _of_histories(table: pa.Table, changes: pa.Table, old: FactStore) -> ExpiredAnswers:
    """Find the items in whose days other objects of their subject and relation hold than did."""
    asked = _by_history(table)
    first, last = (table[name].to_numpy() for name in ("first_day", "last_day"))
    groups = table["group"].to_pylist()
    expired = np.zeros(table.num_rows, bool)
    facts = []
    for row in changes.to_pylist():
        rows = asked.get((row["subject"], row["relation"]))
        if rows is None:
            continue
        was, now = (_holds(row, version, first[rows], last[rows]) for version in ("old", "new"))
        other = was | now if row["old_object"] not in (None, row["object"]) else was ^ now
        if other.any():
            expired[rows[other]] = True
            facts.append(row | {"group": groups[rows[0]], "items": int(other.sum())})
    counted = Counter(row["change"] for row in facts)
    pairs = pa.table({"subject": [pair[0] for pair in asked], "relation": [pair[1] for pair in asked]})
    there = old.sql(
        "SELECT count(*) AS n FROM pairs SEMI JOIN facts USING (subject, relation)", tables={"pairs": pairs}
    )
    counts = {
        "facts": len(asked),
        "items": table.num_rows,
        "expired_facts": len({row["group"] for row in facts}),
        "expired_items": int(expired.sum()),
        **{change: counted[change] for change in CHANGES},
        "unknown": len(asked) - there["n"][0].as_py(),
    }
    return ExpiredAnswers(facts, counts)


def _by_history(table: pa.Table) -> dict[tuple[str, str], npt.NDArray[np.int64]]:
    """Return the rows of each subject and relation."""
    found: dict[tuple[str, str], list[int]] = {}
    for index, pair in enumerate(zip(table["subject"].to_pylist(), table["relation"].to_pylist(), strict=True)):
        found.setdefault(pair, []).append(index)
    return {pair: np.array(rows) for pair, rows in found.items()}


def _holds(
    row: dict[str, Any], version: str, first: npt.NDArray[np.int64], last: npt.NDArray[np.int64]
) -> npt.NDArray[np.bool_]:
    """Tell in which of some stretches of days a version of a fact may hold."""
    if row[f"{version}_start_precision"] is None:
        return np.zeros(len(first), bool)  # it is not in this version
    bounds = _interval(row, version).bounds()
    return (bounds.earliest_start <= last) & (bounds.latest_end >= first)


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
    return f"{row['subject']} {row['relation']} {row['old_object']} {_interval(row, 'old')}"


def _interval(row: dict[str, Any], version: str) -> Interval:
    """Return the interval of a version of a fact."""
    ends = {name.removeprefix(f"{version}_"): value for name, value in row.items() if name.startswith(f"{version}_")}
    return Interval(end_of_row(ends, "start"), end_of_row(ends, "end"))
