"""Names in further languages: the table ``labels`` of a base, which it has only where a source gives some.

The entities of a base have their names in one language, which the manifest names where the sources agree on it. A
source that knows other languages has a method ``labels`` beside ``entities``: id, language, label.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.parquet as pq

from asof.facts.database import open_database
from asof.facts.manifest import Part, quoted, sha256_of
from asof.facts.schema import LABELS, SORT_KEYS

_ROWS_PER_GROUP = 4_096
_GROUPS_PER_PART = 25
_MEMORY_LIMIT = "250MB"  # what does not fit goes to disk


@runtime_checkable
class NamesInLanguages(Protocol):
    """A source that knows names in several languages; asked after its entities."""

    def labels(self) -> Iterable[pa.RecordBatch]:
        """Give names of entities in other languages than that of ``entities``."""


def language_of(sources: Sequence[Any]) -> str | None:
    """Return the language of the names of entities, where all sources say the same."""
    said = {getattr(source, "language", None) for source in sources}
    return said.pop() if len(said) == 1 else None


def labels_batch(named: Sequence[tuple[str, str]], language: str) -> pa.RecordBatch:
    """Return names in a language, each with the id of what it names, as a batch."""
    ids, labels = ([pair[side] for pair in named] for side in (0, 1))
    columns = [pa.array(ids, pa.string()), pa.repeat(language, len(ids)), pa.array(labels, pa.string())]
    return pa.RecordBatch.from_arrays(columns, schema=LABELS)


def write_labels(staging: Path, sources: Sequence[Any]) -> dict[str, list[Part]]:
    """Sort the names that sources give and write them to files; return the table, or nothing where there are none."""
    staged = staging / "labels.parquet"
    with pq.ParquetWriter(staged, LABELS, compression="lz4") as writer:
        for source in sources:
            for batch in source.labels() if isinstance(source, NamesInLanguages) else ():
                writer.write_batch(batch)
    with open_database() as connection:
        connection.execute(f"SET memory_limit = '{_MEMORY_LIMIT}'")
        connection.execute(f"SET temp_directory = {quoted(staging / 'spill')}")
        query = f"""
            SELECT id, language, min(label) AS label FROM read_parquet({quoted(staged)})
            GROUP BY ALL ORDER BY {SORT_KEYS["labels"]}
        """
        groups = _groups(connection.sql(query).to_arrow_reader(_ROWS_PER_GROUP))
        parts = []
        while first := next(groups, None):
            parts.append(_part(staging, chain([first], islice(groups, _GROUPS_PER_PART - 1))))
    return {"labels": parts} if parts else {}


def _groups(reader: pa.RecordBatchReader) -> Iterator[pa.Table]:
    """Cut a stream into row groups of the same size, however many threads made it."""
    waiting = LABELS.empty_table()
    for batch in reader:
        waiting = pa.concat_tables([waiting, pa.Table.from_batches([batch]).cast(LABELS)])
        while waiting.num_rows >= _ROWS_PER_GROUP:
            yield waiting.slice(0, _ROWS_PER_GROUP).combine_chunks()
            waiting = waiting.slice(_ROWS_PER_GROUP)
    if waiting.num_rows:
        yield waiting.combine_chunks()


def _part(staging: Path, groups: Iterable[pa.Table]) -> Part:
    path = staging / "labels.sorted"
    rows, ends = 0, ["", ""]
    with pq.ParquetWriter(path, LABELS, compression="zstd", write_page_index=True) as writer:
        for group in groups:
            writer.write_table(group, row_group_size=_ROWS_PER_GROUP)
            ends = [ends[0] if rows else group["id"][0].as_py(), group["id"][-1].as_py()]
            rows += group.num_rows
    digest = sha256_of(path)
    named = path.replace(path.with_name(f"labels-{digest[:12]}.parquet"))
    return Part(named.name, rows, named.stat().st_size, digest, *ends)
