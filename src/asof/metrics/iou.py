"""Intersection over union of two intervals."""

from asof.metrics import metric
from asof.metrics._overlap import Floats, Intervals, Overlap


@metric("iou", better="higher", lowest=0, highest=1)
def iou(gold: Intervals, predicted: Intervals) -> Floats:
    """Return the shared instants over those of either.

    >>> float(iou((2000, 2003), (2002, 2005)))
    0.3333333333333333
    >>> iou(([1, 1], [2, 2]), ([3, 30], [4, 40])).tolist()
    [0.0, 0.0]
    """
    sizes = Overlap.of(gold, predicted)
    return sizes.shared / sizes.union
