"""Rank candidates by all that is known of them: embeddings, counts, gaps in time, links.

Embeddings and counts come from train alone; how to weigh them is learnt on valid by boosted trees that rank (LightGBM,
LambdaMART). A first look at all entities picks those that are worth a second one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import lightgbm as lgb
import numpy as np
import numpy.typing as npt
import torch

from asof.completion.dataset import Dataset
from asof.completion.evidence import links, roles
from asof.completion.evidence.known_facts import Floats, KnownFacts, known_time
from asof.completion.evidence.links import LinkEvidence
from asof.completion.evidence.roles import RoleEvidence
from asof.completion.queries import Queries
from asof.completion.ranking import Scores

_SECOND_LOOK = 300  # candidates
_LEARNT_FROM = 150  # of them, for each question of valid
_ROUNDS = 300
_TREES = {
    "objective": "lambdarank",
    "lambdarank_truncation_level": 30,
    "num_leaves": 15,
    "learning_rate": 0.05,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "verbose": -1,
    "deterministic": True,
}


class Example(NamedTuple):
    """The most promising candidates of a question: their features, and which one is right."""

    features: npt.NDArray[np.float32]
    right: npt.NDArray[np.bool_]


@dataclass(frozen=True)
class EvidenceRanker:
    """Scores all candidates of questions.

    Args:
        embeddings: Functions that score all entities for questions, as ``link_scores`` gives them.
        trees: What weighs the evidence; None before it is fitted, when the first look decides.
    """

    dataset: Dataset
    embeddings: Sequence[Scores]
    roles: RoleEvidence
    links: LinkEvidence
    trees: lgb.Booster | None = None

    @classmethod
    def of(cls, dataset: Dataset, embeddings: Sequence[Scores]) -> EvidenceRanker:
        """Count the training facts of a dataset."""
        known = KnownFacts.of(dataset)
        return cls(dataset, embeddings, RoleEvidence.of(known), LinkEvidence.of(known))

    @property
    def names(self) -> list[str]:
        """The features, in the order of their columns."""
        own = [f"embedding {number + 1}" for number in range(len(self.embeddings))]
        return [*roles.NAMES, *links.NAMES, *own, "first look", "role", "years asked about"]

    def examples(self, queries: Queries) -> list[Example]:
        """Look at questions whose answer is known: what there is to learn from, in their order."""
        found = [Example(np.zeros((0, len(self.names)), np.float32), np.zeros(0, bool))] * len(queries)
        for place, chosen, features in self._looked_at(queries, _LEARNT_FROM):
            found[place] = Example(features.astype(np.float32), chosen == queries.answer[place])
        return found

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
        return self.weighed_by(lgb.train({**_TREES, "seed": seed}, data, _ROUNDS))

    def weighed_by(self, trees: lgb.Booster) -> EvidenceRanker:
        """Return the same counts, weighed by these trees."""
        return replace(self, trees=trees)

    def scores(self, queries: Queries) -> torch.Tensor:
        """Score every entity; those without a second look come after the others, in the order of the first."""
        found = np.zeros((len(queries), len(self.dataset.entities)), np.float32)
        for place, chosen, features in self._looked_at(queries, _SECOND_LOOK, into=found):
            if self.trees is not None:
                judged = np.asarray(self.trees.predict(features))
                found[place] -= found[place].max() - judged.min() + 1
                found[place, chosen] = judged
        return torch.from_numpy(found)

    def _looked_at(
        self, queries: Queries, count: int, into: npt.NDArray[np.float32] | None = None
    ) -> Iterator[tuple[int, npt.NDArray[np.int64], Floats]]:
        """Look at all candidates of each question; yield its place, the most promising candidates, their features."""
        embedded = [torch.log_softmax(scores(queries), 1).numpy() for scores in self.embeddings]
        starts, ends = known_time(queries.start, queries.end), known_time(queries.end, queries.start)
        asked: tuple[int, float, float] | None = None
        of_role = np.zeros((0, 0))
        for place in np.lexsort((queries.end, queries.start, queries.relation)).tolist():
            role, start, end = int(queries.relation[place]), float(starts[place]), float(ends[place])
            if asked != (role, start, end):  # many questions differ in their entity alone
                of_role = self.roles.features(role, start, end)
                asked = (role, start, end)
            linked = self.links.features(int(queries.entity[place]), role, start)
            said = np.stack([scores[place] for scores in embedded], axis=1)
            features = np.concatenate([of_role, linked, said], axis=1)
            look = _first_look(features, len(embedded))
            if into is not None:
                into[place] = look
            count = min(count, len(look))
            chosen = np.argpartition(-look, count - 1)[:count]
            chosen = chosen[np.argsort(-look[chosen], kind="stable")]
            about = np.tile([role, np.nan_to_num(end - start)], (count, 1))
            yield place, chosen, np.concatenate([features[chosen], look[chosen, None], about], axis=1)


def _first_look(features: Floats, embeddings: int) -> Floats:
    """Add up what nearly always counts, with weights that nobody has to learn."""
    column = {name: place for place, name in enumerate((*roles.NAMES, *links.NAMES))}
    gaps = (
        features[:, column["gaps start to start, other roles"]] + features[:, column["gaps start to start, same role"]]
    )
    said = features[:, -embeddings:].mean(axis=1) if embeddings else 0.0
    return np.asarray(
        said
        + 0.5 * features[:, column["kind"]]
        + 0.7 * gaps
        + 5.0 * (features[:, column["surest rule"]] > 0.3)
        + 0.5 * np.log1p(features[:, column["company"]])
    )
