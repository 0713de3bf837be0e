"""The training facts in both directions, ready to be looked up by the entity that fills a role.

A role is a relation and a side: the object of "plays for" is one, its subject another. Relations R … 2R-1 are those of
the base turned round, so the roles of an entity are the relations of which it is the answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset, Ints
from asof.completion.filters import matches
from asof.completion.queries import Queries, queries_of

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.float32]  # where there are very many

FAR = 200.0  # years or days: farther is all the same
_MEANWHILE = 8.0  # years or days in which a fact fades


@dataclass(frozen=True)
class KnownFacts:
    """Facts sorted by their answer, so that those of one entity stand together."""

    facts: Queries
    entities: int
    roles: int

    @classmethod
    def of(cls, dataset: Dataset) -> KnownFacts:
        """Take the training facts of a dataset."""
        facts = queries_of(dataset, "train")
        order = np.lexsort((facts.start, facts.relation, facts.answer))
        return cls(facts[order], len(dataset.entities), 2 * len(dataset.relations))

    def __len__(self) -> int:
        return len(self.facts)

    @cached_property
    def starts(self) -> Floats:
        """The start of each fact; where it is missing its end, and not a number where both are."""
        return known_time(self.facts.start, self.facts.end)

    @cached_property
    def ends(self) -> Floats:
        """The end of each fact; where it is missing its start."""
        return known_time(self.facts.end, self.facts.start)

    @cached_property
    def borders(self) -> Ints:
        """Where the facts of each entity begin; one more place at the end."""
        return np.searchsorted(self.facts.answer, np.arange(self.entities + 1))

    @cached_property
    def counts(self) -> Ints:
        """How many facts of each role each entity has."""
        flat = np.bincount(self.facts.answer * self.roles + self.facts.relation, minlength=self.entities * self.roles)
        return flat.reshape(self.entities, self.roles)

    @cached_property
    def _by_entity(self) -> tuple[Ints, Ints]:
        """The places of facts in the order of the entity that they are asked from, and these entities."""
        order = np.argsort(self.facts.entity, kind="stable")
        return order, self.facts.entity[order]

    def asked_from(self, entities: Ints) -> tuple[Ints, Ints]:
        """Pair known entities with the facts that are asked from them.

        Returns:
            For each pair the place of the entity in ``entities``, and the place of the fact.
        """
        order, sorted_entities = self._by_entity
        which, index = matches(entities, sorted_entities)
        return which, order[index]

    @cached_property
    def _by_pair(self) -> tuple[Ints, Ints]:
        """The places of facts in the order of the two entities that they link, then of time; and these pairs."""
        pair = self.facts.entity * self.entities + self.facts.answer
        order = np.lexsort((self.facts.start, pair))
        return order, pair[order]

    def between(self, entities: Ints, answers: Ints) -> tuple[Ints, Ints]:
        """Pair two entities each with the facts that link them, whatever the role and the time.

        Returns:
            For each pair the place of the two in ``entities``, and the place of the fact.
        """
        order, sorted_pairs = self._by_pair
        which, index = matches(entities * self.entities + answers, sorted_pairs)
        return which, order[index]

    def fading(self, indices: Ints, start: float) -> Floats:
        """Return how much facts count at a time: most when they begin then, less with each year."""
        return np.exp(-np.nan_to_num(np.abs(self.starts[indices] - start), nan=FAR) / _MEANWHILE)

    def of_entities(self, entities: Ints, *, most: int, seed: int = 0) -> tuple[Ints, Ints, Floats]:
        """Pair entities with their facts; of an entity that has very many, ``most`` are drawn, each standing for more.

        Returns:
            For each pair the place of the entity in ``entities``, the place of the fact, and how many facts it stands
            for.
        """
        inside = entities < self.entities
        first = np.where(inside, self.borders[np.minimum(entities, self.entities - 1)], 0)
        size = np.where(inside, self.borders[np.minimum(entities + 1, self.entities)] - first, 0)
        taken = np.minimum(size, most)
        which = np.repeat(np.arange(len(entities)), taken)
        index = np.arange(len(which)) - np.repeat(np.cumsum(taken) - taken, taken)
        drawn = np.random.default_rng(seed).random(len(which)) * size[which]
        index = np.where(size[which] > most, drawn.astype(np.int64), index)
        return which, first[which] + index, (size / np.maximum(1, taken))[which]


def known_time(times: Ints, otherwise: Ints) -> Floats:
    """Return times, in the place of missing ones the other end, and not a number where that is missing too."""
    filled = np.where(_missing(times), otherwise, times)
    return np.where(_missing(filled), np.nan, filled.astype(np.float64))


def most_promising(rated: Numbers, count: int) -> Ints:
    """Return the columns of the highest numbers of each row, the highest first.

    >>> most_promising(np.array([[1.0, 5.0, 3.0]]), 2)
    array([[1, 2]])
    """
    chosen = np.argpartition(-rated, count - 1)[:, :count]
    order = np.argsort(-np.take_along_axis(rated, chosen, 1), kind="stable")
    return np.take_along_axis(chosen, order, 1)


def _missing(times: Ints) -> npt.NDArray[np.bool_]:
    return (times <= BEFORE_ALL) | (times >= AFTER_ALL)
