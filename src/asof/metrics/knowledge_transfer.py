"""Knowledge transfer: known at one precision, is a fact known at another? (Ammar Khodja et al. 2025, section 5.2)."""

from collections.abc import Sequence

import numpy as np

from asof.metrics import metric


@metric("knowledge-transfer", better="higher", lowest=0, highest=1)
def knowledge_transfer(known_at_a: Sequence[float], known_at_b: Sequence[float]) -> float:
    """Return P(known at A | known at B) over facts; each value is a fact's robustness at that precision.

    >>> knowledge_transfer([1, 0, 1, 0], [1, 1, 1, 0])     # of the three known at B, two are known at A
    0.6666666666666666
    """
    given = np.asarray(known_at_b) == 1
    return float(np.asarray(known_at_a, dtype=float)[given].mean()) if given.any() else float("nan")
