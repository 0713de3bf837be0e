"""Probabilities that mean what they say: the softmax of scores with one temperature, fitted on valid.

Among answers, the best one is to be right as often as it says; what is known to be right besides the expected one does
not take part, as when ranks are filtered. The likelihood of all answers (Guo et al. 2017) would not do: trees that rank
do not say how unlikely the unlikely ones are. For times it does; their right probabilities are even over the interval
of a fact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.interval_prediction import Floats, coalesced
from asof.completion.queries import TimeQueries, queries_of
from asof.completion.ranking import Scores, known_to
from asof.completion.scorers import Scorer
from asof.completion.trained.curves import NEVER, curves, moment_scores

_MOST_SCORES = 20_000_000  # that are held at a time; fewer questions are enough where there are many entities
_MOST_QUERIES = 4_000
_BINS = 15
_COLDEST, _HOTTEST = 1e-3, 1e3


@dataclass(frozen=True)
class Calibration:
    """A temperature, and how far probabilities are from the truth with it, measured on other facts than it is from."""

    temperature: float
    expected_calibration_error: float
    n: int

    def as_toml(self) -> dict[str, Any]:
        """Return what to put on record."""
        return asdict(self)


def calibrated_links(scores: Scores, dataset: Dataset, *, seed: int = 0) -> Calibration:
    """Fit the temperature of scores of answers on the questions of valid."""
    queries = queries_of(dataset, "valid")
    most = max(2, min(_MOST_QUERIES, _MOST_SCORES // len(dataset.entities)))
    rows = np.sort(np.random.default_rng(seed).permutation(len(queries))[:most])
    chosen = queries[rows]
    table = scores(chosen.unanswered).clone()
    known = known_to(dataset, chosen, "instants")
    table[torch.from_numpy(known.query), torch.from_numpy(known.candidate)] = NEVER
    answer = torch.from_numpy(chosen.answer)

    def judged(part: torch.Tensor, temperature: float) -> tuple[Floats, Floats]:
        sure, best = torch.softmax(table[part] / temperature, 1).max(1)
        return sure.double().numpy(), (best == answer[part]).double().numpy()

    def fitted(part: torch.Tensor) -> float:
        return matched_temperature(table[part], answer[part])

    return _cross_fitted(len(table), fitted, judged)


def calibrated_times(scorer: Scorer, dataset: Dataset, *, seed: int = 0) -> Calibration | None:
    """Fit the temperature of curves on the facts of valid that have both ends; None where there are too few."""
    facts = enough_dated(dataset, seed=seed)
    if len(facts) < 2:
        return None
    table = moment_scores(scorer, dataset, TimeQueries.of(facts))
    first, last = dataset.point(facts.start), dataset.point(facts.end)
    possible = torch.where(table > NEVER, table, 0.0).double().numpy()  # sums with NEVER would lose all digits
    right = torch.from_numpy(_sums_within(possible, first, last) / (last - first + 1)).float()

    def judged(part: torch.Tensor, temperature: float) -> tuple[Floats, Floats]:
        rows = part.numpy()
        found = curves(table[part], temperature)
        begin, end = (index[:, 0] for index in coalesced(found, np.full(len(rows), 0.5)))
        shared = np.minimum(end, last[rows]) - np.maximum(begin, first[rows]) + 1
        return _sums_within(found, begin, end), np.maximum(0, shared) / (last[rows] - first[rows] + 1)

    def fitted(part: torch.Tensor) -> float:
        return fitted_temperature(table[part], right[part])

    return _cross_fitted(len(table), fitted, judged)


def enough_dated(dataset: Dataset, *, seed: int = 0) -> Quadruples:
    """Return facts of valid that have both ends, as many as are enough to learn from: curves over time take memory."""
    dated = dataset.valid[dataset.valid.dated]
    most = max(2, min(_MOST_QUERIES, _MOST_SCORES // len(dataset.points)))
    return dated[np.sort(np.random.default_rng(seed).permutation(len(dated))[:most])]


def matched_temperature(scores: torch.Tensor, answer: torch.Tensor) -> float:
    """Return the temperature under which the best answers are as probable as they are often right.

    >>> scores = torch.tensor([[2.0, 0.0]] * 4)  # says the first, and is right three times of four
    >>> round(matched_temperature(scores, torch.tensor([0, 0, 0, 1])), 2)  # 2 / log 3
    1.82
    """
    often = float((scores.argmax(1) == answer).double().mean())
    return _bisected(lambda sharper: float(torch.softmax(scores * sharper, 1).amax(1).double().mean()) - often)


def fitted_temperature(scores: torch.Tensor, right: torch.Tensor) -> float:
    """Return the temperature under which the right answers have the highest likelihood.

    The loss is convex in the inverse temperature; its slope is the mean score under the softmax less the right score.

    >>> scores = torch.tensor([[2.0, 0.0]] * 4)  # says the first, and is right three times of four
    >>> round(fitted_temperature(scores, torch.tensor([2.0, 2.0, 2.0, 0.0])), 2)  # 2 / log 3
    1.82
    """

    def slope(sharper: float) -> float:
        chances = torch.softmax(scores * sharper, 1)
        return float(((chances * scores).sum(1) - right).double().mean())

    return _bisected(slope)


def _bisected(above: Callable[[float], float]) -> float:
    """Return the temperature at whose inverse a growing function is nought."""
    low, high = np.log(1 / _HOTTEST), np.log(1 / _COLDEST)
    for _ in range(25):
        middle = (low + high) / 2
        low, high = (middle, high) if above(float(np.exp(middle))) < 0 else (low, middle)
    return float(np.exp(-(low + high) / 2))


def expected_calibration_error(sure: Floats, true: Floats) -> float:
    """Return how far shares of right answers are from their probabilities: the mean over bins of probability.

    >>> expected_calibration_error(np.array([0.9, 0.9]), np.array([1.0, 0.0]))
    0.4
    """
    bins = np.minimum((sure * _BINS).astype(int), _BINS - 1)
    gaps = np.bincount(bins, sure - true, minlength=_BINS)
    return round(float(np.abs(gaps).sum() / max(1, len(sure))), 12)


def _cross_fitted(
    size: int,
    fitted: Callable[[torch.Tensor], float],
    judged: Callable[[torch.Tensor, float], tuple[Floats, Floats]],
) -> Calibration:
    """Fit on all; for the error fit on one half and measure on the other, both ways."""
    halves = [torch.arange(start, size, 2) for start in (0, 1)]
    found = [
        judged(measured, fitted(learnt)) for learnt, measured in (halves, halves[::-1]) if len(learnt) and len(measured)
    ]
    sure, true = (np.concatenate(column) for column in zip(*found, strict=True)) if found else (np.zeros(0),) * 2
    error = expected_calibration_error(sure, true)
    return Calibration(round(fitted(torch.arange(size)), 6), round(error, 6), size)


def _sums_within(values: Floats, first: Ints, last: Ints) -> Floats:
    """Sum each row from one column to another, both included."""
    sums = np.concatenate([np.zeros((len(values), 1)), values.cumsum(axis=1)], axis=1)
    rows = np.arange(len(values))
    found: Floats = sums[rows, last + 1] - sums[rows, first]
    return found
