"""What speaks for a candidate in a role at a time, whoever is at the other end of the fact."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Ints
from asof.completion.evidence.gaps import ENDS, GapEvidence, binned
from asof.completion.evidence.known_facts import FAR, Floats, KnownFacts

NAMES = (
    *(f"gaps {mine} to {theirs}, {which}" for mine, theirs in ENDS for which in ("other roles", "same role")),
    "worst gap",
    "same role meanwhile",
    "nearest in the same role",
    "same role within 3",
    "same role within 15",
    "same role in the same interval",
    "since the first fact",
    "since the last fact",
    "facts in the role",
    "facts",
    "kind",
)


@dataclass(frozen=True)
class RoleEvidence:
    """Features of all entities as candidates for a role."""

    known: KnownFacts
    gaps: GapEvidence
    kinds: Floats  # entities × roles: how much the roles that an entity has, and has not, speak for one more
    group: Ints  # of each fact, the number of its entity and role among all that occur
    group_entity: Ints
    group_role: Ints
    group_size: Ints
    first: Floats  # of each entity, when its first fact began
    last: Floats  # ... and its last ended

    @classmethod
    def of(cls, known: KnownFacts) -> RoleEvidence:
        """Count the training facts."""
        facts = known.facts
        groups, group, size = np.unique(
            facts.answer * known.roles + facts.relation, return_inverse=True, return_counts=True
        )
        first, last = np.full(known.entities, np.inf), np.full(known.entities, -np.inf)
        np.fmin.at(first, facts.answer, known.starts)
        np.fmax.at(last, facts.answer, known.ends)
        return cls(
            known=known,
            gaps=GapEvidence.of(known),
            kinds=_kinds(known),
            group=group,
            group_entity=groups // known.roles,
            group_role=groups % known.roles,
            group_size=size,
            first=np.where(np.isfinite(first), first, np.nan),
            last=np.where(np.isfinite(last), last, np.nan),
        )

    def features(self, role: int, start: float, end: float) -> Floats:
        """Return one row of ``NAMES`` for every entity; not a number for a time that is not known."""
        known, facts = self.known, self.known.facts
        columns: list[Floats] = []
        same_group = self.group_role == role
        worst = np.zeros(known.entities)
        for kind, (mine, theirs) in enumerate(ENDS):
            gaps = (start if mine == "start" else end) - (known.starts if theirs == "start" else known.ends)
            ratios = np.where(np.isnan(gaps), 0.0, self.gaps.ratios[kind, role, facts.relation, binned(gaps)])
            means = np.bincount(self.group, ratios) / self.group_size
            columns += [
                _summed(self.group_entity, np.where(same_group, 0.0, means), known.entities),
                _summed(self.group_entity, np.where(same_group, means, 0.0), known.entities),
            ]
            if kind == 0:
                np.minimum.at(worst, facts.answer, ratios)
        rows = np.flatnonzero(facts.relation == role)
        who, starts, ends = facts.answer[rows], known.starts[rows], known.ends[rows]
        distance = np.nan_to_num(np.maximum(starts - end, start - ends), nan=FAR)
        nearest = np.full(known.entities, FAR)
        np.minimum.at(nearest, who, distance)
        away = np.nan_to_num(np.abs(starts - start), nan=2 * FAR)
        columns += [
            worst,
            _summed(who, distance <= 0, known.entities),
            nearest,
            *(np.log1p(_summed(who, np.exp(-away / reach), known.entities)) for reach in (3, 15)),
            _summed(who, (starts == start) & (ends == end), known.entities),
            np.clip(np.nan_to_num(start - self.first, nan=0.0), -FAR, FAR),
            np.clip(np.nan_to_num(start - self.last, nan=0.0), -FAR, FAR),
            known.counts[:, role].astype(np.float64),
            np.diff(known.borders).astype(np.float64),
            self.kinds[:, role],
        ]
        return np.stack(columns, axis=1)


def _summed(entity: Ints, values: npt.ArrayLike, entities: int) -> Floats:
    """Add up values for each entity."""
    return np.bincount(entity, np.asarray(values, np.float64), entities).astype(np.float64)


def _kinds(known: KnownFacts) -> Floats:
    """Weigh for each role the roles that entities have: as independent witnesses, log ratios added up."""
    has = (known.counts > 0).astype(np.float64)
    usual = (has.sum(axis=0) + 1) / (known.entities + 2)
    with_role = (has.T @ has + 1) / (has.sum(axis=0)[:, None] + 2)
    # For a role itself: how often an entity has another fact of it, besides the one in question.
    facts, repeated = known.counts.sum(axis=0), (known.counts * (known.counts > 1)).sum(axis=0)
    np.fill_diagonal(with_role, (repeated + 1) / (facts + 2))
    with_role = np.minimum(with_role, 0.999)
    there, absent = np.log(with_role / usual), np.log((1 - with_role) / (1 - usual))
    return np.asarray(has @ there.T + (1 - has) @ absent.T)
