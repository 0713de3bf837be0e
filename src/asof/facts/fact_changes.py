"""Which facts of a base a newer state confirms, closes and adds, range by range of their subjects.

Facts are compared as they are, without their source: a fact that says anything else than before is closed, and another
one is added. What stands in a base twice is counted off, the copy that it has longest first. Only the files of ranges
in which something changed are written again.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.facts.database import open_database
from asof.facts.key_ranges import KeyRange, SortedRows, in_key_order, is_among, key_ranges, read_range
from asof.facts.manifest import Part
from asof.facts.merge import mentions_in, table_parts
from asof.facts.schema import DATED_FACTS, FACTS, HISTORY, SORT_KEYS

_COMPARED = [name for name in FACTS.names if name != "source"]
_KEYED = f"""
    SELECT row, key, row_number() OVER (PARTITION BY key ORDER BY known_from NULLS FIRST, row) AS copy
    FROM (SELECT row, known_from,
        md5(concat_ws(chr(31), {", ".join(f"coalesce({name}::VARCHAR, chr(30))" for name in _COMPARED)})) AS key
        FROM {{}})
"""
_COMPARE = f"""
    SELECT old.row AS old, new.row AS new FROM ({_KEYED.format("before")}) old
    FULL JOIN ({_KEYED.format("after")}) new USING (key, copy)
"""


@dataclass(frozen=True, kw_only=True)
class UpdateScope:
    """Of which subjects a source tells all there is.

    Args:
        subjects: Only of these; None: of all, so that those it does not name have no facts any more.
        without: Of these the base knows something newer.
        sources: Only facts from these sources are its own; None: all are.
        relations: Only of these; None: of all.
        without_relations: Not of these.
        unread: Subject, relation and object of rows that the source has and nobody could read: they close nothing.
    """

    subjects: pa.Array | None
    without: pa.Array
    sources: pa.Array | None
    relations: pa.Array | None = None
    without_relations: pa.Array | None = None
    unread: Set[tuple[str, str, str]] = frozenset()

    def of(self, facts: pa.Table) -> pa.ChunkedArray:
        """Tell of each fact whether the source decides about it."""
        decides = pc.invert(is_among(facts["subject"], self.without))
        if self.subjects is not None:
            decides = pc.and_(decides, is_among(facts["subject"], self.subjects))
        if self.relations is not None:
            decides = pc.and_(decides, is_among(facts["relation"], self.relations))
        if self.without_relations is not None:
            decides = pc.and_(decides, pc.invert(is_among(facts["relation"], self.without_relations)))
        if self.sources is not None:
            decides = pc.and_(decides, is_among(facts["source"].cast(pa.string()), self.sources))
        return decides

    def is_read(self, facts: pa.Table) -> np.ndarray:
        """Tell of each fact that the source does not say whether that is so because it was read, and is not there."""
        named = zip(*(facts[name].to_pylist() for name in ("subject", "relation", "object")), strict=True)
        return np.array([one not in self.unread for one in named], bool)


@dataclass
class FactChanges:
    """Goes over the facts of a base and writes what changes.

    Args:
        folder: The base.
        staging: Where files are written.
        day: From which the base says what is added.
        since: The day of the first version; what was added and closed on the same day leaves no history.
    """

    folder: Path
    staging: Path
    day: int
    since: int | None
    scope: UpdateScope
    added: int = 0
    closed: int = 0
    unchanged: int = 0
    gone: int = 0  # subjects that have no facts any more
    unread: int = 0  # that stay because a row that names them could not be read
    relations: set[str] = field(default_factory=set)  # of what was added
    _closed_writer: pq.ParquetWriter | None = None

    def apply(self, parts: Sequence[Part], said: SortedRows) -> list[Part]:
        """Return the files of the new version: those that stay as they are, and those that were written."""
        found: list[Part] = []
        try:
            with (
                pq.ParquetWriter(self.staging / "closed.parquet", HISTORY) as self._closed_writer,
                _mentions(self.staging, "opened") as self._opened_mentions,
                _mentions(self.staging, "gone") as self._gone_mentions,
            ):
                for one in key_ranges(parts):
                    found += self._apply(one, said.within(one))
        finally:
            self._closed_writer = None
        return [part for part in found if part.rows] or found[:1]

    @property
    def closed_rows(self) -> Path:
        """The file of the facts that were closed, in the order of a base's facts."""
        return self.staging / "closed.parquet"

    def _apply(self, keys: KeyRange, said: pa.Table) -> Sequence[Part]:
        said = said.filter(pc.invert(is_among(said["subject"], self.scope.without)))
        if not said.num_rows and not self._may_touch(keys):
            return keys.parts
        old = read_range(self.folder, keys, DATED_FACTS)
        decided = self.scope.of(old)
        ours = old.filter(decided)
        closed, added = _compare(ours, said)
        closed = self._without_unread(ours, closed)
        self.unchanged += ours.num_rows - len(closed)
        if not len(closed) and not len(added):
            return keys.parts
        self._close(ours.take(closed), said)
        stays = np.ones(ours.num_rows, bool)
        stays[closed] = False
        rest = pa.concat_tables([old.filter(pc.invert(decided)), ours.filter(pa.array(stays))])
        new = self._with_added(rest, said.take(added))
        return table_parts(self.staging, "facts", iter([new]), with_known_from=True)

    def _without_unread(self, ours: pa.Table, closed: np.ndarray) -> np.ndarray:
        """Leave out facts that the source may well say, in rows that nobody could read."""
        if not self.scope.unread:
            return closed
        read = self.scope.is_read(ours.take(closed))
        self.unread += len(closed) - int(read.sum())
        gone: np.ndarray = closed[read]
        return gone

    def _may_touch(self, keys: KeyRange) -> bool:
        if self.scope.subjects is None:
            return True
        subjects = pa.table({"subject": self.scope.subjects})
        return bool(keys.rows_of(subjects, "subject").num_rows)

    def _close(self, closed: pa.Table, said: pa.Table) -> None:
        """Put facts into the history, but for those that were said on no day."""
        self.closed += closed.num_rows
        self.gone += len(set(closed["subject"].unique().to_pylist()) - set(said["subject"].unique().to_pylist()))
        for batch in closed.select(FACTS.names).combine_chunks().to_batches():
            self._gone_mentions.write_batch(mentions_in(batch))
        known = closed["known_from"]
        known = known if self.since is None else pc.fill_null(known, self.since)
        kept = closed.filter(pc.fill_null(pc.less(known, self.day), True))
        until = pa.repeat(pa.scalar(self.day - 1, pa.int32()), kept.num_rows)
        if kept.num_rows and self._closed_writer:
            self._closed_writer.write_table(kept.append_column("known_until", until).cast(HISTORY))

    def _with_added(self, rest: pa.Table, added: pa.Table) -> pa.Table:
        """Put facts that are added among those of the same subjects."""
        self.added += added.num_rows
        self.relations |= set(added["relation"].unique().to_pylist())
        for batch in added.select(FACTS.names).combine_chunks().to_batches():
            self._opened_mentions.write_batch(mentions_in(batch))
        first = pa.repeat(pa.scalar(self.day, pa.int32()), added.num_rows)
        dated = added.select(FACTS.names).append_column("known_from", first).cast(DATED_FACTS)
        touched = is_among(rest["subject"], dated["subject"].unique())
        together = _in_fact_order(pa.concat_tables([rest.filter(touched), dated]))
        return in_key_order(pa.concat_tables([rest.filter(pc.invert(touched)), together]), "subject")


