"""Which answers other than the expected one are right too, and for what part of the asked time.

The filtered rank of an answer, averaged over the instants of the asked interval (Jain et al. 2020, section 3.2, method
3), is one plus the number of better candidates minus, for each better candidate that is known to be right, the share of
the interval in which it is. So nothing has to be ranked instant by instant.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Dataset, Ints
from asof.completion.queries import Queries

Filter = Literal["none", "any-time", "same-interval", "instants"]
FILTERS: tuple[Filter, ...] = ("none", "any-time", "same-interval", "instants")


@dataclass(frozen=True)
class KnownAnswers:
    """For queries, other candidates that are right, each with the share of the asked interval in which it is."""

    query: Ints
    candidate: Ints
    share: npt.NDArray[np.float64]

    def of_queries(self, first: int, after: int) -> KnownAnswers:
        """Return the part for some queries in a row, numbered from nought."""
        part = slice(*np.searchsorted(self.query, [first, after]))
        return KnownAnswers(self.query[part] - first, self.candidate[part], self.share[part])


def in_points(dataset: Dataset, queries: Queries) -> Queries:
    """Give intervals in points, at which some fact begins or ends, as the program of 2020 counts."""
    return replace(queries, start=dataset.point(queries.start), end=dataset.point(queries.end))


def in_calendar(dataset: Dataset, queries: Queries) -> Queries:
    """Give intervals by the calendar, within what the dataset covers."""
    first, last = dataset.covered
    return replace(queries, start=np.clip(queries.start, first, last), end=np.clip(queries.end, first, last))


def known_answers(queries: Queries, facts: Queries, chosen: Filter) -> KnownAnswers:
    """Find for each query the other right answers that facts know.

    Args:
        queries: With whole intervals, in the unit that instants are counted in.
        facts: All that is known, in both directions, in the same unit.
        chosen: "none" filters nothing, "any-time" whatever is right at any time, "same-interval" what is right in
            exactly the asked interval, "instants" each instant by itself.
    """
    return AnswerFilter.of(facts, chosen, queries).answers(queries)


@dataclass(frozen=True)
class AnswerFilter:
    """Facts, sorted so that the other right answers to some queries of many are found without the others.

    Args:
        keys: Entity, relation and start of each fact as one number, in order; ``order`` has the places of the facts.
        longest: How long the longest fact lasts.
    """

    chosen: Filter
    facts: Queries
    order: Ints
    keys: Ints
    relations: int
    earliest: int
    instants: int
    longest: int

    @classmethod
    def of(cls, facts: Queries, chosen: Filter, queries: Queries) -> AnswerFilter:
        """Sort facts.

        Args:
            queries: All that will be asked about.
        """
        if chosen == "any-time":
            queries, facts = _whenever(queries), _each_once(_whenever(facts))
        relations = max(int(one.relation.max(initial=0)) for one in (queries, facts)) + 1
        earliest = min(int(one.start.min(initial=0)) for one in (queries, facts))
        instants = max(int(one.end.max(initial=0)) for one in (queries, facts)) - earliest + 1
        keys = (facts.entity * relations + facts.relation) * instants + (facts.start - earliest)
        order = np.argsort(keys, kind="stable")
        longest = int((facts.end - facts.start).max(initial=0))
        return cls(chosen, facts, order, keys[order], relations, earliest, instants, longest)

    def answers(self, queries: Queries) -> KnownAnswers:
        """Find the other right answers to some queries."""
        if self.chosen == "none":
            nothing = np.zeros(0, np.int64)
            return KnownAnswers(nothing, nothing, np.zeros(0))
        if self.chosen == "any-time":
            queries = _whenever(queries)
        facts = self.facts
        query, fact = self.pairs(queries)
        other = facts.answer[fact] != queries.answer[query]
        query, fact = query[other], fact[other]
        first = np.maximum(queries.start[query], facts.start[fact])
        last = np.minimum(queries.end[query], facts.end[fact])
        if self.chosen == "instants":
            meets = first <= last
            query, fact, first, last = query[meets], fact[meets], first[meets], last[meets]
            length = queries.end[query] - queries.start[query] + 1
            return _covered(
                query, facts.answer[fact], first - queries.start[query], last - queries.start[query], length
            )
        same = (facts.start[fact] == queries.start[query]) & (facts.end[fact] == queries.end[query])
        candidates = int(facts.answer.max(initial=0)) + 1
        # Nearly sorted already, so that a stable sort is quick; np.unique takes ten times as long on five million.
        answers = np.sort(query[same] * candidates + facts.answer[fact[same]], kind="stable")
        answers = answers[np.diff(answers, prepend=-1) > 0]
        return KnownAnswers(answers // candidates, answers % candidates, np.ones(len(answers)))

    def pairs(self, queries: Queries) -> tuple[Ints, Ints]:
        """Pair each query with the facts of the same entity and relation that may overlap with it.

        These begin no later than it ends, and no longer before it starts than the longest fact lasts. So of events of a
        day, those of the day come, not all that were ever alike.
        """
        first = np.maximum(queries.start - self.longest, self.earliest)
        begins = np.searchsorted(self.keys, self._keys(queries, first), side="left")
        ends = np.searchsorted(self.keys, self._keys(queries, queries.end), side="right")
        query, index = stretches(begins, ends)
        return query, self.order[index]

    def _keys(self, queries: Queries, time: Ints) -> Ints:
        return (queries.entity * self.relations + queries.relation) * self.instants + (time - self.earliest)


def _whenever(queries: Queries) -> Queries:
    """Forget times: all is at one instant."""
    at_once = np.zeros_like(queries.start)
    return Queries(queries.entity, queries.relation, queries.answer, at_once, at_once)


def _each_once(facts: Queries) -> Queries:
    """Leave each answer to the same entity and relation once, in order."""
    relations, answers = (int(column.max(initial=0)) + 1 for column in (facts.relation, facts.answer))
    numbers = (facts.entity * relations + facts.relation) * answers + facts.answer
    return facts[np.unique(numbers, return_index=True)[1]]


def pairs(queries: Queries, facts: Queries) -> tuple[Ints, Ints]:
    """Pair each query with the facts of the same entity and relation that may overlap with it."""
    return AnswerFilter.of(facts, "instants", queries).pairs(queries)


def distinct(numbers: Ints) -> Ints:
    """Return each number once, in order; np.unique takes several times as long on millions.

    >>> distinct(np.array([7, 5, 7]))
    array([5, 7])
    """
    found = np.sort(numbers)
    return found[np.diff(found, prepend=found[:1] - 1) > 0]


def matches(asked: Ints, known: Ints) -> tuple[Ints, Ints]:
    """Pair each number that is asked for with all places at which it stands among known ones, which are sorted.

    >>> matches(np.array([7, 5, 6]), np.array([5, 5, 7]))
    (array([0, 1, 1]), array([2, 0, 1]))
    """
    if not len(known):
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    begins = np.searchsorted(known, asked, side="left")
    there = np.flatnonzero(known[np.minimum(begins, len(known) - 1)] == asked)  # few are, where many are asked for
    which, index = stretches(begins[there], np.searchsorted(known, asked[there], side="right"))
    return there[which], index


def stretches(begins: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Write out stretches of places: for each place the number of its stretch, and the place.

    >>> stretches(np.array([4, 9]), np.array([6, 10]))
    (array([0, 0, 1]), array([4, 5, 9]))
    """
    counts = ends - begins
    number = np.repeat(np.arange(len(counts)), counts)
    return number, np.arange(len(number)) + np.repeat(begins - (np.cumsum(counts) - counts), counts)


def _covered(query: Ints, candidate: Ints, first: Ints, last: Ints, length: Ints) -> KnownAnswers:
    """Measure the union of the stretches of each query and candidate, as a share of the query's length."""
    order = np.lexsort((first, candidate, query))
    query, candidate, first, last, length = (column[order] for column in (query, candidate, first, last, length))
    new = np.ones(len(query), bool)
    new[1:] = (query[1:] != query[:-1]) | (candidate[1:] != candidate[:-1])
    group = np.cumsum(new) - 1
    apart = group * (length.max(initial=0) + 1)  # moves the stretches of a group beyond those of the groups before
    reached = np.maximum.accumulate(last + apart)
    before = np.concatenate([[-1], reached[:-1]])
    fresh = np.maximum(0, last + apart - np.maximum(first + apart - 1, np.where(new, -1, before)))
    share = np.bincount(group, fresh) / length[new] if len(query) else np.zeros(0)
    return KnownAnswers(query[new], candidate[new], share)
