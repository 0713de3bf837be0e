"""The first step of training with an adviser: small trees learn how much its word is worth beside a glance.

They see a handful of columns, and most of these may only speak for a candidate: trees that saw all columns learnt from
249 histories to trust the adviser less than a plain sum would (mean average precision 0.38 and 0.42; these 0.43).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from asof.reading.adviser import COLUMNS, Advice, Adviser
from asof.reading.encoder import Vectors
from asof.reading.matter_training import Rows, grow
from asof.reading.training_pages import HistoryMentions, QuestionLesson, history_of

HistoryKey = tuple[str, int]

_ROUNDS = 100
_TOLD_EVERY = 25  # histories
_WEIGHT_OF_RIGHT, _WEIGHT_OF_WRONG = 4.0, 1 / 12  # all right candidates of a history together; each wrong one
_SHAPE = {
    "num_leaves": 7,
    "min_data_in_leaf": 150,
    "feature_fraction": 1.0,
    "monotone_constraints": list(COLUMNS.values()),
}


def ask_about(
    lessons: Sequence[QuestionLesson],
    glance: Callable[[QuestionLesson], Vectors],
    adviser: Adviser,
    on_message: Callable[[str], None],
) -> dict[HistoryKey, Advice]:
    """Ask the adviser about each history, in the words of its first question: all its questions are of one matter."""
    first = {history_of(lesson): lesson for lesson in reversed(lessons)}
    found: dict[HistoryKey, Advice] = {}
    for key, lesson in first.items():
        if len(found) % _TOLD_EVERY == 0:
            on_message(f"Asking {adviser.location} about {len(first):,} histories: {len(found):,} are done.")
        found[key] = adviser.advise(lesson.features, lesson.time.rest, glance(lesson))
    return found


def learn_advised(lessons: Sequence[QuestionLesson], advice: Mapping[HistoryKey, Advice], *, seed: int) -> Any:
    """Grow trees that know what advice is worth; None where no right candidate was asked about."""
    rows: list[Rows] = []
    for key, right in HistoryMentions.of(lessons).right.items():
        asked = right[advice[key].indices]
        weights = np.where(asked, _WEIGHT_OF_RIGHT / max(1, int(asked.sum())), _WEIGHT_OF_WRONG)
        rows.append((advice[key].rows, asked.astype(np.float32), weights.astype(np.float32)))
    if not any(labels.any() for _, labels, _ in rows):
        return None
    return grow(rows, rounds=_ROUNDS, seed=seed, shape=_SHAPE)
