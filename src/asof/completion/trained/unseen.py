"""Answers about an entity that a model has never seen: from counts of the relation, and from names that are alike."""

from __future__ import annotations

import re

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Ints
from asof.completion.interval_prediction import Floats
from asof.completion.queries import Queries
from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.names import folded
from asof.completion.trained.prediction import EntityAnswer

_WORD = re.compile(r"[^\W_]+")
_SHARED = 20.0  # times as much counts a fact of an entity whose name shares its rarest word
_FADES = 8.0  # years (or days) in which a fact fades
_PRIOR = 1.0  # facts for all that was never an answer


def answers_for_unseen(
    trained: TrainedModel, name: str, relation: int, time: tuple[int, int], *, top: int
) -> list[EntityAnswer]:
    """Rank the answers of a relation by how often they were right, near the time and for entities with such a name.

    Args:
        relation: From R on, relations are turned round.
    """
    every = Queries.of(trained.dataset.train, len(trained.dataset.relations))
    facts = every[every.relation == relation]
    weights = _near(facts, time) * _alike(trained, name, facts.entity)
    counts = np.bincount(facts.answer, weights, len(trained.dataset.entities))
    best = np.argsort(-counts, kind="stable")[:top]
    total = counts.sum() + _PRIOR
    return [EntityAnswer(int(one), float(counts[one] / total), ()) for one in best if counts[one] > 0]


def _near(facts: Queries, time: tuple[int, int]) -> Floats:
    """Weigh facts by their distance in time; one that meets the time counts once."""
    if time[0] <= BEFORE_ALL and time[1] >= AFTER_ALL:
        return np.ones(len(facts))
    away = np.maximum(0, np.maximum(facts.start - time[1], time[0] - facts.end))
    return np.exp(-np.minimum(away, 1000) / _FADES)


def _alike(trained: TrainedModel, name: str, entities: Ints) -> Floats:
    """Weigh entities by the rarest word that their name shares with another name."""
    who, place = np.unique(entities, return_inverse=True)
    words = [set(_WORD.findall(folded(trained.entities.labels[number]))) for number in who.tolist()]
    mine = set(_WORD.findall(folded(name)))
    often = {word: sum(word in one for one in words) for word in mine}
    weights = [1 + max((_SHARED / often[word] for word in mine & one), default=0.0) for one in words]
    return np.array(weights)[place]
