"""When a fact with one known end had its other: how long facts of its relation last, and what the model's curve says.

The chance of a length d is that of the relation's lengths in train, times exp(w L), where L is the mean log probability
of the curve over the interval that d gives. One w for all is fitted on valid, so a curve that tells nothing counts for
nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.interval_prediction import Floats
from asof.completion.queries import TimeQueries
from asof.completion.trained.curves import curves, moment_scores
from asof.completion.trained.folder import TrainedModel

Missing = Literal["end", "start"]
LEAST_LASTED = 3  # facts of a relation with both ends; from fewer nothing can be learnt about how long it lasts
_WIDTH = 0.1  # lengths are alike when their ratio is within some 10 %: 20 and 22 years, but not 0 and 1
_MOST_LENGTHS = 512
_WEIGHTS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0)


@dataclass(frozen=True)
class Lengths:
    """How long facts last: the lengths there are, and the chance of each for every relation."""

    lengths: Ints
    chances: Floats
    learnt: npt.NDArray[np.bool_]  # which relations have facts enough to say how long they last

    @classmethod
    def of(cls, facts: Quadruples, relations: int) -> Lengths:
        """Learn from facts with both ends; a relation with few of them leans on all the others.

        It leans on them for how its lengths spread, not for whether it ends: one that (nearly) never does is not
        ``learnt``.
        """
        lasted = facts.end - facts.start
        lengths, counts = np.unique(lasted, return_counts=True)
        lengths = np.sort(lengths[np.argsort(-counts, kind="stable")[:_MOST_LENGTHS]])
        kept = np.isin(lasted, lengths)
        index = np.searchsorted(lengths, lasted[kept])
        seen = np.zeros((relations, len(lengths)))
        np.add.at(seen, (facts.relation[kept], index), 1.0)
        apart = np.abs(np.log1p(lengths)[:, None] - np.log1p(lengths))
        alike = np.exp(-apart / _WIDTH)
        smooth = seen @ (alike / alike.sum(axis=1, keepdims=True))
        usual = smooth.sum(axis=0) / max(1.0, smooth.sum())
        learnt = np.bincount(facts.relation, minlength=relations) >= LEAST_LASTED
        return cls(lengths, (smooth + usual) / (smooth.sum(axis=1, keepdims=True) + 1), learnt)


@dataclass(frozen=True)
class EndDates:
    """Proposes the missing end or start of facts."""

    trained: TrainedModel
    lengths: Lengths
    weight: float

    @classmethod
    def of(cls, trained: TrainedModel) -> EndDates | None:
        """Learn from the dated facts of train, and fit on those of valid; None where no fact has both ends."""
        dataset = trained.dataset
        learnt = dataset.train[dataset.train.dated]
        if not len(learnt):
            return None
        lengths = Lengths.of(learnt, len(dataset.relations))
        facts = dataset.valid[dataset.valid.dated]
        facts = facts[np.isin(facts.end - facts.start, lengths.lengths)]
        if trained.times is None or not len(facts):
            return cls(trained, lengths, 0.0)
        index = np.searchsorted(lengths.lengths, facts.end - facts.start)
        made = [cls(trained, lengths, weight) for weight in _WEIGHTS]
        likely = [np.log(one.chances(facts, "end")[np.arange(len(facts)), index] + 1e-12).mean() for one in made]
        return made[int(np.argmax(likely))]

    def chances(self, facts: Quadruples, missing: Missing) -> Floats:
        """Return the chance of each length: one row per fact."""
        logs = np.log(self.lengths.chances[facts.relation])
        if self.weight:
            logs = logs + self.weight * self._agreement(facts, missing)
        found: Floats = np.exp(logs - np.logaddexp.reduce(logs, axis=1, keepdims=True))
        return found

    def proposed(self, facts: Quadruples, missing: Missing) -> tuple[Ints, Floats]:
        """Return the likeliest end (or start) of each fact, and its probability; ask for ``learnt`` relations only."""
        chances = self.chances(facts, missing)
        best = chances.argmax(axis=1)
        lasts = self.lengths.lengths[best]
        times = facts.start + lasts if missing == "end" else facts.end - lasts
        return times, chances[np.arange(len(facts)), best]

    def _agreement(self, facts: Quadruples, missing: Missing) -> Floats:
        """Return the mean log probability of the curve over the interval of each length."""
        dataset = self.trained.dataset
        scores = moment_scores(self.trained.scorer, dataset, TimeQueries.of(facts))
        logs = np.log(curves(scores, self.trained.needs_time().temperature) + 1e-12)
        logs[:, [0, -1]] = 0.0  # before all and after all are no part of an interval
        sums = np.concatenate([np.zeros((len(facts), 1)), logs.cumsum(axis=1)], axis=1)
        known = facts.start if missing == "end" else facts.end
        other = known[:, None] + self.lengths.lengths * (1 if missing == "end" else -1)
        ends = [_within(dataset, known[:, None]), _within(dataset, other)]
        first, last = ends if missing == "end" else ends[::-1]
        rows = np.arange(len(facts))[:, None]
        found: Floats = (sums[rows, last + 1] - sums[rows, first]) / (last - first + 1)
        return found


def _within(dataset: Dataset, times: Ints) -> Ints:
    """Return the points of times, none of them before all or after all."""
    return np.clip(dataset.point(times), 1, max(1, len(dataset.points) - 2))
