"""Write a base: sources in, a folder of Parquet files and a manifest out. All or nothing.

Data go to a staging folder inside the base, are sorted there on disk by DuckDB (so any size fits the memory), get
their hash as name, and count from the moment at which the manifest is renamed. A crash leaves the old base.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.database import open_database
from asof.facts.intake import Intake, Inverted
from asof.facts.labels import language_of, write_labels
from asof.facts.manifest import MANIFEST, Manifest, Part, quoted, sha256_of
from asof.facts.rejects import Rejects
from asof.facts.schema import ENTITIES, FACTS, KEYS, RELATIONS, SORT_KEYS, TABLES
from asof.lock import only_writer
from asof.timeline import Date
from asof.whole_file import sync_folder

_ROWS_PER_GROUP = 4_096  # small, so that a query on one subject decodes little
_GROUPS_PER_PART = 25  # and that the description of a file stays short, however many facts there are
_MEMORY_LIMIT = "250MB"  # what does not fit goes to disk; with Arrow beside it, a writer stays near 500 MB
_STAGING = ".staging"
_WORK = ".mining"  # what a source has finished; it stays when the writer is stopped and goes when the base is there

FOLD_NAME = "strip_accents(lower({}))"  # how names are compared, in SQL


class Source(Protocol):
    """Where facts come from. Entities and relations are asked for after the last fact."""

    @property
    def name(self) -> str:
        """A word for messages and the manifest."""

    @property
    def known_by(self) -> Date | None:
        """The day up to which "ongoing" is known to be true."""

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give the facts in batches that came through the intake."""

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give what is known of entities; those left out get their id as label."""

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give what is known of relations; those left out get their id as label."""


def write_base(
    folder: Path,
    sources: Sequence[Source],
    *,
    name: str | None = None,
    inverted: Inverted = Inverted.REJECT,
    known_by: Date | None = None,
    progress: Callable[[int], None] = lambda rows: None,
    selection: dict[str, Any] | None = None,
) -> tuple[Manifest, Intake]:
    """Write the facts of sources as a base in a folder, in the place of the base that is there.

    Args:
        known_by: The day up to which the facts are known; by default the latest that the sources state.
        progress: Called with the number of rows of each batch that was read.
        selection: How the facts were selected from another base, for the manifest.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file. Give a folder for the base.")
    if folder.is_dir() and any(folder.iterdir()) and not _is_base_or_leftover(folder):
        raise UserError(f"{folder} is not empty and holds no base. Give a new folder, so that nothing is overwritten.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with only_writer(folder), _staging(folder) as staging:
            intake = Intake(rejects=Rejects(staging / "rejects.jsonl"), inverted=inverted, work=folder / _WORK)
            _stage_facts(staging, sources, intake, progress)
            _stage_table(staging, "entities", ENTITIES, (batch for source in sources for batch in source.entities()))
            _stage_table(staging, "relations", RELATIONS, (batch for source in sources for batch in source.relations()))
            intake.rejects.close()
            if not intake.taken and intake.rejects.count:
                raise UserError(_nothing_taken(intake))
            stated = [source.known_by for source in sources if source.known_by]
            believed = known_by or max(stated, default=None)
            manifest = Manifest(
                name=name or folder.name,
                sources=[source.name for source in sources],
                known_by=str(believed) if believed else None,
                tables=_sorted_tables(staging) | write_labels(staging, sources),
                language=language_of(sources),
                rejects=_rejects_part(staging, intake),
                selection=selection,
            )
            for file in manifest.files:
                (staging / file).replace(folder / file)
            sync_folder(folder)
            manifest.put_in_place(folder)
            _remove_strangers(folder, manifest)
            shutil.rmtree(folder / _WORK, ignore_errors=True)
    except (OSError, duckdb.Error) as error:
        raise _writing_failed(folder, error) from error
    return manifest, intake


def _stage_facts(staging: Path, sources: Sequence[Source], intake: Intake, progress: Callable[[int], None]) -> None:
    def batches() -> Iterator[pa.RecordBatch]:
        for source in sources:
            for batch in source.facts(intake):
                progress(batch.num_rows)
                yield batch

    _stage_table(staging, "facts", FACTS, batches())


def _stage_table(staging: Path, table: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> None:
    quickly: dict[str, Any] = {"compression": "lz4", "write_statistics": False, "use_dictionary": False}
    with pq.ParquetWriter(staging / f"{table}.parquet", schema, **quickly) as writer:
        for batch in batches:
            writer.write_batch(batch)


def _sorted_tables(staging: Path) -> dict[str, list[Part]]:
    """Sort and complete the staged tables and cut them into files that carry their hash as name."""
    with open_database() as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY_LIMIT}'")
        connection.execute(f"SET temp_directory = {quoted(staging / 'spill')}")
        for staged in ("facts", "entities", "relations"):
            path = quoted(staging / f"{staged}.parquet")
            connection.execute(f"CREATE VIEW {staged} AS SELECT * FROM read_parquet({path})")
        parts: dict[str, list[Part]] = {}
        for table in TABLES:
            parts[table] = _sorted_parts(connection, staging, table)
            files = ", ".join(quoted(staging / part.path) for part in parts[table])
            connection.execute(f"CREATE VIEW sorted_{table} AS SELECT * FROM read_parquet([{files}])")
        return parts


def _sorted_parts(connection: duckdb.DuckDBPyConnection, staging: Path, table: str) -> list[Part]:
    query = connection.sql(f"SELECT * FROM ({_COMPLETED[table]}) ORDER BY {SORT_KEYS[table]}")
    groups = _groups_of_equal_size(query.to_arrow_reader(_ROWS_PER_GROUP), TABLES[table])
    parts = [_part(staging, table, islice(groups, _GROUPS_PER_PART))]  # there is one part at least, be it empty
    for group in groups:
        parts.append(_part(staging, table, chain([group], islice(groups, _GROUPS_PER_PART - 1))))
    return parts


def _part(staging: Path, table: str, groups: Iterable[pa.Table]) -> Part:
    target = staging / f"{table}.sorted"
    rows = 0
    ends: list[str] = []
    with pq.ParquetWriter(target, TABLES[table], compression="zstd", write_page_index=True) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=_ROWS_PER_GROUP)
            rows += group.num_rows
            keys = group[KEYS[table]]
            ends = [ends[0] if ends else keys[0].as_py(), keys[-1].as_py()]
    return _named_by_hash(target, table, ".parquet", rows, *ends)


def _groups_of_equal_size(reader: pa.RecordBatchReader, schema: pa.Schema) -> Iterator[pa.Table]:
    """Cut a stream into row groups whose borders do not depend on how many threads made it."""
    waiting = reader.schema.empty_table()
    for batch in reader:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch])])
        while waiting.num_rows >= _ROWS_PER_GROUP:
            yield waiting.slice(0, _ROWS_PER_GROUP).combine_chunks().cast(schema)
            waiting = waiting.slice(_ROWS_PER_GROUP)
    if waiting.num_rows:
        yield waiting.combine_chunks().cast(schema)


# What is written for each table. An entity that several sources describe keeps the fullest description; one that no
# source describes is known by its id. Where no source rates popularity, it is how often facts mention an entity.
_COMPLETED = {
    "facts": "SELECT * FROM facts",
    "entities": """
        WITH mentioned AS (
            SELECT thing AS id, count(*) AS mentions
            FROM (SELECT subject AS thing FROM facts UNION ALL SELECT object FROM facts) GROUP BY ALL
        ), described AS (
            SELECT id, arg_max(struct_pack(label, aliases, description, kind, popularity),
                (coalesce(popularity, 0), len(aliases), label)) AS best
            FROM entities GROUP BY id
        ), rated AS (SELECT count(popularity) > 0 AS any_rating FROM entities)
        SELECT coalesce(described.id, mentioned.id) AS id,
            coalesce(best.label, mentioned.id) AS label,
            coalesce(best.aliases, CAST([] AS VARCHAR[])) AS aliases,
            best.description AS description, best.kind AS kind,
            CASE WHEN any_rating THEN best.popularity ELSE CAST(coalesce(mentions, 0) AS DOUBLE) END AS popularity
        FROM described FULL JOIN mentioned ON described.id = mentioned.id CROSS JOIN rated
    """,
    "relations": """
        WITH used AS (SELECT DISTINCT relation AS id FROM facts), described AS (
            SELECT id, arg_max(struct_pack(label, aliases, one_at_a_time),
                (one_at_a_time IS NOT NULL, len(aliases), label)) AS best
            FROM relations GROUP BY id
        )
        SELECT used.id, coalesce(best.label, used.id) AS label,
            coalesce(best.aliases, CAST([] AS VARCHAR[])) AS aliases, best.one_at_a_time AS one_at_a_time
        FROM used LEFT JOIN described ON used.id = described.id
    """,
}
_COMPLETED["names"] = f"""
    WITH named AS (
        SELECT label AS name, id AS entity, true AS is_label FROM sorted_entities
        UNION ALL SELECT unnest(aliases), id, false FROM sorted_entities
    )
    SELECT {FOLD_NAME.format("name")} AS name, entity, bool_or(is_label) AS is_label FROM named GROUP BY ALL
