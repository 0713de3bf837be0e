"""What is left out where entities or facts are so many that looking at all of them would take too long.

Candidates are rated cheaply first, and only the most promising get a closer look; all others stand below these, in the
order of the cheap rating. So every entity has a score, and ranks are ranks among all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats, KnownFacts, Numbers, most_promising

_MANY_ENTITIES, _MANY_FACTS = 20_000, 200_000  # above all four published datasets where facts last
_CANDIDATES = 1_000
_PARTS_EACH = 3


@dataclass(frozen=True)
class FirstCut:
    """How much is looked at.

    Args:
        candidates: The most promising by embeddings, links, company and roles: gaps in time are looked at for these.
        facts: Of an entity in one role, spread evenly over their time; each stands for more.
        sharers: An answer that more entities share says nothing of any two of them.
        heard: Candidates whom all trees judge; a few trees choose them.
    """

    candidates: int = _CANDIDATES
    facts: int = 64
    sharers: int = 2_000
    heard: int = 64

    @classmethod
    def of(cls, known: KnownFacts, candidates: int = 0) -> FirstCut | None:
        """Cut where there are very many entities or facts, or as somebody wants; None looks at everything.

        Args:
            candidates: So many, whatever the size; 0 decides by size.
        """
        if candidates >= known.entities:
            return None
        if not candidates and known.entities <= _MANY_ENTITIES and len(known) <= 2 * _MANY_FACTS:
            return None
        return cls(candidates=min(candidates or _CANDIDATES, known.entities))

    def pool(self, rated: Numbers, least: int) -> Ints:
        """Return the most promising of all entities, in no order.

        Args:
            least: So many at least.
        """
        return highest(rated, min(max(self.candidates, least), len(rated)))

    @staticmethod
    def put_above(rated: Numbers, pool: Ints, more: Floats) -> None:
        """Add to the ratings of a pool what a closer look says; the others stay in their order, below it."""
        closer = rated[pool] + more
        rated[pool] = -np.inf
        highest, lowest = rated.max(), closer.min()
        if highest >= lowest:
            rated -= highest - lowest + 1
        rated[pool] = closer


def highest(rated: Numbers, count: int) -> Ints:
    """Return the places of the highest of very many numbers, in no order.

    They are dealt out into three times as many parts as are wanted. The highest of so many parts reach the border, so
    all that are wanted do; few others do, and only these are sorted out.

    >>> sorted(highest(np.array([3.0, 9.0, 1.0, 7.0] * 9), 9).tolist()) == list(range(1, 36, 4))
    True
    """
    parts = _PARTS_EACH * count
    rows = len(rated) // parts
    some = np.arange(len(rated))
    if rows > 1:
        best = rated[: rows * parts].reshape(rows, parts).max(0)
        reaching = np.flatnonzero(rated >= np.partition(best, parts - count)[parts - count])
        some = reaching if len(reaching) >= count else some  # what is not a number reaches no border
    return some[np.argpartition(rated[some], len(some) - count)[len(some) - count :]]


def best_of(rated: Numbers, pool: Ints, count: int) -> Ints:
    """Return the entities of a pool that are rated highest, the highest first."""
    found: Ints = pool[most_promising(rated[pool][None], count)[0]]
    return found
