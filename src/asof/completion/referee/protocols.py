"""The protocols under which ranks are published: what else is right, and how time is counted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Dataset
from asof.completion.filters import Filter, KnownAnswers, in_calendar, in_points, known_answers
from asof.completion.queries import Queries, queries_of
from asof.completion.referee.instants import RightStretches


@dataclass(frozen=True)
class RankProtocol:
    """A way to filter and to average.

    Args:
        instants: Gives intervals in the unit that instants are counted in.
        expands: Each instant is a question by itself, so that long facts weigh more.
    """

    name: str
    about: str
    filter: Filter
    instants: Callable[[Dataset, Queries], Queries] = in_calendar
    expands: bool = False


PROTOCOLS = (
    RankProtocol("none", "nothing is filtered", "none"),
    RankProtocol("any-time", "what is right at any time is taken out (filters that know no time)", "any-time"),
    RankProtocol("same-interval", "what is right in exactly the asked interval is taken out", "same-interval"),
    RankProtocol(
        "instants-points", "instant by instant, over points at which facts begin or end (Jain et al. 2020)", "instants",
        in_points,
    ),
    RankProtocol("instants-calendar", "instant by instant, over years or days of the calendar (TIME2BOX)", "instants"),
    RankProtocol(
        "expanded", "each year or day is a question of its own, and long facts weigh more", "instants", expands=True
    ),
)  # fmt: skip


@dataclass(frozen=True)
class RightAnswers:
    """The questions of a split, and what every protocol knows to be right besides their answers."""

    queries: Queries
    shares: dict[str, KnownAnswers]
    stretches: dict[str, RightStretches]

    @classmethod
    def of(cls, dataset: Dataset, split: str, protocols: tuple[RankProtocol, ...] = PROTOCOLS) -> RightAnswers:
        """Look them up in all three splits."""
        queries = queries_of(dataset, split)
        everything = Queries.of(dataset.all_facts, len(dataset.relations))
        shares, stretches = {}, {}
        for one in protocols:
            asked, known = one.instants(dataset, queries), one.instants(dataset, everything)
            if one.expands:
                stretches[one.name] = RightStretches.of(asked, known)
            else:
                shares[one.name] = known_answers(asked, known, one.filter)
        return cls(queries, shares, stretches)

    @property
    def facts(self) -> int:
        """How many facts are asked about."""
        return len(self.queries) // 2

    @property
    def instants(self) -> int:
        """The most instants that a question has in any protocol."""
        return max((int(np.max(one.length, initial=1)) for one in self.stretches.values()), default=1)
