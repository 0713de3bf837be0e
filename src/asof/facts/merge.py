"""From the staged tables of sources to the sorted and complete tables of a base, in a bounded memory.

Tables are sorted range by range of their key, each small enough for DuckDB to sort it on disk: of a sort in one go, the
memory grows with the size. Nothing here asks DuckDB to group or to join, because groups of lists and texts have to fit
the memory. What is said of one entity stands together once it is sorted, so one walk over the rows brings it together,
however many entities there are. The result does not depend on the memory.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain, islice, pairwise
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.cores import usable_cores
from asof.facts.database import open_database
from asof.facts.manifest import Part, quoted, sha256_of
from asof.facts.schema import (
    DATED_FACTS,
    ENTITIES,
    FACTS,
    FOLD_NAME,
    KEPT_TABLES,
    KEYS,
    OPTIONAL_TABLES,
    RELATIONS,
    SORT_KEYS,
    TABLES,
)
from asof.whole_file import sync_file

MEMORY = 250_000_000  # bytes for sorting; with Arrow beside it, a writer stays near twice as much
_MEMORY_OF_A_THREAD = 125_000_000  # with less, threads take the memory from each other until none can go on
_RANGE_IN_MEMORIES = 2.0  # how many times the memory a range may have, which is sorted partly on disk
_KEYS_PER_RANGE = 1_000  # drawn to find where a range begins
_ROWS_PER_GROUP = 4_096  # small, so that a query on one subject decodes little
_GROUPS_PER_PART = 25  # and that the description of a file stays short, however many facts there are
_ROWS_PER_STEP = 65_536  # that are taken from DuckDB at a time

# How often facts mention an entity: counted in each batch of facts, summed when it is merged.
MENTIONS = pa.schema([pa.field("id", pa.string(), nullable=False), pa.field("mentions", pa.int64(), nullable=False)])
STAGED = {"facts": FACTS, "entities": ENTITIES, "relations": RELATIONS, "mentions": MENTIONS}
_SCHEMAS = TABLES | OPTIONAL_TABLES | KEPT_TABLES


def mentions_in(facts: pa.RecordBatch) -> pa.RecordBatch:
    """Count how often a batch of facts mentions each entity, as subject or object."""
    things = pa.chunked_array([facts["subject"], facts["object"]])
    counted = pc.value_counts(things)
    return pa.RecordBatch.from_arrays([counted.field("values"), counted.field("counts")], schema=MENTIONS)


def sorted_tables(
    staging: Path, memory: int = MEMORY, *, tables: Sequence[str] = tuple(TABLES)
) -> dict[str, list[Part]]:
    """Sort and complete the staged tables and cut them into files that carry their hash as name.

    Args:
        staging: The folder with a Parquet file for each of ``STAGED``, and for each optional table that there is; the
            result is written there, too.
        memory: Bytes that sorting may use; what does not fit goes to the disk of the folder.
        tables: Those that are wanted beside the optional ones.
    """
    with open_database() as connection:
        connection.execute(f"SET memory_limit = '{memory // 1000}KB'")
        connection.execute(f"SET threads = {min(usable_cores(), max(1, memory // _MEMORY_OF_A_THREAD))}")
        connection.execute("SET preserve_insertion_order = false")  # every query says its order
        connection.execute(f"SET temp_directory = {quoted(staging / 'spill')}")
        optional = [table for table in OPTIONAL_TABLES if (staging / f"{table}.parquet").exists()]
        for staged in (*STAGED, *optional):
            path = quoted(staging / f"{staged}.parquet")
            connection.execute(f"CREATE VIEW {staged} AS SELECT * FROM read_parquet({path})")
        parts: dict[str, list[Part]] = {}
        for table in (*tables, *optional):
            ranges = 1 + sum(map(_plain_bytes, _read_for(staging, table))) // int(_RANGE_IN_MEMORIES * memory)
            rows = _sorted_rows(connection, table, ranges)
            if table == "entities":
                [(rated,)] = connection.sql("SELECT count(popularity) > 0 FROM entities").fetchall()
                rows = _whole_entities(rows, rated=rated)
            if table == "labels":
                rows = _first_of_each(rows, "id", "language")
            if table == "revisions":
                rows = _first_of_each(rows, "id")
            parts[table] = table_parts(staging, table, rows)
            files = ", ".join(quoted(staging / part.path) for part in parts[table])
            connection.execute(f"CREATE VIEW sorted_{table} AS SELECT * FROM read_parquet([{files}])")
        return parts


def _read_for(staging: Path, table: str) -> list[Path]:
    """Return the staged files from which a table is made."""
    staged = {"entities": ("entities", "mentions"), "names": ("entities",)}.get(table, (table,))
    return [staging / f"{name}.parquet" for name in staged]


def _plain_bytes(path: Path) -> int:
    metadata = pq.read_metadata(path)
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def _sorted_rows(connection: duckdb.DuckDBPyConnection, table: str, ranges: int) -> Iterator[pa.Table]:
    """Walk over the rows of a table in its order, range by range of its key."""
    key, rows = KEYS[table], _ROWS[table]
    for low, high in pairwise([None, *_borders(connection, table, ranges), None]):
        limits = ([f"{key} >= $low"] if low is not None else []) + ([f"{key} < $high"] if high is not None else [])
        given = {name: value for name, value in (("low", low), ("high", high)) if value is not None}
        inside = f"SELECT * FROM ({rows}) WHERE {' AND '.join(limits) or 'true'} ORDER BY {SORT_KEYS[table]}"
        for batch in connection.sql(inside, params=given).to_arrow_reader(_ROWS_PER_STEP):
            yield pa.Table.from_batches([batch])


def _borders(connection: duckdb.DuckDBPyConnection, table: str, ranges: int) -> list[str]:
    """Return keys that cut a table into ranges of about the same size, from some that are drawn at random."""
    if ranges == 1:
        return []
    drawn = f"SELECT {KEYS[table]} AS key FROM ({_ROWS[table]}) USING SAMPLE reservoir({ranges * _KEYS_PER_RANGE} ROWS)"
    keys = [key for (key,) in connection.sql(f"SELECT * FROM ({drawn}) ORDER BY key").fetchall()]
    return list(dict.fromkeys(keys[number * len(keys) // ranges] for number in range(1, ranges)))


def _whole_entities(said: Iterator[pa.Table], *, rated: bool) -> Iterator[pa.Table]:
    """Walk over entities: described by sources, mentioned by facts, or both.

    One that several sources describe keeps the fullest description; one that none describes is known by its id. Where
    no source rates popularity, it is how often facts mention an entity.
    """
    waiting: pa.Table | None = None  # rows of an entity of which the next table may tell more
    for table in said:
        rows = (pa.concat_tables([waiting, table]) if waiting else table).combine_chunks()
        first = _first_rows(rows["id"])
        waiting = rows.slice(first[-1])
        if len(first) > 1:
            yield _one_row_each(rows.slice(0, first[-1]), first[:-1], rated=rated)
    if waiting:
        yield _one_row_each(waiting, np.zeros(1, np.int64), rated=rated)


def _first_of_each(said: Iterator[pa.Table], *columns: str) -> Iterator[pa.Table]:
    """Walk over sorted rows: of those that agree in some columns, the first counts.

    So an entity that several sources name in a language has one name in it, and the latest of its revisions.
    """
    last = None
    for table in said:
        keys = [*zip(*(table[name].to_pylist() for name in columns), strict=True)]
        yield table.filter(pa.array([one != other for one, other in pairwise([last, *keys])], pa.bool_()))
        last = keys[-1] if keys else last


def _first_rows(ids: pa.ChunkedArray) -> npt.NDArray[np.int64]:
    """Return the rows of a sorted column at which another id begins."""
    ids = ids.combine_chunks()
    others = pc.not_equal(ids.slice(1), ids.slice(0, len(ids) - 1)).to_numpy(zero_copy_only=False)
    return np.concatenate([[0], np.flatnonzero(others) + 1])


def _one_row_each(rows: pa.Table, first: npt.NDArray[np.int64], *, rated: bool) -> pa.Table:
    """Bring together what is said of each entity, whose rows stand together from one of the first rows on."""
    described = rows["described"].to_numpy()
    where = np.flatnonzero(described)
    entity = np.searchsorted(first, where, side="right") - 1
    best = np.full(len(first), -1)
    best[entity] = where
    for number in np.flatnonzero(np.add.reduceat(described.astype(np.int64), first) > 1).tolist():
        several = where[entity == number].tolist()
        best[number] = max(several, key=lambda row: _fullness(rows.slice(row, 1).to_pylist()[0]))
    told = rows.take(pa.array(best, mask=best < 0))
    ids = rows["id"].take(pa.array(first))
    mentions = np.add.reduceat(rows["mentions"].to_numpy(), first)
    nothing = pa.scalar([], ENTITIES.field("aliases").type)
    columns = {
        "id": ids,
        "label": pc.coalesce(told["label"], ids),
        "aliases": pc.coalesce(told["aliases"], nothing),
        "description": told["description"],
        "kind": told["kind"],
        "popularity": told["popularity"] if rated else pa.array(mentions.astype(np.float64)),
    }
    return pa.table(columns)


def _fullness(row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what decides between descriptions of an entity; a total order, so that the order of rows does not."""
    texts = [row[name] or "" for name in ("label", "description", "kind")]
    return row["popularity"] or 0, len(row["aliases"]), *texts, row["aliases"], row["popularity"] is not None


