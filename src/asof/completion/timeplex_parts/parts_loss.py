"""What the parts of TIMEPLEX are trained on (Jain et al. 2020, section 4.3): cross-entropy over a frozen base model.

Each part sees the base model alone, at the start of facts, and never the fact that it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from asof.completion.dataset import Dataset, Ints
from asof.completion.queries import Queries, queries_of
from asof.completion.scorers import ProductScorer, TimeSpan
from asof.completion.timeplex_parts.gaps import gap_times, spread
from asof.completion.timeplex_parts.recurrence import Recurrence
from asof.completion.timeplex_parts.relation_pairs import RelationPairs

_QUESTIONS_PER_BATCH = 512


@dataclass
class PairsLoss:
    """Cross-entropy of base scores and relation pairs, with L2 of what the pairs learn."""

    base: ProductScorer
    part: RelationPairs
    strength: float
    squares: float = 0.0

    def __call__(self, dataset: Dataset, rows: Ints) -> Tensor:
        """Return the loss of rows of the questions of train."""
        self.part.trained.fill_(True)
        queries = queries_of(dataset, "train")[rows]
        entity, relation, answer = _columns(queries, self.base.device)
        times = gap_times(queries.start, queries.end).to(entity.device)
        scores = _base_scores(self.base, dataset, queries)
        without_own = self.part.of(relation, answer, times[:, None], own=entity)
        values = self.part.scores(relation, times).scatter(1, answer[:, None], without_own)
        loss = nn.functional.cross_entropy(scores + self.strength * values, answer)
        return loss + self.squares * sum(parameter.square().sum() for parameter in self.part.parameters())


@dataclass
class RecurrenceLoss:
    """Cross-entropy of base scores and recurrence, from the share of the softmax that known candidates have.

    Recurrence changes the scores of few candidates. With p their shares under the base model and v what they get, the
    sum of exponentials grows by the factor 1 + Σ p (exp v - 1). So all candidates are scored once, not in every epoch.
    """

    base: ProductScorer
    part: Recurrence
    strength: float
    _frozen: _Frozen | None = field(default=None, init=False)

    def __call__(self, dataset: Dataset, rows: Ints) -> Tensor:
        """Return the loss of rows of the questions of train."""
        self.part.trained.fill_(True)
        if self._frozen is None:
            self._frozen = _Frozen.of(self.base, self.part, dataset)
        known, chosen = self._frozen, torch.from_numpy(rows).to(self.base.device)
        owner, index = spread(known.first[chosen], known.count[chosen])
        entity, relation, answer = _columns(known.queries[rows], self.base.device)
        value = self.strength * self.part.additions(entity, relation, known.times[chosen])[2].double()
        zeros = torch.zeros(len(chosen), dtype=torch.double, device=chosen.device)
        growth = zeros.index_add(0, owner, known.share[index] * torch.expm1(value))
        right = zeros.index_add(0, owner, torch.where(known.candidate[index] == answer[owner], value, 0.0))
        return (known.cost[chosen] + torch.log1p(growth) - right).mean()


@dataclass(frozen=True)
class _Frozen:
    """What the base model says of the questions of train: of each its cost, of each known candidate its share."""

    queries: Queries
    times: Tensor
    cost: Tensor
    first: Tensor
    count: Tensor
    candidate: Tensor
    share: Tensor

    @classmethod
    @torch.no_grad()
    def of(cls, base: ProductScorer, part: Recurrence, dataset: Dataset) -> _Frozen:
        queries = queries_of(dataset, "train")
        entity, relation, answer = _columns(queries, base.device)
        times = gap_times(queries.start, queries.end).to(entity.device)
        question, candidate, _ = part.additions(entity, relation, times)
        cost, share = (torch.zeros(len(one), dtype=torch.double, device=entity.device) for one in (queries, question))
        count = torch.bincount(question, minlength=len(queries))
        first = count.cumsum(0) - count
        for start in range(0, len(queries), _QUESTIONS_PER_BATCH):
            rows = slice(start, start + _QUESTIONS_PER_BATCH)
            logs = _base_scores(base, dataset, queries[rows]).log_softmax(1).double()
            cost[rows] = -logs.gather(1, answer[rows, None])[:, 0]
            owner, index = spread(first[rows], count[rows])
            share[index] = logs[owner, candidate[index]].exp()
        return cls(queries, times, cost, first, count, candidate, share)


def _columns(queries: Queries, device: torch.device) -> tuple[Tensor, Tensor, Tensor]:
    entity, relation, answer = (
        torch.from_numpy(column).to(device) for column in (queries.entity, queries.relation, queries.answer)
    )
    return entity, relation, answer


@torch.no_grad()
def _base_scores(base: ProductScorer, dataset: Dataset, queries: Queries) -> Tensor:
    entity, relation, _ = _columns(queries, base.device)
    start = torch.from_numpy(dataset.point(queries.start)).to(base.device)
    return base.question(entity, relation, TimeSpan(start, start))[0] @ base.candidates().T
