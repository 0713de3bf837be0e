"""What speaks for a candidate where facts are events of a day: who did what with whom, and how long before or after.

All of it is found by bisection in sorted lists of keys and days, for some candidates of many questions at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence import name_words, pairs, third_parties
from asof.completion.evidence.days import AROUND, DayIndex
from asof.completion.evidence.gaps import BINS, binned
from asof.completion.evidence.known_facts import Floats, KnownFacts, Numbers, most_promising
from asof.completion.evidence.name_words import NameWords
from asof.completion.evidence.pairs import PairEvidence
from asof.completion.evidence.third_parties import ThirdParties
from asof.completion.queries import Queries

_NEAR = 60  # days around a question in which links between two entities are looked at one by one
_PRIOR = 20.0  # links that would have to be seen before their own ratio outweighs the usual one
_NO_RULE = -3.0

_LATELY = 3  # days

_OF_KNOWN = ("known entity in the role", "known entity")
_WHOSE = ("same link", "inverse link", "any link", "candidate in the role", "candidate")
_AROUND_THE_DAY = (
    *(f"{whose}, {what}" for whose in _WHOSE for what in AROUND),
    *(f"{whose}, {what}" for whose in _OF_KNOWN for what in ("facts", "within 7")),
    "links around, best",
    "links around, summed",
    "company",
    "company now",
    "role again within 7",
)
NAMES = (*_AROUND_THE_DAY, *pairs.NAMES, *third_parties.NAMES, *name_words.NAMES)


@dataclass(frozen=True)
class EventLook:
    """Looks at the candidates that embeddings and recent links propose.

    Args:
        days: When each key of ``_keys`` had a fact.
        order: For some of these keys the facts, sorted by key and then by day.
        link_ratios: For the role in question, the role of another link between the same two, and the gap between them:
            how much likelier than usual the role is, as a logarithm.
        alike: Entities × entities, rows of length one: products say how alike two are in whom they deal with.
        of_role: For each role, how often entities (rows) had which answers.
        again: For each role, how often a fact has the same within a week.
    """

    known: KnownFacts
    days: dict[str, DayIndex]
    order: dict[str, Ints]
    link_ratios: Numbers
    alike: sp.csr_matrix
    of_role: tuple[sp.csr_matrix, ...]
    again: Floats
    pairs: PairEvidence
    third_parties: ThirdParties
    name_words: NameWords
    names: ClassVar = NAMES
    second_look: ClassVar = 150
    learnt_from: ClassVar = 60
    rate: ClassVar = 0.1
    voices: ClassVar = 1

    @classmethod
    def of(cls, known: KnownFacts, names: Sequence[str]) -> EventLook:
        """Count the training facts of entities with these names."""
        facts, alike = known.facts, _alike(known)
        keys = _keys(known, facts.entity, facts.relation, facts.answer)
        days = {whose: DayIndex.of(key, facts.start) for whose, key in keys.items()}
        order = {whose: np.lexsort((facts.start, keys[whose])) for whose in ("any link", "known entity", "role")}
        repeated = days["same link"].within(keys["same link"], facts.start, 7) > 1
        in_role = np.bincount(facts.relation, minlength=known.roles)
        return cls(
            known=known,
            days=days,
            order=order,
            link_ratios=_link_ratios(known, order["any link"], days["any link"], keys["any link"]),
            alike=alike,
            of_role=tuple(_links(known, facts.relation == role) for role in range(known.roles)),
            again=np.bincount(facts.relation, repeated, known.roles) / np.maximum(1, in_role),
            pairs=PairEvidence.of(known, alike),
            third_parties=ThirdParties.of(known),
            name_words=NameWords.of(known, names),
        )

    def at(self, queries: Queries, said: Numbers, count: int) -> tuple[Numbers, Ints, Numbers]:
        """Rate all entities and return what is known of the most promising."""
        first = said + np.log1p(self._lately(queries))
        chosen = most_promising(first, count)
        more = [one.features(queries, chosen) for one in (self.pairs, self.third_parties, self.name_words)]
        return first, chosen, np.concatenate([self._around_the_day(queries, chosen), *more], axis=2)

    def _around_the_day(self, queries: Queries, chosen: Ints) -> Numbers:
        count = chosen.shape[1]
        entity, role, day = (np.repeat(one, count) for one in (queries.entity, queries.relation, queries.start))
        keys = _keys(self.known, entity, role, chosen.ravel())
        turned = (role + self.known.roles // 2) % self.known.roles
        keys["inverse link"] = _keys(self.known, entity, turned, chosen.ravel())["same link"]
        columns: list[npt.NDArray[np.generic]] = []
        for whose in _WHOSE:
            columns += self.days["same link" if whose == "inverse link" else whose].around(keys[whose], day)
        asked = _keys(self.known, queries.entity, queries.relation, queries.answer)
        for whose in _OF_KNOWN:
            days = self.days[whose]
            figures = (days.count(asked[whose]), days.within(asked[whose], queries.start, 7))
            columns += [np.repeat(one, count) for one in figures]
        columns += self._links_around(role, keys["any link"], day)
        columns += [one.ravel() for one in self._company(queries, chosen)]
        columns.append(np.repeat(self.again[queries.relation], count))
        made = np.stack([column.astype(np.float32) for column in columns], axis=1)
        return made.reshape(len(queries), count, len(_AROUND_THE_DAY))

    def _lately(self, queries: Queries) -> Numbers:
        """Count what the known entity had to do with all others around the day."""
        which, index = self.days["known entity"].near(queries.entity, queries.start, _LATELY)
        found = np.zeros((len(queries), self.known.entities), np.float32)
        np.add.at(found, (which, self.known.facts.answer[self.order["known entity"][index]]), 1)
        return found

    def _links_around(self, role: Ints, pair: Ints, day: Ints) -> list[Floats]:
        """Weigh the links between known entity and candidate that are near the day."""
        which, index = self.days["any link"].near(pair, day, _NEAR)
        fact = self.order["any link"][index]
        gaps = (day[which] - self.known.facts.start[fact]).astype(np.float64)
        ratios = self.link_ratios[role[which], self.known.facts.relation[fact], binned(gaps)].astype(np.float64)
        best = np.full(len(pair), _NO_RULE)
        np.maximum.at(best, which, ratios)
        return [best, np.bincount(which, ratios, len(pair))]

    def _company(self, queries: Queries, chosen: Ints) -> tuple[Floats, Floats]:
        """Ask those who are like the known entity what they do with the candidate: at all, and around the day."""
        unseen = queries.entity >= self.known.entities
        alike = (self.alike[np.where(unseen, 0, queries.entity)] @ self.alike.T).toarray()
        alike[unseen] = 0
        ever = np.zeros(chosen.shape)
        for role in np.unique(queries.relation):
            rows = np.flatnonzero(queries.relation == role)
            said = np.asarray(alike[rows] @ self.of_role[role])
            ever[rows] = np.take_along_axis(said, chosen[rows], 1)
        which, index = self.days["role"].near(queries.relation, queries.start, _LATELY)
        fact = self.order["role"][index]
        now = np.zeros((len(queries), self.known.entities))
        np.add.at(now, (which, self.known.facts.answer[fact]), alike[which, self.known.facts.entity[fact]])
        return ever, np.take_along_axis(now, chosen, 1)


def _keys(known: KnownFacts, entity: Ints, role: Ints, candidate: Ints) -> dict[str, Ints]:
    return {
        "same link": (entity * known.roles + role) * known.entities + candidate,
        "any link": entity * known.entities + candidate,
        "candidate in the role": role * known.entities + candidate,
        "candidate": candidate,
        "known entity in the role": role * known.entities + entity,
        "known entity": entity,
        "role": role,
    }


def _links(known: KnownFacts, rows: npt.NDArray[np.bool_]) -> sp.csr_matrix:
    """Count links between entities, those that recur less and less."""
    facts, shape = known.facts, (known.entities, known.entities)
    links = sp.csr_matrix((np.ones(rows.sum()), (facts.entity[rows], facts.answer[rows])), shape=shape)
    links.data = np.log1p(links.data)
    return links


def _alike(known: KnownFacts) -> sp.csr_matrix:
    """Turn the entities with which each one deals into a row of length one; those that few deal with count more."""
    links = _links(known, np.ones(len(known), bool))
    links.data = 1 / np.sqrt(np.bincount(links.indices, minlength=known.entities))[links.indices]
    lengths = np.sqrt(np.asarray(links.multiply(links).sum(1)).ravel())
    return sp.csr_matrix(sp.diags(1 / np.maximum(lengths, 1e-9)) @ links)


def _link_ratios(known: KnownFacts, by_pair: Ints, days: DayIndex, pair: Ints) -> Numbers:
    facts = known.facts
    fact, index = days.near(pair, facts.start, _NEAR)
    other = by_pair[index]
    fact, other = fact[fact != other], other[fact != other]
    gaps = (facts.start[fact] - facts.start[other]).astype(np.float64)
    cell = (facts.relation[fact] * known.roles + facts.relation[other]) * BINS + binned(gaps)
    seen = np.bincount(cell, minlength=known.roles**2 * BINS).reshape(known.roles, known.roles, BINS)
    usual = (np.bincount(facts.relation, minlength=known.roles)[:, None, None] + 1) / (len(facts) + known.roles)
    share = (seen + _PRIOR * usual) / (seen.sum(0, keepdims=True) + _PRIOR)
    ratios: Numbers = np.log(share / usual).astype(np.float32)
    return ratios
