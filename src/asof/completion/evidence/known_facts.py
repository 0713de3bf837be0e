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
from asof.completion.filters import distinct, matches, stretches
from asof.completion.queries import Queries, queries_of

Floats = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.float32]  # where there are very many

FAR = 200.0  # years or days: farther is all the same
_MEANWHILE = 8.0  # years or days in which a fact fades


@dataclass(frozen=True)
class KnownFacts:
    """Facts sorted by their answer, so that those of one entity stand together.

    A group is the facts of one entity in one role; the facts of a group stand together too, by their start.
    """

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
    def groups(self) -> Ints:
        """The entity times all roles plus the role of each group, sorted."""
        return distinct(self.facts.answer * self.roles + self.facts.relation)

    @cached_property
    def group(self) -> Ints:
        """The group of each fact."""
        return np.searchsorted(self.groups, self.facts.answer * self.roles + self.facts.relation)

    @cached_property
    def group_borders(self) -> Ints:
        """Where the facts of each group begin; one more place at the end."""
        return np.searchsorted(self.group, np.arange(len(self.groups) + 1))

    @cached_property
    def group_sizes(self) -> Ints:
        """How many facts each group has."""
        return np.diff(self.group_borders)

    @cached_property
    def turned_group(self) -> Ints:
        """The group of each fact turned round: that of the entity that it is asked from, in the role at its side."""
        return np.searchsorted(self.groups, self.facts.entity * self.roles + self.turned(self.facts.relation))

    @cached_property
    def twin(self) -> Ints:
        """The place of each fact turned round."""
        facts = self.facts
        there = np.lexsort((facts.end, facts.start, facts.relation, facts.answer, facts.entity))
        twin = np.zeros_like(there)
        twin[np.lexsort((facts.end, facts.start, self.turned(facts.relation), facts.entity, facts.answer))] = there
        return twin

    def turned(self, roles: Ints) -> Ints:
        """Return the roles at the other side."""
        return (roles + self.roles // 2) % self.roles

    def found_groups(self, entities: Ints, roles: Ints) -> Ints:
        """Return the group of each entity in a role, -1 where it has none."""
        if not len(self.groups):
            return np.full(len(entities), -1)
        wanted = entities * self.roles + roles
        index = np.minimum(np.searchsorted(self.groups, wanted), len(self.groups) - 1)
        return np.where((self.groups[index] == wanted) & (entities < self.entities), index, -1)

    def asked_from(self, entities: Ints) -> tuple[Ints, Ints]:
        """Pair known entities with the facts of which they are the answer; turned round, these are asked from them.

        Returns:
            For each pair the place of the entity in ``entities``, and the place of the fact.
        """
        inside = entities < self.entities
        first = np.where(inside, self.borders[np.minimum(entities, self.entities - 1)], 0)
        after = np.where(inside, self.borders[np.minimum(entities + 1, self.entities)], 0)
        return stretches(first, after)

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

    def fading(self, indices: Ints, start: float | Floats) -> Floats:
        """Return how much facts count at a time: most when they begin then, less with each year."""
        return np.exp(-np.nan_to_num(np.abs(self.starts[indices] - start), nan=FAR) / _MEANWHILE)

    def of_entities(
        self, entities: Ints, *, most: int, random: np.random.Generator | None = None
    ) -> tuple[Ints, Ints, Floats]:
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
        drawn = (random or np.random.default_rng(0)).random(len(which)) * size[which]
        index = np.where(size[which] > most, drawn.astype(np.int64), index)
        return which, first[which] + index, (size / np.maximum(1, taken))[which]


@dataclass(frozen=True)
class FactSample:
    """Of each group at most so many facts, spread evenly over their time: what is looked at one by one.

    Args:
        facts: The places of the facts that are kept, in order.
        stands_for: How many facts of its group each of them stands for.
    """

    known: KnownFacts
    facts: Ints
    stands_for: Floats

    @classmethod
    def of(cls, known: KnownFacts, *, most: int | None = None) -> FactSample:
        """Keep at most so many facts of a group, or all."""
        if most is None:
            return cls(known, np.arange(len(known)), np.ones(len(known)))
        return cls(known, *thinned(known.group, most=most))

    @property
    def dated(self) -> FactSample:
        """Those that have a time."""
        there = ~np.isnan(self.known.starts[self.facts])
        return FactSample(self.known, self.facts[there], self.stands_for[there])

    @cached_property
    def _by_entity(self) -> Ints:
        return np.searchsorted(self.known.facts.answer[self.facts], np.arange(self.known.entities + 1))

    @cached_property
    def _by_group(self) -> Ints:
        return np.searchsorted(self.known.group[self.facts], np.arange(len(self.known.groups) + 2))

    def of_candidates(self, entities: Ints) -> tuple[Ints, Ints]:
        """Pair entities with the kept facts of which they are the answer: places in ``facts``."""
        return stretches(self._by_entity[entities], self._by_entity[entities + 1])

    def of_groups(self, groups: Ints) -> tuple[Ints, Ints]:
        """Pair groups with their kept facts; -1 has none."""
        there = np.where(groups < 0, len(self.known.groups), groups)
        return stretches(self._by_group[there], self._by_group[there + 1])


def thinned(which: Ints, *, most: int) -> tuple[Ints, Floats]:
    """Keep at most so many of each number, spread evenly over their places.

    Returns:
        The places that are kept, and how many each of them stands for.

    >>> thinned(np.array([3, 3, 3, 3, 7]), most=2)
    (array([0, 2, 4]), array([2., 2., 1.]))
    """
    begins = np.flatnonzero(np.diff(which, prepend=-1))
    size = np.diff(begins, append=len(which))
    taken = np.minimum(size, most)
    group = np.repeat(np.arange(len(begins)), taken)
    within = np.arange(len(group)) - np.repeat(np.cumsum(taken) - taken, taken)
    return begins[group] + within * size[group] // taken[group], (size / np.maximum(1, taken))[group]


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
