"""Ranks and an epoch of TNTComplEx by the steps of the program behind its paper, written anew.

Lacroix et al. 2020 (arXiv:2004.04926) train on facts in both directions, one question a row, with the cross-entropy
over all entities, cubes of the factors and a penalty on the differences of neighbouring times. For ranks they score
all entities by one product of matrices, then strike out the known answers of each question in a loop, and count the
candidates that are as good as the right one. ``completion.py`` measures these steps in turns with ours.
"""

import numpy as np
import torch
from torch import Tensor

from asof.completion.dataset import Dataset
from asof.completion.queries import Queries, queries_of
from asof.completion.scorers.tntcomplex import TNTComplEx

_QUESTIONS_PER_BATCH = 500
_STRUCK_OUT = -1e6
_BATCH, _RATE, _CUBES, _ROUGHNESS = 1000, 0.1, 1e-2, 1e-2

Known = dict[tuple[int, int, int], list[int]]  # answers by entity, relation and day


def known_by_day(dataset: Dataset) -> Known:
    """Look up what all three splits know on each day."""
    known: Known = {}
    every = Queries.of(dataset.all_facts, len(dataset.relations))
    for entity, relation, answer, day in zip(every.entity, every.relation, every.answer, every.start, strict=True):
        known.setdefault((int(entity), int(relation), int(day)), []).append(int(answer))
    return known


@torch.no_grad()
def published_event_ranks(scorer: TNTComplEx, dataset: Dataset, queries: Queries, known: Known) -> np.ndarray:
    """Rank the answers of queries."""
    ranks = torch.ones(len(queries))
    everything = scorer.entities.weight.T
    for first in range(0, len(queries), _QUESTIONS_PER_BATCH):
        batch = queries[first : first + _QUESTIONS_PER_BATCH]
        vectors, _ = _questions(scorer, dataset, batch)
        scores = vectors @ everything
        targets = scores.gather(1, torch.from_numpy(batch.answer)[:, None])
        for row in range(len(batch)):
            key = (int(batch.entity[row]), int(batch.relation[row]), int(batch.start[row]))
            scores[row, torch.LongTensor([*known[key], int(batch.answer[row])])] = _STRUCK_OUT
        ranks[first : first + len(batch)] += (scores >= targets).float().sum(1)
    return ranks.numpy()


def published_event_epoch(scorer: TNTComplEx, dataset: Dataset) -> None:
    """Train for one epoch."""
    facts = queries_of(dataset, "train")
    facts = facts[torch.randperm(len(facts)).numpy()]
    optimiser = torch.optim.Adagrad(scorer.parameters(), lr=_RATE)
    cross_entropy = torch.nn.CrossEntropyLoss(reduction="mean")
    for first in range(0, len(facts), _BATCH):
        batch = facts[first : first + _BATCH]
        vectors, factors = _questions(scorer, dataset, batch)
        answer = torch.from_numpy(batch.answer)
        loss = cross_entropy(vectors @ scorer.entities.weight.T, answer)
        for factor in (*factors, scorer.entities(answer)):
            loss = loss + _CUBES * _lengths(factor).pow(3).sum() / len(batch)
        apart = _lengths(scorer.points.weight[1:] - scorer.points.weight[:-1])
        loss = loss + _ROUGHNESS * apart.pow(3).sum() / (len(apart) or 1)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()


def _questions(scorer: TNTComplEx, dataset: Dataset, batch: Queries) -> tuple[Tensor, list[Tensor]]:
    """Return <s, r ∘ t + r'> with real and imaginary parts apart, and the factors of the score."""
    entity, relation = torch.from_numpy(batch.entity), torch.from_numpy(batch.relation)
    day = torch.from_numpy(dataset.point(batch.start))
    s, r, lasting, t = (
        table(rows).chunk(2, dim=1)
        for table, rows in (
            (scorer.entities, entity),
            (scorer.relations, relation),
            (scorer.lasting_relations, relation),
            (scorer.points, day),
        )
    )
    at_time = r[0] * t[0] - r[1] * t[1], r[1] * t[0] + r[0] * t[1]
    whole = at_time[0] + lasting[0], at_time[1] + lasting[1]
    vector = torch.cat([s[0] * whole[0] - s[1] * whole[1], s[1] * whole[0] + s[0] * whole[1]], 1)
    return vector, [torch.cat(one, 1) for one in (s, at_time, lasting)]


def _lengths(vectors: Tensor) -> Tensor:
    real, imaginary = vectors.chunk(2, dim=1)
    return torch.sqrt(real**2 + imaginary**2 + 1e-12)
