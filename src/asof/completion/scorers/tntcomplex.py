"""TComplEx and TNTComplEx (Lacroix et al. 2020, arXiv:2004.04926): the relation changes with time."""

from torch import Tensor, nn

from asof.completion.scorers._scorer import ProductScorer, Sizes, TimeSpan, conjugated, mean_over, multiplied
from asof.registry import scorers


@scorers.register("tntcomplex")
class TNTComplEx(ProductScorer):
    """TNTComplEx, 2020: a relation has a part that changes with time and one that does not."""

    paper = "arXiv:2004.04926"

    def __init__(self, sizes: Sizes, rank: int, *, lasting_part: bool = True) -> None:
        super().__init__(sizes, rank)
        self.relations = nn.Embedding(sizes.relations, 2 * rank)
        self.lasting_relations = nn.Embedding(sizes.relations, 2 * rank) if lasting_part else None
        self.points = nn.Embedding(sizes.points, 2 * rank)

    def question(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> tuple[Tensor, list[Tensor]]:
        """<s, r ∘ t + r', o*>."""
        s, t = self.entities(entity), mean_over(self.points.weight, span)
        at_time = multiplied(self.relations(relation), t)
        if self.lasting_relations is None:
            return multiplied(s, at_time), [s, at_time]
        lasting = self.lasting_relations(relation)
        return multiplied(s, at_time + lasting), [s, at_time, lasting]

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score all points: the part of the score that depends on t."""
        s, r, o = self.entities(subject), self.relations(relation), self.entities(object)
        return multiplied(o, conjugated(multiplied(s, r))) @ self.points.weight.T

    def times(self) -> Tensor:
        """One vector per point."""
        return self.points.weight