def _mentions(staging: Path, name: str) -> pq.ParquetWriter:
    from asof.facts.merge import MENTIONS

    return pq.ParquetWriter(staging / f"{name}.parquet", MENTIONS)


def _compare(old: pa.Table, new: pa.Table) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the old facts that the new ones lack, and those of the new ones that the old ones lack."""
    if not old.num_rows or not new.num_rows:
        return np.arange(old.num_rows), np.arange(new.num_rows)
    with open_database() as connection:
        for name, table in (("before", old), ("after", new)):
            numbers = pa.array(np.arange(table.num_rows))
            since = table["known_from"] if "known_from" in table.column_names else pa.nulls(table.num_rows, pa.int32())
            rows = table.select(_COMPARED).append_column("row", numbers).append_column("known_from", since)
            connection.register(name, rows)
        found = connection.sql(f"{_COMPARE} WHERE old.row IS NULL OR new.row IS NULL").to_arrow_table()
    return tuple(np.sort(found[side].drop_null().to_numpy()) for side in ("old", "new"))  # type: ignore[return-value]


def _in_fact_order(facts: pa.Table) -> pa.Table:
    with open_database() as connection:
        connection.register("rows", facts)
        return connection.sql(f"SELECT * FROM rows ORDER BY {SORT_KEYS['facts']}").to_arrow_table().cast(facts.schema)
