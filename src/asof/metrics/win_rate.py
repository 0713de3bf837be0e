"""Win rate: how often a right date makes an answer likelier than a wrong one (Ammar Khodja et al. 2025, eq. 2)."""

from collections.abc import Sequence

import numpy as np

from asof.metrics import metric


@metric("win-rate", better="higher", lowest=0, highest=1)
def win_rate(correct: Sequence[float], incorrect: Sequence[float]) -> float:
    """Return the share of (right date, wrong date) pairs in which the right one is strictly likelier.

    >>> win_rate([-1.0, -2.0], [-3.0, -1.5, -2.0])      # -1 wins three times, -2 once: a tie is no win
    0.6666666666666666
    """
    if not len(correct) or not len(incorrect):
        return float("nan")
    beaten = np.searchsorted(np.sort(np.asarray(incorrect)), np.asarray(correct), side="left")
    return float(beaten.sum() / (len(correct) * len(incorrect)))
