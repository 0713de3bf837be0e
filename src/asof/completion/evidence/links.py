"""What speaks for a candidate because of how it is linked with the known entity."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import FAR, Floats, KnownFacts

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
class LinkEvidence:
    """Features of all entities as candidates, given the entity at the other end.

    Args:
        rules: For two roles, how often entities that the second links are linked by the first too.
        answers: Entities × roles and answers: which of these each entity has, those that few have counting more. Two
            entities keep company as far as they share answers. Their products are made for one entity at a time: for
            all at once, the people of one large country alone would fill memory.
    """

    known: KnownFacts
    of_role: tuple[Ints, ...]
    rules: Floats
    answers: sp.csr_matrix
    shared_by: sp.csr_matrix  # the same, turned round

    @classmethod
    def of(cls, known: KnownFacts) -> LinkEvidence:
        """Count the training facts."""
        answers = _answers(known)
        return cls(
            known=known,
            of_role=tuple(np.flatnonzero(known.facts.relation == role) for role in range(known.roles)),
            rules=_rules(known),
            answers=answers,
            shared_by=answers.T.tocsr(),
        )

    def features(self, entity: int, role: int, start: float) -> Floats:
        """Return one row of ``NAMES`` for every entity."""
        known, facts = self.known, self.known.facts
        made = np.zeros((known.entities, len(NAMES)))
        made[:, [1, 3]] = FAR
        if entity >= known.entities:
            return made
        mine = known.asked_from(np.array([entity]))[1]
        who, relation = facts.answer[mine], facts.relation[mine]
        away = np.nan_to_num(np.abs(known.starts[mine] - start), nan=FAR / 2)
        inverse = (role + known.roles // 2) % known.roles
        for column, chosen in ((0, relation == role), (2, relation == inverse)):
            np.add.at(made[:, column], who[chosen], 1)
            np.minimum.at(made[:, column + 1], who[chosen], away[chosen])
        np.add.at(made[:, 4], who[(relation != role) & (relation != inverse)], 1)
        np.maximum.at(made[:, 5], who, self.rules[role, relation])
        alike = (self.answers[entity] @ self.shared_by).toarray()[0]
        alike[entity] = 0
        weight = alike[facts.entity[self.of_role[role]]]
        theirs, weight = self.of_role[role][weight > 0], weight[weight > 0]
        fades = known.fading(theirs, start)
        made[:, 6] = np.bincount(facts.answer[theirs], weight, known.entities)
        made[:, 7] = np.bincount(facts.answer[theirs], weight * fades, known.entities)
        made[:, 8] = len(mine)
        return made


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


def _answers(known: KnownFacts) -> sp.csr_matrix:
    facts = known.facts
    shared = facts.answer * known.roles + facts.relation
    weight = 1 / np.sqrt(np.bincount(shared)[shared])
    size = (known.entities, known.entities * known.roles)
    has = sp.csr_matrix((weight, (facts.entity, shared)), shape=size)
    has.data = np.minimum(has.data, 1.0)  # a fact that recurs counts once
    return has
