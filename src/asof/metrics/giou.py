"""Generalised intersection over union (Rezatofighi et al. 2019), brought into 0 to 1 as Jain et al. 2020 do."""

from asof.metrics import metric
from asof.metrics._overlap import Floats, Intervals, Overlap


@metric("giou", better="higher", lowest=0, highest=1)
def giou(gold: Intervals, predicted: Intervals) -> Floats:
    """Return (1 + IOU - what lies between / hull) / 2.

    The two predictions of the paper's appendix B touch the gold interval, so that one far longer is as good:

    >>> giou(([2002, 2002], [2005, 2005]), ([1999, 1900], [2001, 2001])).tolist()
    [0.5, 0.5]
    """
    sizes = Overlap.of(gold, predicted)
    return (1 + sizes.shared / sizes.union - sizes.between / sizes.hull) / 2
