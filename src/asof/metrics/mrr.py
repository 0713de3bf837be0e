"""Reciprocal rank; its mean over items is the MRR."""

from asof.metrics import metric


@metric("mrr", better="higher", lowest=0, highest=1)
def mrr(rank: int) -> float:
    """Return one over the rank of the best right answer.

    >>> mrr(1), mrr(4)
    (1.0, 0.25)
    """
    return 1.0 / rank
