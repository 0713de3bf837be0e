"""Questions for what is missing of a fact: an entity at one end of it, or the interval in which it held.

What predicts gets questions without what they ask for: ``Queries.unanswered`` has no entity in the place of the answer,
and ``TimeQueries`` has no dates at all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints, Quadruples

NOBODY = -1  # in the place of an answer that must not be seen


@dataclass(frozen=True)
class Queries:
    """Questions (entity, relation, ?, interval).

    The relations R … 2R-1 are those of the base turned round, so that the subject is asked for in the same way.

    Args:
        fact: The number of the fact that each question is made from, where they are made from facts.
    """

    entity: Ints
    relation: Ints
    answer: Ints
    start: Ints
    end: Ints
    fact: Ints | None = None

    def __len__(self) -> int:
        return len(self.entity)

    def __getitem__(self, rows: Ints | npt.NDArray[np.bool_] | slice) -> Queries:
        fact = None if self.fact is None else self.fact[rows]
        return Queries(
            self.entity[rows], self.relation[rows], self.answer[rows], self.start[rows], self.end[rows], fact
        )

    @property
    def unanswered(self) -> Queries:
        """The same questions without their answers: what a scorer may see."""
        return replace(self, answer=np.full_like(self.answer, NOBODY))

    @classmethod
    def of(cls, facts: Quadruples, relations: int) -> Queries:
        """Ask for the object of each fact, and then for the subject of each."""
        return cls(
            np.concatenate([facts.subject, facts.object]),
            np.concatenate([facts.relation, facts.relation + relations]),
            np.concatenate([facts.object, facts.subject]),
            np.concatenate([facts.start, facts.start]),
            np.concatenate([facts.end, facts.end]),
            np.tile(np.arange(len(facts)), 2),
        )


@dataclass(frozen=True)
class TimeQueries:
    """Questions (subject, relation, object, ?): when did it hold?"""

    subject: Ints
    relation: Ints
    object: Ints

    def __len__(self) -> int:
        return len(self.subject)

    def __getitem__(self, rows: Ints | npt.NDArray[np.bool_] | slice) -> TimeQueries:
        return TimeQueries(self.subject[rows], self.relation[rows], self.object[rows])

    @classmethod
    def of(cls, facts: Quadruples) -> TimeQueries:
        """Ask for the interval of each fact."""
        return cls(facts.subject, facts.relation, facts.object)


def queries_of(dataset: Dataset, split: str) -> Queries:
    """Return the questions for both ends of every fact of a split."""
    return Queries.of(dataset.split(split), len(dataset.relations))
