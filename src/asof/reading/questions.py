"""Questions to learn from and to move: of a benchmark folder, or of the published TimeQA files.

Of the published files the test part is left out: nothing may learn from it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from asof.benchmarks import documents, read_benchmark
from asof.benchmarks.timeqa.files import timeqa_file
from asof.benchmarks.timeqa.parts import part_of, question_files
from asof.errors import UserError
from asof.reading.documents import Document


@dataclass(frozen=True)
class ReadingItem:
    """One question about a document. No answers: the document does not tell."""

    id: str
    question: str
    answers: tuple[str, ...]
    document: Document
    entity: str
    relation: str
    mode: str

    @property
    def history(self) -> str:
        """The time-evolving fact that the question is about."""
        return f"{self.entity}#{self.relation}"


def read_questions(path: Path) -> list[ReadingItem]:
    """Read the questions of a benchmark folder, or of published files those that may be learnt from."""
    if (path / "benchmark.toml").is_file():
        return list(_of_benchmark(path))
    found = [item for file in question_files(path) for item in _of_file(file)]
    if not found:
        raise UserError(f"{path} has no question outside the test part, which is not for learning.")
    return found


def _of_benchmark(folder: Path) -> Iterator[ReadingItem]:
    benchmark = read_benchmark(folder)
    texts = {id: Document.from_benchmark(text) for id, text in documents(benchmark).items()}
    if not texts:
        raise UserError(f"{folder} has questions, but no documents to read. Build it with --pages, or of TimeQA files.")
    for item in benchmark.items():
        document = texts.get(str(item.tags.get("document")))
        if document is not None:
            of = {name: str(item.tags.get(name, "")) for name in ("subject", "relation", "level")}
            yield ReadingItem(
                item.id, item.prompt, item.answers, document, of["subject"] or item.group, of["relation"], of["level"]
            )


def _of_file(path: Path) -> Iterator[ReadingItem]:
    found = timeqa_file(path)
    texts = {id: Document.from_benchmark(text) for id, text in found.documents.items()}
    for one in found.questions:
        if part_of(one.link) != "test":
            yield ReadingItem(
                one.id, one.question, one.answers, texts[one.document], one.link, one.relation, found.level
            )
