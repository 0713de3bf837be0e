"""How well intervals are predicted for events, for what lasts a short while, and for what lasts long.

Jain et al. 2020, appendix D and table 9, where relations are put into classes by hand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Dataset, Ints
from asof.completion.interval_prediction import Floats
from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.measures import split_intervals
from asof.metrics import Result, mean_of_facts
from asof.metrics.aeiou import aeiou

CLASSES = ("instant", "short", "long")
NEARLY_AT_ONCE = 0.5  # years: relations whose facts last less on average are instants, "0 or near"
SHORT = 5.0  # years, of the paper
_DAYS_IN_A_YEAR = 365.25


@dataclass(frozen=True)
class ClassResult:
    """The relations of one class and aeIOU@1 over the facts of a split with both ends."""

    name: str
    relations: Ints
    aeiou: Result


def mean_durations(dataset: Dataset) -> Floats:
    """Return how many years facts of each relation last on average, end less start, in dated training facts.

    Not a number where train has no fact with both ends.
    """
    facts = dataset.train[dataset.train.dated]
    count = np.bincount(facts.relation, minlength=len(dataset.relations))
    total = np.bincount(facts.relation, facts.end - facts.start, len(dataset.relations))
    years = total / np.where(count, count, np.nan)
    return np.asarray(years if dataset.granularity == "year" else years / _DAYS_IN_A_YEAR)


def classes_of(durations: Floats) -> Ints:
    """Return the class of each relation, a place in ``CLASSES``; -1 where it is not known how long its facts last.

    >>> classes_of(np.array([0.0, 4.9, 5.0, np.nan])).tolist()
    [0, 1, 2, -1]
    """
    return np.where(np.isnan(durations), -1, np.digitize(durations, [NEARLY_AT_ONCE, SHORT]))


def interval_classes(trained: TrainedModel, split: str) -> list[ClassResult] | None:
    """Score the first predicted interval of facts by the class of their relation; None where none can be predicted."""
    found = split_intervals(trained, split, 1)
    if found is None:
        return None
    facts, predicted = found
    scores = aeiou((facts.start, facts.end), (predicted.first[:, 0], predicted.last[:, 0]))
    of_relation = classes_of(mean_durations(trained.dataset))
    return [
        ClassResult(
            name,
            np.flatnonzero(of_relation == number),
            mean_of_facts(np.asarray(scores)[of_relation[facts.relation] == number]),
        )
        for number, name in enumerate(CLASSES)
    ]
