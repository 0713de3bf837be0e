"""What a person decided, line by line: ``annotations/NAME.jsonl`` in the folder of the benchmark.

A line is on the disk before it is confirmed, and no line is ever changed; of several about one item the last counts.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

from asof.benchmarks import Benchmark, BenchmarkDocument
from asof.errors import UserError
from asof.lock import hold_lock

_FOLDER = "annotations"
_SPAN = re.compile(r"(\d+):(\d+)-(\d+)")

Span = tuple[int, int, int]  # paragraph, first letter, letter after the last


@dataclass(frozen=True, slots=True)
class Decision:
    """What a person says of one item: where its answers stand, none when it has no answer in the text."""

    item: str
    spans: tuple[Span, ...]
    note: str = ""
    at: str = ""

    @property
    def answerable(self) -> bool:
        """Whether the text has an answer."""
        return bool(self.spans)


def read_spans(text: str | None) -> tuple[Span, ...]:
    """Read the spans of an item as its tag has them.

    >>> read_spans("18:11-23; 30:4-9")
    ((18, 11, 23), (30, 4, 9))
    """
    return tuple((int(one[1]), int(one[2]), int(one[3])) for one in _SPAN.finditer(text or ""))


def written_spans(spans: Iterable[Span]) -> str:
    """Write spans as the tag of an item has them."""
    return "; ".join(f"{paragraph}:{start}-{end}" for paragraph, start, end in spans)


def words_at(document: BenchmarkDocument, span: Span) -> str:
    """Return the words of a span, or say that there is no such place."""
    paragraph, start, end = span
    if not (0 <= paragraph < len(document.paragraphs) and 0 <= start < end <= len(document.paragraphs[paragraph])):
        raise UserError(f"{document.title} has no letters {start} to {end} in paragraph {paragraph}.")
    return document.paragraphs[paragraph][start:end]


def path_of(benchmark: Benchmark, name: str) -> Path:
    """Return the file of a person."""
    if not re.fullmatch(r"[\w][\w.-]{0,60}", name):
        raise UserError(f"{name!r} cannot be the name of a file. Use letters, digits, '.', '-' and '_': --as anna")
    return benchmark.folder / _FOLDER / f"{name}.jsonl"


def people(benchmark: Benchmark) -> list[str]:
    """List who has worked on a benchmark."""
    return sorted(path.stem for path in (benchmark.folder / _FOLDER).glob("*.jsonl"))


def read_work(benchmark: Benchmark, name: str) -> dict[str, Decision]:
    """Return what a person decided, the last word on each item.

    A last line without its end was being written when the machine stopped; it was never confirmed and does not count.
    """
    path = path_of(benchmark, name)
    if not path.is_file():
        return {}
    found: dict[str, Decision] = {}
    *lines, _ = path.read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            content = json.loads(line)
            if content["items_sha256"] != benchmark.items_sha256:
                raise UserError(
                    f"{path}, line {number} is about other items: the benchmark was built again. Move the file "
                    "away, or build the benchmark as it was."
                )
            spans = tuple((int(one[0]), int(one[1]), int(one[2])) for one in content["spans"])
            found[content["item"]] = Decision(content["item"], spans, content.get("note", ""), content.get("at", ""))
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise UserError(f"{path}, line {number} is broken ({error}). Delete the line and try again.") from error
    return found


@contextmanager
def open_work(benchmark: Benchmark, name: str) -> Iterator[Work]:
    """Open the file of a person to add to it; only one at a time can."""
    path = path_of(benchmark, name)
    path.parent.mkdir(exist_ok=True)
    otherwise = f"{name} is annotating in another window. Close that window, or use another name: --as NAME"
    with hold_lock(path.with_suffix(".lock"), otherwise=otherwise), path.open("ab+") as file:
        _drop_torn_line(file)
        yield Work(benchmark, file, read_work(benchmark, name))


def _drop_torn_line(file: IO[bytes]) -> None:
    file.seek(0)
    content = file.read()
    if content and not content.endswith(b"\n"):
        file.truncate(content.rfind(b"\n") + 1)
    file.seek(0, os.SEEK_END)


class Work:
    """A person's decisions, and the file to which more are added."""

    def __init__(self, benchmark: Benchmark, file: IO[bytes], decisions: dict[str, Decision]) -> None:
        self.decisions = decisions
        self._benchmark = benchmark
        self._file = file

    def decide(self, decision: Decision) -> None:
        """Write a decision to the disk; it is there when this returns."""
        at = datetime.now(UTC).isoformat(timespec="seconds")
        content: dict[str, Any] = asdict(decision) | {"at": at, "items_sha256": self._benchmark.items_sha256}
        self._file.write(json.dumps(content, ensure_ascii=False).encode() + b"\n")
        self._file.flush()
        os.fsync(self._file.fileno())
        self.decisions[decision.item] = decision
