"""What speaks for a candidate because of how it is linked with the known entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.entity_sums import EntitySums
from asof.completion.evidence.known_facts import FAR, Floats, KnownFacts
from asof.completion.filters import distinct, stretches

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
        who: Those that keep any, in order; ``ever`` says how much.
        candidates: The answer of each fact that says so.
    """

    known: KnownFacts
    sums: EntitySums
    who: Ints
    ever: Floats
    candidates: Ints
    facts: Ints
    weights: Floats

    def of(self, entities: Ints) -> Floats:
        """Return how much company some entities keep."""
        some = self.sums.places(entities, self.who)
        return self.sums.summed(entities, self.who[some], self.ever[some])

    def at(self, start: float, entities: Ints) -> Floats:
        """Return how much of it some entities keep at a time."""
        some = self.sums.places(entities, self.candidates)
        weights = self.weights[some] * self.known.fading(self.facts[some], start)
        return self.sums.summed(entities, self.candidates[some], weights)


@dataclass(frozen=True)
class LinkEvidence:
    """Features of candidates, given the entity at the other end.

    Args:
        rules: For two roles, how often entities that the second links are linked by the first too.
        sharers: The entities that share an answer in a role, group by group; ``shares`` says how much each has of it,
            what few have counting more. Two entities keep company as far as they share answers.
        share_borders: Where the sharers of each group begin.
        shared: The groups of which each entity is a sharer, entity by entity, and how much it has of each; those of an
            entity that is not known are none. ``shared_borders`` says where they begin.
        most_sharers: An answer that more entities than this share says nothing of any two of them; None where any does.
    """

    known: KnownFacts
    rules: Floats
    sharers: Ints
    shares: Floats
    share_borders: Ints
    shared: tuple[Ints, Floats]
    shared_borders: Ints
    most_sharers: int | None

    @classmethod
    def of(cls, known: KnownFacts, *, most_sharers: int | None = None) -> LinkEvidence:
        """Count the training facts."""
        links, counts = np.unique(known.group * known.entities + known.facts.entity, return_counts=True)
        group, sharers = np.divmod(links, known.entities)
        shares = _share(counts, known.group_sizes[group])
        share_borders = np.searchsorted(group, np.arange(len(known.groups) + 1))
        by_sharer = np.argsort(sharers, kind="stable")
        if most_sharers is not None:
            by_sharer = by_sharer[(np.diff(share_borders) <= most_sharers)[group[by_sharer]]]
        return cls(
            known=known,
            rules=_rules(known),
            sharers=sharers,
            shares=shares,
            share_borders=share_borders,
            shared=(group[by_sharer], shares[by_sharer]),
            shared_borders=np.searchsorted(sharers[by_sharer], np.arange(known.entities + 2)),
            most_sharers=most_sharers,
        )

    def sure(self, entity: int, role: int, least: float) -> Ints:
        """Return the entities that a rule links with the known one, if it is right more often than so."""
        known = self.known
        roles = known.turned(np.flatnonzero(self.rules[role] > least))
        _, mine = self._facts_of(np.full(len(roles), entity), roles)
        return distinct(known.facts.entity[mine])

    def company(self, entity: int, role: int, sums: EntitySums | None = None) -> Company:
        """Ask those who are like the known entity for their answers in the role."""
        known, sums = self.known, sums or EntitySums(self.known.entities)
        like, weight = self._alike(entity, sums)
        which, turned = self._facts_of(like, np.full(len(like), known.turned(np.array(role))))
        if self.most_sharers is None:  # sums to the last bit as they always were
            order = np.argsort(known.twin[turned], kind="stable")
            which, turned = which[order], turned[order]
        candidates, weights = known.facts.entity[turned], weight[which]
        return Company(known, sums, *sums.of(candidates, weights), candidates, turned, weights)

    def _facts_of(self, entities: Ints, roles: Ints) -> tuple[Ints, Ints]:
        """Pair entities with the facts of which they are the answer in their roles."""
        group = self.known.found_groups(entities, roles)
        there = np.flatnonzero(group >= 0)
        borders = self.known.group_borders
        which, facts = stretches(borders[group[there]], borders[group[there] + 1])
        return there[which], facts

    def _alike(self, entity: int, sums: EntitySums) -> tuple[Ints, Floats]:
        """Tell which entities share answers with one, and how far."""
        own = slice(*self.shared_borders[[min(entity, self.known.entities), min(entity, self.known.entities) + 1]])
        groups, shares = (column[own] for column in self.shared)
        which, index = stretches(self.share_borders[groups], self.share_borders[groups + 1])
        like, shared = sums.of(self.sharers[index], shares[which] * self.shares[index])
        return like[like != entity], shared[like != entity]

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
