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
from asof.completion.filters import matches

NAMES = ("surest path", "paths together", "paths together at the time", "paths")
_PATHS = 1_000_000  # that are counted for each first role, about
_STARTS = 400  # entities from which they are counted, at most
_PRIOR = 5.0  # paths that would have to be seen before their share of right ends counts half
_SUREST = 0.95  # one path never says all


@dataclass(frozen=True)
class PathEvidence:
    """Features of all entities as candidates: the paths that lead to them.

    Args:
        sureness: Roles × the first and the second role on the way: the share of such paths that end at an answer.
    """

    known: KnownFacts
    sureness: sp.csr_matrix

    @classmethod
    def of(cls, known: KnownFacts, *, seed: int = 0) -> PathEvidence:
        """Count the paths of the training facts."""
        random = np.random.default_rng(seed)
        facts = known.facts
        links = np.unique((facts.entity * known.entities + facts.answer) * known.roles + facts.relation)
        parts = [_counted(known, links, first, random) for first in range(known.roles)]
        role, way, share = (np.concatenate([part[index] for part in parts]) for index in range(3))
        return cls(known, sp.csr_matrix((share, (role, way)), shape=(known.roles, known.roles**2)))

    def features(self, entity: int, role: int, start: float) -> Floats:
        """Return one row of ``NAMES`` for every entity."""
        known, facts = self.known, self.known.facts
        mine = known.asked_from(np.array([entity]))[1]
        # A fact that recurs is one step.
        steps = np.unique(facts.answer[mine] * known.roles + facts.relation[mine])
        step, further = known.asked_from(steps // known.roles)
        end = facts.answer[further]
        way = (steps % known.roles)[step] * known.roles + facts.relation[further]
        sure = self.sureness[role].toarray()[0][way]
        together = -np.log1p(-np.minimum(sure, _SUREST))
        fades = known.fading(further, start)
        surest = np.zeros(known.entities)
        np.maximum.at(surest, end, sure)
        return np.stack(
            [
                surest,
                np.bincount(end, together, known.entities),
                np.bincount(end, together * fades, known.entities),
                np.bincount(end, minlength=known.entities),
            ],
            axis=1,
        )


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
    start, end = (steps // entities)[step], facts.answer[further]
    away = start != end  # back at the start is nowhere
    paths = np.unique(((facts.relation[further] * entities + start) * entities + end)[away])
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
