"""How well a model finds objects and subjects, relation by relation, and what it answers first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from asof.completion.dataset import Ints
from asof.completion.interval_prediction import Floats
from asof.completion.queries import Queries
from asof.completion.ranking import Others, Ranking, rank
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.trainer import link_scores, protocol_instants
from asof.errors import UserError


@dataclass(frozen=True)
class RankedModel:
    """The ranks of a model on a split, and the entity that it puts first for each question, before any filter."""

    ranking: Ranking
    first: Ints

    @property
    def subject_questions(self) -> tuple[Queries, Ints]:
        """The questions for a subject and their first answers."""
        half = slice(len(self.first) // 2, None)
        return self.ranking.queries[half], self.first[half]


@dataclass(frozen=True)
class RelationResults:
    """MRR of each relation that a split has, for objects and for subjects; the relation with most facts first."""

    relation: Ints
    facts: Ints
    objects: Floats
    subjects: Floats


def ranked_model(trained: TrainedModel, split: str) -> RankedModel:
    """Rank the answers to all questions of a split as the protocol has it, instants filtered one by one."""
    dataset = trained.dataset
    if not len(dataset.split(split)):
        raise UserError(
            f"{dataset.name} has no {split} facts, so there is nothing to diagnose. Choose another --split."
        )
    scores = link_scores(trained.scorer, dataset, protocol_instants(dataset))
    first = np.zeros(2 * len(dataset.split(split)), np.int64)

    def noted(rows: Ints, scores: torch.Tensor, others: Others) -> None:
        first[rows] = scores.argmax(1).numpy()

    return RankedModel(rank(scores, dataset, split, noted=noted), first)


def relation_results(ranking: Ranking, relations: int) -> RelationResults:
    """Take the mean reciprocal ranks of each relation apart."""
    asked = ranking.queries.relation
    count = np.bincount(asked, minlength=2 * relations)
    mean = np.bincount(asked, 1 / ranking.ranks, 2 * relations) / np.maximum(1, count)
    there = np.flatnonzero(count[:relations])
    there = there[np.argsort(-count[there], kind="stable")]
    return RelationResults(there, count[there], mean[there], mean[there + relations])
