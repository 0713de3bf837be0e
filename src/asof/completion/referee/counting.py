"""Counting baselines, to stand beside every model: relation frequency, co-occurrence and recurrence.

They count the training facts and nothing else; for forecasts these are the past. Counting recurrences and
co-occurrences nearly reaches the published state of the art of forecasting.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Dataset, Ints
from asof.completion.filters import matches
from asof.completion.queries import Queries, queries_of
from asof.completion.referee.scoresheet import CountSheet, Values

_BEYOND = 1e8  # days or years that no gap reaches; with fractions below, a double still tells all apart


@dataclass(frozen=True)
class PastFacts:
    """The training facts in both directions."""

    facts: Queries
    relations: int
    entities: int
    frequency: Values  # how many facts of each relation have each entity as their answer, as a share below 1

    @classmethod
    def of(cls, dataset: Dataset) -> PastFacts:
        """Count the training facts of a dataset."""
        facts = queries_of(dataset, "train")
        roles, entities = 2 * len(dataset.relations), len(dataset.entities)
        counts = np.zeros((roles, entities), np.float32)
        np.add.at(counts, (facts.relation, facts.answer), 1)
        return cls(facts, roles, entities, counts / (counts.max(initial=0) + 1))

    def sheets(self, asked: Queries) -> list[CountSheet]:
        """Return the baselines for questions."""
        asked = asked.unanswered
        roles = self.relations
        same = _Index.of(self.facts.entity * roles + self.facts.relation)
        linked = _Index.of(self.facts.entity)

        def frequency(first: int, after: int) -> Values:
            return self.frequency[asked.relation[first:after]].astype(float)

        def co_occurrence(first: int, after: int) -> Values:
            scores = frequency(first, after)
            question, fact = linked.facts_of(asked.entity[first:after])
            np.add.at(scores, (question, self.facts.answer[fact]), 1)
            return scores

        def recurrence(first: int, after: int) -> Values:
            part = asked[first:after]
            question, fact = same.facts_of(part.entity * roles + part.relation)
            before, behind = self.facts.start[fact] - part.end[question], part.start[question] - self.facts.end[fact]
            near = np.zeros((len(part), self.entities))
            gap = np.maximum(0, np.maximum(before, behind))
            np.maximum.at(near, (question, self.facts.answer[fact]), _BEYOND - gap)
            found: Values = near + frequency(first, after)
            return found

        return [
            CountSheet("baseline: relation frequency", frequency),
            CountSheet("baseline: co-occurrence", co_occurrence),
            CountSheet("baseline: recurrence", recurrence),
        ]


@dataclass(frozen=True)
class _Index:
    keys: Ints
    order: Ints

    @classmethod
    def of(cls, keys: Ints) -> _Index:
        order = np.argsort(keys, kind="stable")
        return cls(keys[order], order)

    def facts_of(self, asked: Ints) -> tuple[Ints, Ints]:
        question, place = matches(asked, self.keys)
        return question, self.order[place]
