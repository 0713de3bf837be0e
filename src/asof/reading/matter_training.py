"""The first step of training: which candidates answer a question at any time, whatever time it asks about."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.reading.answer_bank import AnswerBank
from asof.reading.answer_types import LOOKS, WANTED, wanted_type
from asof.reading.encoder import Vectors, unit
from asof.reading.features import AskedQuestion, Matrix
from asof.reading.training_pages import HistoryMentions, Indices, Marks, QuestionLesson, history_of

Rows = tuple[Matrix, Vectors, Vectors]  # rows, labels, weights

_TEMPTING, _AT_RANDOM = 60, 90  # wrong candidates of a question that are kept
_SMOOTHING = 40.0  # candidates: a pair of kinds that is seen less often is believed less
_TREES: dict[str, Any] = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 15,
    "min_data_in_leaf": 40,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 10.0,
    "num_threads": 1,
    "verbose": -1,
}


@dataclass(frozen=True)
class FirstStep:
    """What the first step learnt from some pages."""

    bank: AnswerBank
    fit: Vectors
    trees: Any

    def asked_of(self, lesson: QuestionLesson) -> AskedQuestion:
        """Make a question ready, without the answers that the bank has about its own page."""
        like = self.bank.like(lesson.relation, leave_out=lesson.item.entity)
        fits = self.fit[WANTED.index(wanted_type(lesson.item.question))]
        return AskedQuestion(lesson.item.question, lesson.time, lesson.vector, *like, fits)

    def matter(self, lesson: QuestionLesson) -> Vectors:
        """Return how likely each candidate answers a question at some time."""
        rows = lesson.features.matter(self.asked_of(lesson))
        return np.asarray(self.trees.predict(rows, num_threads=1), dtype=np.float32)


def learn_matter(lessons: Sequence[QuestionLesson], *, rounds: int, seed: int) -> FirstStep:
    """Learn from some pages what matters."""
    bank, fit = _bank(lessons), _fit_of_types(lessons)
    step = FirstStep(bank, fit, None)
    random = np.random.default_rng(seed)
    histories, rows = HistoryMentions.of(lessons), []
    seen: set[tuple[str, int, str]] = set()
    for lesson in lessons:
        key = history_of(lesson)
        if not histories.mentions[key] or (*key, lesson.time.rest) in seen:
            continue
        seen.add((*key, lesson.time.rest))
        asked = step.asked_of(lesson)
        features = lesson.features.matter(asked)
        right = np.array(sorted(histories.mentions[key]), dtype=np.int64)
        tempting = lesson.features.index.centred_vectors @ asked.like.T @ asked.like_weights
        tempting = tempting + 0.3 * asked.fit_of_types[lesson.features.looks]
        wrong = _wrong(histories.right[key], tempting.astype(np.float32), random)
        rows.append(labelled(features, right, wrong, weight=4.0))
    return FirstStep(bank, fit, grow(rows, rounds=rounds, seed=seed))


def labelled(features: Matrix, right: Indices, wrong: Indices, *, weight: float) -> Rows:
    """Return rows of right and wrong candidates; the right ones of a question weigh so much together."""
    counts = [len(right), len(wrong)]
    return (
        features[np.concatenate([right, wrong])],
        np.repeat([1.0, 0.0], counts).astype(np.float32),
        np.repeat([weight / max(1, len(right)), 1.0], counts).astype(np.float32),
    )


def _wrong(right: Marks, tempting: Vectors, random: np.random.Generator) -> Indices:
    wrong = np.flatnonzero(~right)
    most = wrong[np.argsort(-tempting[wrong], kind="stable")[:_TEMPTING]]
    return np.union1d(most, random.choice(wrong, min(_AT_RANDOM, len(wrong)), replace=False)).astype(np.int64)


def grow(rows: Collection[Rows], *, rounds: int, seed: int, shape: Mapping[str, Any] | None = None) -> Any:
    """Grow boosted trees on labelled rows.

    Args:
        shape: Settings of LightGBM that differ from the usual ones.
    """
    import lightgbm

    features, labels, weights = (np.concatenate(column) for column in zip(*rows, strict=True))
    data = lightgbm.Dataset(features, labels, weight=weights)
    return lightgbm.train({**_TREES, **(shape or {}), "seed": seed}, data, rounds)


def _bank(lessons: Sequence[QuestionLesson]) -> AnswerBank:
    asked, answers, entities = [], [], []
    seen: set[tuple[str, tuple[str, ...]]] = set()
    for lesson in lessons:
        item = lesson.item
        if not lesson.right.any() or (item.history, item.answers) in seen:
            continue
        seen.add((item.history, item.answers))
        asked.append(lesson.relation)
        answers.append(unit(lesson.features.index.centred_vectors[lesson.right].mean(axis=0)))
        entities.append(item.entity)
    if not asked:
        raise UserError("No answer to these questions is among the names of its document: there is nothing to learn.")
    return AnswerBank(_rounded(np.stack(asked)), _rounded(np.stack(answers)), entities)


def _rounded(vectors: Vectors) -> Vectors:
    """Round to what a reader's folder keeps, so that it answers the same when it is opened again."""
    return vectors.astype(np.float16).astype(np.float32)


def _fit_of_types(lessons: Sequence[QuestionLesson]) -> Vectors:
    """Count how often candidates of each look answer questions for each kind, against how often any do (log odds)."""
    right = np.zeros((len(WANTED), len(LOOKS)))
    total = np.zeros_like(right)
    for lesson in lessons:
        looks, wanted = lesson.features.looks, WANTED.index(wanted_type(lesson.item.question))
        right[wanted] += np.bincount(looks, weights=lesson.right, minlength=len(LOOKS))
        total[wanted] += np.bincount(looks, minlength=len(LOOKS))
    usual = max(right.sum() / total.sum(), 1e-6)
    fit: Vectors = np.log((right + _SMOOTHING * usual) / (total + _SMOOTHING) / usual).astype(np.float32)
    return fit
