"""Generalised aeIOU of two intervals (Cai et al. 2021, TIME2BOX): apart, nearer is better in the numerator, too."""

import numpy as np

from asof.metrics import metric
from asof.metrics._overlap import Floats, Intervals, Overlap


@metric("gaeiou", better="higher", lowest=0, highest=1)
def gaeiou(gold: Intervals, predicted: Intervals) -> Floats:
    """Return the shared instants over those of the hull; of two that are apart, one over their distance plus one.

    >>> gaeiou(([1, 1, 1], [2, 2, 2]), ([2, 3, 30], [4, 4, 40])).tolist()      # meet, touch, far apart
    [0.25, 0.125, 0.0008620689655172414]
    """
    sizes = Overlap.of(gold, predicted)
    apart = 1 / (np.maximum(0, sizes.between) + 2)  # from 2 to 3 is a distance of one
    return np.where(sizes.shared > 0, sizes.shared, apart) / sizes.hull
