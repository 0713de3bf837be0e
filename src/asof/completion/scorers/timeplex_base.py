"""TIMEPLEX base (Jain et al. 2020, EMNLP, equation 4): entities and relations each meet time in a term of their own."""

import torch
from torch import Tensor, nn

from asof.completion.scorers._scorer import (
    AblationRole,
    ProductScorer,
    Sizes,
    TimeSpan,
    conjugated,
    mean_over,
    multiplied,
)
from asof.registry import scorers


@scorers.register("timeplex-base")
class TimeplexBase(ProductScorer):
    """TIMEPLEX base, 2020: a sum of products of subject, relation, object and time, three at a time.

    Args:
        subject_time: The weight α of <s, r, t>; it is the same for all candidates, so it bears on times alone.
        object_time: The weight β of <o, r, t>.
        subject_object_time: The weight γ of <s, o, t>.
        unit_times: Keep the real and the imaginary part of each time vector at length one, as the published program
            does after every step.
        inverse_relations: Relations turned round have vectors of their own in <s, r, o>; else they have the conjugate,
            as the published program has it for YAGO11k, which it trains without inverse facts.
    """

    paper = "Jain et al. 2020, EMNLP"

    def __init__(
        self,
        sizes: Sizes,
        rank: int,
        *,
        subject_time: float = 5.0,
        object_time: float = 5.0,
        subject_object_time: float = 5.0,
        unit_times: bool = True,
        inverse_relations: bool = True,
    ) -> None:
        super().__init__(sizes, rank)
        self.subject_time, self.object_time, self.subject_object_time = subject_time, object_time, subject_object_time
        self.unit_times, self.inverse_relations = unit_times, inverse_relations
        self.relations = nn.Embedding(sizes.relations if inverse_relations else sizes.relations // 2, 2 * rank)
        self.subject_relations = nn.Embedding(sizes.relations, 2 * rank)
        self.object_relations = nn.Embedding(sizes.relations, 2 * rank)
        self.points = nn.Embedding(sizes.points, 2 * rank)

    def ablation_role(self) -> AblationRole | None:
        """This is what the parts of TIMEPLEX are added to."""
        return AblationRole("base", 0)

    def question(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> tuple[Tensor, list[Tensor]]:
        """<s, r, o*> + β <t, r_ot, o*> + γ <s, t, o*>; the term α does not depend on the candidate."""
        s, r, r_ot = self.entities(entity), self._lasting(relation), self.object_relations(relation)
        t = mean_over(self.points.weight, span)
        vector = multiplied(s, r) + self.object_time * multiplied(t, r_ot)
        if self.subject_object_time:
            vector = vector + self.subject_object_time * multiplied(s, t)
        return vector, [s, r, r_ot]

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score all points: α <s, r_st, t*> + β <t, r_ot, o*> + γ <s, t, o*>."""
        s, o = self.entities(subject), self.entities(object)
        r_st, r_ot = self.subject_relations(relation), self.object_relations(relation)
        vector = self.subject_time * multiplied(s, r_st) + self.object_time * multiplied(o, conjugated(r_ot))
        if self.subject_object_time:
            vector = vector + self.subject_object_time * multiplied(o, conjugated(s))
        return vector @ self.points.weight.T

    def times(self) -> Tensor:
        """One vector per point."""
        return self.points.weight

    def _lasting(self, relation: Tensor) -> Tensor:
        """Return the vectors of relations in <s, r, o>."""
        if self.inverse_relations:
            return self.relations(relation)  # type: ignore[no-any-return]
        half = self.sizes.relations // 2
        r: Tensor = self.relations(relation % half)
        return torch.where((relation < half)[:, None], r, conjugated(r))

    @torch.no_grad()
    def after_step(self) -> None:
        """Bring time vectors back to their length."""
        if self.unit_times:
            parts = self.points.weight.view(len(self.points.weight), 2, self.rank)
            parts /= parts.norm(dim=2, keepdim=True).clamp_min(1e-12)
