"""The filtered ranks of TIMEPLEX base by the steps of the program behind the paper, written anew for a current stack.

That program does not run here, so ``completion.py`` measures its steps beside ours:

* known answers stand in sets by entity, relation and instant, one look-up for each instant of a question;
* each term of the score is a product of its own over all entities, of real and of imaginary parts, whatever its weight;
* a row of scores is copied for each instant, known answers are struck out of each copy, and copies are compared with
  the right answer as floats; the mean over the instants is the rank.

What it does besides is left out, which is in its favour: look-ups for relations and times, look-ups of the side that is
not asked for, and the sorting of all candidates to note the best five.
"""

import numpy as np
import torch
from torch import Tensor

from asof.completion.dataset import Dataset
from asof.completion.queries import Queries
from asof.completion.ranking import in_instants
from asof.completion.scorers.timeplex_base import TimeplexBase

_QUESTIONS_PER_BATCH = 100
_STRUCK_OUT = -1e9

Known = dict[tuple[int, int, int], set[int]]  # answers by entity, relation and instant


def known_by_instant(dataset: Dataset) -> Known:
    """Look up what all three splits know at each instant."""
    known: Known = {}
    every = in_instants(dataset, Queries.of(dataset.all_facts, len(dataset.relations)))
    for row in zip(every.entity, every.relation, every.answer, every.start, every.end, strict=True):
        entity, relation, answer, start, end = map(int, row)
        for instant in range(start, end + 1):
            known.setdefault((entity, relation, instant), set()).add(answer)
    return known


@torch.inference_mode()
def published_ranks(scorer: TimeplexBase, dataset: Dataset, queries: Queries, known: Known) -> np.ndarray:
    """Rank the answers of queries, few at a time: scores are copied for every instant."""
    asked = in_instants(dataset, queries)
    points = torch.from_numpy(dataset.point(queries.start))
    tables = [weights.chunk(2, dim=1) for weights in (scorer.entities.weight, scorer.points.weight)]
    found = []
    for first in range(0, len(queries), _QUESTIONS_PER_BATCH):
        rows = np.arange(first, min(first + _QUESTIONS_PER_BATCH, len(queries)))
        scores = _scores(scorer, tables, queries[rows], points[rows])
        gold = scores.gather(1, torch.from_numpy(queries.answer[rows])[:, None])
        lengths = asked.end[rows] - asked.start[rows] + 1
        copies = torch.from_numpy(np.repeat(np.arange(len(rows)), lengths))
        struck = [
            list(known[int(asked.entity[row]), int(asked.relation[row]), instant])
            for row in rows
            for instant in range(int(asked.start[row]), int(asked.end[row]) + 1)
        ]
        longest = max(map(len, struck))
        padded = torch.from_numpy(np.array([np.pad(one, (0, longest - len(one)), "edge") for one in struck]))
        repeated = scores[copies].scatter_(1, padded, _STRUCK_OUT)
        ranks = repeated.ge(gold[copies]).float().sum(dim=1) + 1
        found.append(torch.zeros(len(rows)).index_add_(0, copies, ranks).numpy() / lengths)
    return np.concatenate(found)


Parts = tuple[Tensor, Tensor]


def _scores(scorer: TimeplexBase, tables: list[Parts], queries: Queries, points: Tensor) -> Tensor:
    """Add up the terms of equation 4, each of them scored by itself."""
    (entities, times), relation = tables, torch.from_numpy(queries.relation)
    s, t = _of(entities, torch.from_numpy(queries.entity)), _of(times, points)
    r, r_st, r_ot = (
        table.chunk(2, dim=1)
        for table in (scorer._lasting(relation), scorer.subject_relations(relation), scorer.object_relations(relation))
    )
    of_time = sum(one * other for one, other in zip(_product(s, r_st), t, strict=True)).sum(dim=1, keepdim=True)
    return (
        _all(s, r, entities)
        + scorer.subject_time * of_time
        + scorer.object_time * _all(t, r_ot, entities)
        + scorer.subject_object_time * _all(s, t, entities)
    )


def _of(table: Parts, rows: Tensor) -> Parts:
    return table[0][rows], table[1][rows]


def _product(one: Parts, other: Parts) -> Parts:
    return one[0] * other[0] - one[1] * other[1], one[0] * other[1] + one[1] * other[0]


def _all(one: Parts, other: Parts, entities: Parts) -> Tensor:
    real, imaginary = _product(one, other)
    return real @ entities[0].T + imaginary @ entities[1].T
