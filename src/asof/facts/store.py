"""The temporal knowledge base, opened for reading: which facts hold on a date or during a period.

A base is a folder (see ``write``); DuckDB reads its Parquet files in place, nothing has to be started.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from asof.errors import UserError
from asof.facts.fact import Entity, Fact, Relation, facts_of_table
from asof.facts.manifest import Manifest, read_manifest
from asof.facts.schema import FACTS, TABLES
from asof.timeline import MAX_DAY, MIN_DAY, Date, Period, Span, Verdict, parse_when

When = str | Date | Period


@dataclass(frozen=True)
class FactTable:
    """Facts that a query found: an Arrow table, and the same as objects.

    Where the query asked for a time, the column ``verdict`` says whether a fact surely holds then (``correct``) or
    possibly (``transitional``).
    """

    table: pa.Table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __iter__(self) -> Iterator[Fact]:
        return facts_of_table(self.table)

    @property
    def verdicts(self) -> list[Verdict]:
        """One verdict for each fact; all correct where no time was asked for."""
        if "verdict" not in self.table.column_names:
            return [Verdict.CORRECT] * len(self)
        return [Verdict(value) for value in self.table["verdict"].to_pylist()]


class FactStore:
    """A base, ready for queries.

    Facts are asked for by entity and relation ids; ``asof.facts.names`` finds the id that a name means.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        self.manifest: Manifest = read_manifest(self.folder)
        self._connection = duckdb.connect()
        self._connection.execute("SET parquet_metadata_cache = true")
        for table in TABLES:
            name = "stored_facts" if table == "facts" else table
            self._connection.execute(f"CREATE VIEW {name} AS SELECT * FROM read_parquet({self.parquet_files(table)})")
        self._connection.execute(f"CREATE VIEW facts AS SELECT *, {bounds_sql(self.known_by)} FROM stored_facts")

    @property
    def known_by(self) -> Date | None:
        """The day up to which "ongoing" is known to be true."""
        return self.manifest.known_by_date

    def parquet_files(self, table: str) -> str:
        """Return the files of a table as a list in SQL."""
        paths = (str((self.folder / part.path).resolve()) for part in self.manifest.tables[table])
        return "[" + ", ".join("'" + path.replace("'", "''") + "'" for path in paths) + "]"

    def sql(self, query: str, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a query over the views facts, entities, relations and names.

        ``facts`` has, beside its columns, the day numbers earliest_start, latest_start, earliest_end and latest_end.
        """
        try:
            relation = self._connection.cursor().sql(query, params=dict(params or {}))
            return relation.to_arrow_table()
        except duckdb.IOException as error:
            raise UserError(
                f"{self.folder} could not be read: {error}. Was it replaced? Run the command again."
            ) from error

    def facts(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        on: When | None = None,
        during: When | None = None,
        surely: bool = False,
        limit: int | None = None,
    ) -> FactTable:
        """Return the facts that fit, in the order of subject, relation and start.

        Args:
            on: Facts that hold on this date as a whole (surely) or on a part of it (possibly).
            during: Facts that hold at any time in this period.
            surely: Leave out those that hold only possibly.
        """
        if on is not None and during is not None:
            raise UserError("Give either a date (on) or a period (during), not both.")
        params: dict[str, Any] = {
            key: value
            for key, value in {"subject": subject, "relation": relation, "object": object}.items()
            if value is not None
        }
        conditions = [f"f.{key} = ${key}" for key in params]
        columns = ["f.*"]
        if on is not None or during is not None:
            span: Span = as_span(on if on is not None else during)
            params |= {"first": span.first, "last": span.last}
            sure = COVERS if on is not None else SURELY_MEETS
            conditions.append(sure if surely else POSSIBLY_MEETS)
            columns.append(f"CAST(CASE WHEN {sure} THEN 2 ELSE 1 END AS TINYINT) AS verdict")
        where = f"WHERE {' AND '.join(conditions)}" if conditions else ""
        order = "ORDER BY subject, relation, earliest_start, latest_end, object"
        limited = f"LIMIT {int(limit)}" if limit is not None else ""
        found = f"SELECT {', '.join(columns)} FROM facts AS f {where} {order} {limited}"
        return FactTable(self.sql(WITH_LABELS.format(found=found, order=order), params))

    def entity(self, id: str) -> Entity:
        """Return what is known of an entity."""
        rows = self.sql("SELECT * FROM entities WHERE id = $id", {"id": id}).to_pylist()
        if not rows:
            raise UserError(f"{self.manifest.name} has no entity {id!r}.")
        row = rows[0]
        return Entity(**row | {"aliases": tuple(row["aliases"])})

    @cached_property
    def relations(self) -> dict[str, Relation]:
        """All relations of the base by id."""
        rows = self.sql("SELECT * FROM relations").to_pylist()
        return {row["id"]: Relation(**row | {"aliases": tuple(row["aliases"])}) for row in rows}


def as_span(when: When | None) -> Date | Period:
    """Read a time that may come as text."""
    if when is None:
        raise UserError("A time is missing: give a date (2021-03-15) or a period (2021-Q1).")
    return parse_when(when) if isinstance(when, str) else when


def bounds_sql(known_by: Date | None) -> str:
    """Return SQL for the four columns of ``Interval.bounds``: the same rule, for a whole base."""
    held_until = known_by.last if known_by else MAX_DAY
    ongoing = f"greatest({held_until}, coalesce(start_first, {MIN_DAY}))"
    return f"""
        coalesce(start_first, {MIN_DAY}) AS earliest_start,
        coalesce(start_last, end_last, CASE end_precision WHEN 'ongoing' THEN {ongoing} ELSE {MAX_DAY} END)
            AS latest_start,
        coalesce(end_first, CASE end_precision WHEN 'ongoing' THEN {ongoing} ELSE coalesce(start_first, {MIN_DAY}) END)
            AS earliest_end,
        coalesce(end_last, {MAX_DAY}) AS latest_end
    """


# Whether a fact holds in the days from $first to $last, as ``Bounds`` decides it.
COVERS = "latest_start <= $first AND $last <= earliest_end"
SURELY_MEETS = "latest_start <= $last AND $first <= earliest_end"
POSSIBLY_MEETS = "earliest_start <= $last AND $first <= latest_end"

WITH_LABELS = """
    WITH found AS ({found})
    SELECT found.*, s.label AS subject_label, r.label AS relation_label, o.label AS object_label
    FROM found
    LEFT JOIN entities s ON s.id = found.subject
    LEFT JOIN relations r ON r.id = found.relation
    LEFT JOIN entities o ON o.id = found.object
    {order}
"""

FACT_COLUMNS = ", ".join(FACTS.names)
