"""How far apart in time two facts of one entity usually are, for each pair of roles.

People marry some twenty-five years after they are born and never before; a player joins a club in the year in which he
leaves another. For each pair of roles, the gaps between the facts of one entity are counted in bins and set against the
gaps between facts of any two entities: the logarithm of the ratio is evidence for or against a time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import FactSample, Floats, KnownFacts

# Years or days; fine near zero, where the evidence is.
_EDGES = np.array([*(-60, -40, -30, -25, -20, -15, -10, -7), *range(-5, 7), *(8, 11, 16, 21, 26, 31, 41, 61)]) - 0.5
BINS = len(_EDGES) + 1
BIN_WIDTHS = np.diff(_EDGES, prepend=-200.0, append=200.0)
_PARTNERS = 40  # facts of an entity that a fact is compared with, at most
_RANDOM_PAIRS = 3000  # of a pair of roles, for the gaps between any two entities
_FACTS_AT_ONCE = 200_000  # whose pairs are in memory
_PRIOR = 10.0  # pairs that would have to be seen before the usual gaps outweigh random ones

_REACH = 62  # from there on all gaps are in the first bin or the last
_BIN_OF = np.digitize(np.arange(-_REACH, _REACH + 1), _EDGES)

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
        ratios = np.zeros((len(ENDS), known.roles, known.roles, BINS))
        indices = _random_pairs(known, random)
        for kind, seen in enumerate(_seen(known, seed)):
            times, other_times = (known.starts if end == "start" else known.ends for end in ENDS[kind])
            chance = _counted(known.roles, *indices[2:], times[indices[0]] - other_times[indices[1]])
            chance = (chance + 1) / (chance.sum(-1, keepdims=True) + BINS)
            usual = (seen + _PRIOR * chance) / (seen.sum(-1, keepdims=True) + _PRIOR)
            ratios[kind] = np.log(usual / chance)
        return cls(ratios)


@dataclass(frozen=True)
class GapTable:
    """The evidence of gaps, laid out so that those of many candidates to their facts are looked up at once.

    Args:
        ratios: Those of the evidence, one after the other.
        times: For each kind of ENDS, the time of each fact that counts.
        stands_for: How many facts each fact stands for.
        group: The entity and role of each fact, as a number; the facts of a group count one together.
        sizes: How many facts each group has.
    """

    ratios: Floats
    roles: int
    role: Ints
    times: tuple[Floats, ...]
    stands_for: Floats
    group: Ints
    sizes: Ints

    @classmethod
    def of(cls, evidence: GapEvidence, facts: FactSample) -> GapTable:
        """Lay out evidence and the times of facts, which all have one."""
        known = facts.known
        of_ends = {"start": known.starts[facts.facts], "end": known.ends[facts.facts]}
        return cls(
            ratios=evidence.ratios.ravel(),
            roles=known.roles,
            role=known.facts.relation[facts.facts],
            times=tuple(of_ends[theirs] for _, theirs in ENDS),
            stands_for=facts.stands_for,
            group=known.group[facts.facts],
            sizes=known.group_sizes,
        )

    def total(self, role: int, time: float, which: Ints, index: Ints, count: int) -> Floats:
        """Add up what gaps from start to start say for one role and time, in the fewest steps."""
        if np.isnan(time):
            return np.zeros(count)
        own = slice(role * self.roles * BINS, (role + 1) * self.roles * BINS)
        table = self.ratios[own].reshape(self.roles, BINS)[:, _BIN_OF].ravel()
        gap = np.int32(time) - self.days[index]
        np.clip(gap, -_REACH, _REACH, out=gap)
        gap += self.places[index]
        return np.asarray(np.bincount(which, table[gap] * self.weights[index], count), np.float64)

    @cached_property
    def days(self) -> npt.NDArray[np.int32]:
        """The start of each fact."""
        return self.times[0].astype(np.int32)

    @cached_property
    def places(self) -> npt.NDArray[np.int32]:
        """Where the gap of nought would stand for each fact, among those of all roles."""
        return (self.role * (2 * _REACH + 1) + _REACH).astype(np.int32)

    @cached_property
    def weights(self) -> Floats:
        """What each fact counts."""
        return self.stands_for / self.sizes[self.group]

    def beside(self, role: Ints, which: Ints, index: Ints) -> FactsBeside:
        """Set facts beside candidates.

        Args:
            role: Of each candidate.
            which: For each gap the candidate; in order.
            index: For each gap the fact.
        """
        other, group = self.role[index], self.group[index]
        new = np.flatnonzero((np.diff(group, prepend=-1) != 0) | (np.diff(which, prepend=-1) != 0))
        return FactsBeside(
            which=which,
            index=index,
            roles=role[which] * self.roles + other,
            stands_for=self.stands_for[index],
            run=np.repeat(np.arange(len(new)), np.diff(new, append=len(which))),
            sizes=self.sizes[group[new]],
            candidate=which[new],
            same=other[new] == role[which[new]],
        )

    def said(self, kind: int, time: Floats, beside: FactsBeside) -> Floats:
        """Look up what each gap says of a kind of ENDS; nothing where the time of a candidate is not a number."""
        which = beside.which
        gaps = np.clip(np.nan_to_num(time)[which] - self.times[kind][beside.index], -_REACH, _REACH).astype(np.int64)
        ratios: Floats = self.ratios[(beside.roles + kind * self.roles**2) * BINS + _BIN_OF[gaps + _REACH]]
        unknown = np.isnan(time)
        if unknown.any():
            ratios[unknown[which]] = 0.0
        return ratios


@dataclass(frozen=True)
class FactsBeside:
    """Candidates and their facts in pairs, those of a candidate together, and of these those of a role.

    Args:
        which: For each pair the candidate, and ``index`` the fact.
        roles: Of each pair, as one number: that of the candidate times all roles plus that of the fact.
        stands_for: How many facts each fact stands for.
        run: The number of the run of each pair: one candidate, and its facts in one role.
        sizes: Of each run, how many facts it has in all; ``candidate`` its candidate, and ``same`` whether the role is
            the one that is asked about.
    """

    which: Ints
    index: Ints
    roles: Ints
    stands_for: Floats
    run: Ints
    sizes: Ints
    candidate: Ints
    same: npt.NDArray[np.bool_]

    def summed(self, ratios: Floats, count: int) -> tuple[Floats, Floats]:
        """Add up for each of so many candidates what is said of its facts in other roles, and in the same role."""
        means = np.bincount(self.run, ratios * self.stands_for, len(self.sizes)) / self.sizes
        own = np.bincount(self.candidate[self.same], means[self.same], count).astype(np.float64)
        means[self.same] = 0.0
        return np.bincount(self.candidate, means, count).astype(np.float64), own

    def lowest(self, ratios: Floats, count: int) -> Floats:
        """Return the lowest that is said of each of so many candidates; nought where nothing speaks against it."""
        found = np.zeros(count)
        begins = np.flatnonzero(np.diff(self.which, prepend=-1))
        if len(begins):
            found[self.which[begins]] = np.minimum(0.0, np.minimum.reduceat(ratios, begins))
        return found


def _seen(known: KnownFacts, seed: int) -> Floats:
    """Count the gaps between the facts of each entity, some facts at a time: kinds of ENDS × roles × roles × BINS."""
    counts = np.zeros((len(ENDS), known.roles, known.roles, BINS))
    random = np.random.default_rng(seed)
    for begin in range(0, len(known), _FACTS_AT_ONCE):
        answers = known.facts.answer[begin : begin + _FACTS_AT_ONCE]
        fact, other, stands_for = known.of_entities(answers, most=_PARTNERS, random=random)
        fact += begin
        apart = fact != other
        fact, other, stands_for = fact[apart], other[apart], stands_for[apart]
        role, other_role = known.facts.relation[fact], known.facts.relation[other]
        weight = stands_for / known.group_sizes[known.group[other]]  # a fact counts once for each role
        for kind, ends in enumerate(ENDS):
            times, other_times = (known.starts if end == "start" else known.ends for end in ends)
            counts[kind] += _counted(known.roles, role, other_role, times[fact] - other_times[other], weight)
    return counts


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
