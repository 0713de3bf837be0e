"""How facts of an entity lie in time to each other (Jain et al. 2020, section 4.2, equation 8 and φ_pair).

Each fact that train has of a candidate in the same role says how usual the gap from it to the asked time is.
"""

from __future__ import annotations

from typing import cast

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from asof.completion.dataset import Ints
from asof.completion.queries import Queries
from asof.completion.timeplex_parts.gaps import LEAST_VARIANCE, bell, gap_times, spread
from asof.completion.timeplex_parts.held_tensors import hold


class RelationPairs(nn.Module):
    """φ_pair: the mean of N(t - t' | μ_rr', σ_rr') + b_rr' over a candidate's facts, weighted by a softmax of w_rr'.

    The role of a candidate is that of an object in relations 0 … R-1, and that of a subject in R … 2R-1, which are
    turned round; so r and r' are always of one half. μ and σ are fitted to the gaps in train and stay; w and b are
    learnt. Gaps between relations that share no entity in train are never usual. A candidate without facts gets 0.

    Args:
        entities: How many there are.
        relations: How many there are, each direction counted.
        exclude_same_relation: Leave out facts of the asked relation, as equation 8 says; the published program does
            not.
        published_gaps: Also count, among the gaps of a relation to itself, that of each fact to itself, as the
            published program does.
    """

    trained: Tensor
    mean: Tensor
    variance: Tensor
    known: Tensor
    _excluded: Tensor
    _times: Tensor
    _entity: Tensor
    _relation: Tensor
    _count: Tensor
    _first: Tensor

    def __init__(
        self, *, entities: int, relations: int, exclude_same_relation: bool = False, published_gaps: bool = False
    ) -> None:
        super().__init__()
        self._entities, self._half, self._published_gaps = entities, relations // 2, published_gaps
        hold(self, _excluded=torch.eye(relations, dtype=torch.bool) & exclude_same_relation)
        self.weight = nn.Parameter(torch.empty(relations, relations))
        self.offset = nn.Parameter(torch.empty(relations, relations))
        self.register_buffer("trained", torch.tensor(False))
        self.initialise()
        self.look_at(Queries(*(np.zeros(0, np.int64) for _ in range(5))))

    @torch.no_grad()
    def initialise(self) -> None:
        """Begin anew, with the values of the published program."""
        self.weight.fill_(0.1)
        self.offset.fill_(-0.2)
        self.trained.fill_(False)

    def look_at(self, facts: Queries) -> None:
        """Take in the facts of train, in both directions."""
        turned = facts.relation >= self._half
        facts = facts[np.lexsort((facts.relation, facts.answer, turned))]
        times = gap_times(facts.start, facts.end)
        dated = times[times.isfinite()]
        self._middle = float(dated.mean().round()) if len(dated) else 0.0  # small numbers keep their digits
        times = times - self._middle
        border = int((~turned).sum())
        first, second = slice(0, border), slice(border, None)
        self._roles = nn.ModuleList(_Role(facts[rows], times[rows]).to(self.weight.device) for rows in (first, second))
        row = facts.answer + self._entities * (facts.relation >= self._half)  # the candidate in one of two roles
        counts = torch.from_numpy(np.bincount(row, minlength=2 * self._entities))
        mean, variance, count = np.zeros((3, *self.weight.shape))
        for rows, half in ((first, slice(0, self._half)), (second, slice(self._half, None))):
            mean[half, half], variance[half, half], count[half, half] = _fitted(
                facts.answer[rows],
                facts.relation[rows] % max(1, self._half),
                times[rows].numpy(),
                self._half,
                published=self._published_gaps,
            )
        hold(
            self,
            mean=torch.from_numpy(mean).float(),
            variance=torch.from_numpy(variance).float(),
            known=torch.from_numpy(count > 0),
            _times=times,
            _entity=torch.from_numpy(facts.entity),
            _relation=torch.from_numpy(facts.relation),
            _count=counts,
            _first=counts.cumsum(0) - counts,
        )

    def scores(self, relation: Tensor, times: Tensor) -> Tensor:
        """Return the value of every entity as the answer to questions: one row per question.

        The entity of the question plays no part, so questions of one relation and time are worked out once.
        """
        asked, row = torch.unique(torch.stack([relation.double(), times.double()]), dim=1, return_inverse=True)
        relation, times = asked[0].long(), asked[1].float()
        border = int((relation < self._half).sum())  # what is asked is sorted, first by relation
        parts = [
            self._of_role(cast(_Role, role), relation[rows], times[rows])
            for role, rows in zip(self._roles, (slice(0, border), slice(border, None)), strict=True)
        ]
        return torch.cat(parts, 1).T[row]

    def of(self, relation: Tensor, candidate: Tensor, times: Tensor, *, own: Tensor | None = None) -> Tensor:
        """Return the value of one candidate for each question at some times: a row of times, a row of values.

        Args:
            own: The entities of questions that are themselves facts of train; these facts are then left out.
        """
        row = candidate + self._entities * (relation >= self._half)
        question, fact = spread(self._first[row], self._count[row])
        asked, other = relation[question], self._relation[fact]
        at, since = (times - self._middle)[question], self._times[fact][:, None]
        usual = bell(at - since, self.mean[asked, other][:, None], self.variance[asked, other][:, None])
        never = ~self.known[asked, other][:, None] | ~at.isfinite()
        usual = usual.masked_fill(never, 0.0)
        weight = self._weights(relation)[question, other][:, None].expand_as(at)
        if own is not None:
            same = (asked == other) & (own[question] == self._entity[fact])
            weight = weight.masked_fill(same[:, None] & (at == since), 0.0)
        zeros = torch.zeros_like(times)
        total = zeros.index_add(0, question, weight)
        values = zeros.index_add(0, question, weight * (usual + self.offset[asked, other][:, None]))
        return values / torch.where(total > 0, total, 1.0)

    def _weights(self, relation: Tensor) -> Tensor:
        """Return exp(w_rr'), a row for each question, but for a factor of the row that the softmax divides out."""
        w = self.weight[relation]
        return torch.exp(w - w.detach().amax(1, keepdim=True)).masked_fill(self._excluded[relation], 0.0)

    def _of_role(self, role: _Role, relation: Tensor, times: Tensor) -> Tensor:
        """Return the values of all entities in one role: one row per entity, one column per question."""
        usual = _summed(self._usual(role, relation, times), role.group, len(role.group_relation))
        weight = self._weights(relation).T.index_select(0, role.group_relation)
        offset = self.offset[relation].T.index_select(0, role.group_relation)
        total = _summed(weight * role.group_size, role.group_candidate, self._entities)
        values = _summed(weight * (usual + offset * role.group_size), role.group_candidate, self._entities)
        return values / torch.where(total > 0, total, 1.0)

    @torch.no_grad()
    def _usual(self, role: _Role, relation: Tensor, times: Tensor) -> Tensor:
        """Return N(t - t' | μ, σ): one row per fact, one column per question.

        (t - t' - μ) / √2σ is a - t' / √2σ, where a and σ stand in small tables of relations.
        """
        narrow = torch.rsqrt(2 * self.variance[relation])
        asked = (times - self._middle)[:, None]
        never = ~self.known[relation] | ~asked.isfinite()
        narrow = torch.where(self.known[relation], narrow, 1.0)
        a = torch.where(never, torch.inf, (asked - self.mean[relation]) * narrow)
        distance = a.T.contiguous().index_select(0, role.relation)
        distance.addcmul_(narrow.T.contiguous().index_select(0, role.relation), role.times, value=-1)
        return distance.square_().neg_().exp_()


