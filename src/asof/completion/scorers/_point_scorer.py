"""Scorers whose candidates change with time: all candidates are scored point by point, so that one point is in memory.

The score over a span is the mean of the scores at its points.
"""

from __future__ import annotations

import torch
from torch import Tensor

from asof.completion.scorers._scorer import Scorer, TimeSpan


class PointScorer(Scorer):
    """A scorer that is asked at single points.

    Subclasses score some candidates of many questions, each at a point of its own, and all entities at one point.
    """

    def scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, candidates: Tensor) -> Tensor:
        """Score some candidates, a row of them for each question, at a point for each question."""
        raise NotImplementedError

    def all_scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, chosen: Tensor | None = None) -> Tensor:
        """Score every entity, or the chosen, as the object of questions that are all asked at one point."""
        raise NotImplementedError

    def factors(self, entity: Tensor, relation: Tensor, answer: Tensor) -> list[Tensor]:
        """Return what to regularise, one row per question."""
        raise NotImplementedError

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan, chosen: Tensor | None = None) -> Tensor:
        """Score every entity, or the chosen, as the object: one product or distance of matrices for each point."""
        question, point = unrolled(span)
        share = 1 / (span.last - span.first + 1)
        width = self.sizes.entities if chosen is None else len(chosen)
        total = torch.zeros(len(entity), width, device=entity.device)
        for asked in torch.unique(point):
            rows = question[point == asked]
            found = self.all_scores_at(entity[rows], relation[rows], asked, chosen)
            total.index_add_(0, rows, found * share[rows, None])
        return total

    def scores_of(
        self, entity: Tensor, relation: Tensor, span: TimeSpan, candidates: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """Score some candidates."""
        question, point = unrolled(span)
        found = self.scores_at(entity[question], relation[question], point, candidates[question])
        share = 1 / (span.last - span.first + 1)
        total = torch.zeros(candidates.shape, device=entity.device).index_add(
            0, question, found * share[question, None]
        )
        return total, self.factors(entity, relation, candidates[:, 0])

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score all points, one after the other."""
        every = torch.arange(self.sizes.points, device=subject.device)
        points = every[:, None].expand(-1, len(subject))
        columns = [self.scores_at(subject, relation, point, object[:, None])[:, 0] for point in points]
        return torch.stack(columns, 1)


def unrolled(span: TimeSpan) -> tuple[Tensor, Tensor]:
    """Return, for each point of each span, the number of its question and the point.

    >>> unrolled(TimeSpan(torch.tensor([4, 7]), torch.tensor([6, 7])))
    (tensor([0, 0, 0, 1]), tensor([4, 5, 6, 7]))
    """
    lengths = span.last - span.first + 1
    question = torch.repeat_interleave(torch.arange(len(lengths), device=lengths.device), lengths)
    within = torch.arange(len(question), device=lengths.device) - (lengths.cumsum(0) - lengths)[question]
    return question, span.first[question] + within
