"""A number for many facts, with its n and its 95 % interval, resampled by fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

_RESAMPLES = 2000


@dataclass(frozen=True)
class Result:
    """A mean over facts with the interval in which 95 % of the resampled means lie."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] n={self.n}"


def mean_of_facts(values: Sequence[float], *, seed: int = 0) -> Result:
    """Return the mean over facts that have a value, with its bootstrap interval.

    >>> mean_of_facts([1.0, 1.0, 1.0])
    Result(value=1.0, low=1.0, high=1.0, n=3)
    """
    known = np.asarray([value for value in values if not np.isnan(value)])
    if not len(known):
        return Result(float("nan"), float("nan"), float("nan"), 0)
    random = np.random.default_rng(seed)
    means = np.array([known[random.integers(0, len(known), len(known))].mean() for _ in range(_RESAMPLES)])
    low, high = np.quantile(means, [0.025, 0.975])
    return Result(float(known.mean()), float(low), float(high), len(known))
