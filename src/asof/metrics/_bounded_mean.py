"""95 % intervals for the mean of bounded values that hold with few facts, too: none is ever a single point.

A share of facts gets the exact interval of Clopper and Pearson (1934). Other bounded values get the interval of
Gaffke (2005; Learned-Miller and Thomas 2019, arXiv:1905.06208): give the facts, and one more fact at the end of the
range, random weights that sum to 1, all such weights equally likely. The upper limit is what the weighted mean stays
below in 97.5 % of cases when the further fact has the highest possible value; the lower limit is its mirror image. For
values of 0 and 1 that is Clopper and Pearson's interval, for many facts the usual one. Values may be spread in any way:
four facts that all score 0 say little about a fifth. That it holds the mean in 95 % of cases, always, is proved for
shares and conjectured for the rest; ``bench/intervals.py`` looks for cases in which it does not.

Facts with several items weigh by their number; the further fact has the size that an item's fact has on average.
"""

from __future__ import annotations

from math import copysign, inf, log, sqrt
from typing import Any

import numpy as np

from asof.metrics._quantiles import beta_quantile

Floats = np.ndarray[Any, np.dtype[np.float64]]

_TAIL = 0.025
_NORMAL = 1.959963984540054  # where the standard normal distribution has 0.975 of its probability below
_FAR = 10.0  # normal quantiles, instead of infinity
_STEPS = 60
_CLOSE = 1e-9  # of the range
_ROUNDING = 1e-12


def clopper_pearson(successes: int, n: int) -> tuple[float, float]:
    """Return the exact interval of a share.

    >>> [round(end, 4) for end in clopper_pearson(0, 4)], [round(end, 4) for end in clopper_pearson(9, 10)]
    ([0.0, 0.6024], [0.555, 0.9975])
    """
    low = beta_quantile(_TAIL, successes, n - successes + 1) if successes else 0.0
    high = beta_quantile(1 - _TAIL, successes + 1, n - successes) if successes < n else 1.0
    return low, high


def gaffke(values: Floats, weights: Floats, *, lowest: float, highest: float) -> tuple[float, float]:
    """Return Gaffke's interval of a weighted mean.

    >>> ones = np.ones(4)
    >>> [round(end, 2) for end in gaffke(0 * ones, ones, lowest=0.0, highest=1.0)]  # as exact for a share
    [0.0, 0.6]
    >>> [round(end, 2) for end in gaffke(0.5 * ones, ones, lowest=0.0, highest=1.0)]
    [0.2, 0.8]
    """
    size = float((weights**2).sum() / weights.sum())  # what an item drawn at random finds its fact to be
    span = highest - lowest
    high = _upper(values, weights, highest, size, span)
    low = 0.0 - _upper(-values, weights, -lowest, size, span)  # 0.0, as -0.0 would be shown as such
    return low, high


def _upper(values: Floats, weights: Floats, highest: float, size: float, span: float) -> float:
    """Find the mean below which the randomly weighted ones stay in 97.5 % of cases (regula falsi, Illinois)."""
    mean = float(values @ weights / weights.sum())
    if highest - mean <= _ROUNDING * span:
        return float(highest)
    all_values, all_weights = np.append(values, highest), np.append(weights, size)
    low, high = mean, highest
    below, above = -_NORMAL, _NORMAL  # in normal quantiles the curve is nearly straight; its ends may be infinite
    side = 0
    for _ in range(_STEPS):
        middle = low + (high - low) * -below / (above - below)
        off = _quantile(all_weights * (all_values - middle)) - _NORMAL
        if abs(off) < 1e-6 or high - low < _CLOSE * span:
            return middle
        if off < 0:
            low, below = middle, max(off, -_FAR)
            above = above / 2 if side < 0 else above
            side = -1
        else:
            high, above = middle, min(off, _FAR)
            below = below / 2 if side > 0 else below
            side = 1
    return (low + high) / 2


def _quantile(terms: Floats) -> float:
    """Return how probable it is, as a normal quantile, that the terms times exponential variables sum to at most 0.

    By the saddlepoint approximation of Barndorff-Nielsen (1986): of a tail of 2.5 % it is off by 0.1 percentage points
    for few facts, nearly always to the wider side, and by less for more.
    """
    lowest, highest = float(terms.min()), float(terms.max())
    if highest <= 0 or lowest >= 0:
        return inf if highest <= 0 else -inf
    start, end, point = 1 / lowest, 1 / highest, 0.0
    for _ in range(_STEPS):
        ratios = terms / (1 - point * terms)
        slope, curvature = float(ratios.sum()), float(ratios @ ratios)
        start, end = (start, point) if slope > 0 else (point, end)
        following = point - slope / curvature
        if not start < following < end:
            following = (start + end) / 2
        moved, point = abs(following - point) * sqrt(curvature), following
        if moved < 1e-9:
            break
    ratios = terms / (1 - point * terms)
    scaled = point * sqrt(float(ratios @ ratios))
    root = copysign(sqrt(max(0.0, 2 * float(np.log1p(-point * terms).sum()))), point)
    # Near the middle both vanish, and their ratio with them; no limit of an interval is there.
    return root + log(scaled / root) / root if abs(scaled) > 1e-4 and root else 0.0
