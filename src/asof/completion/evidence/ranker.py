"""Rank candidates by all that is known of them: embeddings, counts, gaps in time, links.

Embeddings and counts come from train alone; how to weigh them is learnt by boosted trees that rank (LightGBM,
LambdaMART) on facts that neither has seen. A first look at all entities picks those that are worth a second one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, Protocol

import lightgbm as lgb
import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import Dataset, Ints
from asof.completion.evidence.events import EventLook
from asof.completion.evidence.known_facts import KnownFacts, Numbers
from asof.completion.evidence.lasting import LastingLook
from asof.completion.queries import Queries
from asof.completion.ranking import Scores

QUESTIONS = 20_000  # to learn from: more teach little
_AT_ONCE = 256  # questions whose features are in memory
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
    """

    dataset: Dataset
    embeddings: Sequence[Scores]
    look: Look
    trees: Sequence[lgb.Booster] = ()

    @classmethod
    def of(cls, dataset: Dataset, embeddings: Sequence[Scores], *, name_words: bool = True) -> EvidenceRanker:
        """Count the training facts of a dataset.

        Args:
            name_words: Look at the words that names of entities share, where facts are events.
        """
        known = KnownFacts.of(dataset)
        names = dataset.entities if name_words else [str(number) for number in range(known.entities)]
        events = bool((dataset.train.start == dataset.train.end).all()) and dataset.granularity == "day"
        look: Look = EventLook.of(known, names) if events else LastingLook.of(known)
        return cls(dataset, embeddings, look)

    @property
    def names(self) -> list[str]:
        """The features, in the order of their columns."""
        own = [f"embedding {number + 1}{what}" for number in range(len(self.embeddings)) for what in _SAID]
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

    @staticmethod
    def enough(queries: Queries, *, seed: int = 0, share: float = 1.0) -> Queries:
        """Draw as many questions as are worth learning from; the features of very many would fill memory.

        Args:
            share: Of as many questions as are enough.
        """
        most = int(QUESTIONS * share)
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
        found = []
        for first, chosen, features in self._looked_at(queries, self.look.second_look):
            if self.trees:
                rows = features.reshape(-1, features.shape[2])
                judged = np.mean([one.predict(rows) for one in self.trees], axis=0, dtype=np.float32)
                judged = judged.reshape(chosen.shape)
                first -= first.max(1, keepdims=True) - judged.min(1, keepdims=True) + 1
                np.put_along_axis(first, chosen, judged, 1)
            found.append(first)
        return torch.from_numpy(
            np.concatenate(found) if found else np.zeros((0, len(self.dataset.entities)), np.float32)
        )

    def _looked_at(self, queries: Queries, count: int) -> Iterator[tuple[Numbers, Ints, Numbers]]:
        """Look at all candidates, some questions at a time; their answers are out of sight.

        Yields:
            The first look at all entities, the most promising candidates, best first, and their features.
        """
        count = min(count, len(self.dataset.entities))
        for start in range(0, len(queries), _AT_ONCE):
            batch = queries[start : start + _AT_ONCE].unanswered
            said = [torch.log_softmax(scores(batch), 1).numpy() for scores in self.embeddings]
            nothing = np.zeros((len(batch), len(self.dataset.entities)), np.float32)
            first, chosen, features = self.look.at(batch, np.mean(said, axis=0) if said else nothing, count)
            columns = [features]
            for scores in said:
                own = np.take_along_axis(scores, chosen, 1)
                rank = np.argsort(np.argsort(-own, kind="stable"), kind="stable")
                columns.append(np.stack([own, own - own.max(1, keepdims=True), rank], axis=2))
            columns.append(np.take_along_axis(first, chosen, 1)[:, :, None])
            columns.append(np.broadcast_to(batch.relation[:, None, None], (*chosen.shape, 1)))
            yield first, chosen, np.concatenate(columns, axis=2, dtype=np.float32)