# The rows of each table before they are sorted. Names of one entity that are compared alike
# count once, as the label if it is among them.
_ROWS = {
    "facts": "SELECT * FROM facts",
    "entities": """
        SELECT *, 0 AS mentions, true AS described FROM entities
        UNION ALL BY NAME SELECT id, mentions, false AS described FROM mentions
    """,
    "relations": """
        SELECT described.* REPLACE (used.id AS id, coalesce(label, used.id) AS label,
            coalesce(aliases, CAST([] AS VARCHAR[])) AS aliases)
        FROM (SELECT DISTINCT relation AS id FROM facts) used LEFT JOIN relations described ON used.id = described.id
    """,
    "timelines": "SELECT DISTINCT * FROM timelines",
    "labels": "SELECT * FROM labels",
    "revisions": "SELECT * FROM revisions",
    "names": f"""
        SELECT {FOLD_NAME.format("label")} AS name, id AS entity, true AS is_label FROM sorted_entities
        UNION ALL
        SELECT name, entity, false FROM (
            SELECT unnest(list_distinct([{FOLD_NAME.format("alias")} for alias in aliases])) AS name, id AS entity,
                {FOLD_NAME.format("label")} AS label
            FROM sorted_entities
        ) WHERE name <> label
    """,
}


def table_parts(staging: Path, table: str, rows: Iterator[pa.Table], *, with_known_from: bool = False) -> list[Part]:
    """Cut the sorted rows of a table into files that carry their hash as name.

    Args:
        with_known_from: Facts that say since when the base has them.
    """
    schema = DATED_FACTS if with_known_from else _SCHEMAS[table]
    groups = _groups_of_equal_size(rows, schema)
    parts = [_part(staging, table, islice(groups, _GROUPS_PER_PART), schema)]  # one part at least, be it empty
    for group in groups:
        parts.append(_part(staging, table, chain([group], islice(groups, _GROUPS_PER_PART - 1)), schema))
    return [replace(part, with_known_from=with_known_from) for part in parts]


