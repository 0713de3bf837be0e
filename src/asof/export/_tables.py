"""The tables of a benchmark: its items, the documents that they are about, and what it counted of itself."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from asof.benchmarks import Benchmark, documents, documents_table

# What the columns that every benchmark has are for; the others are tags, which differ from kind to kind.
_MEANING = {
    "items": {
        "id": "The id of the item.",
        "prompt": "What a model reads; _X_ stands for a blank to fill.",
        "answers": "Every accepted answer; none where the right answer is that there is none.",
        "group": "The fact that the item is about: items of one fact are not independent.",
    },
    "documents": {
        "id": "The id of the document: the tag document of the items.",
        "title": "The title of the document.",
        "paragraphs": "The text of the document.",
        "headings": "The heading that each paragraph stands under.",
    },
    "statistics": {},
}
_TAGS = {
    "subject": "The subject of the fact.",
    "subject_label": "The name of the subject.",
    "relation": "The relation.",
    "relation_label": "The name of the relation.",
    "period": "The period that the item asks about.",
    "date": "The date in the prompt; none where it names none.",
    "precision": "The precision of the date: year, month or day; none without a date.",
    "verdict": "Whether the fact holds then: correct, incorrect or transitional; no context without a date.",
    "alpha": "How far the date is from the middle of the fact, in its lengths.",
    "start": "When the fact began.",
    "end": "When the fact ended.",
    "popularity": "How well known the subject is, by the source.",
    "first_day": "The first day asked about, counted from 1 January 1970.",
    "last_day": "The last day asked about.",
    "split": "Compared with the period before: unchanged, updated or new.",
    "previous": "The most recent answer that is no longer right: what an outdated model says.",
    "since": "The period since which exactly these answers are right.",
    "labels": "The number of answers, from the first, that are names; the others are aliases.",
    "level": "easy or hard.",
    "specifier": "How the question names its time.",
    "time": "The time in the question.",
    "answerable": "1 when there is a right answer.",
    "objects": "How many right answers there are, whatever they are called.",
    "document": "The id of the document that tells the answer.",
    "spans": "Where in the document answers stand: paragraph:first-last letter.",
}


@dataclass(frozen=True)
class ExportTable:
    """One table: its name, what it holds, and the file of the benchmark that has it, if one does."""

    name: str
    arrow: pa.Table
    file: Path | None = None

    def save(self, path: Path) -> None:
        """Write it as Parquet: the very file of the benchmark where there is one, so that its hash stays the same."""
        if self.file is not None:
            path.write_bytes(self.file.read_bytes())
        else:
            pq.write_table(self.arrow, path, compression="zstd")

    @cached_property
    def columns(self) -> list[tuple[str, pa.DataType, str]]:
        """Name, type and meaning of each column."""
        known = (_TAGS if self.name == "items" else {}) | _MEANING.get(self.name, {})
        usual = "A count." if self.name == "statistics" else "A tag of the items."
        return [(field.name, field.type, known.get(field.name, usual)) for field in self.arrow.schema]


def tables(benchmark: Benchmark) -> Iterator[ExportTable]:
    """Walk over the tables that a benchmark has."""
    yield ExportTable("items", benchmark.table(), benchmark.folder / "items.parquet")
    texts = documents(benchmark)
    if texts:
        yield ExportTable("documents", documents_table(texts.values()), benchmark.folder / "documents.parquet")
    counts = benchmark.statistics()
    if counts is not None:
        yield ExportTable("statistics", counts)


def counted(tables: Iterable[ExportTable]) -> str:
    """Say how many rows tables have.

    >>> items = pa.table({"id": ["a", "b"]})
    >>> counted([ExportTable("items", items), ExportTable("statistics", pa.table({"facts": [1]}))])
    '2 items, 1 statistics.'
    """
    return ", ".join(f"{table.arrow.num_rows:,} {table.name}" for table in tables) + "."
