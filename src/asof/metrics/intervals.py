"""Means over facts, and over items that belong to facts, with 95 % intervals.

The one place that makes them, for every command, report and page. Facts are independent, items of one fact are not: an
interval is as wide as the number of facts allows. Which method it is from follows from what the values can be:

* shares of facts, values of 0 and 1: Clopper and Pearson's exact interval;
* other values with a lowest and a highest one, also items by fact: Gaffke's (``_bounded_mean.py``);
* values without bounds, such as log-probabilities: Student's t over facts, longer on the side of the longer tail.

``bench/intervals.py`` simulates how often each of them holds the truth.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf, isfinite, nan, sqrt

import numpy as np

from asof.metrics._bounded_mean import Floats, clopper_pearson, gaffke
from asof.metrics._quantiles import t_quantile
from asof.metrics.result import NOTHING, Method, Result

Range = tuple[float, float]  # the lowest and the highest value that a measure can have

SHARE: Range = (0.0, 1.0)
UNBOUNDED: Range = (-inf, inf)
_ROUNDING = 1e-9


def mean_of_facts(values: Sequence[float] | Floats, *, within: Range = SHARE) -> Result:
    """Return the mean over the facts that have a value, with its interval.

    Args:
        within: The lowest and the highest value that there can be.

    >>> print(mean_of_facts([0.0, 0.0, 0.0, 0.0]))  # four facts are few: up to 60 % of all may be known
    0.000 [0.000, 0.602] n=4
    >>> print(mean_of_facts([0.5, 0.75, float("nan"), 1.0]))
    0.750 [0.209, 0.967] n=3
    >>> print(mean_of_facts([-4.0, -6.0, -5.0], within=UNBOUNDED))
    -5.000 [-7.484, -2.516] n=3
    >>> print(mean_of_facts([-4.0, -9.0, -5.0], within=UNBOUNDED))  # there may be more facts as unlikely as one of them
    -6.000 [-15.899, 0.572] n=3
    """
    known = np.asarray(values, float)
    known = known[~np.isnan(known)]
    return _result(known, np.ones(len(known)), within)


def mean_of_items(values: Sequence[float] | Floats, groups: Sequence[str], *, within: Range = SHARE) -> Result:
    """Return the mean over items that have a value, with an interval that allows for items of one fact being alike.

    >>> result = mean_of_items([1.0, 1.0, 0.0, 0.0], ["a", "a", "b", "b"])  # four items, but two facts
    >>> print(result, result.facts)
    0.500 [0.013, 0.987] n=4 2
    """
    return means_of_items({"": values}, groups, within={"": within})[""]


def means_of_items(
    measured: Mapping[str, Sequence[float] | Floats], groups: Sequence[str], *, within: Mapping[str, Range]
) -> dict[str, Result]:
    """Return ``mean_of_items`` of several measures of the same items.

    Args:
        within: The range of each measure, as far as it is known; of others see ``likely_range``.
    """
    numbers: dict[str, int] = {}
    which = np.array([numbers.setdefault(group, len(numbers)) for group in groups], np.int64)
    found = {}
    for name, values in measured.items():
        column = np.asarray(values, float)
        known = ~np.isnan(column)
        counts = np.bincount(which[known], minlength=len(numbers)).astype(float)
        sums = np.bincount(which[known], column[known], len(numbers))
        there = counts > 0
        found[name] = _result(
            sums[there] / counts[there], counts[there], within.get(name) or likely_range(column[known])
        )
    return found


def likely_range(values: Floats) -> Range:
    """Return the range of a measure that declares none: values of 0 and 1 alone are a share, others have no bounds."""
    return SHARE if np.isin(values, SHARE).all() else UNBOUNDED


def interval_of(means: Floats, counts: Floats, within: Range) -> tuple[float, float, Method]:
    """Return the interval of the mean over all items, from the means and the numbers of items of each fact."""
    lowest, highest = within
    if means.min() < lowest - _ROUNDING or means.max() > highest + _ROUNDING:
        raise ValueError(f"values from {means.min():g} to {means.max():g} are not within {lowest:g} and {highest:g}")
    means = np.clip(means, lowest, highest)
    if isfinite(lowest) and isfinite(highest):
        if (counts == counts[0]).all() and np.isin(means, (lowest, highest)).all():
            low, high = clopper_pearson(int((means == highest).sum()), len(means))
            return lowest + low * (highest - lowest), lowest + high * (highest - lowest), "clopper-pearson"
        return *gaffke(means, counts, lowest=lowest, highest=highest), "gaffke"
    if len(means) == 1:
        return nan, nan, "none"  # one fact does not tell how far facts lie apart
    mean = float(means @ counts / counts.sum())
    below, above = _student(counts * (means - mean) / float(counts.sum()))
    return max(lowest, mean - below), min(highest, mean + above), "t"


def _student(apart: Floats) -> tuple[float, float]:
    """Return how far Student's interval reaches below a mean and above it, from the share of each fact in its error.

    Where facts have a long tail, a small sample often lacks it, and the mean lies in it, beyond the interval. So
    Johnson (1978, "Modified t tests and confidence intervals for asymmetrical populations") moves the interval towards
    the tail. The skewness of few facts is not sure enough to take that away on the other side: the interval only grows.

    >>> [round(reach, 3) for reach in _student(np.array([1.0, -0.5, 0.0, -0.5]))]
    [4.501, 6.546]
    """
    n = len(apart)
    square = float(apart @ apart)
    if not square:
        return 0.0, 0.0
    quantile, error = t_quantile(n - 1), sqrt(n / (n - 1) * square)
    skewness = float((apart**3).sum()) * sqrt(n) / square**1.5
    moved = skewness * error / (6 * sqrt(n)) * (1 + 2 * quantile**2)
    return quantile * error + max(0.0, -moved), quantile * error + max(0.0, moved)


def _result(means: Floats, counts: Floats, within: Range) -> Result:
    if not len(means):
        return NOTHING
    low, high, method = interval_of(means, counts, within)
    return Result(float(means @ counts / counts.sum()), low, high, int(counts.sum()), len(means), method)
