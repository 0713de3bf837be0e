"""The published TimeQA questions: question, accepted answers, document, and what kind of question it is.

Rows are JSON lines, gzip or plain. Parts (train, dev, test) are chosen by a hash of the page, so all questions about a
page are in one part, whichever file they come from.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import unquote

from asof.errors import UserError
from asof.reading.documents import Document

Part = Literal["train", "dev", "test"]
_TRAIN, _DEV = 60, 75  # of 100: the rest is for the test


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

    @property
    def part(self) -> Part:
        """Which part of the data its page belongs to."""
        return part_of(self.entity)


def part_of(entity: str) -> Part:
    """Return the part of the data that a page belongs to.

    >>> part_of("/wiki/Newton_D._Baker_House"), part_of("/wiki/Dennis_Quaid")
    ('dev', 'train')
    """
    place = int(hashlib.sha256(entity.encode()).hexdigest(), 16) % 100
    return "train" if place < _TRAIN else "dev" if place < _DEV else "test"


def read_timeqa(path: Path, *, mode: str | None = None) -> list[ReadingItem]:
    """Read a published file; its mode (easy, hard) is a word of its name unless it is given."""
    mode = mode or next((word for word in ("easy", "hard") if word in path.name), "")
    documents: dict[tuple[str, int], Document] = {}
    found = []
    for number, row in enumerate(_rows(path), start=1):
        try:
            entity, relation, _ = row["idx"].rsplit("#", 2)
            key = (entity, len(row["context"]))
            if key not in documents:
                title = unquote(entity.removeprefix("/wiki/")).replace("_", " ")
                documents[key] = Document.from_timeqa(title, row["context"], row["paragraphs"])
            answers = tuple(answer for answer in row["targets"] if answer.strip())
            found.append(ReadingItem(row["idx"], row["question"], answers, documents[key], entity, relation, mode))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise UserError(
                f"{path}, line {number} is no TimeQA question ({type(error).__name__}: {error}). "
                "It needs idx, question, context, targets and paragraphs."
            ) from error
    return found


def read_timeqa_folder(folder: Path) -> list[ReadingItem]:
    """Read every question file of a folder, those of *.easy.* and *.hard.*."""
    paths = sorted(path for path in folder.glob("*.json*") if ".easy." in path.name or ".hard." in path.name)
    if not paths:
        raise UserError(f"{folder} has no TimeQA questions: no file is called NAME.easy.json or NAME.hard.json.gzip.")
    return [item for path in paths for item in read_timeqa(path)]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open("rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rt", encoding="utf-8") if zipped else path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, start=1):
                try:
                    yield json.loads(line)
                except ValueError as error:
                    raise UserError(f"{path}, line {number} is no JSON ({error}). Fetch the file again.") from error
    except (OSError, EOFError, UnicodeDecodeError) as error:
        raise UserError(f"{path} could not be read: {error}") from error
