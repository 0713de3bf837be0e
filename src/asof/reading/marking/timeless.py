"""Questions that have lost their time, for a marker to learn from: all answers of a history are right at once."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from asof.reading.features import Features
from asof.reading.marking.lessons import SpanLesson, lesson_of
from asof.reading.marking.marker import PieceMap, piece_map
from asof.reading.marking.pieces import pieces_of, windows_of
from asof.reading.training_pages import HistoryMentions, QuestionLesson, history_of

_SILENT = 1.5  # windows without an answer for each with one


def timeless_lessons(lessons: Sequence[QuestionLesson], tokenizer: Any, *, seed: int) -> list[SpanLesson]:
    """Make windows of questions: those in which the best mentions of answers stand, and some in which nothing does."""
    histories, maps = HistoryMentions.of(lessons), dict[int, PieceMap]()
    seen: set[tuple[str, int, str]] = set()
    found: list[SpanLesson] = []
    for lesson in lessons:
        key = history_of(lesson)
        if (*key, lesson.time.rest) in seen:
            continue
        seen.add((*key, lesson.time.rest))
        if key[1] not in maps:
            maps[key[1]] = _map(lesson.features, tokenizer)
        drawn = random.Random(f"{seed} {lesson.item.history} {lesson.time.rest}")
        found += _of_question(lesson, histories, maps[key[1]], tokenizer, drawn)
    return found


def _map(features: Features, tokenizer: Any) -> PieceMap:
    return piece_map(features.index, pieces_of(features.index.document, tokenizer))


def _of_question(
    lesson: QuestionLesson, histories: HistoryMentions, page: PieceMap, tokenizer: Any, drawn: random.Random
) -> Iterator[SpanLesson]:
    key = history_of(lesson)
    best = np.zeros(len(page.piece), dtype=bool)
    best[list(histories.mentions[key])] = True
    right = histories.right[key]
    telling = sorted(set(page.piece[best].tolist()) - {-1})
    silent = sorted(set(range(len(page.pieces))) - set(page.piece[right].tolist()))
    silent = drawn.sample(silent, min(len(silent), max(2, round(_SILENT * len(telling)))))
    taken = [*telling, *silent]
    windows = windows_of(lesson.time.rest, [page.pieces[number] for number in taken], tokenizer)
    for number, window in zip(taken, windows, strict=True):
        inside = page.piece == number
        spans = [
            [(int(page.first[one]), int(page.last[one])) for one in np.flatnonzero(inside & which)]
            for which in (best, right & ~best)
        ]
        yield lesson_of(window, spans[0], spans[1])
