"""Accuracy at k: can a query be answered from the first k predictions? (Zhao et al. 2022, section 2.3)."""

from collections.abc import Sequence

from asof.metrics import metric


@metric("acc-at-k", better="higher", lowest=0, highest=1)
def acc_at_k(ranks: Sequence[float], *, k: int) -> float:
    """Return 1 when any right answer of a query has at most the rank k: it counts by its best one.

    The example of the paper's appendix C: of two right answers one is recalled first and one as the hundredth.

    >>> acc_at_k([1, 100], k=1), acc_at_k([7, 100], k=5)
    (1.0, 0.0)
    """
    return float(any(rank <= k for rank in ranks))
