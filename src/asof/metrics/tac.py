"""How near both ends are (from the temporal slot filling track of TAC 2011, in the form of Jain et al. 2020)."""

import numpy as np

from asof.metrics import metric
from asof.metrics._overlap import Floats, Intervals


@metric("tac", better="higher", lowest=0, highest=1)
def tac(gold: Intervals, predicted: Intervals) -> Floats:
    """Return the mean over both ends of 1 / (1 + distance); how long the intervals are does not matter.

    >>> tac(([10, 100], [20, 200]), ([5, 95], [15, 195])).tolist()
    [0.16666666666666666, 0.16666666666666666]
    """
    starts, ends = (
        1 / (1 + np.abs(np.subtract(one, other, dtype=np.float64))) for one, other in zip(gold, predicted, strict=True)
    )
    return np.asarray((starts + ends) / 2)