class _Role(nn.Module):
    """Facts in one role, sorted by candidate and relation; those that have both in common are a group."""

    relation: Tensor
    times: Tensor
    group: Tensor
    group_relation: Tensor
    group_candidate: Tensor
    group_size: Tensor

    def __init__(self, facts: Queries, times: Tensor) -> None:
        super().__init__()
        new = np.ones(len(facts), bool)
        new[1:] = (facts.answer[1:] != facts.answer[:-1]) | (facts.relation[1:] != facts.relation[:-1])
        heads = np.flatnonzero(new)
        hold(
            self,
            relation=torch.from_numpy(facts.relation),
            times=times[:, None],
            group=torch.from_numpy(new.cumsum() - 1),
            group_relation=torch.from_numpy(facts.relation[heads]),
            group_candidate=torch.from_numpy(facts.answer[heads]),
            group_size=torch.from_numpy(np.diff(heads, append=len(facts)).astype(np.float32))[:, None],
        )


def _summed(values: Tensor, row: Tensor, rows: int) -> Tensor:
    # scatter_add, as index_add takes three times as long for rows of a matrix
    return values.new_zeros(rows, values.shape[1]).scatter_add(0, row[:, None].expand_as(values), values)


def _fitted(
    entity: Ints, relation: Ints, times: npt.NDArray[np.float32], relations: int, *, published: bool
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return mean, variance and count of t - t' for pairs of relations of one entity, from its facts in one role.

    A time counts once for each entity and relation. With the count n, the sum s and the sum of squares q of the times
    of each, the gaps between r and r' add up to s_r n_r' - n_r s_r', their squares to q_r n_r' - 2 s_r s_r' + n_r q_r'.
    """
    dated = np.isfinite(times)
    once = np.unique(np.stack([entity[dated], relation[dated], times[dated].astype(np.int64)]), axis=1)
    entities, row = np.unique(once[0], return_inverse=True)
    cell = row * relations + once[1]
    n, s, q = (
        np.bincount(cell, weights, len(entities) * relations).reshape(len(entities), relations).astype(np.float64)
        for weights in (np.ones(len(row)), once[2], once[2] ** 2)
    )
    count = n.T @ n
    if not published:
        count[np.diag_indices(relations)] -= n.sum(axis=0)  # no time is its own neighbour
    known = np.maximum(1, count)
    mean = (s.T @ n - n.T @ s) / known
    variance = (q.T @ n - 2 * s.T @ s + n.T @ q) / known - mean**2
    return mean, np.maximum(variance, LEAST_VARIANCE), count
