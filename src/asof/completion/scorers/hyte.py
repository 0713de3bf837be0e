"""HyTE (Dasgupta et al. 2018, EMNLP, D18-1225): each time is a hyperplane onto which facts are projected.

The score is minus TransE's distance on the hyperplane, ‖P(s) + P(r) - P(o)‖₁, where P(x) = x - (w · x) w and w is the
unit vector that stands on it.
"""

import torch
from torch import Tensor, nn

from asof.completion.scorers._point_scorer import PointScorer
from asof.completion.scorers._scorer import Sizes
from asof.errors import UserError
from asof.registry import scorers


@scorers.register("hyte")
class HyTE(PointScorer):
    """HyTE, 2018: translations from subject to object, on one hyperplane for each time.

    Args:
        points_per_plane: So many neighbouring points share a hyperplane. The published program makes classes of years
            with at least 300 mentions.
    """

    paper = "Dasgupta et al. 2018, EMNLP"

    def __init__(self, sizes: Sizes, rank: int, *, points_per_plane: int = 1) -> None:
        super().__init__(sizes, rank)
        if points_per_plane < 1:
            raise UserError(f"points_per_plane is {points_per_plane}; it must be at least 1.")
        self.points_per_plane = points_per_plane
        self.entities = nn.Embedding(sizes.entities, 2 * rank)  # as many numbers as a complex vector of this rank has
        self.relations = nn.Embedding(sizes.relations, 2 * rank)
        self.planes = nn.Embedding(-(-sizes.points // points_per_plane), 2 * rank)

    def scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, candidates: Tensor) -> Tensor:
        """-‖P(s) + P(r) - P(o)‖₁; projection is linear, so that the difference is projected."""
        difference = (self.entities(entity) + self.relations(relation))[:, None] - self.entities(candidates)
        return -_projected(difference, self._normals(point)[:, None]).abs().sum(-1)

    def all_scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, chosen: Tensor | None = None) -> Tensor:
        """Project each entity once, then measure all distances."""
        normal = self._normals(point)
        moved = _projected(self.entities(entity) + self.relations(relation), normal)
        candidates = self.entities.weight if chosen is None else self.entities(chosen)
        return -torch.cdist(moved, _projected(candidates, normal), p=1)

    def factors(self, entity: Tensor, relation: Tensor, answer: Tensor) -> list[Tensor]:
        """The vectors before projection."""
        return [self.entities(entity), self.relations(relation), self.entities(answer)]

    def times(self) -> Tensor:
        """One vector per hyperplane."""
        return self.planes.weight

    @torch.no_grad()
    def after_step(self) -> None:
        """Bring the vectors that stand on the hyperplanes back to length one."""
        self.planes.weight /= self.planes.weight.norm(dim=1, keepdim=True).clamp_min(1e-12)

    def _normals(self, point: Tensor) -> Tensor:
        normals: Tensor = self.planes(point // self.points_per_plane)
        return normals


def _projected(vectors: Tensor, normal: Tensor) -> Tensor:
    return vectors - (vectors * normal).sum(-1, keepdim=True) * normal
