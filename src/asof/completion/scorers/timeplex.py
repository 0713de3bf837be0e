"""TIMEPLEX (Jain et al. 2020, EMNLP, equation 9): TIMEPLEX base, what recurs, and how relations lie in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from asof.completion.dataset import Dataset
from asof.completion.queries import queries_of
from asof.completion.scorers._scorer import AblationRole, Sizes, TimeSpan
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.timeplex_parts.gaps import gap_times
from asof.completion.timeplex_parts.parts_loss import PairsLoss, RecurrenceLoss
from asof.completion.timeplex_parts.recurrence import Recurrence
from asof.completion.timeplex_parts.relation_pairs import RelationPairs
from asof.completion.training.phases import Phase
from asof.registry import scorers

if TYPE_CHECKING:
    from asof.completion.training.trainer import CompletionTraining


@scorers.register("timeplex")
class Timeplex(TimeplexBase):
    """TIMEPLEX, 2020: the base model, then on its frozen embeddings recurrence and pairs of relations.

    A part counts once it has been trained; until then this is the base model. Each is trained on the base model
    alone, and stays only if the ranks on valid get better.

    Args:
        pairs_weight: κ, the weight of pairs of relations; 0 leaves them out, as the paper does but for YAGO11k.
        recurrence_weight: λ, the weight of recurrence; 5 for intervals and 1 for events in the paper.
        least_recurring: K_rec, how many pairs of entities must recur for a relation to count as recurrent.
        exclude_same_relation: Pairs are of two different relations, as equation 8 says. The program behind the paper's
            figures does not exclude them, and on valid of YAGO11k that is better (MRR 22.8 : 21.6).
        published_gaps: Fit gaps as the published program does.
        recurrence_epochs: How long recurrence is trained; the published program has 10 for YAGO11k, 2 for WIKIDATA12k.
        recurrence_rate: Its learning rate; 1.0 for YAGO11k, 0.1 for WIKIDATA12k.
        pairs_epochs: How long pairs are trained; the published program has 2.
        pairs_rate: Their learning rate; 0.05 in the published program.
        base: The settings of the base model.
    """

    needs_float64 = True
    _point_times: Tensor

    def __init__(
        self,
        sizes: Sizes,
        rank: int,
        *,
        pairs_weight: float = 3.0,
        recurrence_weight: float = 5.0,
        least_recurring: int = 1,
        exclude_same_relation: bool = False,
        published_gaps: bool = False,
        recurrence_epochs: int = 10,
        recurrence_rate: float = 1.0,
        pairs_epochs: int = 2,
        pairs_rate: float = 0.05,
        **base: Any,
    ) -> None:
        super().__init__(sizes, rank, **base)
        self.pairs_weight, self.recurrence_weight = pairs_weight, recurrence_weight
        self.recurrence_epochs, self.recurrence_rate = recurrence_epochs, recurrence_rate
        self.pairs_epochs, self.pairs_rate = pairs_epochs, pairs_rate
        self.recurrence = Recurrence(
            entities=sizes.entities,
            relations=sizes.relations,
            least_recurring=least_recurring,
            published_gaps=published_gaps,
        )
        self.pairs = RelationPairs(
            entities=sizes.entities,
            relations=sizes.relations,
            exclude_same_relation=exclude_same_relation,
            published_gaps=published_gaps,
        )
        self.register_buffer("_point_times", torch.full((sizes.points,), -torch.inf), persistent=False)

    def ablation_role(self) -> AblationRole | None:
        """Name the parts that count: one that did not better the ranks on valid is given up, whatever its weight."""
        recurs = bool(self.recurrence_weight and self.recurrence.trained)
        pairs = bool(self.pairs_weight and self.pairs.trained)
        return AblationRole("base" + recurs * " + recurrence" + pairs * " + pairs", recurs + 2 * pairs)

    def initialise(self, deviation: float) -> None:
        """Draw embeddings anew; the parts begin where the published program has them begin."""
        super().initialise(deviation)
        self.recurrence.initialise()
        self.pairs.initialise()

    def after_step(self) -> None:
        """Bring time vectors back to their length, in the first phase only: rounding must not move frozen ones."""
        if self.points.weight.requires_grad:
            super().after_step()

    def look_at(self, dataset: Dataset) -> None:
        """Take in the facts of train, for the parts."""
        self._point_times = gap_times(dataset.points, dataset.points).to(self.device)
        facts = queries_of(dataset, "train")
        if self.recurrence_weight:
            self.recurrence.look_at(facts)
        if self.pairs_weight:
            self.pairs.look_at(facts)

    def phases(self, settings: CompletionTraining) -> Sequence[Phase]:
        """Train embeddings, then recurrence, then pairs with the settings that the published program has for them."""
        part = replace(settings, batch=100, evaluate_every=1, optimiser="adagrad", average=0.0)
        phases = [Phase(settings, lambda name: not name.startswith(("recurrence.", "pairs.")))]
        if self.recurrence_weight:
            again = replace(part, epochs=self.recurrence_epochs, learning_rate=self.recurrence_rate, squares=0.0)
            loss = RecurrenceLoss(self, self.recurrence, self.recurrence_weight)
            phases.append(Phase(again, lambda name: name.startswith("recurrence."), loss))
        if self.pairs_weight:
            paired = replace(part, epochs=self.pairs_epochs, learning_rate=self.pairs_rate, squares=0.002)
            pairs_loss = PairsLoss(self, self.pairs, self.pairs_weight, squares=paired.squares)
            phases.append(Phase(paired, lambda name: name.startswith("pairs."), pairs_loss))
        return phases

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> Tensor:
        """Score every entity as the object: φ + κ φ_pair + λ φ_rec."""
        scores = super().scores(entity, relation, span)
        if self.pairs.trained:
            scores = scores + self.pairs_weight * self.pairs.scores(relation, self._times(span))
        if self.recurrence.trained:
            question, candidate, value = self.recurrence.additions(entity, relation, self._times(span))
            scores = scores.index_put((question, candidate), self.recurrence_weight * value, accumulate=True)
        return scores

    def scores_of(
        self, entity: Tensor, relation: Tensor, span: TimeSpan, candidates: Tensor
    ) -> tuple[Tensor, list[Tensor]]:
        """Score some candidates."""
        scores, factors = super().scores_of(entity, relation, span, candidates)
        columns = (entity, relation, self._times(span))
        entity, relation, times = (column.repeat_interleave(candidates.shape[1]) for column in columns)
        added = self._added(entity, relation, candidates.flatten(), times[:, None])
        return scores + added.view(candidates.shape), factors

    def moments(self, subject: Tensor, relation: Tensor, object: Tensor) -> Tensor:
        """Score all points, with the pairs of the object and of the subject and the recurrence of the fact."""
        times = self._point_times.expand(len(subject), -1)
        moments = super().moments(subject, relation, object) + self._added(subject, relation, object, times)
        if self.pairs.trained:
            turned = (relation + self.sizes.relations // 2) % self.sizes.relations
            moments = moments + self.pairs_weight * self.pairs.of(turned, subject, times)
        return moments

    def _times(self, span: TimeSpan) -> Tensor:
        """Return the time from which gaps are counted: the start, or the end where no start is known."""
        if span.anchor is None:
            return self._point_times[torch.where(span.first > 0, span.first, span.last)]
        return self._point_times[span.anchor]

    def _added(self, entity: Tensor, relation: Tensor, candidate: Tensor, times: Tensor) -> Tensor:
        """Return κ φ_pair + λ φ_rec of one candidate for each question, at a row of times each."""
        added = torch.zeros_like(times)
        if self.pairs.trained:
            added = added + self.pairs_weight * self.pairs.of(relation, candidate, times)
        if self.recurrence.trained:
            added = added + self.recurrence_weight * self.recurrence.of(entity, relation, candidate, times)
        return added
