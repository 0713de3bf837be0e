"""TIMEPLEX base embeddings together with all that the known facts say; how to weigh it is learnt on unseen facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, cast

import lightgbm as lgb
import numpy as np
import torch
from torch import Tensor, nn

from asof.completion.dataset import Dataset, Ints
from asof.completion.evidence.gaps import GapEvidence
from asof.completion.evidence.intervals import FEATURES, IntervalEvidence, TimeLesson
from asof.completion.evidence.known_facts import Floats, KnownFacts
from asof.completion.evidence.ranker import QUESTIONS, EvidenceRanker, Example
from asof.completion.interval_prediction import Intervals
from asof.completion.queries import NOBODY, Queries, TimeQueries, queries_of
from asof.completion.ranking import Scores
from asof.completion.scorers._scorer import AblationRole, Scorer, Sizes, TimeSpan
from asof.completion.scorers.timeplex_base import TimeplexBase
from asof.completion.training.phases import LooksAtFacts, OnProgress, Phase
from asof.completion.training.state import CompletionCheckpoint
from asof.completion.training.trainer import CompletionTraining, Instants, span_of, train
from asof.errors import UserError
from asof.registry import scorers

_FACTS_AT_ONCE = 2000  # whose curves are in memory
_MOST_PARTS = 3  # of train that teach how to weigh: each costs as much as the embeddings


@scorers.register("evidence")
class EvidenceScorer(TimeplexBase):
    """Our best: embeddings, counts, gaps in time and links, weighed by boosted trees.

    Training goes as for timeplex-base; then the trees and the weights of interval prediction are fitted on valid. What
    is said of valid after training comes from trees that were fitted on the other half of it.

    Args:
        folds: In how many parts train is divided, so that the trees and weights are fitted on parts of train, seen by
            embeddings and counts of the rest; valid then ends the training and nothing else. 0 fits them on valid.
        name_words: Look at the words that names of entities share, where facts are events.
        closer_look: How many candidates get one where facts last; 0 looks at all, or at 1,000 where there are more than
            20,000 entities or 200,000 training facts.
        others: More scorers whose word counts, each with its name, rank and options; they have been trained before.
    """

    paper = "asof"
    instants = "mean"  # the trees want the whole interval of a question
    needs_float64 = True
    interval_weights: Tensor
    _trees: Sequence[lgb.Booster] = ()
    _dataset: Dataset
    _ranker: EvidenceRanker
    _intervals: IntervalEvidence
    _without: list[EvidenceRanker]  # fitted without one half of valid; only while the scorer is trained

    def __init__(
        self,
        sizes: Sizes,
        rank: int,
        *,
        folds: int = 0,
        name_words: bool = True,
        closer_look: int = 0,
        others: Sequence[Mapping[str, Any]] = (),
        **base: Any,
    ) -> None:
        if folds and (folds < 2 or others):
            reason = "a part and the rest are two at least" if folds < 2 else "other models have seen all of train"
            raise UserError(f"evidence cannot take folds={folds}: {reason}. Give folds=10, or leave it out.")
        super().__init__(sizes, rank, **base)
        self.folds, self.name_words, self.closer_look, self._base = folds, name_words, closer_look, base
        self.others = nn.ModuleList(
            scorers.get(other["scorer"])(sizes, other["rank"], **other["options"]) for other in others
        )

    def ablation_role(self) -> AblationRole | None:
        """It has more than TIMEPLEX has, so it comes after all of its parts."""
        return AblationRole("evidence", 4)

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
        known = KnownFacts.of(dataset)
        gaps = GapEvidence.of(known)
        self._ranker = EvidenceRanker.of(
            dataset,
            said,
            known,
            gaps,
            closer=self._of_chosen,
            name_words=self.name_words,
            candidates=self.closer_look,
        )
        self._intervals = IntervalEvidence.of(dataset, known, gaps)
        weights = torch.zeros(len(dataset.relations), len(FEATURES), dtype=torch.double)
        self.register_buffer("interval_weights", weights)

    def phases(self, settings: CompletionTraining) -> Sequence[Phase]:
        """Train its own embeddings; the others stay as they are."""
        return (Phase(settings, lambda name: not name.startswith("others.")),)

    @property
    def weighed_on_valid(self) -> bool:
        """Tell whether valid has taught the trees."""
        return not self.folds

    def learn_weights(
        self,
        settings: CompletionTraining,
        on_progress: OnProgress,
        checkpoint: CompletionCheckpoint | None,
        *,
        device: str = "cpu",
    ) -> None:
        """Learn how to weigh what embeddings and facts say."""
        if self.folds:
            lessons = list(self._held_out_parts(settings, on_progress, checkpoint, device))
            examples = [example for part, _ in lessons for example in part]
            times = [time for _, time in lessons]
        else:
            asked = self._ranker.enough(queries_of(self._dataset, "valid"), seed=settings.seed)
            examples = self._ranker.examples(asked)
            half = halves(asked)
            self._without = [
                self._ranker.fit([examples[index] for index in np.flatnonzero(half != number)], seed=settings.seed)
                for number in (0, 1)
            ]
            times = [self._intervals.lesson(self._dataset.valid, self._moments)]
        self._trees = self._ranker.fit(examples, seed=settings.seed).trees
        self.interval_weights.copy_(torch.from_numpy(self._intervals.fit(times).weights))

    def held_out_scores(self, queries: Queries) -> Tensor:
        """Score questions of valid by trees that were not fitted on them: on train, or on the other half of valid."""
        if self.folds:
            return self._ranker.weighed_by(self._trees).scores(queries)
        half = halves(queries)
        scores = torch.zeros(len(queries), len(self._dataset.entities))
        for number, ranker in enumerate(self._without):
            scores[torch.from_numpy(half == number)] = ranker.scores(queries[half == number])
        return scores

    def _held_out_parts(
        self,
        settings: CompletionTraining,
        on_progress: OnProgress,
        checkpoint: CompletionCheckpoint | None,
        device: str,
    ) -> Iterator[tuple[list[Example], TimeLesson]]:
        """Look at parts of train with embeddings and counts of the rest, at as many as are worth learning from."""
        facts, relations = self._dataset.train, len(self._dataset.relations)
        part_of = np.random.default_rng(settings.seed).permutation(len(facts)) % self.folds
        parts = min(self.folds, _MOST_PARTS, -(-QUESTIONS * self.folds // max(1, 2 * len(facts))))
        for number in range(parts):
            part, rest = facts[part_of == number], replace(self._dataset, train=facts[part_of != number])
            embeddings = TimeplexBase(self.sizes, self.rank, **self._base)
            file = checkpoint.of_part(number) if checkpoint else None
            train(
                embeddings,
                rest,
                settings,
                on_progress=partial(_with_part, on_progress, number),
                state=file.load() if file else None,
                checkpoint=file,
                device=device,
            )
            held_out = EvidenceScorer(
                self.sizes, self.rank, name_words=self.name_words, closer_look=self.closer_look, **self._base
            )
            held_out.look_at(rest)
            held_out.load_state_dict(embeddings.state_dict(), strict=False)
            asked = self._ranker.enough(Queries.of(part, relations), seed=settings.seed, share=1 / parts)
            yield (
                held_out._ranker.examples(asked),
                held_out._intervals.lesson(part, held_out._moments, share=1 / parts),
            )

    def scores(self, entity: Tensor, relation: Tensor, span: TimeSpan) -> Tensor:
        """Score every entity: by embeddings alone while these are trained."""
        if not self._trees:
            return super().scores(entity, relation, span)
        points = self._dataset.points
        first, last = span.asked or (span.first, span.last)
        asked = Queries(
            entity.numpy(),
            relation.numpy(),
            np.full(len(entity), NOBODY),
            points[first.numpy()],
            points[last.numpy()],
        )
        return self._ranker.weighed_by(self._trees).scores(asked)

    def intervals(self, asked: TimeQueries, count: int) -> Intervals:
        """Predict the intervals in which facts held."""
        parts = [asked[start : start + _FACTS_AT_ONCE] for start in range(0, max(1, len(asked)), _FACTS_AT_ONCE)]
        found = [self._intervals.intervals(part, self.start_curves(part)[1], count=count) for part in parts]
        return Intervals(np.concatenate([one.first for one in found]), np.concatenate([one.last for one in found]))

    def start_curves(self, asked: TimeQueries) -> tuple[Ints, Floats]:
        """Return all times that are considered, and the probability of each as the start of each fact."""
        evidence = self._intervals.weighed_by(self.interval_weights.numpy())
        return evidence.times, evidence.curves(asked, self._moments)

    def lengths(self, asked: TimeQueries) -> Floats:
        """Return how likely each length is for each fact: how long facts of its relation last."""
        return self._intervals.lasting[asked.relation]

    def get_extra_state(self) -> Tensor:
        """Keep the trees with the weights, as their text; a null byte after each."""
        texts = [trees.model_to_string().encode() for trees in self._trees]
        return torch.frombuffer(bytearray(b"\0".join([*texts, b""]) or b"\0"), dtype=torch.uint8).clone()

    def set_extra_state(self, state: Tensor) -> None:
        """Take the trees out of their text."""
        texts = bytes(state.tolist()).decode().split("\0")
        self._trees = [lgb.Booster(model_str=text) for text in texts if text]
        if any(trees.num_feature() != len(self._ranker.names) for trees in self._trees):
            raise RuntimeError("its trees use other features than this version of asof")

    def _said_by(self, scorer: Scorer, instants: Instants) -> Scores:
        def scores(queries: Queries) -> Tensor:
            span = span_of(self._dataset, queries, instants, np.random.default_rng(0))
            asked = (torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), span)
            return super(EvidenceScorer, self).scores(*asked) if scorer is self else scorer.scores(*asked)

        return torch.inference_mode()(scores)

    @torch.inference_mode()
    def _of_chosen(self, queries: Queries, chosen: Ints) -> Tensor:
        """Score some candidates by its own embeddings, at the start of each question."""
        span = span_of(self._dataset, queries, "start", np.random.default_rng(0))
        asked = (torch.from_numpy(queries.entity), torch.from_numpy(queries.relation), span)
        return super().scores_of(*asked, torch.from_numpy(chosen))[0]

    @torch.inference_mode()
    def _moments(self, asked: TimeQueries, times: Ints) -> Floats:
        subject, relation, object = (torch.from_numpy(one) for one in (asked.subject, asked.relation, asked.object))
        turned = relation + len(self._dataset.relations)
        scores = self.moments(subject, relation, object) + self.moments(object, turned, subject)
        found: Floats = torch.log_softmax(scores, 1).double().numpy()[:, self._dataset.point(times)]
        return found


def _with_part(on_progress: OnProgress, number: int, row: dict[str, Any]) -> None:
    """Tell the figures of an epoch without a part of train as those of a phase after the first."""
    on_progress({**row, "phase": number + 2})


def halves(queries: Queries) -> Ints:
    """Part questions that are made from facts in two, as if by chance; both questions about a fact are in one half.

    Facts of the same two entities go to both halves, as they go to valid and test: trees that never saw two entities
    together say little about how trees of all of valid will do.
    """
    if queries.fact is None:
        raise ValueError("questions that are made from no facts have no halves")
    mixed = (queries.fact.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    return (mixed >> np.uint64(63)).astype(np.int64)
