"""A sorted table, range by range of its key: an update reads and writes only the files whose keys it touches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.facts.manifest import Part

_FEW_ROWS = 40_000  # a file with fewer is written together with the next one, so that files do not crumble


@dataclass(frozen=True)
class KeyRange:
    """Keys from ``low`` (included) to ``high`` (not), and the files of a table that hold them."""

    low: str
    high: str | None
    parts: tuple[Part, ...]

    def rows_of(self, table: pa.Table, key: str) -> pa.Table:
        """Return the rows of another table whose keys are in the range."""
        inside = pc.greater_equal(table[key], self.low)
        if self.high is not None:
            inside = pc.and_(inside, pc.less(table[key], self.high))
        return table.filter(inside)


def key_ranges(parts: Sequence[Part]) -> Iterator[KeyRange]:
    """Cut the files of a table where one key ends and the next one begins; together the ranges hold all keys."""
    groups: list[list[Part]] = []
    for part in parts:
        crumbs = bool(groups) and sum(one.rows for one in groups[-1]) < _FEW_ROWS
        if groups and (crumbs or groups[-1][-1].last_key == part.first_key):
            groups[-1].append(part)
        else:
            groups.append([part])
    lows = ["", *(group[0].first_key for group in groups[1:])]
    highs: list[str | None] = [*lows[1:], None]
    for low, high, group in zip(lows, highs, groups or [[]], strict=True):
        yield KeyRange(low, high, tuple(group))


class SortedRows:
    """A sorted table that is walked over from its first key to its last.

    Args:
        schema: What it is without any file.
    """

    def __init__(self, folder: Path, parts: Sequence[Part], key: str, schema: pa.Schema) -> None:
        self._folder, self._parts, self._key, self._schema = folder, list(parts), key, schema
        self._read: dict[str, pa.Table] = {}  # the files that the last range touched

    def within(self, wanted: KeyRange) -> pa.Table:
        """Return the rows whose keys are in a range."""
        touched = [part for part in self._parts if part.rows and _meet(part, wanted)]
        self._read = {part.path: self._read.get(part.path) or read_part(self._folder, part) for part in touched}
        if not self._read:
            return self._schema.empty_table()
        return wanted.rows_of(pa.concat_tables(self._read.values(), promote_options="default"), self._key)


def read_part(folder: Path, part: Part) -> pa.Table:
    """Read one file."""
    return pq.ParquetFile(folder / part.path).read(use_threads=False)


def read_range(folder: Path, wanted: KeyRange, schema: pa.Schema) -> pa.Table:
    """Read the files of a range; columns that some of them lack are null."""
    tables = [schema.empty_table(), *(read_part(folder, part) for part in wanted.parts)]
    return pa.concat_tables(tables, promote_options="default").select(schema.names)


def in_key_order(table: pa.Table, key: str) -> pa.Table:
    """Sort rows by their key; those with the same one stay in their order."""
    return table.take(pc.sort_indices(table[key]))


def is_among(values: pa.ChunkedArray, wanted: pa.Array) -> pa.ChunkedArray:
    """Tell of each value whether it is among others."""
    return pc.is_in(values, value_set=wanted)


def _meet(part: Part, wanted: KeyRange) -> bool:
    return part.last_key >= wanted.low and (wanted.high is None or part.first_key < wanted.high)
