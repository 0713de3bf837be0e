"""DE-SimplE (Goel et al. 2020, AAAI, arXiv:1907.03143): entities whose vectors swing with time.

SimplE gives each entity a vector as head and one as tail; the score is ½ (<h_s, r, t_o> + <h_o, r⁻¹, t_s>). A share of
the numbers of these vectors is a · sin(w t + b) with a, w and b of the entity (equation 1), the rest lasts.
"""

import math

import torch
from torch import Tensor, nn

from asof.completion.scorers._point_scorer import PointScorer
from asof.completion.scorers._scorer import Sizes
from asof.errors import UserError
from asof.registry import scorers


@scorers.register("de-simple")
class DESimplE(PointScorer):
    """DE-SimplE, 2020: a part of each entity's vector swings with time, relations stay as they are.

    Where points are days, waves of the month and of the day of the month are added, as published. The slow wave is of a
    point's place among all points rather than of the year: most years are recent, and so these get most of the room.

    Args:
        swinging: The share of the numbers that change with time.
    """

    paper = "arXiv:1907.03143"
    clock: Tensor

    def __init__(self, sizes: Sizes, rank: int, *, swinging: float = 0.64) -> None:
        super().__init__(sizes, rank)
        self.register_buffer("clock", _clock(sizes), persistent=False)
        parts = self.clock.shape[1]
        if swinging > 1:
            raise UserError(f"swinging is {swinging:g}; it must be a share from 0 to 1.")
        self.swings = round(swinging * rank)
        self.lasting = nn.Embedding(sizes.entities, 2 * (rank - self.swings))  # of the head, then of the tail
        self.amplitudes = nn.Embedding(sizes.entities, parts * 2 * self.swings)
        self.frequencies = nn.Embedding(sizes.entities, parts * 2 * self.swings)
        self.shifts = nn.Embedding(sizes.entities, parts * 2 * self.swings)
        self.relations = nn.Embedding(sizes.relations, rank)

    def scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, candidates: Tensor) -> Tensor:
        """½ (<h_s, r, t_o> + <t_s, r⁻¹, h_o>)."""
        answers = self.vectors(point[:, None], candidates).flip(-2)
        return torch.einsum("bhk,bnhk->bn", self._question(entity, relation, point), answers)

    def all_scores_at(self, entity: Tensor, relation: Tensor, point: Tensor, chosen: Tensor | None = None) -> Tensor:
        """At one point each entity has one vector, so that this is a product of matrices."""
        question = self._question(entity, relation, point)
        return question.flatten(1) @ self.vectors(point, chosen).flip(-2).flatten(1).T

    def factors(self, entity: Tensor, relation: Tensor, answer: Tensor) -> list[Tensor]:
        """What lasts of entities, their amplitudes, the relations; frequencies and shifts may be what they like."""
        return [
            *(table(chosen) for chosen in (entity, answer) for table in (self.lasting, self.amplitudes)),
            torch.cat([self.relations(relation), self.relations(self._inverse(relation))], -1),
        ]

    def vectors(self, point: Tensor, chosen: Tensor | None = None) -> Tensor:
        """Return head and tail vectors of entities at a point: of all, or of the chosen."""
        lasting, amplitudes, frequencies, shifts = (
            table.weight if chosen is None else table(chosen)
            for table in (self.lasting, self.amplitudes, self.frequencies, self.shifts)
        )
        parts = (self.clock.shape[1], 2, self.swings)
        angle = frequencies.unflatten(-1, parts) * self.clock[point][..., None, None] + shifts.unflatten(-1, parts)
        waves = (amplitudes.unflatten(-1, parts) * torch.sin(angle)).sum(-3)
        return torch.cat([waves, lasting.unflatten(-1, (2, self.rank - self.swings))], -1)

    def initialise(self, deviation: float) -> None:
        """Begin with small vectors, but with waves of all lengths: small frequencies would make all times alike."""
        super().initialise(deviation)
        nn.init.normal_(self.frequencies.weight)
        nn.init.uniform_(self.shifts.weight, -math.pi, math.pi)

    def _question(self, entity: Tensor, relation: Tensor, point: Tensor) -> Tensor:
        both_ways = torch.stack([self.relations(relation), self.relations(self._inverse(relation))], -2)
        return 0.5 * self.vectors(point, entity) * both_ways

    def _inverse(self, relation: Tensor) -> Tensor:
        return (relation + self.sizes.relations // 2) % self.sizes.relations


def _clock(sizes: Sizes) -> Tensor:
    """Return what time it is at each point, each hand from -π to π: the place among points, then month and day if any.

    >>> _clock(Sizes(1, 2, 3, dates=((), (1952,), ())))[:, 0]
    tensor([-3.1416,  0.0000,  3.1416])
    """
    hands = [torch.linspace(-1, 1, sizes.points)]
    if any(len(date) == 3 for date in sizes.dates):
        for part, most in ((1, 12), (2, 31)):
            numbers = [date[part] if date else 0 for date in sizes.dates]
            hands.append(torch.tensor(numbers) * 2 / most - 1)
    return math.pi * torch.stack(hands, 1)
