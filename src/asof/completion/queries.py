"""Questions for a missing entity: from a known entity over a relation to all candidates, at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints, Quadruples


@dataclass(frozen=True)
class Queries:
    """Questions (entity, relation, ?, interval).

    The relations R … 2R-1 are those of the base turned round, so that the subject is asked for in the same way.
    """

    entity: Ints
    relation: Ints
    answer: Ints
    start: Ints
    end: Ints

    def __len__(self) -> int:
        return len(self.entity)

    def __getitem__(self, rows: Ints | npt.NDArray[np.bool_] | slice) -> Queries:
        return Queries(self.entity[rows], self.relation[rows], self.answer[rows], self.start[rows], self.end[rows])

    @classmethod
    def of(cls, facts: Quadruples, relations: int) -> Queries:
        """Ask for the object of each fact, and then for the subject of each."""
        return cls(
            np.concatenate([facts.subject, facts.object]),
            np.concatenate([facts.relation, facts.relation + relations]),
            np.concatenate([facts.object, facts.subject]),
            np.concatenate([facts.start, facts.start]),
            np.concatenate([facts.end, facts.end]),
        )


def queries_of(dataset: Dataset, split: str) -> Queries:
    """Return the questions for both ends of every fact of a split."""
    return Queries.of(dataset.split(split), len(dataset.relations))
