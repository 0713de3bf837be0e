"""Rows by key, straight out of the sorted Parquet files: a few row groups are read, nothing is scanned or planned."""

from bisect import bisect_left
from collections.abc import Collection, Hashable, Iterator, Sequence
from functools import cached_property
from itertools import count
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.facts.manifest import Part
from asof.facts.recently_used import RecentlyUsed

# For all tables of all bases that a process has open.
_GROUPS = RecentlyUsed(most=128 << 20)  # bytes of row groups, of less than half a megabyte each
_FILES = RecentlyUsed(most=256)  # open files: a system allows a process some thousand
_numbers = count()
_AFTER_ALL = chr(0x10FFFF)


class SortedTable:
    """One table of a base, sorted by its key column."""

    def __init__(self, folder: Path, parts: Sequence[Part], key: str) -> None:
        self._key = key
        self._parts = [_SortedFile(folder / part.path, key) for part in parts]
        self._first_keys = [part.first_key for part in parts]
        self._last_keys = [part.last_key for part in parts]

    def rows(self, keys: Collection[str], columns: list[str] | None = None) -> pa.Table:
        """Return the rows that have one of some keys."""
        groups: dict[tuple[int, int], None] = {}
        for key in sorted(keys):
            for number in range(bisect_left(self._last_keys, key), len(self._parts)):
                if self._first_keys[number] > key:
                    break
                groups |= dict.fromkeys((number, group) for group in self._parts[number].groups_with(key))
        wanted = pa.array(sorted(keys), pa.string())
        read = [self._parts[number].read(group, columns) for number, group in groups]
        found = [group.filter(pc.is_in(group[self._key], value_set=wanted)) for group in read]
        # Of facts, some files have the column known_from and some have not.
        return pa.concat_tables(found, promote_options="default") if found else self._parts[0].empty(columns)


class _SortedFile:
    def __init__(self, path: Path, key: str) -> None:
        self._path = path
        self._key = key
        self.number = next(_numbers)
        self._kept: dict[Hashable, tuple[pa.Table, int]] = {}  # row groups and their bytes
        self._open: pq.ParquetFile | None = None
        self._lock = Lock()  # two threads that read one ParquetFile crash the process

    @property
    def _file(self) -> pq.ParquetFile:
        file = self._open or pq.ParquetFile(self._path, memory_map=True)
        self._open = file
        _FILES.use(self, self._path, 1)
        return file

    @cached_property
    def _ends(self) -> tuple[list[str], list[str]]:
        """A key that is not after the first, and one that is not before the last, of each row group.

        Parquet keeps no statistics of groups with a key of more than 4,096 bytes: there, the neighbours bound them.
        """
        metadata = self._file.metadata
        column = metadata.schema.names.index(self._key)
        ends = [metadata.row_group(number).column(column).statistics for number in range(metadata.num_row_groups)]
        first: list[str | None] = [end.min if end else None for end in ends]
        last: list[str | None] = [end.max if end else None for end in ends]
        low, high = "", _AFTER_ALL
        lowest, highest = list[str](), list[str]()
        for one, other in zip(first, last, strict=True):
            lowest.append(low if one is None else one)
            low = other or one or low
        for one, other in zip(reversed(first), reversed(last), strict=True):
            highest.append(high if other is None else other)
            high = one or other or high
        return lowest, highest[::-1]

    def groups_with(self, key: str) -> Iterator[int]:
        """Walk over the row groups that can hold a key."""
        first, last = self._ends
        for number in range(bisect_left(last, key), len(last)):
            if first[number] > key:
                return
            yield number

    def read(self, group: int, columns: list[str] | None) -> pa.Table:
        """Read one row group, or take it from those that were read last."""
        key = (group, tuple(columns or ()))
        with self._lock:
            kept = self._kept.get(key)
            if kept is None:
                table = self._file.read_row_group(group, columns=columns, use_threads=False)
                kept = self._kept[key] = table, table.get_total_buffer_size()
            _GROUPS.use(self, key, kept[1])
            return kept[0]

    def forget(self, key: Hashable) -> None:
        """Keep a row group, or the open file, no longer."""
        if key == self._path:
            self._open = None
        else:
            self._kept.pop(key, None)

    def empty(self, columns: list[str] | None) -> pa.Table:
        """Return a table of the right columns without rows."""
        table = self._file.schema_arrow.empty_table()
        return table.select([name for name in columns if name in table.column_names]) if columns else table
