"""What speaks for a candidate because somebody else deals with it and with the known entity around the same day."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from asof.completion.dataset import Ints
from asof.completion.evidence.known_facts import KnownFacts, Numbers
from asof.completion.filters import matches
from asof.completion.queries import Queries

_WINDOW = 3  # days before and after
NAMES = ("third parties that day", f"third parties within {_WINDOW}", f"third parties in the role within {_WINDOW}")


@dataclass(frozen=True)
class _Around:
    """Who deals with whom around each day, a row for each key and day that has somebody.

    Args:
        moments: The key of each row times ``length`` plus its day, counted from ``first``; sorted.
        links: A column for each entity.
    """

    moments: Ints
    links: sp.csr_matrix
    first: int
    length: int

    @classmethod
    def of(cls, known: KnownFacts, keys: Ints, window: int) -> _Around:
        days = known.facts.start
        first = int(days.min(initial=0)) - window
        length = int(days.max(initial=0)) + window - first + 1
        moved = keys[:, None] * length + days[:, None] - first + np.arange(-window, window + 1)
        moments, row = np.unique(moved, return_inverse=True)
        answers, shape = np.repeat(known.facts.answer, 2 * window + 1), (len(moments), known.entities)
        links = sp.csr_matrix((np.ones(len(answers), np.float32), (row.ravel(), answers)), shape=shape)
        links.data = np.log1p(links.data)
        return cls(moments, links, first, length)

    def rows(self, keys: Ints, days: Ints, weights: Numbers, shape: tuple[int, Ints]) -> sp.csr_matrix:
        """Return a matrix that adds up rows: how many sums there are, and to which one each key belongs."""
        day = days - self.first
        inside = (day >= 0) & (day < self.length)
        which, index = matches(np.where(inside, keys * self.length + day, -1), self.moments)
        return sp.csr_matrix((weights[which], (shape[1][which], index)), shape=(shape[0], len(self.moments)))


@dataclass(frozen=True)
class ThirdParties:
    """Follows two facts of the same days: from the known entity to somebody, and on to the candidate.

    Args:
        weight: Of each entity as the one between; those who deal with everybody say little.
    """

    known: KnownFacts
    that_day: _Around
    around: _Around
    in_role: _Around
    weight: Numbers

    @classmethod
    def of(cls, known: KnownFacts) -> ThirdParties:
        """Sort the training facts by day."""
        facts = known.facts
        return cls(
            known=known,
            that_day=_Around.of(known, facts.entity, 0),
            around=_Around.of(known, facts.entity, _WINDOW),
            in_role=_Around.of(known, facts.relation * known.entities + facts.entity, _WINDOW),
            weight=(1 / np.sqrt(np.maximum(1, np.diff(known.borders)))).astype(np.float32),
        )

    def features(self, queries: Queries, chosen: Ints) -> Numbers:
        """Return one row of ``NAMES`` for each chosen candidate of each question."""
        that_day, around = (self._met(queries, links) for links in (self.that_day, self.around))
        role = queries.relation[around.row] * self.known.entities
        ways = ((that_day, self.that_day, 0), (around, self.around, 0), (around, self.in_role, role))
        columns = []
        for met, links, offset in ways:
            weights = met.data * self.weight[met.col]
            to_queries = (len(queries), met.row)
            led = (
                links.rows(met.col.astype(np.int64) + offset, queries.start[met.row], weights, to_queries) @ links.links
            )
            columns.append(np.take_along_axis(led.toarray(), chosen, 1))
        return np.stack(columns, axis=2).astype(np.float32)

    def _met(self, queries: Queries, links: _Around) -> sp.coo_matrix:
        """Return with whom the known entities of questions deal; one that train does not have deals with nobody."""
        every = np.arange(len(queries))
        ones = np.ones(len(queries), np.float32)
        return (links.rows(queries.entity, queries.start, ones, (len(queries), every)) @ links.links).tocoo()
