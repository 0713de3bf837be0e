"""What speaks for a candidate in a role at a time, whoever is at the other end of the fact."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.gaps import ENDS, GapEvidence, GapTable
from asof.completion.evidence.known_facts import FAR, FactSample, Floats, KnownFacts

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
_KEPT_KINDS = 30_000_000  # numbers


@dataclass(frozen=True)
class RoleEvidence:
    """Features of candidates for a role.

    Args:
        sample: The facts that are looked at one by one.
        dated: Those of them that have a time.
        first: Of each entity, when its first fact began; ``last``, when its last ended.
        roles_together: For two roles, how much an entity's having the second speaks for the first, less what it says
            not to have it; ``without``: what it says for each role to have none.
    """

    known: KnownFacts
    gaps: GapTable
    sample: FactSample
    dated: FactSample
    first: Floats
    last: Floats
    roles_together: Floats
    without: Floats
    _kinds: dict[int, Floats] = field(default_factory=dict, compare=False)

    @classmethod
    def of(cls, known: KnownFacts, gaps: GapEvidence | None = None, *, most: int | None = None) -> RoleEvidence:
        """Count the training facts.

        Args:
            most: Facts of an entity in one role that are looked at one by one; all without it.
        """
        facts = known.facts
        first, last = np.full(known.entities, np.inf), np.full(known.entities, -np.inf)
        np.fmin.at(first, facts.answer, known.starts)
        np.fmax.at(last, facts.answer, known.ends)
        sample = FactSample.of(known, most=most)
        dated = sample.dated
        together, without = _kinds(known)
        return cls(
            known=known,
            gaps=GapTable.of(gaps or GapEvidence.of(known), dated),
            sample=sample,
            dated=dated,
            first=np.where(np.isfinite(first), first, np.nan),
            last=np.where(np.isfinite(last), last, np.nan),
            roles_together=together,
            without=without,
        )

    def kind(self, role: int) -> Floats:
        """Weigh for all entities the roles that they have, and have not: how much they speak for one more."""
        if role not in self._kinds:
            if (len(self._kinds) + 1) * self.known.entities > _KEPT_KINDS:
                self._kinds.clear()
            groups = self.known.groups
            entity, other = groups // self.known.roles, groups % self.known.roles
            self._kinds[role] = self.without[role] + np.bincount(
                entity, self.roles_together[role][other], self.known.entities
            )
        return self._kinds[role]

    def start_gaps(self, role: int, start: float) -> Floats:
        """Add up for all entities what the gaps from start to start say."""
        count, who = self.known.entities, self.known.facts.answer[self.dated.facts]
        beside = self.gaps.beside(np.full(count, role), who, np.arange(len(self.dated.facts)))
        others, same = beside.summed(self.gaps.said(0, np.full(count, start), beside), count)
        return others + same

    def start_gaps_of(self, role: int, start: float, entities: Ints) -> Floats:
        """Add up for some entities what the gaps from start to start say."""
        return self.gaps.total(role, start, *self.dated.of_candidates(entities), len(entities))

    def features(self, role: Ints, start: Floats, end: Floats, candidates: Ints) -> Floats:
        """Return one row of ``NAMES`` for each candidate; a role, start and end stand for each of them.

        A time that is not known is not a number.
        """
        known = self.known
        columns: list[npt.NDArray[np.generic]] = []
        count = len(candidates)
        beside = self.gaps.beside(role, *self.dated.of_candidates(candidates))
        said = [self.gaps.said(kind, {"start": start, "end": end}[mine], beside) for kind, (mine, _) in enumerate(ENDS)]
        for ratios in said:
            columns += beside.summed(ratios, count)
        group = known.found_groups(candidates, role)
        return np.stack(
            [
                *columns,
                beside.lowest(said[0], count),
                *self._in_the_role(group, start, end),
                np.clip(np.nan_to_num(start - self.first[candidates], nan=0.0), -FAR, FAR),
                np.clip(np.nan_to_num(start - self.last[candidates], nan=0.0), -FAR, FAR),
                np.where(group < 0, 0, known.group_sizes[np.maximum(group, 0)]) if len(known.groups) else group * 0,
                np.diff(known.borders)[candidates],
                self._kinds_of(role, candidates),
            ],
            axis=1,
        )

    def _in_the_role(self, group: Ints, start: Floats, end: Floats) -> list[Floats]:
        """Set the facts of each candidate in the same role against the time that is asked about."""
        known, count = self.known, len(group)
        which, index = self.sample.of_groups(group)
        fact, stands_for = self.sample.facts[index], self.sample.stands_for[index]
        starts, ends, begin, after = known.starts[fact], known.ends[fact], start[which], end[which]
        distance = np.nan_to_num(np.maximum(starts - after, begin - ends), nan=FAR)
        away = np.nan_to_num(np.abs(starts - begin), nan=2 * FAR)
        nearest = np.full(count, FAR)
        np.minimum.at(nearest, which, distance)
        return [
            np.bincount(which, (distance <= 0) * stands_for, count),
            nearest,
            *(np.log1p(np.bincount(which, np.exp(-away / reach) * stands_for, count)) for reach in (3, 15)),
            np.bincount(which, ((starts == begin) & (ends == after)) * stands_for, count),
        ]

    def _kinds_of(self, role: Ints, candidates: Ints) -> Floats:
        found = np.zeros(len(role))
        for one in np.unique(role):
            rows = np.flatnonzero(role == one)
            found[rows] = self.kind(int(one))[candidates[rows]]
        return found


def _kinds(known: KnownFacts) -> tuple[Floats, Floats]:
    """Weigh for each role the roles that entities have: as independent witnesses, log ratios added up."""
    entity, role = known.groups // known.roles, known.groups % known.roles
    has = sp.csr_matrix((np.ones(len(role)), (entity, role)), shape=(known.entities, known.roles))
    having = np.bincount(role, minlength=known.roles)
    usual = (having + 1) / (known.entities + 2)
    with_role = ((has.T @ has).toarray() + 1) / (having[:, None] + 2)
    # For a role itself: how often an entity has another fact of it, besides the one in question.
    sizes = known.group_sizes.astype(np.float64)
    facts, repeated = (np.bincount(role, one, known.roles) for one in (sizes, sizes * (sizes > 1)))
    np.fill_diagonal(with_role, (repeated + 1) / (facts + 2))
    with_role = np.minimum(with_role, 0.999)
    there, absent = np.log(with_role / usual), np.log((1 - with_role) / (1 - usual))
    return np.asarray(there - absent), np.asarray(absent.sum(axis=1))
