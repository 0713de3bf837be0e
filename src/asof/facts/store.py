"""The temporal knowledge base, opened for reading: which facts hold on a date or during a period.

A base is a folder (see ``write``); DuckDB reads its Parquet files in place, nothing has to be started.
"""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, SupportsIndex

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts.completeness import Completeness
from asof.facts.database import open_database
from asof.facts.fact import Entity, Fact, Relation, facts_of_table
from asof.facts.known_time import KNOWN_COLUMNS, KnownTime, manifest_on
from asof.facts.manifest import Manifest, Part, quoted, read_manifest
from asof.facts.mirror import local_base
from asof.facts.schema import FACTS, KEYS, OPTIONAL_TABLES, RELATIONS, TABLES
from asof.facts.sorted_table import SortedTable
from asof.timeline import MAX_DAY, MIN_DAY, Date, Span, Time, Verdict, parse_when, verdicts

# As text ("2021-03", "Q1 2021"), as a year, as a day of Python's calendar or of numpy (pandas has both), or parsed.
When = str | SupportsIndex | datetime.date | np.datetime64 | Time

_SQL_TYPES = {
    pa.string(): "VARCHAR",
    pa.bool_(): "BOOLEAN",
    pa.int32(): "INTEGER",
    pa.int64(): "BIGINT",
    pa.list_(pa.string()): "VARCHAR[]",
}

# Where popularity is how often facts mention an entity, those count that the base said then.
_POPULARITY_THEN = """
    SELECT e.* REPLACE (CAST(coalesce(mentions, 0) AS DOUBLE) AS popularity) FROM {entities} e LEFT JOIN (
        SELECT id, count(*) AS mentions
        FROM (SELECT unnest([subject, object]) AS id FROM ({facts})) GROUP BY id
    ) said ON said.id = e.id
"""

_ROWS_OF_A_PART = 100_000
_FEW = 50  # so many labels are looked up one by one, more of them by a join


