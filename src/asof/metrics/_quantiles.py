"""Quantiles of the beta and of Student's distribution, so that intervals need no scipy."""

from __future__ import annotations

from functools import lru_cache
from math import exp, lgamma, log, log1p, sqrt

_TINY = 1e-300
_CLOSE = 1e-15
_HALVINGS = 64  # of [0, 1]: as near as numbers go


def beta_share(x: float, a: float, b: float) -> float:
    """Return the regularised incomplete beta function: the probability that a beta variable is at most x.

    >>> beta_share(0.5, 2, 2), round(beta_share(0.2, 1, 10), 6)
    (0.5, 0.892626)
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    # The fraction converges fast on one side of the mean; the other side is the mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


@lru_cache(maxsize=65536)  # a report asks for the same few again and again
def beta_quantile(share: float, a: float, b: float) -> float:
    """Return where a beta distribution has the given share of its probability below.

    >>> round(beta_quantile(0.975, 1, 10), 6)
    0.308497
    """
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if beta_share(middle, a, b) < share:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def t_quantile(degrees: int) -> float:
    """Return the value between whose negative and itself 95 % of Student's distribution lie.

    >>> [round(t_quantile(degrees), 3) for degrees in (1, 3, 29, 100000)]
    [12.706, 3.182, 2.045, 1.96]
    """
    x = beta_quantile(0.05, degrees / 2, 0.5)
    return sqrt(degrees * (1 - x) / x)


def _fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction of the incomplete beta function (Lentz; Numerical Recipes, section 6.4)."""
    c, d = 1.0, 1 / _apart(1 - (a + b) * x / (a + 1))
    found = d
    step = 0
    while True:
        step += 1
        for top in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            d = 1 / _apart(1 + top * d)
            c = _apart(1 + top / c)
            found *= c * d
        if abs(c * d - 1) < _CLOSE or step > 100_000:
            return found


def _apart(value: float) -> float:
    """Keep a divisor off zero."""
    return value if abs(value) > _TINY else _TINY