def _part(staging: Path, table: str, groups: Iterable[pa.Table], schema: pa.Schema) -> Part:
    target = staging / f"{table}.sorted"
    rows = 0
    ends: list[str] = []
    with pq.ParquetWriter(target, schema, compression="zstd", write_page_index=True) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=_ROWS_PER_GROUP)
            rows += group.num_rows
            keys = group[KEYS[table]]
            ends = [ends[0] if ends else keys[0].as_py(), keys[-1].as_py()]
    return named_by_hash(target, table, ".parquet", rows, *ends)


def _groups_of_equal_size(tables: Iterator[pa.Table], schema: pa.Schema) -> Iterator[pa.Table]:
    """Cut a stream into row groups whose borders do not depend on how it came."""
    waiting: pa.Table | None = None
    for table in tables:
        waiting = pa.concat_tables([waiting, table]) if waiting else table
        while waiting.num_rows >= _ROWS_PER_GROUP:
            yield waiting.slice(0, _ROWS_PER_GROUP).combine_chunks().cast(schema)
            waiting = waiting.slice(_ROWS_PER_GROUP)
    if waiting:
        yield waiting.combine_chunks().cast(schema)


def named_by_hash(path: Path, table: str, ending: str, rows: int, *ends: str) -> Part:
    """Give a finished file its hash as name, and make it last."""
    digest = sha256_of(path)
    named = path.with_name(f"{table}-{digest[:12]}{ending}")
    path.replace(named)
    sync_file(named)
    first, last = ends or ("", "")
    return Part(named.name, rows, named.stat().st_size, digest, first, last)
