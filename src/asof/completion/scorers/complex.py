"""ComplEx (Trouillon et al. 2016, arXiv:1606.06357): a fact is plausible or not, whatever the time."""

from torch import Tensor, nn

from asof.completion.scorers._scorer import ProductScorer, Sizes, TimeSpan, multiplied
from asof.registry import scorers


@scorers.register("complex")
class ComplEx(ProductScorer):
    """ComplEx, 2016: knows no time; what the others have to beat."""

    paper = "arXiv:1606.06357"

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__(sizes, rank)
        self.relations = nn.Embedding(sizes.relations, 2 * rank)

    def question(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> tuple[Tensor, list[Tensor]]:
        """<s, r, o*>."""
        s, r = self.entities(entity), self.relations(relation)
        return multiplied(s, r), [s, r]
