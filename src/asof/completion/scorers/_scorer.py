"""What every scorer has: embeddings of entities, relations and times, and scores of all candidates at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import torch
from torch import Tensor, nn

from asof.errors import UserError


@dataclass(frozen=True)
class Sizes:
    """How many of each a scorer has vectors for; relations count twice, once for each direction.

    Args:
        dates: For scorers that read the calendar: (year,) or (year, month, day) of each point, () for "before all" and
            "after all".
    """

    entities: int
    relations: int
    points: int
    dates: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True)
class TimeSpan:
    """The points from the first to the last, both included, of each query.

    Args:
        anchor: The point of the known start, or of the known end where no start is known, or else the first of all;
            gaps to other facts are counted from it.
        asked: The points that are asked about, where these are after all that train knows: there the first and the last
            are the last that it knows, as later ones have learnt nothing.
    """

    first: Tensor
    last: Tensor
    anchor: Tensor | None = None
    asked: tuple[Tensor, Tensor] | None = None

    def on(self, device: torch.device) -> TimeSpan:
        """Return the same points on a device; what is asked stays with the processor, which alone reads it."""
        anchor = None if self.anchor is None else self.anchor.to(device)
        return TimeSpan(self.first.to(device), self.last.to(device), anchor, self.asked)


@dataclass(frozen=True)
class AblationRole:
    """What a model stands for in an ablation, and its rank there: the model with the fewest parts comes first."""

    name: str
    order: int


class Scorer(nn.Module):
    """Scores facts; relations R … 2R-1 are those of the base turned round, so every question is for an object."""

    paper: ClassVar[str]
    instants: ClassVar[Literal["sample", "mean", "start"] | None] = None  # the time it wants of a question, if it minds
    needs_float64: ClassVar[bool] = False  # which mps does not have

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__()
        self.sizes, self.rank = sizes, rank

    @property
    def device(self) -> torch.device:
        """Where its vectors are, and where it wants what it is asked."""
        return next(self.parameters()).device

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> Tensor:
        """Score every entity as the object: one row per question."""
        raise NotImplementedError

    def scores_of(
        self, entity: Tensor, relation: Tensor, span: TimeSpan, candidates: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """Score some candidates, a row of them for each question; also return the factors to regularise."""
        raise NotImplementedError

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score every point as the time of facts: one row per fact."""
        raise UserError(f"{type(self).__name__} has no notion of time, so it cannot predict when a fact held.")

    def ablation_role(self) -> AblationRole | None:
        """Say which parts of a larger model this one has; None where it is no member of such a family."""
        return None

    def times(self) -> Tensor | None:
        """Return one vector per point, or None for a scorer that has none."""
        return None

    def initialise(self, deviation: float) -> None:
        """Draw all parameters anew, before training; their standard deviation is a setting of the training."""
        for parameter in self.parameters():
            nn.init.normal_(parameter, std=deviation)

    def after_step(self) -> None:
        """Put embeddings back where the scorer wants them, after each step of training."""


class ProductScorer(Scorer):
    """A scorer whose score is the product of a vector for the question and one for the candidate.

    Subclasses say how a question becomes a vector; then all candidates are scored by one product of matrices.
    """

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__(sizes, rank)
        self.entities = nn.Embedding(sizes.entities, 2 * rank)

    def question(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> tuple[Tensor, list[Tensor]]:
        """Return a vector whose product with a candidate's vector is its score, and the factors to regularise."""
        raise NotImplementedError

    def candidates(self, chosen: Tensor | None = None) -> Tensor:
        """Return the vectors that questions are multiplied with: of all entities, or of the chosen."""
        return self.entities.weight if chosen is None else self.entities(chosen)

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> Tensor:
        """Score every entity as the object."""
        return products(self.question(entity, relation, span)[0], self.candidates())

    def scores_of(
        self, entity: Tensor, relation: Tensor, span: TimeSpan, candidates: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """Score some candidates."""
        vector, factors = self.question(entity, relation, span)
        scores = torch.einsum("bk,bnk->bn", vector, self.candidates(candidates))
        return scores, [*factors, self.entities(candidates[:, 0])]


def products(questions: Tensor, candidates: Tensor) -> Tensor:
    """Multiply the vectors of questions with those of all candidates: one row per question.

    Where no gradient is wanted, numpy does it: on AMD's processors its OpenBLAS takes three fifths of the time of
    torch's MKL, and ranking is little else.

    >>> products(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0, 4.0], [5.0, 6.0]]))
    tensor([[11., 17.]])
    """
    if torch.is_grad_enabled() or questions.device.type != "cpu":
        return questions @ candidates.T
    return torch.from_numpy(questions.detach().numpy() @ candidates.detach().numpy().T)


def multiplied(first: Tensor, second: Tensor) -> Tensor:
    """Multiply complex vectors whose real parts stand before their imaginary parts.

    >>> multiplied(torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0]))  # (1 + 2i)(3 + 4i)
    tensor([-5., 10.])
    """
    a, b = first.chunk(2, -1)
    c, d = second.chunk(2, -1)
    return torch.cat([a * c - b * d, a * d + b * c], -1)


def conjugated(vector: Tensor) -> Tensor:
    """Turn the sign of the imaginary part."""
    real, imaginary = vector.chunk(2, -1)
    return torch.cat([real, -imaginary], -1)


def mean_over(vectors: Tensor, span: TimeSpan) -> Tensor:
    """Return the mean of the vectors of the points of each span, from running sums: no loop over points.

    >>> mean_over(torch.tensor([[1.0], [3.0], [8.0]]), TimeSpan(torch.tensor([0, 1]), torch.tensor([1, 1])))
    tensor([[2.],
            [3.]])
    """
    # Through sums, rounding would leave every point a small gradient; Adagrad takes its first step at the full rate.
    if torch.equal(span.first, span.last):
        return nn.functional.embedding(span.first, vectors)
    sums = torch.cat([torch.zeros_like(vectors[:1]), vectors.cumsum(0)])
    return (sums[span.last + 1] - sums[span.first]) / (span.last - span.first + 1)[:, None]
