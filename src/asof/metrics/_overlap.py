"""Two intervals of whole years or days, both ends included: what they share, what they span, what lies between."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Intervals: TypeAlias = tuple[npt.ArrayLike, npt.ArrayLike]  # first and last, numbers or arrays of them
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Overlap:
    """Sizes in instants."""

    shared: Floats
    hull: Floats
    union: Floats

    @property
    def between(self) -> Floats:
        """Instants of the hull that are in neither."""
        return self.hull - self.union

    @classmethod
    def of(cls, gold: Intervals, predicted: Intervals) -> Overlap:
        """Measure intervals, pair by pair."""
        a, b = (np.asarray(end, dtype=np.float64) for end in gold)
        c, d = (np.asarray(end, dtype=np.float64) for end in predicted)
        shared = np.maximum(0, np.minimum(b, d) - np.maximum(a, c) + 1)
        return cls(shared, np.maximum(b, d) - np.minimum(a, c) + 1, (b - a + 1) + (d - c + 1) - shared)
