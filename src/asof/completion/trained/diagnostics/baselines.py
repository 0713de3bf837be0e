"""What counting the training facts gets, ranked as models are: figures to set beside those of a model.

A model that is not far above these has learnt little else. On YAGO11k no test triple repeats a training triple, so
that pushing down what is known is worth much, and most marriages are in train the other way round.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch

from asof.completion.dataset import Dataset, Ints
from asof.completion.filters import matches
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Scores


@dataclass(frozen=True)
class TrainCounts:
    """The training facts in both directions, counted.

    Args:
        frequency: How many facts of each relation (2R rows, as many turned round) have each entity as their answer.
        keys: Entity and relation of each fact as one number, sorted.
        answers: The answer of each fact, in the order of ``keys``.
    """

    frequency: sp.csr_matrix
    keys: Ints
    answers: Ints

    @classmethod
    def of(cls, dataset: Dataset) -> TrainCounts:
        """Count the training facts of a dataset."""
        facts = queries_of(dataset, "train")
        roles = 2 * len(dataset.relations)
        frequency = sp.csr_matrix(
            (np.ones(len(facts)), (facts.relation, facts.answer)), shape=(roles, len(dataset.entities))
        )
        keys = facts.entity * roles + facts.relation
        order = np.argsort(keys, kind="stable")
        return cls(frequency, keys[order], facts.answer[order])

    def most_frequent(self, queries: Queries) -> torch.Tensor:
        """Score each entity by how often it is the answer of the relation."""
        return torch.from_numpy(self.frequency[queries.relation].toarray())

    def known_last(self, queries: Queries) -> torch.Tensor:
        """The most frequent first, but last of all what train has as an answer to the same entity and relation."""
        scores = self.most_frequent(queries)
        query, fact = self._facts_of(queries.entity, queries.relation)
        scores[torch.from_numpy(query), torch.from_numpy(self.answers[fact])] -= self._beyond
        return scores

    def inverse_first(self, queries: Queries) -> torch.Tensor:
        """As ``known_last``, but first of all what train links with the entity by the relation the other way round.

        What is both stays last.
        """
        scores = self.known_last(queries)
        roles = self.frequency.shape[0]
        query, fact = self._facts_of(queries.entity, (queries.relation + roles // 2) % roles)
        indices = torch.from_numpy(query), torch.from_numpy(self.answers[fact])
        raised = scores[indices] + self._beyond
        scores[indices] = torch.where(scores[indices] >= 0, raised, scores[indices])
        return scores

    @property
    def _beyond(self) -> float:
        """More than any count."""
        return len(self.keys) + 1.0

    def _facts_of(self, entity: Ints, relation: Ints) -> tuple[Ints, Ints]:
        return matches(entity * self.frequency.shape[0] + relation, self.keys)


def baselines(dataset: Dataset) -> dict[str, Scores]:
    """Name the baselines, each as a function that scores all candidates of questions."""
    counts = TrainCounts.of(dataset)
    return {
        "most frequent answer": counts.most_frequent,
        "... known in train last": counts.known_last,
        "... and inverse in train first": counts.inverse_first,
    }
