"""From which probability on an answer counts: a share of the best one's, fitted on what was taught.

The paper leaves open how to tell right answers from the rest. Of a text with n right answers each should have about
1/n, so what is far below the best one is no answer.
"""

from __future__ import annotations

import numpy as np

from asof.memorize.network import Memory
from asof.memorize.objectives import Objective
from asof.memorize.reciting import best_answers
from asof.memorize.training import Lesson
from asof.memorize.words import Ints

_MOST_PROMPTS = 4_000
_BEST = 40
_SHARES = np.round(np.geomspace(0.01, 0.95, 30), 4)


def fitted_threshold(memory: Memory, lesson: Lesson, objective: Objective, *, seed: int = 0) -> float:
    """Return the share under which the answers of prompts have the best F1, prompts with several as heavy as others."""
    asked = np.unique(lesson.statements.whole)
    several = np.diff(lesson.begins)[asked] > 1
    random = np.random.default_rng([seed, 4])
    parts = [random.permutation(part)[: _MOST_PROMPTS // 2] for part in (asked[several], asked[~several])]
    chosen = np.concatenate(parts)
    weight = np.concatenate([np.full(len(part), 1 / max(1, len(part))) for part in parts])
    best = best_answers(memory, lesson.tokens, chosen, best=_BEST, objective=objective)
    right, there = right_among(best.answers, chosen, lesson), np.diff(lesson.begins)[chosen]
    scores = [
        float(np.average(set_f1(given_by(best.logprobs, share), right, there), weights=weight)) for share in _SHARES
    ]
    good = np.flatnonzero(np.array(scores) >= max(scores) - 1e-9)
    return float(_SHARES[int(good[len(good) // 2])])  # the middle, where several do equally well


def given_by(logprobs: np.ndarray[tuple[int, int], np.dtype[np.float32]], share: float) -> Ints:
    """Return how many of the best answers have at least a share of the first one's probability.

    >>> given_by(np.log(np.array([[0.5, 0.4, 0.01]], np.float32)), 0.5)
    array([2])
    """
    found: Ints = (logprobs >= logprobs[:, :1] + np.log(share)).sum(1)
    return found


def right_among(answers: Ints, prompts: Ints, lesson: Lesson) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    """Tell which of the best answers of prompts are right."""
    size = len(lesson.statements.known)
    owner = np.repeat(np.arange(len(lesson.begins) - 1), np.diff(lesson.begins))
    found: np.ndarray[tuple[int, int], np.dtype[np.bool_]] = np.isin(
        prompts[:, None] * size + answers, owner * size + lesson.answers
    )
    return found


def set_f1(
    given: Ints, right: np.ndarray[tuple[int, int], np.dtype[np.bool_]], there: Ints
) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the F1 of the first ``given`` answers of each prompt against all right ones.

    >>> set_f1(np.array([2]), np.array([[True, True, False]]), np.array([2]))
    array([1.])
    """
    hits = (right & (np.arange(right.shape[1]) < given[:, None])).sum(1)
    f1: np.ndarray[tuple[int], np.dtype[np.float64]] = 2 * hits / (given + there)
    return f1
