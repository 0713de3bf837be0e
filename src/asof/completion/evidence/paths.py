"""What speaks for a candidate because two facts, one after the other, lead to it from the known entity.

Somebody died where her husband died; cities that are twinned with the same city are twinned. For each role and each
pair of roles on the way it is counted how often such a path ends at an answer: that is how sure it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats, KnownFacts
from asof.completion.filters import distinct, matches, stretches

NAMES = ("surest path", "paths together", "paths together at the time", "paths")
_PATHS = 1_000_000  # that are counted for each first role, about
_STARTS = 400  # entities from which they are counted, at most
_PRIOR = 5.0  # paths that would have to be seen before their share of right ends counts half
_SUREST = 0.95  # one path never says all


@dataclass(frozen=True)
class PathEvidence:
    """Features of candidates: the paths that lead to them.

    Args:
        sureness: Roles × the first and the second role on the way: the share of such paths that end at an answer.
        steps: The first steps from each entity: the entity that is met times all roles plus the role. A fact that
            recurs is one step.
        step_borders: Where the steps from each entity begin; those from an entity that is not known are none.
        met: For each step, the entity that it is from times all entities plus the one that is met; in order.
    """

    known: KnownFacts
    sureness: sp.csr_matrix
    steps: Ints
    step_borders: Ints
    met: Ints

    @classmethod
    def of(cls, known: KnownFacts, *, seed: int = 0) -> PathEvidence:
        """Count the paths of the training facts."""
        random = np.random.default_rng(seed)
        facts = known.facts
        links = distinct((facts.entity * known.entities + facts.answer) * known.roles + facts.relation)
        parts = [_counted(known, links, first, random) for first in range(known.roles)]
        role, way, share = (np.concatenate([part[index] for part in parts]) for index in range(3))
        met = links // known.roles
        return cls(
            known=known,
            sureness=sp.csr_matrix((share, (role, way)), shape=(known.roles, known.roles**2)),
            steps=links - met // known.entities * (known.entities * known.roles),
            step_borders=np.searchsorted(met // known.entities, np.arange(known.entities + 2)),
            met=met,
        )

    def features(self, entity: Ints, role: Ints, start: Floats, candidates: Ints) -> Floats:
        """Return one row of ``NAMES`` for each candidate; an entity, role and start stand for each of them."""
        known, count = self.known, len(candidates)
        which, way, further = self._paths(entity, candidates)
        sure = np.asarray(self.sureness[role[which], way]).ravel() if len(which) else np.zeros(0)
        together = -np.log1p(-np.minimum(sure, _SUREST))
        surest = np.zeros(count)
        np.maximum.at(surest, which, sure)
        return np.stack(
            [
                surest,
                np.bincount(which, together, count),
                np.bincount(which, together * known.fading(further, start[which]), count),
                np.bincount(which, minlength=count),
            ],
            axis=1,
        )

    def _paths(self, entity: Ints, candidates: Ints) -> tuple[Ints, Ints, Ints]:
        """Find the paths to candidates, beginning at whichever end has fewer facts.

        Returns:
            For each path the place of the candidate, both roles on the way, and the fact that is its second step.
        """
        known = self.known
        degree = np.diff(known.borders, append=len(known))  # an entity that is not known has no facts
        asked = np.minimum(entity, known.entities)
        from_known = degree[asked] <= degree[candidates]
        parts = [
            (rows[which], way, further)
            for rows, found in (
                (np.flatnonzero(from_known), self._from_known),
                (np.flatnonzero(~from_known), self._from_candidates),
            )
            for which, way, further in [found(asked[rows], candidates[rows])]
        ]
        return tuple(np.concatenate(column) for column in zip(*parts, strict=True))  # type: ignore[return-value]

    def _from_known(self, entity: Ints, candidates: Ints) -> tuple[Ints, Ints, Ints]:
        """Follow the steps of known entities, and look up which facts lead on to the candidates."""
        known = self.known
        pair, index = stretches(self.step_borders[entity], self.step_borders[entity + 1])
        steps = self.steps[index]
        found, further = known.between(steps // known.roles, candidates[pair])
        return pair[found], (steps % known.roles)[found] * known.roles + known.facts.relation[further], further

    def _from_candidates(self, entity: Ints, candidates: Ints) -> tuple[Ints, Ints, Ints]:
        """Take the facts of candidates, and look up which steps lead to them from the known entities."""
        known = self.known
        pair, further = known.asked_from(candidates)
        met = entity[pair] * known.entities + known.facts.entity[further]
        found, index = matches(met, self.met)
        further = further[found]
        way = (self.steps[index] % known.roles) * known.roles + known.facts.relation[further]
        return pair[found], way, further


def _counted(known: KnownFacts, links: Ints, first: int, random: np.random.Generator) -> tuple[Ints, Ints, Floats]:
    """Count the paths that begin with a role.

    Args:
        links: All facts without their times, sorted: two entities and a role in one number each.

    Returns:
        Roles, the first and the second role of paths, and the share of those that end at an answer of the role.
    """
    facts, entities, roles = known.facts, known.entities, known.roles
    steps = links[links % roles == first] // roles
    steps = steps[_some(steps // entities, np.diff(known.borders)[steps % entities], random)]
    step, further = known.asked_from(steps % entities)
    start, end = (steps // entities)[step], facts.entity[further]
    away = start != end  # back at the start is nowhere
    paths = distinct(((known.turned(facts.relation[further]) * entities + start) * entities + end)[away])
    second, pair = paths // entities**2, paths % entities**2
    path, link = matches(pair, links // roles)
    cell, right = np.unique(links[link] % roles * roles + second[path], return_counts=True)
    seen = np.bincount(second, minlength=roles)[cell % roles]
    return cell // roles, first * roles + cell % roles, right / (seen + _PRIOR)


def _some(start: Ints, size: Ints, random: np.random.Generator) -> npt.NDArray[np.bool_]:
    """Choose steps: all those of some starts, so that there are not too many paths."""
    starts, which = np.unique(start, return_inverse=True)
    order = random.permutation(len(starts))
    paths = np.bincount(which, size, len(starts))[order]
    chosen = np.zeros(len(starts), bool)
    chosen[order[(np.cumsum(paths) - paths < _PATHS) & (np.arange(len(starts)) < _STARTS)]] = True
    return chosen[which]
