"""Ranks at every instant of intervals, for protocols that count each instant as a question of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Ints
from asof.completion.filters import pairs
from asof.completion.queries import Queries

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class RightStretches:
    """For questions, when other candidates are right: stretches that do not meet, in instants since the asked start."""

    query: Ints
    candidate: Ints
    first: Ints
    last: Ints
    length: Ints  # of the interval of each question

    @classmethod
    def of(cls, queries: Queries, facts: Queries) -> RightStretches:
        """Find them among facts, in the unit that instants are counted in."""
        query, fact = pairs(queries, facts)
        first = np.maximum(queries.start[query], facts.start[fact]) - queries.start[query]
        last = np.minimum(queries.end[query], facts.end[fact]) - queries.start[query]
        meets = (facts.answer[fact] != queries.answer[query]) & (first <= last)
        query, candidate, first, last = query[meets], facts.answer[fact[meets]], first[meets], last[meets]
        length = queries.end - queries.start + 1
        order = np.lexsort((first, candidate, query))
        query, candidate, first, last = (one[order] for one in (query, candidate, first, last))
        group = np.ones(len(query), np.int64)
        group[1:] = (query[1:] != query[:-1]) | (candidate[1:] != candidate[:-1])
        apart = (np.cumsum(group) - 1) * (int(length.max(initial=0)) + 2)  # moves each candidate beyond the one before
        reached = np.maximum.accumulate(last + apart) if len(query) else apart
        begins = np.ones(len(query), bool)
        begins[1:] = first[1:] + apart[1:] > reached[:-1] + 1
        ends = np.append(begins[1:], True)[: len(query)]
        return cls(query[begins], candidate[begins], first[begins], (reached - apart)[ends], length)

    def of_queries(self, first: int, after: int) -> RightStretches:
        """Return the part for some questions in a row, numbered from nought."""
        part = slice(*np.searchsorted(self.query, [first, after]))
        return RightStretches(
            self.query[part] - first, self.candidate[part], self.first[part], self.last[part], self.length[first:after]
        )

    def sums_at_instants(self, values: npt.NDArray[np.bool_]) -> Floats:
        """Count at every instant of every question, one question after the other, the stretches with a true value."""
        offset = np.concatenate([[0], np.cumsum(self.length)])
        steps = np.zeros(offset[-1] + 1)
        np.add.at(steps, offset[self.query] + self.first, values)
        np.add.at(steps, offset[self.query] + self.last + 1, -values.astype(float))
        found: Floats = np.cumsum(steps)[:-1]
        return found

    @property
    def question_of_instant(self) -> Ints:
        """The question that each instant belongs to."""
        return np.repeat(np.arange(len(self.length)), self.length)
