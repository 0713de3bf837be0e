"""A reader in the place of a model: it answers the items of a benchmark from the documents that they name.

A page that a reader cannot read costs the items on it, not the run: they are kept with the error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, ClassVar

from asof.benchmarks import Benchmark, BenchmarkDocument, Item
from asof.benchmarks import documents as documents_of
from asof.models import Model
from asof.probes import failed
from asof.probes.write_answer import WriteAnswer
from asof.reading.answers import ODD_PAGE, Answer, Reader, ReadsPairs
from asof.reading.documents import Document
from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times

_LENGTHS = (500, 1500, 4000)  # words: borders between groups of documents of about equal number


class ReaderAsModel:
    """The verb ``read``: items in, answers with their evidence out."""

    can: ClassVar[frozenset[str]] = frozenset({"read"})

    def __init__(
        self, reader: Reader, documents: Mapping[str, BenchmarkDocument], *, name: str = "", items_at_once: int = 0
    ) -> None:
        self.name = name or reader.name
        self.items_at_once = items_at_once  # of a model behind an address
        self._reader, self._texts = reader, documents
        self._documents: dict[str, Document] = {}

    def __repr__(self) -> str:
        return f"<reader {self.name!r} as a model: {', '.join(sorted(self.can))}>"

    def describe(self) -> dict[str, str]:
        """Return what identifies the reader."""
        return self._reader.describe()

    def cannot_read(self, item: Item) -> str:
        """Return why an item cannot be answered, nothing when it can."""
        if self._reader.needs_document and item.tags.get("document") not in self._texts:
            return "it names no document, and the reader reads one; build the benchmark with --pages"
        return ""

    def read(self, items: Sequence[Item]) -> Iterator[dict[str, Any]]:
        """Answer items in their order, each as it comes; those that a reader reads best together, together."""
        if isinstance(self._reader, ReadsPairs):
            size = self._reader.texts_at_once
            for start in range(0, len(items), size):
                yield from self._answered(items[start : start + size])
            return
        on_document: dict[str, list[Item]] = {}
        for item in items:
            on_document.setdefault(_document_id(item), []).append(item)
        rows: dict[str, dict[str, Any]] = {}
        for item in items:
            if item.id not in rows:
                together = on_document[_document_id(item)]
                rows |= zip((one.id for one in together), self._answered(together), strict=True)
            yield rows.pop(item.id)

    def _answered(self, items: Sequence[Item]) -> list[dict[str, Any]]:
        """Answer items together; one by one when that fails, so that only those are lost that cannot be read."""
        try:
            documents = [self._document(_document_id(item)) for item in items]
            questions = [item.prompt for item in items]
            if isinstance(self._reader, ReadsPairs):
                answers = self._reader.read_pairs(list(zip(questions, documents, strict=True)))
            else:
                answers = self._reader.read_many(questions, documents[0])
            return [_row(*one) for one in zip(answers, items, documents, strict=True)]
        except ODD_PAGE as error:
            if len(items) > 1:
                return [row for item in items for row in self._answered([item])]
            where = _document_id(items[0]) or "a question without a document"
            return [failed(f"{where} could not be read ({type(error).__name__}: {error})")]

    def _document(self, id: str) -> Document:
        if id not in self._documents:
            text = self._texts.get(id)
            self._documents[id] = Document.from_benchmark(text) if text else Document("", ())
        return self._documents[id]


def with_documents(model: Model, benchmark: Benchmark, probe: WriteAnswer) -> Model:
    """Show a language model passages of the documents that items name; one whose items name none stays as it is."""
    from asof.reading.readers.language_model import LanguageModelReader

    texts = documents_of(benchmark)
    if not texts or probe.closed_book or "write" not in model.can:
        return model
    reader = LanguageModelReader(model.name, model=model, passages=probe.passages, most_tokens=probe.most_tokens)
    return ReaderAsModel(reader, texts, name=model.name, items_at_once=getattr(model, "items_at_once", 0))


def _document_id(item: Item) -> str:
    return str(item.tags.get("document") or "")


def _row(answer: Answer, item: Item, document: Document) -> dict[str, Any]:
    """Return what a run keeps: the answer, what speaks for it, and by what groups of items differ."""
    found: dict[str, Any] = {"text": answer.text, "probability": answer.probability}
    if answer.written is not None:
        found["written"] = answer.written
    if answer.evidence:
        best = asdict(answer.evidence[0])
        found |= {name: best[name] for name in ("sentence", "interval", "verdict")}
    if item.tags.get("document"):
        found["length"] = _length(document)
        found["told"] = "explicit time" if explicit(item, document) else "implicit time"
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
