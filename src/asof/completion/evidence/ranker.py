"""Rank candidates by all that is known of them: embeddings, counts, gaps in time, links.

Embeddings and counts come from train alone; how to weigh them is learnt by boosted trees that rank (LightGBM,
LambdaMART) on facts that neither has seen. A first look at all entities picks those that are worth a second one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

import lightgbm as lgb
import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import Dataset, Ints
from asof.completion.evidence.events import EventLook
from asof.completion.evidence.first_cut import FirstCut
from asof.completion.evidence.gaps import GapEvidence
from asof.completion.evidence.known_facts import KnownFacts, Numbers, most_promising
from asof.completion.evidence.lasting import LastingLook
from asof.completion.queries import Queries
from asof.completion.ranking import Scores

QUESTIONS = 20_000  # to learn from: more teach little
_QUESTIONS_OF_MANY = 6_000  # as many as YAGO11k and WIKIDATA12k have, where each takes longer
_AT_ONCE = 256  # questions whose features are in memory
_NUMBERS_AT_ONCE = 12_800_000  # what embeddings say of all entities for some questions
_FEW_ROUNDS = 50  # of trees, that choose whom all of them judge
_ROUNDS = 300
_TREES = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 30,
    "num_leaves": 15,
    "min_data_in_leaf": 200,
    "lambda_l2": 10.0,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "deterministic": True,
}
_SAID = ("", ", less the best", ", place")


ScoresOf = Callable[[Queries, Ints], torch.Tensor]  # of some candidates, a row of them for each question


class Look(Protocol):
    """What the known facts say of candidates."""

    names: ClassVar[tuple[str, ...]]
    second_look: ClassVar[int]  # candidates that are worth it
    learnt_from: ClassVar[int]  # of them, for each question
    rate: ClassVar[float]  # at which trees learn
    voices: ClassVar[int]  # how often trees are grown, each time with other draws, to be heard together

    def at(self, queries: Queries, said: Numbers, count: int) -> tuple[Numbers, Ints, Numbers]:
        """Rate all entities, given what embeddings say of them, and look again at the most promising.

        Returns:
            The rating of all entities, one row for each question; the most promising, best first; and for each of them
            a row of ``names``.
        """


class Example(NamedTuple):
    """The most promising candidates of a question: their features, and which one is right."""

    features: Numbers
    right: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EvidenceRanker:
    """Scores all candidates of questions.

    Args:
        embeddings: Functions that score all entities for questions, as ``link_scores`` gives them.
        trees: What weighs the evidence; none before it is fitted, when the first look decides.
        cut: What is left out where there is very much.
        closer: A function that scores the chosen candidates alone.
    """

    dataset: Dataset
    embeddings: Sequence[Scores]
    look: Look
    trees: Sequence[lgb.Booster] = ()
    cut: FirstCut | None = None
    closer: ScoresOf | None = None

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        embeddings: Sequence[Scores],
        known: KnownFacts | None = None,
        gaps: GapEvidence | None = None,
        *,
        closer: ScoresOf | None = None,
        name_words: bool = True,
        candidates: int = 0,
    ) -> EvidenceRanker:
        """Count the training facts of a dataset.

        Args:
            closer: What the first of several embeddings says of some candidates: it takes the place of what that says
                of all, where there is very much.
            known: These facts, and ``gaps`` between them, where somebody has counted them already.
            name_words: Look at the words that names of entities share, where facts are events.
            candidates: So many get a closer look where facts last; 0 decides by size.
        """
        known = known or KnownFacts.of(dataset)
        events = bool((dataset.train.start == dataset.train.end).all()) and dataset.granularity == "day"
        if events:
            names = dataset.entities if name_words else [str(number) for number in range(known.entities)]
            return cls(dataset, embeddings, EventLook.of(known, names))
        cut = FirstCut.of(known, candidates)
        look = LastingLook.of(known, gaps, cut=cut)
        if cut and closer and len(embeddings) > 1:
            return cls(dataset, embeddings[1:], look, cut=cut, closer=closer)
        return cls(dataset, embeddings, look, cut=cut)

    @property
    def names(self) -> list[str]:
        """The features, in the order of their columns."""
        count = len(self.embeddings) + bool(self.closer)
        own = [f"embedding {number + 1}{what}" for number in range(count) for what in _SAID]
        return [*self.look.names, *own, "first look", "role"]

    def examples(self, queries: Queries) -> list[Example]:
        """Look at questions whose answer is known: what there is to learn from, in their order."""
        looked_at = (
            candidate
            for _, found, features_of in self._looked_at(queries, self.look.learnt_from)
            for candidate in zip(found, features_of, strict=True)
        )
        return [
            Example(features, chosen == answer)
            for (chosen, features), answer in zip(looked_at, queries.answer, strict=True)
        ]

    def enough(self, queries: Queries, *, seed: int = 0, share: float = 1.0) -> Queries:
        """Draw as many questions as are worth learning from; the features of very many would fill memory.

        Args:
            share: Of as many questions as are enough.
        """
        most = int((_QUESTIONS_OF_MANY if self.cut else QUESTIONS) * share)
        if len(queries) <= most:
            return queries
        return queries[np.sort(np.random.default_rng(seed).choice(len(queries), most, replace=False))]

    def fit(self, examples: Sequence[Example], *, seed: int = 0) -> EvidenceRanker:
        """Learn how to weigh the evidence; nothing is learnt where the answer is not among the chosen."""
        useful = [example for example in examples if example.right.any()]
        if not useful:
            return self
        data = lgb.Dataset(
            np.concatenate([example.features for example in useful]),
            np.concatenate([example.right for example in useful]).astype(np.int32),
            group=[len(example.right) for example in useful],
            feature_name=[name.replace(" ", "_").replace(",", "") for name in self.names],
            categorical_feature=[self.names.index("role")],
        )
        settings = {**_TREES, "learning_rate": self.look.rate}
        seeds = range(seed * self.look.voices, (seed + 1) * self.look.voices)
        return self.weighed_by([lgb.train({**settings, "seed": one}, data, _ROUNDS) for one in seeds])

    def weighed_by(self, trees: Sequence[lgb.Booster]) -> EvidenceRanker:
        """Return the same counts, weighed by these trees."""
        return replace(self, trees=trees)

    def scores(self, queries: Queries) -> torch.Tensor:
        """Score every entity; those without a second look come after the others, in the order of the first."""
        found = np.zeros((len(queries), len(self.dataset.entities)), np.float32)
        done = 0
        for first, chosen, features in self._looked_at(queries, self.look.second_look):
            part = found[done : done + len(first)]
            if self.trees:
                judged = self._judged(features)
                np.subtract(first, first.max(1, keepdims=True) - judged.min(1, keepdims=True) + 1, out=part)
                np.put_along_axis(part, chosen, judged, 1)
            else:
                part[:] = first
            done += len(first)
        return torch.from_numpy(found)

    def _judged(self, features: Numbers) -> Numbers:
        """Let the trees judge candidates; where there is very much, all trees those whom a few trees chose."""
        shape, heard = features.shape[:2], self.cut.heard if self.cut else features.shape[1]
        if heard >= shape[1]:
            return self._heard(features, self.trees)
        few = self._heard(features, self.trees[:1], rounds=_FEW_ROUNDS)
        best = most_promising(few, heard)
        judged = self._heard(np.take_along_axis(features, best[:, :, None], 1), self.trees)
        below: Numbers = few - (few.max(1, keepdims=True) - judged.min(1, keepdims=True) + 1)
        np.put_along_axis(below, best, judged, 1)
        return below

    @staticmethod
    def _heard(features: Numbers, trees: Sequence[lgb.Booster], *, rounds: int | None = None) -> Numbers:
        """Return the mean judgement of several trees."""
        rows = features.reshape(-1, features.shape[2])
        said = [one.predict(rows, num_iteration=rounds) for one in trees]
        judged: Numbers = np.asarray(np.mean(said, axis=0, dtype=np.float32)).reshape(features.shape[:2])
        return judged

    def _looked_at(self, queries: Queries, count: int) -> Iterator[tuple[Numbers, Ints, Numbers]]:
        """Look at all candidates, some questions at a time; their answers are out of sight.

        Yields:
            The first look at all entities, the most promising candidates, best first, and their features.
        """
        entities = len(self.dataset.entities)
        count, at_once = min(count, entities), min(_AT_ONCE, max(1, _NUMBERS_AT_ONCE // max(1, entities)))
        for start in range(0, len(queries), at_once):
            batch = queries[start : start + at_once].unanswered
            said = [torch.log_softmax(scores(batch), 1).numpy() for scores in self.embeddings]
            mean = _mean(said) if said else np.zeros((len(batch), entities), np.float32)
            first, chosen, features = self.look.at(batch, mean, count)
            columns = [features]
            of_chosen = [np.take_along_axis(scores, chosen, 1) for scores in said]
            if self.closer:
                of_chosen.insert(0, torch.log_softmax(self.closer(batch, chosen), 1).numpy())
            for own in of_chosen:
                rank = np.argsort(np.argsort(-own, kind="stable"), kind="stable")
                columns.append(np.stack([own, own - own.max(1, keepdims=True), rank], axis=2))
            columns.append(np.take_along_axis(first, chosen, 1)[:, :, None])
            columns.append(np.broadcast_to(batch.relation[:, None, None], (*chosen.shape, 1)))
            yield first, chosen, np.concatenate(columns, axis=2, dtype=np.float32)


def _mean(said: Sequence[Numbers]) -> Numbers:
    """Return the mean of several tables, without a copy of them all."""
    if len(said) == 1:
        return said[0]
    total = said[0].copy()
    for one in said[1:]:
        total += one
    total /= np.float32(len(said))
    return total
