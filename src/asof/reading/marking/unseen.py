"""Marks of pages by markers that have not been taught by them: pages are dealt into folds, each fold has its marker.

All begin with the same weights, taught by general questions, so what they say is on one scale. The first of them goes
on to read other pages: what it says of those is like what the trees were taught by.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.reading.features import Features
from asof.reading.marking.marker import CandidateMarks, MarkerFile, PieceMap, SpanMarker, mark_columns
from asof.reading.training_pages import QuestionLesson
from asof.whole_file import write_text, write_whole

OnMessage = Callable[[str], None]
_NETWORK, _TOKENIZER, _COURSE = "marker-{}.onnx", "tokenizer.json", "course.json"


@dataclass(frozen=True, kw_only=True)
class MarkerCourse:
    """How markers are taught by questions that have lost their time.

    Args:
        start: The folder of a network that general questions have taught.
        work: A folder for what is done already; a training that was stopped goes on with it.
        windows: How many a marker is taught by.
        kept: So many of the lowest layers stay as general questions left them.
    """

    start: Path
    work: Path
    windows: int = 4000
    rate: float = 1.3e-4
    kept: int = 3
    folds: int = 3
    seed: int = 0


def mark_unseen(lessons: Sequence[QuestionLesson], course: MarkerCourse, on_message: OnMessage) -> MarkerFile:
    """Give all documents of lessons the marks of a marker that has not been taught by them; return the first marker."""
    fold = [_fold(lesson.item.entity, course) for lesson in lessons]
    course.work.mkdir(parents=True, exist_ok=True)
    _refuse_other(lessons, course)
    first: MarkerFile | None = None
    for number in range(course.folds):
        apart = [lesson for lesson, its in zip(lessons, fold, strict=True) if its != number]
        inside = [lesson for lesson, its in zip(lessons, fold, strict=True) if its == number]
        file = _taught(apart, course, number, on_message)
        first = first or file
        _mark(inside, file, course.work / f"marks-{number}.npz", on_message)
    if first is None:
        raise UserError("A course without folds teaches nothing. Give at least two.")
    return first


def _refuse_other(lessons: Sequence[QuestionLesson], course: MarkerCourse) -> None:
    """Raise an error when the folder of what is done already holds the work of other lessons or settings."""
    asked = "\n".join(f"{lesson.item.id} {lesson.item.question} {lesson.item.answers}" for lesson in lessons)
    begun = course.start / "model.safetensors"
    its = {name: value for name, value in asdict(course).items() if name not in ("start", "work")}
    its |= {"questions": hashlib.sha256(asked.encode()).hexdigest()[:16]}
    its |= {"start": sha256_of(begun)[:16] if begun.is_file() else ""}
    file = course.work / _COURSE
    if file.is_file() and json.loads(file.read_text(encoding="utf-8")) != its:
        raise UserError(
            f"{course.work} holds an unfinished training by other questions or settings. Delete that folder, or choose "
            "another one with --to."
        )
    write_text(file, json.dumps(its))


def _fold(entity: str, course: MarkerCourse) -> int:
    return int(hashlib.sha256(f"marker {course.seed} {entity}".encode()).hexdigest(), 16) % course.folds


def _taught(lessons: Sequence[QuestionLesson], course: MarkerCourse, number: int, on_message: OnMessage) -> MarkerFile:
    network, tokenizer = course.work / _NETWORK.format(number), course.start / _TOKENIZER
    if not tokenizer.is_file():
        raise UserError(
            f"{course.start} is not a marker. Teach one with: asof readers teach QUESTIONS --to {course.start}"
        )
    if not network.is_file():
        file = _teach(lessons, course, number, on_message)
        write_whole(network, lambda path: path.write_bytes(file.network))
    return MarkerFile(network.read_bytes(), tokenizer.read_text(encoding="utf-8"))


def _teach(lessons: Sequence[QuestionLesson], course: MarkerCourse, number: int, on_message: OnMessage) -> MarkerFile:
    from tokenizers import Tokenizer

    from asof.reading.marking.network import network_of
    from asof.reading.marking.onnx_file import marker_file
    from asof.reading.marking.teaching import Stage, teach_stage
    from asof.reading.marking.timeless import timeless_lessons

    tokenizer = Tokenizer.from_file(str(course.start / _TOKENIZER))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    windows = timeless_lessons(lessons, tokenizer, seed=course.seed)
    on_message(f"Teaching marker {number + 1} of {course.folds}: {len(windows):,} windows of its pages.")
    model = network_of(str(course.start), kept=course.kept)
    stage = Stage(windows=course.windows, rate=course.rate, seed=course.seed)
    unfinished = course.work / f"unfinished-{number}.safetensors"
    identity = {"fold": number, "lessons": len(windows)}
    teach_stage(model, windows, stage, checkpoint=unfinished, identity=identity, on_message=on_message)
    return marker_file(model, course.start / _TOKENIZER)


def _mark(lessons: Sequence[QuestionLesson], file: MarkerFile, kept: Path, on_message: OnMessage) -> None:
    marker, asked = SpanMarker(file), list(_questions(lessons))
    pages = {id(features): marker.map(features.index) for features, _ in asked}
    marks = _read(kept, [len(features.index.candidates) for features, _ in asked])
    if marks is None:
        on_message(f"Marking {len(pages):,} pages that this marker has not seen.")
        marks = [marker.marks(question, pages[id(features)]) for features, question in asked]
        _write(kept, marks)
    for (features, question), one in zip(asked, marks, strict=True):
        page: PieceMap = pages[id(features)]
        features.marks[question] = mark_columns(features.index, page, one, features.texts)


def _questions(lessons: Sequence[QuestionLesson]) -> Iterator[tuple[Features, str]]:
    seen: set[tuple[int, str]] = set()
    for lesson in lessons:
        key = (id(lesson.features), lesson.time.rest)
        if key not in seen:
            seen.add(key)
            yield lesson.features, lesson.time.rest


def _write(path: Path, marks: Sequence[CandidateMarks]) -> None:
    lengths = np.array([len(one.start) for one in marks], dtype=np.int64)
    both = np.stack([np.concatenate([one.start for one in marks]), np.concatenate([one.end for one in marks])])

    def write(temporary: Path) -> None:
        with temporary.open("wb") as file:
            np.savez(file, lengths=lengths, marks=both)

    write_whole(path, write)


def _read(path: Path, lengths: Sequence[int]) -> list[CandidateMarks] | None:
    if not path.is_file():
        return None
    with np.load(path) as kept:
        if kept["lengths"].tolist() != list(lengths):
            return None
        both, borders = kept["marks"], np.cumsum([0, *lengths])  # each look into the file would read all of it again
        return [CandidateMarks(*both[:, low:high]) for low, high in pairwise(borders)]
