"""Hit at k: is this very answer among the first k predictions? (Zhao et al. 2022, section 2.3)."""

from asof.metrics import metric


@metric("hit-at-k", better="higher", lowest=0, highest=1)
def hit_at_k(rank: float, *, k: int) -> float:
    """Return 1 when the one answer that was taken out has at most the rank k, however good the others are.

    Every right answer of a query is taken out once, so that the mean counts them all (the paper's appendix C).

    >>> hit_at_k(1, k=10), hit_at_k(100, k=10)
    (1.0, 0.0)
    """
    return float(rank <= k)
