"""From how plausible each time point is to the interval in which a fact held."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.queries import TimeQueries
from asof.metrics.aeiou import aeiou
from asof.metrics.gaeiou import gaeiou
from asof.metrics.giou import giou
from asof.metrics.iou import iou
from asof.metrics.tac import tac

INTERVAL_METRICS = {"aeiou": aeiou, "iou": iou, "giou": giou, "gaeiou": gaeiou, "tac": tac}
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Intervals:
    """Predicted intervals, best first: one row per fact, one column per prediction; in years or days."""

    first: Ints
    last: Ints


@runtime_checkable
class TellsIntervals(Protocol):
    """A scorer with a way of its own to predict intervals."""

    def intervals(self, asked: TimeQueries, count: int) -> Intervals:
        """Predict so many intervals for each fact, best first."""

    def start_curves(self, asked: TimeQueries) -> tuple[Ints, Floats]:
        """Return times one after the other, and for each fact the probability of each of them as its start."""

    def lengths(self, asked: TimeQueries) -> Floats:
        """Return for each fact the probability that it lasts 0, 1, 2 … years (or days) beyond its first."""


def coalesced(probabilities: Floats, thresholds: Floats, *, count: int = 1) -> tuple[Ints, Ints]:
    """Grow intervals of points around the likeliest ones until each holds enough probability.

    Greedy, as in Jain et al. 2020, section 4.4: always the likelier neighbour, the later one where both are alike. The
    points with the highest probabilities are the seeds of as many intervals.

    >>> curve = np.array([[0.1, 0.2, 0.4, 0.25, 0.05]])
    >>> coalesced(curve, np.array([0.8]))
    (array([[1]]), array([[3]]))
    """
    facts, points = probabilities.shape
    count = min(count, points)
    seeds = np.argsort(-probabilities, axis=1, kind="stable")[:, :count]
    first, last = seeds.copy(), seeds.copy()
    rows = np.arange(facts)[:, None]
    padded = np.pad(probabilities, ((0, 0), (1, 1)), constant_values=-1.0)  # beyond the ends nothing is likely
    mass = probabilities[rows, seeds]
    while True:
        grows = (mass < thresholds[:, None]) & (last - first + 1 < points)
        if not grows.any():
            return first, last
        left, right = padded[rows, first], padded[rows, last + 2]
        to_left = grows & (left > right)
        to_right = grows & ~to_left
        mass = mass + np.where(to_left, left, 0.0) + np.where(to_right, right, 0.0)
        first, last = first - to_left, last + to_right


def thresholds(probabilities: Floats, facts: Quadruples, dataset: Dataset) -> Floats:
    """Learn, one for each relation, how much probability a right interval holds: the mean over dated facts.

    Relations without such a fact get the mean of the others.
    """
    sums = np.concatenate([np.zeros((len(facts), 1)), probabilities.cumsum(axis=1)], axis=1)
    rows = np.arange(len(facts))
    inside = sums[rows, dataset.point(facts.end) + 1] - sums[rows, dataset.point(facts.start)]
    counts = np.bincount(facts.relation, minlength=len(dataset.relations))
    totals = np.bincount(facts.relation, inside, minlength=len(dataset.relations))
    found = totals / np.maximum(1, counts)
    known = counts > 0
    return np.where(known, found, found[known].mean() if known.any() else 0.5)


def interval_results(facts: Quadruples, predicted: Intervals, at: tuple[int, ...] = (1, 5, 10)) -> dict[str, float]:
    """Score predicted intervals: of the first k, the best for each fact counts."""
    gold = (facts.start[:, None], facts.end[:, None])
    results = {}
    for name, function in INTERVAL_METRICS.items():
        scores = function(gold, (predicted.first, predicted.last))
        for k in at:
            if k <= scores.shape[1]:
                results[f"{name}@{k}"] = float(scores[:, :k].max(axis=1).mean()) if len(scores) else float("nan")
    return results
