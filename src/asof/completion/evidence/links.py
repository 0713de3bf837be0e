"""What speaks for a candidate because of how it is linked with the known entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import FAR, Floats, KnownFacts
from asof.completion.filters import stretches

NAMES = (
    "linked by the relation",
    "nearest such link",
    "linked by its inverse",
    "nearest inverse link",
    "linked otherwise",
    "surest rule",
    "company",
    "company at the time",
    "facts of the known entity",
)


@dataclass(frozen=True)
class Company:
    """How much company candidates keep with a known entity: those that are like it have them as answers.

    Args:
        ever: For every entity.
        facts: The facts that say so, and the weight of each.
    """

    ever: Floats
    facts: Ints
    weights: Floats

    def at(self, known: KnownFacts, start: float) -> Floats:
        """Return it for every entity at a time."""
        weights = self.weights * known.fading(self.facts, start)
        return np.bincount(known.facts.answer[self.facts], weights, known.entities).astype(np.float64)


@dataclass(frozen=True)
class LinkEvidence:
    """Features of candidates, given the entity at the other end.

    Args:
        by_role: The places of facts in the order of their role; ``role_borders`` says where each role begins.
        askers: The entities that these facts are asked from.
        rules: For two roles, how often entities that the second links are linked by the first too.
        sharers: The entities that share an answer in a role, group by group; ``shares`` says how much each has of it,
            what few have counting more. Two entities keep company as far as they share answers.
        share_borders: Where the sharers of each group begin.
        most_sharers: An answer that more entities than this share says nothing of any two of them.
    """

    known: KnownFacts
    by_role: Ints
    role_borders: Ints
    askers: Ints
    rules: Floats
    sharers: Ints
    shares: Floats
    share_borders: Ints
    most_sharers: int

    @classmethod
    def of(cls, known: KnownFacts, *, most_sharers: int | None = None) -> LinkEvidence:
        """Count the training facts."""
        by_role = np.argsort(known.facts.relation, kind="stable")
        links, counts = np.unique(known.group * known.entities + known.facts.entity, return_counts=True)
        group = links // known.entities
        return cls(
            known=known,
            by_role=by_role,
            role_borders=np.searchsorted(known.facts.relation[by_role], np.arange(known.roles + 1)),
            askers=known.facts.entity[by_role],
            rules=_rules(known),
            sharers=links % known.entities,
            shares=_share(counts, known.group_sizes[group]),
            share_borders=np.searchsorted(group, np.arange(len(known.groups) + 1)),
            most_sharers=len(known) if most_sharers is None else most_sharers,
        )

    def sure(self, entity: int, role: int, least: float) -> Ints:
        """Return the entities that a rule links with the known one, if it is right more often than so."""
        mine = self.known.asked_from(np.array([entity]))[1]
        sure = self.rules[role, self.known.turned(self.known.facts.relation[mine])] > least
        return np.unique(self.known.facts.entity[mine[sure]])

    def company(self, entity: int, role: int) -> Company:
        """Ask those who are like the known entity for their answers in the role."""
        known = self.known
        alike = self._alike(entity)
        rows = slice(*self.role_borders[role : role + 2])
        weight = alike[self.askers[rows]]
        some = np.flatnonzero(weight > 0)
        facts, weights = self.by_role[rows][some], weight[some]
        return Company(
            np.bincount(known.facts.answer[facts], weights, known.entities).astype(np.float64), facts, weights
        )

    def _alike(self, entity: int) -> Floats:
        """Tell how far every entity shares the answers of one."""
        known = self.known
        mine = known.asked_from(np.array([entity]))[1]
        groups, counts = np.unique(known.turned_group[mine], return_counts=True)
        sizes = self.share_borders[groups + 1] - self.share_borders[groups]
        groups, counts = groups[sizes <= self.most_sharers], counts[sizes <= self.most_sharers]
        which, index = stretches(self.share_borders[groups], self.share_borders[groups + 1])
        own = _share(counts, known.group_sizes[groups])
        alike = np.bincount(self.sharers[index], own[which] * self.shares[index], known.entities).astype(np.float64)
        if entity < known.entities:
            alike[entity] = 0
        return alike

    def features(self, entity: Ints, role: Ints, start: Floats, candidates: Ints) -> Floats:
        """Return one row of ``NAMES`` for each candidate, but for its company; the others stand for each of them."""
        known, count = self.known, len(candidates)
        made = np.zeros((count, len(NAMES)))
        made[:, [1, 3]] = FAR
        seen = entity < known.entities
        asked = np.where(seen, entity, 0)
        which, fact = known.between(asked, candidates)
        which, fact = which[seen[which]], fact[seen[which]]
        relation = known.facts.relation[fact]
        away = np.nan_to_num(np.abs(known.starts[fact] - start[which]), nan=FAR / 2)
        same, inverse = relation == role[which], relation == known.turned(role)[which]
        for column, chosen in ((0, same), (2, inverse)):
            made[:, column] = np.bincount(which[chosen], minlength=count)
            np.minimum.at(made[:, column + 1], which[chosen], away[chosen])
        made[:, 4] = np.bincount(which[~same & ~inverse], minlength=count)
        np.maximum.at(made[:, 5], which, self.rules[role[which], relation])
        made[:, 8] = np.where(seen, np.diff(known.borders)[asked], 0)
        return made


def _share(counts: Ints, sizes: Ints) -> Floats:
    """Return how much entities have of an answer: what few have counts more, and what recurs counts once at most."""
    return np.minimum(counts / np.sqrt(sizes), 1.0)


def _rules(known: KnownFacts) -> Floats:
    facts = known.facts
    _, pair = np.unique(facts.entity * known.entities + facts.answer, return_inverse=True)
    links = sp.csr_matrix((np.ones(len(facts)), (pair, facts.relation)), shape=(pair.max(initial=-1) + 1, known.roles))
    there = (links > 0).astype(np.float64)
    together = (there.T @ there).toarray()
    rules = together / np.maximum(1, together.diagonal())
    again = np.bincount(links.indices, links.data * (links.data > 1), known.roles)
    np.fill_diagonal(rules, again / np.maximum(1, np.bincount(links.indices, links.data, known.roles)))
    return np.asarray(rules)
