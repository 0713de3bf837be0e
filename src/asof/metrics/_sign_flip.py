"""Do two runs differ? The sign-flip test on paired differences, and Holm's correction for several measures.

If it does not matter which of two models a score is from, the difference of a fact is as likely as its negative. So
all choices of signs are equally likely, and p is the share of those whose sum is at least as far from 0 as the one that
was found (Fisher 1935). Up to 20 facts that differ, and where all differ by the same amount, all choices are counted;
otherwise some are drawn, and the one that was found counts as one of them, so that p is never too small.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from asof.metrics._quantiles import beta_share

Floats = np.ndarray[Any, np.dtype[np.float64]]
Way = Literal["exact", "monte-carlo"]

_MOST_ENUMERATED = 20  # differences: a million choices of signs
_DRAWS = 9_999  # with the one that was found 10,000: p goes down to 0.0001
_ROUNDING = 1e-9  # sums that are equal up to rounding are equal


def sign_flip_test(differences: Floats, *, seed: int = 0) -> tuple[float, Way]:
    """Return the two-sided p-value of differences, one for each independent fact, and how it was found.

    >>> p, way = sign_flip_test(np.array([1.0, 1, 1, 1, 1, 1, 0, 0]))  # 2 of 64 choices of signs are as extreme
    >>> round(p, 6), way
    (0.03125, 'exact')
    >>> sign_flip_test(np.array([0.5, -0.1, 0.3]))
    (0.5, 'exact')
    >>> sign_flip_test(np.zeros(100))
    (1.0, 'exact')
    """
    sizes = np.abs(differences[differences != 0])
    if not len(sizes):
        return 1.0, "exact"
    if np.ptp(sizes) <= _ROUNDING * sizes[0]:
        return _binomial(int((differences > 0).sum()), len(sizes)), "exact"
    found = abs(float(differences.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= _MOST_ENUMERATED:
        sums = np.array([sizes[0]])  # the first sign is fixed: sums come in pairs that differ in their sign
        for size in sizes[1:]:
            sums = np.concatenate([sums + size, sums - size])
        return float((np.abs(sums) >= found).mean()), "exact"
    sums = _drawn_sums(sizes, np.random.default_rng(seed))
    return (int((np.abs(sums) >= found).sum()) + 1) / (_DRAWS + 1), "monte-carlo"


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values that allow for how many there are: small ones come up by chance when one looks at many.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(ps)), key=ps.__getitem__)
    adjusted, highest = [0.0] * len(ps), 0.0
    for index, which in enumerate(order):
        highest = max(highest, min(1.0, (len(ps) - index) * ps[which]))
        adjusted[which] = highest
    return adjusted


@lru_cache(maxsize=4096)
def _binomial(ahead: int, n: int) -> float:
    """Return the two-sided sign test: how often a fair coin is at least as far from half."""
    fewer = min(ahead, n - ahead)
    if 2 * fewer >= n - 1:
        return 1.0
    return min(1.0, 2 * beta_share(0.5, n - fewer, fewer + 1))  # so much is below in the binomial distribution


def _drawn_sums(sizes: Floats, random: np.random.Generator) -> Floats:
    """Return sums with random signs; the 256 sums of eight sizes are made once, and one byte chooses among them."""
    eights = np.append(sizes, np.zeros(-len(sizes) % 8)).reshape(-1, 8)
    found = np.zeros(_DRAWS)
    for sums in eights @ _SIGNS:
        found += sums[np.frombuffer(random.bytes(_DRAWS), np.uint8)]
    return found


_SIGNS = 2.0 * np.unpackbits(np.arange(256, dtype=np.uint8)[None], axis=0) - 1.0  # a column for each byte
