"""A reader in the place of a model: it answers the items of a benchmark from the documents that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from asof.benchmarks import BenchmarkDocument, Item
from asof.reading.answers import Answer, Reader, read_all
from asof.reading.documents import Document
from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times

_LENGTHS = (500, 1500, 4000)  # words: borders between groups of documents of about equal number


class ReaderAsModel:
    """The verb ``read``: items in, answers with their evidence out."""

    can: ClassVar[frozenset[str]] = frozenset({"read"})

    def __init__(self, reader: Reader, documents: Mapping[str, BenchmarkDocument]) -> None:
        self.name = reader.name
        self._reader, self._texts = reader, documents
        self._documents: dict[str, Document] = {}

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        return self._reader.describe()

    def cannot_read(self, item: Item) -> str:
        """Return why an item cannot be answered, nothing when it can."""
        if self._reader.needs_document and item.tags.get("document") not in self._texts:
            return "it names no document, and the reader reads one; build the benchmark with --pages"
        return ""

    def read(self, items: Sequence[Item]) -> list[dict[str, Any]]:
        """Answer items, those on one document together, in their order."""
        documents = [self._document(str(item.tags.get("document") or "")) for item in items]
        asked = [(item.prompt, document) for item, document in zip(items, documents, strict=True)]
        rows = [_row(answer) for answer in read_all(self._reader, asked)]
        for row, item, document in zip(rows, items, documents, strict=True):
            if item.tags.get("document"):
                row["length"] = _length(document)
                row["told"] = "explicit time" if explicit(item, document) else "implicit time"
        return rows

    def _document(self, id: str) -> Document:
        if id not in self._documents:
            text = self._texts.get(id)
            self._documents[id] = Document.from_benchmark(text) if text else Document("", ())
        return self._documents[id]


def _row(answer: Answer) -> dict[str, Any]:
    found: dict[str, Any] = {"text": answer.text, "probability": answer.probability}
    if answer.evidence:
        best = asdict(answer.evidence[0])
        found |= {name: best[name] for name in ("sentence", "interval", "verdict")}
    return found


def _length(document: Document) -> str:
    words = document.words
    for border in _LENGTHS:
        if words <= border:
            return f"up to {border:,} words"
    return f"over {_LENGTHS[-1]:,} words"


def explicit(item: Item, document: Document) -> bool:
    """Tell whether the borders of the asked time stand in a sentence that has one of the answers (section 4.6)."""
    asked = asked_time(item.prompt)
    wanted = {day for time in find_times(asked.text) for day in (time.first, time.last)}
    telling = (text for text in map(document.text_of, document.sentences) if any(one in text for one in item.answers))
    return any(wanted & {day for time in find_times(text) for day in (time.first, time.last)} for text in telling)
