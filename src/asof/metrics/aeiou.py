"""Affinity enhanced intersection over union of two intervals (Jain et al. 2020, equation 3)."""

from asof.metrics import metric
from asof.metrics._overlap import Floats, Intervals, Overlap


@metric("aeiou", better="higher", lowest=0, highest=1)
def aeiou(gold: Intervals, predicted: Intervals) -> Floats:
    """Return the shared instants, at least one, over those of the hull; of two that share as much the nearer is better.

    >>> float(aeiou((1969, 1969), (1967, 1967)))
    0.3333333333333333
    >>> aeiou(([1, 1], [2, 2]), ([3, 30], [4, 40])).tolist()      # where IOU is 0 for both
    [0.25, 0.025]
    """
    sizes = Overlap.of(gold, predicted)
    return (sizes.shared.clip(min=1)) / sizes.hull
