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
from asof.reading.training_pages import Histories, Lesson, history_of

HistoryKey = tuple[str, int]

_ROUNDS = 100
_TOLD_EVERY = 25  # histories
_WEIGHT_OF_RIGHT, _WEIGHT_OF_WRONG = 4.0, 1 / 12  # all right candidates of a history together; each wrong one
_TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 7,
    "min_data_in_leaf": 150,
    "lambda_l2": 10.0,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "monotone_constraints": list(COLUMNS.values()),
    "num_threads": 1,
    "verbose": -1,
}


def ask_about(
    lessons: Sequence[Lesson], glance: Callable[[Lesson], Vectors], adviser: Adviser, told: Callable[[str], None]
) -> dict[HistoryKey, Advice]:
    """Ask the adviser about each history, in the words of its first question: all its questions are of one matter."""
    first = {history_of(lesson): lesson for lesson in reversed(lessons)}
    found: dict[HistoryKey, Advice] = {}
    for key, lesson in first.items():
        if len(found) % _TOLD_EVERY == 0:
            told(f"Asking {adviser.place} about {len(first):,} histories: {len(found):,} are done.")
        found[key] = adviser.advise(lesson.features, lesson.time.rest, glance(lesson))
    return found


def learn_advised(lessons: Sequence[Lesson], advice: Mapping[HistoryKey, Advice], *, seed: int) -> Any:
    """Grow trees that know what advice is worth; None where no right candidate was asked about."""
    import lightgbm

    rows, labels, weights = [], [], []
    for key, right in Histories.of(lessons).right.items():
        asked = right[advice[key].places]
        rows.append(advice[key].rows)
        labels.append(asked.astype(np.float32))
        weights.append(np.where(asked, _WEIGHT_OF_RIGHT / max(1, int(asked.sum())), _WEIGHT_OF_WRONG))
    if not any(asked.any() for asked in labels):
        return None
    data = lightgbm.Dataset(np.concatenate(rows), np.concatenate(labels), weight=np.concatenate(weights))
    return lightgbm.train(_TREES | {"seed": seed}, data, _ROUNDS)