"""


def _named_by_hash(path: Path, table: str, ending: str, rows: int, *ends: str) -> Part:
    digest = sha256_of(path)
    named = path.with_name(f"{table}-{digest[:12]}{ending}")
    path.replace(named)
    with named.open("rb") as file:
        os.fsync(file.fileno())
    return Part(named.name, rows, named.stat().st_size, digest, *ends)


def _rejects_part(staging: Path, intake: Intake) -> Part | None:
    return (
        _named_by_hash(staging / "rejects.jsonl", "rejects", ".jsonl", intake.rejects.count)
        if intake.rejects.count
        else None
    )


@contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    staging = folder / _STAGING
    shutil.rmtree(staging, ignore_errors=True)  # left by a writer that was killed
    staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _remove_strangers(folder: Path, manifest: Manifest) -> None:
    """Delete the data files of earlier versions."""
    for path in folder.iterdir():
        old = path.name.split("-")[0] in (*TABLES, "labels", "rejects") and path.suffix in (".parquet", ".jsonl")
        if old and path.name not in manifest.files:
            path.unlink()


def _is_base_or_leftover(folder: Path) -> bool:
    return any((folder / name).exists() for name in (MANIFEST, ".lock", _STAGING, _WORK))


def _nothing_taken(intake: Intake) -> str:
    reasons = "\n".join(f"  {reason}" for reason in intake.rejects.shown)
    return f"Not one of {intake.rejects.count:,} rows could be taken, so nothing was written. The first:\n{reasons}"


def _writing_failed(folder: Path, error: Exception) -> UserError:
    kept = "The base that was there is unchanged." if (folder / MANIFEST).exists() else "No base was written."
    kept += " What is mined so far is kept: the same command goes on." if (folder / _WORK).exists() else ""
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)
    if full:
        return UserError(f"The disk of {folder} is full. {kept} Free some space or choose another disk with --to.")
    return UserError(f"Could not write {folder}: {error}. {kept}")
