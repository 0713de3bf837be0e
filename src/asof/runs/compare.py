"""Two runs on the same facts: a paired comparison, resampled by fact."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from asof.errors import UserError

_RESAMPLES = 5000


class HasMeasures(Protocol):
    """A fact and what it is worth, by measure."""

    @property
    def fact(self) -> str: ...  # noqa: D102

    @property
    def measures(self) -> dict[str, float]: ...  # noqa: D102


class HasFacts(Protocol):
    """The scores of a run, by fact."""

    @property
    def facts(self) -> Sequence[HasMeasures]: ...  # noqa: D102


@dataclass(frozen=True)
class Difference:
    """How much higher the second run scores, with its interval and a two-sided p-value."""

    measure: str
    first: float
    second: float
    difference: float
    low: float
    high: float
    p: float
    n: int


def compare(one: HasFacts, other: HasFacts, *, seed: int = 0) -> list[Difference]:
    """Compare two runs on the facts that both have."""
    ours = {fact.fact: fact.measures for fact in one.facts}
    theirs = {fact.fact: fact.measures for fact in other.facts}
    shared = sorted(ours.keys() & theirs.keys())
    if not shared:
        raise UserError("The two runs have no fact in common. Run both models on the same benchmark.")
    random = np.random.default_rng(seed)
    draws = random.integers(0, len(shared), (_RESAMPLES, len(shared)))
    found = []
    for name in ours[shared[0]]:
        first = np.array([ours[fact][name] for fact in shared])
        second = np.array([theirs[fact][name] for fact in shared])
        gaps = second - first
        means = gaps[draws].mean(axis=1)
        low, high = np.quantile(means, [0.025, 0.975])
        crossing = min((means <= 0).mean(), (means >= 0).mean())
        p = float(min(1.0, 2 * max(crossing, 1 / _RESAMPLES))) if gaps.any() else 1.0
        found.append(
            Difference(
                name,
                float(first.mean()),
                float(second.mean()),
                float(gaps.mean()),
                float(low),
                float(high),
                p,
                len(shared),
            )
        )
    return found
