"""Robustness: does every right date win over every wrong one? (Ammar Khodja et al. 2025, equation 3)."""

from collections.abc import Sequence

from asof.metrics import metric


@metric("robustness", better="higher", lowest=0, highest=1)
def robustness(correct: Sequence[float], incorrect: Sequence[float]) -> float:
    """Return 1 when the worst right date is strictly likelier than the best wrong one, else 0.

    >>> robustness([-1.0, -2.0], [-3.0, -2.5]), robustness([-1.0, -2.0], [-3.0, -2.0])
    (1.0, 0.0)
    """
    if not len(correct) or not len(incorrect):
        return float("nan")
    return float(min(correct) > max(incorrect))
