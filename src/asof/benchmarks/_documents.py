"""The texts that the items of a benchmark are about: ``documents.parquet``, one row for each.

A document is its paragraphs; an answer stands in one of them, from one letter to before another ("18:11-23").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq

from asof.benchmarks._folder import Benchmark
from asof.errors import UserError
from asof.facts.manifest import sha256_of

_FILE = "documents.parquet"
_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string(), nullable=False),
        pa.field("title", pa.string(), nullable=False),
        pa.field("paragraphs", pa.list_(pa.string()), nullable=False),
        pa.field("headings", pa.list_(pa.string()), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class BenchmarkDocument:
    """A text: its paragraphs, and above each the heading that it stands under ("" where there is none)."""

    id: str
    title: str
    paragraphs: tuple[str, ...]
    headings: tuple[str, ...]

    @property
    def words(self) -> int:
        """How many words it has."""
        return sum(len(paragraph.split()) for paragraph in self.paragraphs)


def documents(benchmark: Benchmark) -> dict[str, BenchmarkDocument]:
    """Read the documents of a benchmark by their id; none when its items are about no text."""
    path = benchmark.folder / _FILE
    if benchmark.documents_sha256 is None:
        return {}
    if not path.is_file() or sha256_of(path) != benchmark.documents_sha256:
        raise UserError(f"{path} does not match its hash in benchmark.toml. Build the benchmark again.")
    return {
        row["id"]: BenchmarkDocument(row["id"], row["title"], tuple(row["paragraphs"]), tuple(row["headings"]))
        for row in pq.read_table(path).to_pylist()
    }


def documents_table(texts: Iterable[BenchmarkDocument]) -> pa.Table:
    """Return documents as the table that is written, in the order of their ids."""
    ordered = sorted(texts, key=lambda text: text.id)
    rows = [
        {"id": text.id, "title": text.title, "paragraphs": list(text.paragraphs), "headings": list(text.headings)}
        for text in ordered
    ]
    return pa.Table.from_pylist(rows, schema=_SCHEMA)
