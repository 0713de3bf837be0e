"""The numbers of trained models for the page, as ``asof rank`` and ``asof diagnose`` have them, fact by fact.

A model is asked once: one pass over the questions of a split gives the ranks under every filter, the first answers and
how sure the model was of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import torch

from asof.completion.dataset import Dataset, Ints, Quadruples
from asof.completion.filters import FILTERS, Filter
from asof.completion.interval_prediction import INTERVAL_METRICS, Floats
from asof.completion.queries import queries_of
from asof.completion.ranking import Others, Ranking, rankings
from asof.completion.trained.curves import NEVER
from asof.completion.trained.diagnostics.by_relation import RankedModel
from asof.completion.trained.folder import TrainedModel, open_trained
from asof.completion.trained.measures import PREDICTIONS, split_intervals
from asof.completion.trained.prediction import top_answers
from asof.completion.training.phases import weighed_on_valid
from asof.completion.training.trainer import link_scores, protocol_instants
from asof.errors import UserError
from asof.metrics import Result, mean_of_facts
from asof.reports.charts import Bar
from asof.reports.html import letter

LINK_MEASURES = {"mrr": "MRR", "hits@1": "Hits@1", "hits@3": "Hits@3", "hits@10": "Hits@10"}
INTERVAL_MEASURES = {"aeiou": "aeIOU", "iou": "IOU", "giou": "gIOU", "gaeiou": "gaeIOU", "tac": "TAC"}


@dataclass(frozen=True)
class SplitAnswers:
    """What a model answered to the questions of a split: for objects first, then for subjects.

    Args:
        first: The entity that it puts first, before any filter.
        sure: The probability of its first answer, where other known answers do not take part.
        right: Whether that answer is the expected one.
    """

    rankings: dict[Filter, Ranking]
    first: Ints
    sure: Floats
    right: Floats


@dataclass(frozen=True, eq=False)
class ReportedModel:
    """A trained model of the report: its place among runs and models, its name, and what it is asked."""

    position: int
    name: str
    trained: TrainedModel
    split: str
    seed: int

    @property
    def key(self) -> str:
        """The letter that stands for the model in charts."""
        return letter(self.position)

    @property
    def dataset(self) -> Dataset:
        """The dataset of the model."""
        return self.trained.dataset

    def mean(self, values: Floats) -> Result:
        """Return the mean over facts with its interval."""
        return mean_of_facts(values)

    def bar(self, result: Result) -> Bar:
        """Return a result of the model as a bar."""
        return Bar(self.key, self.position, result.value, result.low, result.high, result.n)

    @cached_property
    def asked(self) -> SplitAnswers:
        """The answers to the questions of the split."""
        scores = link_scores(self.trained.scorer, self.dataset, protocol_instants(self.dataset))
        answer = queries_of(self.dataset, self.split).answer
        first = np.zeros(len(answer), np.int64)
        sure, right = np.zeros(len(answer)), np.zeros(len(answer))

        def noted(rows: Ints, scores: torch.Tensor, others: Others) -> None:
            known = others["instants"]
            alone = scores.clone()
            alone[torch.from_numpy(known.query), torch.from_numpy(known.candidate)] = NEVER
            best, sure[rows] = top_answers(alone, self.trained.links.temperature)
            first[rows], right[rows] = scores.argmax(1).numpy(), best == answer[rows]

        ranked = rankings(scores, self.dataset, self.split, FILTERS, noted=noted)
        return SplitAnswers(ranked, first, sure, right)

    @property
    def ranked(self) -> RankedModel:
        """The ranks, instants filtered one by one, and the first answers."""
        return RankedModel(self.asked.rankings["instants"], self.asked.first)

    @cached_property
    def links(self) -> dict[tuple[Filter, str], Result]:
        """MRR and hits under every filter."""
        return {
            (chosen, measure): self.mean(of_facts(ranking, measure))
            for chosen, ranking in self.asked.rankings.items()
            for measure in LINK_MEASURES
        }

    @cached_property
    def dated(self) -> tuple[Quadruples, dict[str, Floats]] | None:
        """The facts with both ends, and the score of each under every measure: of the first, and the best of ten."""
        found = split_intervals(self.trained, self.split, PREDICTIONS)
        if found is None:
            return None
        facts, predicted = found
        gold = (facts.start[:, None], facts.end[:, None])
        scores = {name: metric(gold, (predicted.first, predicted.last)) for name, metric in INTERVAL_METRICS.items()}
        return facts, {
            f"{name}@{k}": table[:, :k].max(axis=1) for name, table in scores.items() for k in (1, PREDICTIONS)
        }

    @cached_property
    def times(self) -> dict[str, Result]:
        """What the predicted intervals are worth; nothing where none can be predicted."""
        return {name: self.mean(values) for name, values in self.dated[1].items()} if self.dated else {}

    @property
    def no_times(self) -> str:
        """Why there are no intervals."""
        return f"no fact of {self.split} has both ends" if self.trained.times else "it has no notion of time"


@dataclass(frozen=True)
class SameFacts:
    """Models of the same facts, read with the same protocol: their facts are paired.

    Args:
        name: Dataset and protocol; nothing where the page has no others.
    """

    models: Sequence[ReportedModel]
    name: str

    @property
    def dataset(self) -> Dataset:
        """The dataset that they share."""
        return self.models[0].dataset

    @property
    def heading(self) -> list[str]:
        """The name as a part of a title, where one is needed."""
        return [self.name] if self.name else []

    def titled(self, title: str) -> str:
        """Return a title that no other group has."""
        return ", ".join([title, *self.heading])


def of_facts(ranking: Ranking, measure: str) -> Floats:
    """Return a measure for each fact: the mean of its two questions, for the object and for the subject."""
    ranks = ranking.ranks
    scores = 1 / ranks if measure == "mrr" else (ranks <= int(measure.removeprefix("hits@"))).astype(float)
    facts = len(ranks) // 2
    values: Floats = (scores[:facts] + scores[facts:]) / 2
    return values


def read_models(folders: Sequence[Path], *, split: str, seed: int, first_position: int = 0) -> list[ReportedModel]:
    """Open trained models, and see that each has something to show.

    Args:
        first_position: How many runs stand before them on the page.
    """
    names = _different_names(folders)
    found = []
    for position, folder in enumerate(folders):
        trained = open_trained(folder)
        if not len(trained.dataset.split(split)):
            other = "valid" if split == "test" else "test"
            raise UserError(
                f"{folder} was trained on {trained.dataset.name}, which has no {split} facts to show. "
                f"Leave it out, or give --split {other}."
            )
        seen = split == "valid" and weighed_on_valid(trained.scorer)
        name = f"{names[position]} (fitted on valid)" if seen else names[position]
        found.append(ReportedModel(first_position + position, name, trained, split, seed))
    return found


def _different_names(folders: Sequence[Path]) -> list[str]:
    """Name models by their folders, with as much of the path as tells them apart."""
    paths = [folder.resolve() for folder in folders]
    for path in paths:
        if paths.count(path) > 1:
            raise UserError(f"{path} is given twice. Give each model once.")
    depth = 1
    while len(names := ["/".join(path.parts[-depth:]) for path in paths]) > len(set(names)):
        depth += 1
    return names


def same_facts(models: Sequence[ReportedModel]) -> list[SameFacts]:
    """Put models of the same facts together, in the order in which they were given."""
    groups: dict[tuple[str, str], list[ReportedModel]] = defaultdict(list)
    for model in models:
        groups[model.trained.about["dataset"]["facts"], str(model.dataset.protocol)].append(model)
    names = [f"{group[0].dataset.name} ({protocol})" for (_, protocol), group in groups.items()]
    several = len(groups) > 1
    return [
        SameFacts(group, "" if not several else name if names.count(name) == 1 else f"{name} {facts[:8]}")
        for ((facts, _), group), name in zip(groups.items(), names, strict=True)
    ]
