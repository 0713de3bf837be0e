"""What speaks for a candidate where facts last: its roles, the gaps to its other facts, its links, the paths to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from asof.completion.dataset import Ints
from asof.completion.evidence import links, paths, roles
from asof.completion.evidence.entity_sums import EntitySums
from asof.completion.evidence.first_cut import FirstCut, best_of
from asof.completion.evidence.gaps import GapEvidence
from asof.completion.evidence.known_facts import Floats, KnownFacts, Numbers, known_time, most_promising
from asof.completion.evidence.links import LinkEvidence
from asof.completion.evidence.paths import PathEvidence
from asof.completion.evidence.roles import RoleEvidence
from asof.completion.queries import Queries

NAMES = (*roles.NAMES, *links.NAMES, *paths.NAMES, "length asked about")
_COMPANY = len(roles.NAMES) + links.NAMES.index("company")
_CANDIDATES_AT_ONCE = 10_000  # whose features are made together: their facts are in memory
# What nearly always counts, with weights that nobody has to learn.
_KIND, _GAPS, _RULE, _WELL_KEPT = 0.5, 0.7, 5.0, 0.5
_SURE = 0.3  # a rule that is right so often


@dataclass(frozen=True)
class LastingLook:
    """Looks at all entities, or at those that a first cut leaves."""

    roles: RoleEvidence
    links: LinkEvidence
    paths: PathEvidence
    cut: FirstCut | None = None
    names: ClassVar = NAMES
    second_look: ClassVar = 300
    learnt_from: ClassVar = 150
    rate: ClassVar = 0.05
    voices: ClassVar = 3  # valid MRR of YAGO11k 0.323 : 0.321 with one, two folds of four

    @classmethod
    def of(cls, known: KnownFacts, gaps: GapEvidence | None = None, *, cut: FirstCut | None = None) -> LastingLook:
        """Count the training facts."""
        return cls(
            roles=RoleEvidence.of(known, gaps, most=cut.facts if cut else None),
            links=LinkEvidence.of(known, most_sharers=cut.sharers if cut else None),
            paths=PathEvidence.of(known),
            cut=cut,
        )

    def at(self, queries: Queries, said: Numbers, count: int) -> tuple[Numbers, Ints, Numbers]:
        """Rate all entities and return what is known of the most promising."""
        starts, ends = known_time(queries.start, queries.end), known_time(queries.end, queries.start)
        first = np.empty_like(said)
        chosen = np.zeros((len(queries), count), np.int64)
        features = np.zeros((len(queries), count, len(NAMES)), np.float32)
        sums, rated = EntitySums(said.shape[1]), np.zeros(said.shape[1])
        asked, gaps = (-1, 0.0), np.zeros(0)
        for row in np.lexsort((queries.end, queries.start, queries.relation)).tolist():
            entity, role, start = int(queries.entity[row]), int(queries.relation[row]), float(starts[row])
            if asked[0] != role:
                kind = _KIND * self.roles.kind(role)
            if asked != (role, start) and not self.cut:  # many questions differ in their entity alone
                gaps = _GAPS * self.roles.start_gaps(role, start)
            asked = (role, start)
            company = self.links.company(entity, role, sums)
            np.add(said[row], kind, out=rated)
            if not self.cut:
                rated += gaps
            rated[self.links.sure(entity, role, _SURE)] += _RULE
            rated[company.who] += _WELL_KEPT * np.log1p(company.ever)
            first[row] = rated
            if self.cut:
                pool = self.cut.pool(first[row], count)
                self.cut.put_above(first[row], pool, _GAPS * self.roles.start_gaps_of(role, start, pool))
                chosen[row] = best_of(first[row], pool, count)
            else:
                chosen[row] = most_promising(first[row][None], count)[0]
            features[row, :, _COMPANY] = company.of(chosen[row])
            features[row, :, _COMPANY + 1] = company.at(start, chosen[row])
        at_once = max(1, _CANDIDATES_AT_ONCE // count)
        for begin in range(0, len(queries), at_once):
            rows = slice(begin, begin + at_once)
            self._describe(queries[rows], starts[rows], ends[rows], chosen[rows], features[rows])
        return first, chosen, features

    def _describe(self, queries: Queries, starts: Floats, ends: Floats, chosen: Ints, into: Numbers) -> None:
        """Put the features of chosen candidates in their place, all but the company that they keep."""
        count, candidates = chosen.shape[1], chosen.ravel()
        entity, role = np.repeat(queries.entity, count), np.repeat(queries.relation, count)
        start, end = np.repeat(starts, count), np.repeat(ends, count)
        columns = (
            self.roles.features(role, start, end, candidates),
            self.links.features(entity, role, start, candidates),
            self.paths.features(entity, role, start, candidates),
            np.nan_to_num(end - start)[:, None],
        )
        made = np.concatenate(columns, axis=1).reshape(*chosen.shape, len(NAMES))
        kept = [column for column in range(len(NAMES)) if column not in (_COMPANY, _COMPANY + 1)]
        into[:, :, kept] = made[:, :, kept]
