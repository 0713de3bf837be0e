"""Far failures: of the wrong dates that a model prefers to a right one, how many lie far from the fact's time?

Ammar Khodja et al. 2025, section 5.1.2 and figure 4.
"""

from collections.abc import Sequence

import numpy as np

from asof.metrics import metric


@metric("far-failures", better="lower", lowest=0, highest=1)
def far_failures(
    correct: Sequence[float], incorrect: Sequence[float], distances: Sequence[float], *, beyond: float = 1.0
) -> float:
    """Return the share of the preferred wrong dates whose distance |α| is at least ``beyond``.

    A wrong date is preferred when some right date is not likelier than it.

    >>> far_failures([-1.0, -2.0], [-3.0, -1.5, -1.8], [4.0, 0.7, 2.5])      # two are preferred, one of them is far
    0.5
    """
    preferred = np.asarray(incorrect) >= min(correct) if len(correct) else np.zeros(len(incorrect), bool)
    if not preferred.any():
        return float("nan")
    return float((np.abs(np.asarray(distances))[preferred] >= beyond).mean())
