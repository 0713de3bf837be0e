"""Sums by entity for one question after the other, in time that grows with what is added up, not with all entities."""

from __future__ import annotations

import numpy as np

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats


class EntitySums:
    """Adds numbers up by entity in tables that are cleared after each use, only where they were written.

    It is for one thread: whoever answers several questions makes one and hands it on.
    """

    def __init__(self, entities: int) -> None:
        self._sums, self._there = np.zeros(entities), np.zeros(entities, bool)

    def of(self, entities: Ints, weights: Floats) -> tuple[Ints, Floats]:
        """Return each entity once, in order, and the sum of its weights, which are added in their order.

        >>> EntitySums(9).of(np.array([7, 2, 7]), np.array([1.0, 2.0, 3.0]))
        (array([2, 7]), array([2., 4.]))
        """
        self._there[entities] = True
        which = np.flatnonzero(self._there)  # sooner done than sorting
        self._there[which] = False
        return which, self.summed(which, entities, weights)

    def places(self, some: Ints, entities: Ints) -> Ints:
        """Return the places in ``entities`` at which one of some entities stands.

        >>> EntitySums(9).places(np.array([7, 1]), np.array([7, 2, 7]))
        array([0, 2])
        """
        self._there[some] = True
        found: Ints = np.flatnonzero(self._there[entities])
        self._there[some] = False
        return found

    def summed(self, some: Ints, entities: Ints, weights: Floats) -> Floats:
        """Return the sums of some entities; no others have weights.

        >>> EntitySums(9).summed(np.array([7, 1]), np.array([7, 7]), np.array([1.0, 3.0]))
        array([4., 0.])
        """
        np.add.at(self._sums, entities, weights)
        found: Floats = self._sums[some]
        self._sums[some] = 0.0
        return found