class BoundColumns(NamedTuple):
    """``Bounds`` of many facts, as columns of day numbers."""

    earliest_start: npt.NDArray[np.int64]
    latest_start: npt.NDArray[np.int64]
    earliest_end: npt.NDArray[np.int64]
    latest_end: npt.NDArray[np.int64]


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
    """A base, ready for queries: a folder, or a place such as s3://bucket/base, which is opened through a copy.

    Facts are asked for by the ids of entities and relations, or by their names.

    Args:
        folder: The base.
        known_on: Ask what the base said on this day, not what it says now.
    """

    def __init__(self, folder: Path | str, *, known_on: When | None = None) -> None:
        self.folder = local_base(folder)
        written = read_manifest(self.folder)
        self.known_on = None if known_on is None else as_span(known_on)
        self.manifest: Manifest = written if self.known_on is None else manifest_on(written, self.known_on)
        self._known = KnownTime.of(written, self.known_on)
        self._connection = open_database()
        self._running: set[duckdb.DuckDBPyConnection] = set()
        self._connection.execute("SET GLOBAL parquet_metadata_cache = true")
        for table in (*TABLES, *OPTIONAL_TABLES):
            self._connection.execute(f"CREATE VIEW {table} AS {self.table_sql(table)}")
        self._sorted = {
            table: SortedTable(self.folder, parts, KEYS[table]) for table, parts in self.manifest.tables.items()
        }

    @cached_property
    def known_by(self) -> Date | None:
        """The day up to which "ongoing" is known to be true; where no source stated one, the latest that dates show.

        None where no fact has a date.
        """
        if self.manifest.known_by_date:
            return self.manifest.known_by_date
        query = latest_stated_sql(self._known.facts_sql(self._paths), Date.today())
        day = self._connection.sql(query).fetchall()[0][0]
        return None if day is None else Date.from_day(day)

    @property
    def known_by_in_words(self) -> str:
        """The day up to which the base is known, with where it comes from; empty where there is none."""
        if self.known_by is None:
            return ""
        return str(self.known_by) + (f" ({self.known_by_note})" if self.known_by_note else "")

    @property
    def known_by_note(self) -> str | None:
        """Where the day up to which the base is known comes from, if no source stated it."""
        return None if self.manifest.known_by else "the latest date in its facts"

    def table_sql(self, table: str) -> str:
        """Return SQL that reads a table from the files of this base.

        Facts get six more columns: the day numbers earliest_start, latest_start, earliest_end and latest_end, and
        known_from and known_until.
        """
        if table == "facts":
            return f"SELECT *, {bounds_sql(self.known_by)} FROM ({self._known.facts_sql(self._paths)})"
        if table in OPTIONAL_TABLES and table not in self.manifest.tables:
            return no_rows(OPTIONAL_TABLES[table])  # no source gave such rows
        files = f"read_parquet([{', '.join(self._paths(self.manifest.tables[table]))}])"
        if table == "entities" and self.manifest.hash_then and self.manifest.rated is False:
            return _POPULARITY_THEN.format(entities=files, facts=self._known.facts_sql(self._paths))
        if table == "relations":  # in bases of earlier versions it has fewer columns: the others are null
            return f"FROM ({no_rows(RELATIONS)}) UNION ALL BY NAME FROM {files}"
        return f"SELECT * FROM {files}"

    @cached_property
    def facts_count(self) -> int:
        """How many facts there are; as known on a day, they have to be counted."""
        return self.manifest.rows("facts") if self.known_on is None else self.count()

    def fact_files(self) -> list[tuple[list[Part], str]]:
        """Return the files that hold the facts asked for, and which of their rows count: a condition, or none."""
        return self._known.selections()

    def _paths(self, parts: Sequence[Part]) -> list[str]:
        return [quoted((self.folder / part.path).resolve()) for part in parts]

    def as_known_on(self, day: When) -> FactStore:
        """Open the base as it was on a day: what it said then, current to what was known then."""
        return FactStore(self.folder, known_on=day)

    def rows(self, table: str, *keys: str, columns: list[str] | None = None) -> pa.Table:
        """Return the rows of facts by subject, of entities by id, or of names by (folded) name, in a millisecond."""
        try:
            if table == "facts":
                return self._fact_rows(keys, columns)
            return self._sorted[table].rows(keys, columns)
        except (OSError, pa.ArrowInvalid) as error:
            raise self._gone(error) from error

    def _fact_rows(self, keys: Collection[str], columns: list[str] | None) -> pa.Table:
        """Return facts by subject, with the days on which the base said so."""
        more = [name for name in KNOWN_COLUMNS if columns and name not in columns]
        read = None if columns is None else [*columns, *more]
        history = self._sorted["history"].rows(keys, read) if self._known.asks_history else None
        found = self._known.rows(self._sorted["facts"].rows(keys, read), history)
        return found if columns is None else found.select(columns)

    def sql(
        self, query: str, params: Mapping[str, Any] | None = None, *, tables: Mapping[str, pa.Table] | None = None
    ) -> pa.Table:
        """Run a query over the views facts, entities, relations, names, labels and timelines.

        Args:
            tables: Arrow tables that the query may name beside the views.
        """
        cursor = self._connection.cursor()
        self._running.add(cursor)
        try:
            for name, table in (tables or {}).items():
                cursor.register(name, table)
            return cursor.sql(query, params=dict(params or {})).to_arrow_table()
        except duckdb.IOException as error:
            raise self._gone(error) from error
        finally:
            self._running.discard(cursor)

    def parts(self, table: str, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Read columns of a view part by part, in the order of its rows; only one part is in memory."""
        names = ", ".join(f'"{name}"' for name in columns)
        cursor = self._connection.cursor()
        self._running.add(cursor)
        try:
            yield from cursor.sql(f"SELECT {names} FROM {table}").to_arrow_reader(_ROWS_OF_A_PART)
        except duckdb.IOException as error:
            raise self._gone(error) from error
        finally:
            self._running.discard(cursor)

    def interrupt(self) -> None:
        """Stop the queries that other threads run on this store; they end with ``duckdb.InterruptException``."""
        for cursor in tuple(self._running):
            cursor.interrupt()

    def _gone(self, error: Exception) -> UserError:
        return UserError(
            f"{self.folder} could not be read: {error}. Was it replaced or damaged? Run the command again."
        )

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
        span = _asked_span(on, during)
        if limit is not None and limit < 0:
            raise UserError(f"limit={limit} is not a number of rows. Give 0 or more.")
        given = self.ids(subject=subject, relation=relation, object=object)
        if subject is not None:
            found = _sorted_by_start(_with(given, self.rows("facts", given["subject"])), self.known_by)
        else:
            where, params = _conditions(given, span, during=during is not None, surely=surely)
            found = self.sql(
                f"SELECT {KNOWN_FACT_COLUMNS} FROM facts WHERE {where} "
                "ORDER BY subject, relation, earliest_start, latest_end, object "
                + (f"LIMIT {int(limit)}" if limit is not None else ""),
                params,
            )
        if span is not None:
            found = _with_verdicts(found, span, any_day=during is not None, surely=surely, known_by=self.known_by)
        found = found if limit is None else found.slice(0, limit)
        return FactTable(self.with_labels(found, subject="entity", relation="relation", object="entity"))

    def count(
        self,
        *,
        subject: str | None = None,
        relation: str | None = None,
        object: str | None = None,
        on: When | None = None,
        during: When | None = None,
        surely: bool = False,
    ) -> int:
        """Count the facts that ``facts`` returns, without reading them."""
        given = self.ids(subject=subject, relation=relation, object=object)
        where, params = _conditions(given, _asked_span(on, during), during=during is not None, surely=surely)
        return int(self.sql(f"SELECT count(*) AS n FROM facts WHERE {where}", params)["n"][0].as_py())

    def ids(self, **wanted: str | None) -> dict[str, str]:
        """Return the ids of what is asked for; a name in the place of an id is looked up, so it never finds nothing."""
        from asof.facts.names import find_entity, find_relation

        given = {end: value for end, value in wanted.items() if value is not None}
        for end, value in given.items():
            if not isinstance(value, str):
                raise UserError(f"{end}={value!r} is not a name. Give one name or id as text, such as {end}='Q38'.")
            if end == "relation":
                given[end] = value if value in self.relations else find_relation(self, value).id
            elif not self.rows("entities", value, columns=["id"]).num_rows:
                given[end] = find_entity(self, value).id
        return given

    def with_labels(self, table: pa.Table, **columns: str) -> pa.Table:
        """Add a column of labels (``subject_label``) for each named column of ids, of entities or of relations."""
        things = [name for name, kind in columns.items() if kind == "entity"]
        ids = {id for name in things for id in table[name].unique().to_pylist()}
        known = {"entity": self.labels(ids), "relation": {id: thing.label for id, thing in self.relations.items()}}
        for name, kind in columns.items():
            encoded = table[name].combine_chunks().dictionary_encode()
            labels = pa.array([known[kind].get(id, id) for id in encoded.dictionary.to_pylist()], pa.string())
            table = table.append_column(f"{name}_label", labels.take(encoded.indices))
        return table

    def labels(self, ids: Collection[str]) -> dict[str, str]:
        """Return the labels of entities by id."""
        if len(ids) <= _FEW:
            found = self.rows("entities", *ids, columns=["id", "label"])
        else:
            query = "SELECT id, label FROM entities JOIN wanted USING (id)"
            found = self.sql(query, tables={"wanted": pa.table({"id": pa.array(sorted(ids), pa.string())})})
        return dict(zip(*found.to_pydict().values(), strict=True))

    def entity(self, id: str) -> Entity:
        """Return what is known of an entity."""
        rows = self.rows("entities", id).to_pylist()
        if not rows:
            raise UserError(f"{self.manifest.name} has no entity {id!r}.")
        row = rows[0]
        return Entity(**row | {"aliases": tuple(row["aliases"])})

    @cached_property
    def completeness(self) -> dict[tuple[str, str, str], Completeness]:
        """What is known of timelines, by relation, role of the entity and entity; of all others nobody has said."""
        return {
            (row["relation"], row["role"], row["entity"]): Completeness(row["first"], row["last"], row["between"])
            for row in self.sql("SELECT * FROM timelines").to_pylist()
        }

    @cached_property
    def relations(self) -> dict[str, Relation]:
        """All relations of the base by id."""
        rows = self.sql("SELECT * FROM relations").to_pylist()
        return {row["id"]: Relation.of_row(row) for row in rows}


def no_rows(schema: pa.Schema) -> str:
    """Return SQL for a table without rows."""
    columns = (f"CAST(NULL AS {_SQL_TYPES[field.type]}) AS {field.name}" for field in schema)
    return f"SELECT {', '.join(columns)} WHERE false"


def as_span(when: When | None) -> Time:
    """Read a time that may come as text."""
    if when is None:
        raise UserError("A time is missing: give a date (2021-03-15) or a period (2021-Q1).")
    if isinstance(when, datetime.date):
        return Date.parse(when.isoformat()[:10])
    if isinstance(when, np.datetime64):
        return Date.parse(str(when)[:10])  # as precise as its unit: a year, a month, a day
    if isinstance(when, SupportsIndex) and not isinstance(when, bool):
        year = int(when)
        return Date.parse(f"{year:05d}" if year < 0 else f"{year:04d}")
    if not isinstance(when, str | Time):
        raise UserError(f"{when!r} is not a time. Give a date ('2021-03-15'), a period ('2021-Q1') or a year (2021).")
    return parse_when(when) if isinstance(when, str) else when


def bounds_of(facts: pa.Table, known_by: Date | None) -> BoundColumns:
    """Return the four columns of ``Interval.bounds`` for a table of facts: the same rule, in numpy."""
    start_first, start_last, end_first, end_last = (
        facts[name].to_numpy().astype(np.float64) for name in ("start_first", "start_last", "end_first", "end_last")
    )  # day numbers are exact in float64, where a missing one is NaN
    earliest_start = np.where(np.isnan(start_first), MIN_DAY, start_first)
    latest_end = np.where(np.isnan(end_last), MAX_DAY, end_last)
    ongoing = pc.equal(facts["end_precision"], "ongoing").to_numpy() & (known_by is not None)
    held_until = np.maximum(known_by.last if known_by else MIN_DAY, earliest_start)
    open_end = np.where(ongoing, held_until, earliest_start)
    earliest_end = np.where(np.isnan(end_first), open_end, end_first)
    open_start = np.where(np.isnan(end_last), np.where(ongoing, held_until, MAX_DAY), end_last)
    latest_start = np.where(np.isnan(start_last), open_start, start_last)
    return BoundColumns(
        *(column.astype(np.int64) for column in (earliest_start, latest_start, earliest_end, latest_end))
    )


def bounds_sql(known_by: Date | None) -> str:
    """Return SQL for the four columns of ``Interval.bounds``: the same rule, for a whole base."""
    start = f"coalesce(start_first, {MIN_DAY})"
    held_until = (
        f"CASE end_precision WHEN 'ongoing' THEN greatest({known_by.last}, {start}) END" if known_by else "NULL"
    )
    return f"""
        {start} AS earliest_start,
        coalesce(start_last, end_last, {held_until}, {MAX_DAY}) AS latest_start,
        coalesce(end_first, {held_until}, {start}) AS earliest_end,
        coalesce(end_last, {MAX_DAY}) AS latest_end
    """


def latest_stated_sql(facts: str, today: Date) -> str:
    """Return SQL for ``timeline.latest_stated_day``: the number of the latest day that the dates of facts show."""
    days = (f"max({end}_first) FILTER (WHERE {end}_first <= {today.last})" for end in ("start", "end"))
    return f"SELECT greatest({', '.join(days)}) AS day FROM ({facts})"


# Whether a fact holds in the days from $first to $last, as ``Bounds`` decides it.
COVERS = "latest_start <= $first AND $last <= earliest_end"
SURELY_MEETS = "latest_start <= $last AND $first <= earliest_end"
POSSIBLY_MEETS = "earliest_start <= $last AND $first <= latest_end"

FACT_COLUMNS = ", ".join(FACTS.names)
KNOWN_FACT_COLUMNS = ", ".join([*FACTS.names, *KNOWN_COLUMNS])  # and when the base said so


def _asked_span(on: When | None, during: When | None) -> Time | None:
    if on is not None and during is not None:
        raise UserError("Give either a date (on) or a period (during), not both.")
    when = on if on is not None else during
    return None if when is None else as_span(when)


def _conditions(
    given: Mapping[str, str], span: Span | None, *, during: bool, surely: bool
) -> tuple[str, dict[str, str | int]]:
    """Return what SQL asks of facts, and the values of its parameters."""
    conditions = [f"{name} = ${name}" for name in given]
    if span is None:
        return " AND ".join(conditions) or "true", dict(given)
    sure = SURELY_MEETS if during else COVERS
    return " AND ".join([*conditions, POSSIBLY_MEETS, *([sure] if surely else [])]), {
        **given,
        "first": span.first,
        "last": span.last,
    }


def _with(given: Mapping[str, str], facts: pa.Table) -> pa.Table:
    for name, value in given.items():
        facts = facts.filter(pc.equal(facts[name], value))
    return facts


def _sorted_by_start(facts: pa.Table, known_by: Date | None) -> pa.Table:
    bounds = bounds_of(facts, known_by)
    keys = {"subject": facts["subject"], "relation": facts["relation"]}
    keys |= {"start": pa.array(bounds.earliest_start), "end": pa.array(bounds.latest_end), "object": facts["object"]}
    return facts.take(pc.sort_indices(pa.table(keys), sort_keys=[(name, "ascending") for name in keys]))


def _with_verdicts(facts: pa.Table, span: Span, *, any_day: bool, surely: bool, known_by: Date | None) -> pa.Table:
    """Add the column of verdicts and leave out the facts that do not hold."""
    first, last = np.array(span.first), np.array(span.last)
    judged = verdicts(first, last, *bounds_of(facts, known_by), any_day=any_day)
    least = Verdict.CORRECT if surely else Verdict.TRANSITIONAL
    return facts.append_column("verdict", pa.array(judged)).filter(pa.array(judged >= least))
