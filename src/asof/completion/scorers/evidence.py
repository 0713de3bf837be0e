"""TIMEPLEX base embeddings together with all that the known facts say; how to weigh it is learnt on valid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import lightgbm as lgb
import numpy as np
import torch
from torch import Tensor, nn

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.evidence.intervals import FEATURES, IntervalEvidence
from asof.completion.evidence.known_facts import Floats
from asof.completion.evidence.ranker import EvidenceRanker
from asof.completion.interval_prediction import Intervals
from asof.completion.queries import Queries, queries_of
from asof.completion.ranking import Scores
from asof.completion.scorers._scorer import Scorer, Sizes, TimeSpan
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.training.phases import LooksAtFacts, Phase
from asof.completion.training.trainer import Instants, Training, span_of
from asof.registry import scorers

_FACTS_AT_ONCE = 2000  # whose curves are in memory


@scorers.register("evidence")
class Evidence(TimeplexBase):
    """Our best: embeddings, counts, gaps in time and links, weighed by boosted trees.

    Training goes as for timeplex-base; then the trees and the weights of interval prediction are fitted on valid. What
    is said of valid after training comes from trees that were fitted on the other half of it.

    Args:
        others: More scorers whose word counts, each with its name, rank and options; they have been trained before.
    """

    paper = "asof"
    instants = "mean"  # the trees want the whole interval of a question
    interval_weights: Tensor
    _trees: Sequence[lgb.Booster] = ()
    _dataset: Dataset
    _ranker: EvidenceRanker
    _intervals: IntervalEvidence
    _without: list[EvidenceRanker]  # fitted without one half of valid; only while the scorer is trained

    def __init__(self, sizes: Sizes, rank: int, *, others: Sequence[Mapping[str, Any]] = (), **base: Any) -> None:
        super().__init__(sizes, rank, **base)
        self.others = nn.ModuleList(
            scorers.get(other["scorer"])(sizes, other["rank"], **other["options"]) for other in others
        )

    def look_at(self, dataset: Dataset) -> None:
        """Count the training facts."""
        self._dataset = dataset
        for other in self.others:
            if isinstance(other, LooksAtFacts):
                other.look_at(dataset)
        lasting = bool((dataset.train.start != dataset.train.end).any())
        own: tuple[Instants, ...] = ("start", "mean") if lasting else ("start",)  # of a moment both would say the same
        said = [self._said_by(self, instants) for instants in own]
        said += [self._said_by(cast(Scorer, other), own[-1]) for other in self.others]
        self._ranker = EvidenceRanker.of(dataset, said)
        self._intervals = IntervalEvidence.of(dataset)
        weights = torch.zeros(len(dataset.relations), len(FEATURES), dtype=torch.double)
        self.register_buffer("interval_weights", weights)

    def phases(self, settings: Training) -> Sequence[Phase]:
        """Train its own embeddings; the others stay as they are."""
        return (Phase(settings, lambda name: not name.startswith("others.")),)

    def learn_on_valid(self, seed: int) -> None:
        """Learn on valid how to weigh what embeddings and facts say."""
        asked = self._ranker.enough(queries_of(self._dataset, "valid"), seed=seed)
        examples, half = self._ranker.examples(asked), halves(asked, len(self._dataset.relations))
        self._trees = self._ranker.fit(examples, seed=seed).trees
        self._without = [
            self._ranker.fit([examples[place] for place in np.flatnonzero(half != number)], seed=seed)
            for number in (0, 1)
        ]
        self.interval_weights.copy_(torch.from_numpy(self._intervals.fit(self._moments).weights))

    def held_out_scores(self, queries: Queries) -> Tensor:
        """Score questions of valid by trees that were fitted on the other half of them."""
        half = halves(queries, len(self._dataset.relations))
        scores = torch.zeros(len(queries), len(self._dataset.entities))
        for number, ranker in enumerate(self._without):
            scores[torch.from_numpy(half == number)] = ranker.scores(queries[half == number])
        return scores

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> Tensor:
        """Score every entity: by embeddings alone while these are trained."""
        if not self._trees:
            return super().scores(entity, relation, span)
        points = self._dataset.points
        asked = Queries(
            entity.numpy(),
            relation.numpy(),
            np.zeros(len(entity), np.int64),
            points[span.first.numpy()],
            points[span.last.numpy()],
        )
        return self._ranker.weighed_by(self._trees).scores(asked)

    def intervals(self, facts: Quadruples, count: int) -> Intervals:
        """Predict the intervals in which facts held."""
        parts = [facts[start : start + _FACTS_AT_ONCE] for start in range(0, max(1, len(facts)), _FACTS_AT_ONCE)]
        found = [self._intervals.intervals(part, self.start_curves(part)[1], count=count) for part in parts]
        return Intervals(np.concatenate([one.first for one in found]), np.concatenate([one.last for one in found]))

    def start_curves(self, facts: Quadruples) -> tuple[Ints, Floats]:
        """Return all times that are considered, and the probability of each as the start of each fact."""
        evidence = self._intervals.weighed_by(self.interval_weights.numpy())
        return evidence.times, evidence.curves(facts, self._moments)

    def get_extra_state(self) -> Tensor:
        """Keep the trees with the weights, as their text; a null byte after each."""
        texts = [trees.model_to_string().encode() for trees in self._trees]
        return torch.frombuffer(bytearray(b"\0".join([*texts, b""]) or b"\0"), dtype=torch.uint8).clone()

    def set_extra_state(self, state: Tensor) -> None:
        """Take the trees out of their text."""
        texts = bytes(state.tolist()).decode().split("\0")
        self._trees = [lgb.Booster(model_str=text) for text in texts if text]
        if any(trees.num_feature() != len(self._ranker.names) for trees in self._trees):
            raise RuntimeError("its trees weigh other evidence than this version of asof has")

    def _said_by(self, scorer: Scorer, instants: Instants) -> Scores:
        def scores(queries: Queries) -> Tensor:
            span = span_of(self._dataset, queries, instants, np.random.default_rng(0))
            asked = (torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), span)
            return super(Evidence, self).scores(*asked) if scorer is self else scorer.scores(*asked)

        return torch.inference_mode()(scores)

    @torch.inference_mode()
    def _moments(self, facts: Quadruples, times: Ints) -> Floats:
        subject, relation, object = (torch.from_numpy(one) for one in (facts.subject, facts.relation, facts.object))
        turned = relation + len(self._dataset.relations)
        scores = self.moments(subject, relation, object) + self.moments(object, turned, subject)
        found: Floats = torch.log_softmax(scores, 1).double().numpy()[:, self._dataset.point(times)]
        return found


def halves(queries: Queries, relations: int) -> Ints:
    """Part questions in two, as if by chance; both questions about a fact are in the same half.

    Facts of the same two entities go to both halves, as they go to valid and test: trees that never saw two entities
    together say little about how trees of all of valid will do.
    """
    mixed = np.zeros(len(queries), np.uint64)
    both_ways = (queries.entity + queries.answer, queries.entity * queries.answer, queries.relation % relations)
    for column in (*both_ways, queries.start, queries.end):
        mixed = (mixed ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return (mixed & np.uint64(1)).astype(np.int64)
