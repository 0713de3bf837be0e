"""Facts with their time as training sets for other tools, by name: one file each, ``asof export RUN --as NAME``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from asof.errors import UserError
from asof.teaching.date_pool import PRECISIONS, DatePool
from asof.teaching.drill import FactDrawer
from asof.teaching.lesson import TeachingLesson
from asof.whole_file import whole_folder, write_text

__all__ = ["RECORD", "Rows", "SetRequest", "TrainingSet", "draws", "write_set"]

RECORD = "export.toml"
Rows = Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class SetRequest:
    """How much of each fact is drawn.

    Args:
        dates: Right dates of a fact, and as many wrong ones.
    """

    dates: int = 6
    seed: int = 0


class TrainingSet(Protocol):
    """A way to write the facts of a lesson as another tool trains on them."""

    def files(self, lesson: TeachingLesson, wanted: SetRequest) -> Mapping[str, Rows]:
        """Return the rows of each file."""

    def next_step(self, folder: Path) -> str:
        """Say which tool reads it, and how."""


def draws(lesson: TeachingLesson, wanted: SetRequest, pools: Sequence[DatePool]) -> Iterator[FactDrawer]:
    """Draw dates of facts, the same each time."""
    for pool in pools:
        yield lesson.drawer(pool, PRECISIONS, wanted.seed, (5,))


def write_set(kind: TrainingSet, lesson: TeachingLesson, wanted: SetRequest, folder: Path) -> list[str]:
    """Write a training set to a folder, whole or not at all; return what a person should know of it."""
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file. Choose another folder with -o.")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / RECORD).is_file():
        raise UserError(f"{folder} is not empty and is not an export. Choose another folder with -o.")
    told = []
    try:
        with whole_folder(folder.resolve()) as new:
            for name, rows in kind.files(lesson, wanted).items():
                lines = [json.dumps(row, ensure_ascii=False) for row in rows]
                as_list = name.endswith(".json")
                text = "[\n" + ",\n".join(lines) + "\n]\n" if as_list else "".join(f"{line}\n" for line in lines)
                write_text(new / name, text)
                told.append(f"{name}: {len(lines):,} rows about {len(lesson.taught):,} facts of {lesson.base}.")
            write_text(new / RECORD, f'base = {json.dumps(lesson.base)}\nfacts = "{lesson.sha256}"\n')
    except OSError as error:
        raise UserError(f"Could not write {folder}: {error.strerror or error}. Nothing was changed.") from error
    return [*told, f"Next: {kind.next_step(folder)}"]
