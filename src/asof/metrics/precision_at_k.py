"""Precision at k: is a right answer among the first k? (Petroni et al. 2019)."""

from asof.metrics import metric


@metric("precision-at-k", better="higher", lowest=0, highest=1)
def precision_at_k(rank: int, *, k: int) -> float:
    """Return 1 when the best right answer has at most the rank k; for k = 1 this is accuracy.

    >>> precision_at_k(3, k=1), precision_at_k(3, k=10)
    (0.0, 1.0)
    """
    return float(rank <= k)
