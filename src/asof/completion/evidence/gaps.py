"""How far apart in time two facts of one entity usually are, for each pair of roles.

People marry some twenty-five years after they are born and never before; a player joins a club in the year in which he
leaves another. For each pair of roles, the gaps between the facts of one entity are counted in bins and set against the
gaps between facts of any two entities: the logarithm of the ratio is evidence for or against a time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats, KnownFacts

# Years or days; fine near zero, where the evidence is.
_EDGES = np.array([*(-60, -40, -30, -25, -20, -15, -10, -7), *range(-5, 7), *(8, 11, 16, 21, 26, 31, 41, 61)]) - 0.5
BINS = len(_EDGES) + 1
BIN_WIDTHS = np.diff(_EDGES, prepend=-200.0, append=200.0)
_PARTNERS = 40  # facts of an entity that a fact is compared with, at most
_RANDOM_PAIRS = 3000  # of a pair of roles, for the gaps between any two entities
_PRIOR = 10.0  # pairs that would have to be seen before the usual gaps outweigh random ones

# Which end of the fact in question is compared with which end of the other one.
ENDS = (("start", "start"), ("start", "end"), ("end", "start"))


def binned(gaps: Floats) -> Ints:
    """Return the bin of each gap; what is not a number goes to the last one."""
    return np.digitize(gaps, _EDGES)


@dataclass(frozen=True)
class GapEvidence:
    """For a kind of gap, the role in question, the role of the other fact and a bin: the log ratio."""

    ratios: Floats  # kinds of ENDS × roles × roles × BINS

    @classmethod
    def of(cls, known: KnownFacts, *, seed: int = 0) -> GapEvidence:
        """Count the gaps of training facts."""
        random = np.random.default_rng(seed)
        fact, other, stands_for = known.of_entities(known.facts.answer, most=_PARTNERS, seed=seed)
        apart = fact != other
        fact, other, stands_for = fact[apart], other[apart], stands_for[apart]
        role, other_role = known.facts.relation[fact], known.facts.relation[other]
        weight = stands_for / known.counts[known.facts.answer[other], other_role]  # a fact counts once for each role
        ratios = np.zeros((len(ENDS), known.roles, known.roles, BINS))
        indices = _random_pairs(known, random)
        for kind, (mine, theirs) in enumerate(ENDS):
            times, other_times = (known.starts if end == "start" else known.ends for end in (mine, theirs))
            seen = _counted(known.roles, role, other_role, times[fact] - other_times[other], weight)
            chance = _counted(known.roles, *indices[2:], times[indices[0]] - other_times[indices[1]])
            chance = (chance + 1) / (chance.sum(-1, keepdims=True) + BINS)
            usual = (seen + _PRIOR * chance) / (seen.sum(-1, keepdims=True) + _PRIOR)
            ratios[kind] = np.log(usual / chance)
        return cls(ratios)


def _counted(roles: int, role: Ints, other_role: Ints, gaps: Floats, weight: Floats | None = None) -> Floats:
    known = ~np.isnan(gaps)
    cell = (role[known] * roles + other_role[known]) * BINS + binned(gaps[known])
    weights = None if weight is None else weight[known]
    return np.bincount(cell, weights, minlength=roles * roles * BINS).reshape(roles, roles, BINS).astype(np.float64)


def _random_pairs(known: KnownFacts, random: np.random.Generator) -> tuple[Ints, Ints, Ints, Ints]:
    """Draw as many pairs of facts for each pair of roles, whatever their entities."""
    by_role = np.argsort(known.facts.relation, kind="stable")
    begins = np.searchsorted(known.facts.relation[by_role], np.arange(known.roles + 1))
    there = np.flatnonzero(np.diff(begins))
    pairs = min(_RANDOM_PAIRS, max(50, 20_000_000 // max(1, len(there) ** 2)))
    role, other_role = (np.repeat(side.ravel(), pairs) for side in np.meshgrid(there, there, indexing="ij"))

    def drawn(roles: Ints) -> Ints:
        size = begins[roles + 1] - begins[roles]
        return by_role[begins[roles] + (random.random(len(roles)) * size).astype(np.int64)]

    return drawn(role), drawn(other_role), role, other_role
