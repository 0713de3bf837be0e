"""What speaks for a candidate because of all that links it with the known entity, whenever, and with its like."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import Floats, KnownFacts, Numbers
from asof.completion.filters import matches
from asof.completion.queries import Queries

NAMES = ("other links, best", "other links, summed", "like earlier answers")
_PRIOR = 5.0  # pairs that would have to be seen before their own share outweighs the usual one
_NO_OTHER, _NO_LINK = -3.0, -4.0


@dataclass(frozen=True)
class PairEvidence:
    """Looks pairs of entities up.

    Args:
        pairs: Known entity times all entities plus answer, for each pair that has a fact; sorted.
        links: A row for each pair, a column for each role: which roles link the two.
        ratios: For the role in question and another that links the same two: how much likelier than usual it is, as a
            logarithm.
        alike: Entities × entities, rows of length one: products say how alike two are in whom they deal with.
        asked: Known entity times all roles plus role, for each that has a fact; sorted.
        answers: A row for each of these: how often it had which answers.
    """

    known: KnownFacts
    pairs: Ints
    links: sp.csr_matrix
    ratios: Floats
    alike: sp.csr_matrix
    asked: Ints
    answers: sp.csr_matrix

    @classmethod
    def of(cls, known: KnownFacts, alike: sp.csr_matrix) -> PairEvidence:
        """Count the training facts."""
        facts, ones = known.facts, np.ones(len(known))
        pairs, pair = np.unique(facts.entity * known.entities + facts.answer, return_inverse=True)
        links = sp.csr_matrix((ones, (pair, facts.relation)), shape=(len(pairs), known.roles))
        links.data[:] = 1
        asked, question = np.unique(facts.entity * known.roles + facts.relation, return_inverse=True)
        answers = sp.csr_matrix((ones, (question, facts.answer)), shape=(len(asked), known.entities))
        answers.data = np.log1p(answers.data)
        return cls(known, pairs, links, _ratios(links), alike, asked, answers)

    def features(self, queries: Queries, chosen: Ints) -> Numbers:
        """Return one row of ``NAMES`` for each chosen candidate of each question."""
        made = np.zeros((*chosen.shape, len(NAMES)), np.float32)
        made[:, :, 0] = _NO_LINK
        row, column, pair = self._linked(queries, chosen)
        made[row, column, 0], made[row, column, 1] = self._other_links(queries.relation[row], pair)
        rows, index = matches(queries.entity * self.known.roles + queries.relation, self.asked)
        before = self.answers[index]
        like = ((before @ self.alike) @ self.alike.T).toarray()  # everybody is wholly like himself: that is taken off
        of_chosen = [np.take_along_axis(one, chosen[rows], 1) for one in (like, before.toarray())]
        made[rows, :, 2] = of_chosen[0] - of_chosen[1]
        return made

    def _linked(self, queries: Queries, chosen: Ints) -> tuple[Ints, Ints, Ints]:
        """Return which candidates of which questions any fact links, and the places of these pairs."""
        which, pair = matches((queries.entity[:, None] * self.known.entities + chosen).ravel(), self.pairs)
        row, column = np.divmod(which, chosen.shape[1])
        return row, column, pair

    def _other_links(self, role: Ints, pair: Ints) -> tuple[Floats, Floats]:
        links = self.links[pair].tocoo()
        other = links.col != role[links.row]
        which = links.row[other]
        ratios = self.ratios[role[which], links.col[other]]
        best, summed = np.full(len(pair), _NO_OTHER), np.zeros(len(pair))
        np.maximum.at(best, which, ratios)
        np.add.at(summed, which, ratios)
        return best, summed


def _ratios(links: sp.csr_matrix) -> Floats:
    together = (links.T @ links).toarray()
    usual = (together.diagonal() + 1) / (links.shape[0] + 1)
    ratios: Floats = np.log((together + _PRIOR * usual[:, None]) / (together.diagonal() + _PRIOR) / usual[:, None])
    return ratios
