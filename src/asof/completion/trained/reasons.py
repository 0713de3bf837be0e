"""Why a proposal was made, in words, from the facts themselves: what a person can check.

For a date: what ended with it, when the next one begins, how long such facts last. For an object: how many others have
it that share something with the subject, what it has in common with the subject's other ones, what stands before and
after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Ints, Quadruples
from asof.completion.trained.dates_beside import Missing
from asof.completion.trained.end_dates import EndDates
from asof.completion.trained.folder import TrainedModel
from asof.completion.trained.prediction import written
from asof.completion.trained.proposals import ProposedFact

_MOST_LOOKED_AT = 400  # others that share something
_LEAST_SHARE = 0.2  # of those that share something, below which it is no reason
_TELLING = 1.96


@dataclass(frozen=True)
class ReasonWriter:
    """Writes why something is proposed."""

    trained: TrainedModel
    ends: EndDates | None

    def why(self, proposal: ProposedFact) -> str:
        """Return the reasons for a proposal as one line."""
        reasons = self._of_object(proposal) if proposal.what == "object" else self._of_date(proposal, proposal.what)
        return "; ".join(reasons)

    def _of_date(self, one: ProposedFact, missing: Missing) -> Iterator[str]:
        if self.ends is None:
            return
        known, verb = (one.start, "ends") if missing == "end" else (one.end, "begins")
        start, end = (one.start, AFTER_ALL) if missing == "end" else (BEFORE_ALL, one.end)
        fact = Quadruples(*(np.array([value]) for value in (one.subject, one.relation, one.object, start, end)))
        alike, beside = self.ends.beside.alike(fact, missing), self.ends.beside
        if alike.fact[0] >= 0:
            other = beside.every[alike.fact]
            pairs = int(beside.pairs[missing][one.relation, other.relation[0]])
            since = "from" if missing == "end" else "until"
            yield (
                f"{self._relation(int(other.relation[0]))} {self._entity(int(other.object[0]))}, {since} the same "
                f"{self._unit}, {verb} {self._written(int(alike.time[0]))}, as in {alike.share[0]:.0%} of "
                f"{pairs:,} such pairs"
            )
        neighbour = int(beside.neighbours(fact, missing)[0])
        if abs(neighbour) < AFTER_ALL:
            which = "next one begins" if missing == "end" else "one before ends"
            yield f"the {which} {self._written(neighbour)}"
        across = int(self.ends.across.neighbours(fact.turned, missing)[0]) if self.ends.across_weight else AFTER_ALL
        near = abs(across - (one.end if missing == "end" else one.start)) <= 1
        if abs(across) < AFTER_ALL and near and across != neighbour:
            which, verb = ("next one", "begins") if missing == "end" else ("one before", "ends")
            yield f"the {which} of {self._entity(one.object)} {verb} {self._written(across)}"
        if one.relation in self._usual:
            low, high, count = self._usual[one.relation]
            length = abs((one.end if missing == "end" else one.start) - known)
            yield (
                f"{length} {self._unit}{'' if length == 1 else 's'}; half of {count:,} such facts last {low} to {high}"
            )

    def _of_object(self, one: ProposedFact) -> Iterator[str]:
        if one.start > BEFORE_ALL:
            yield from self._pause(one)
        if found := self._best_company(one):
            yield found
        if found := self._shared_with_others(one):
            yield found

    def _pause(self, one: ProposedFact) -> Iterator[str]:
        facts, rows = self._every, self._of_subject(one.subject)
        rows = rows[facts.relation[rows] == one.relation]
        before = rows[(facts.end[rows] < one.start) & (facts.start[rows] > BEFORE_ALL)]
        after = rows[facts.start[rows] > one.end]
        if len(before) and len(after):
            last, first = before[facts.end[before].argmax()], after[facts.start[after].argmin()]
            yield (
                f"nothing between {self._entity(int(facts.object[last]))}, until {self._written(int(facts.end[last]))}"
                f", and {self._entity(int(facts.object[first]))} from {self._written(int(facts.start[first]))}"
            )
            again = int((facts.object[rows] == one.object).sum())
            if again:
                yield f"it is there {again} times before or after" if again > 1 else "it is there once before or after"

    def _best_company(self, one: ProposedFact) -> str:
        """Say how many of those that share something with the subject have the object."""
        facts, best, said = self._every, 0.0, ""
        has = set(facts.subject[self._holders(one.relation, one.object)].tolist())
        seen: set[tuple[int, int]] = set()
        for row in self._of_subject(one.subject).tolist():
            shared = int(facts.relation[row]), int(facts.object[row])
            if shared in seen or shared == (one.relation, one.object):
                continue
            seen.add(shared)
            others = set(facts.subject[self._holders(*shared)[:_MOST_LOOKED_AT]].tolist()) - {one.subject}
            both, of = len(others & has), len(others)
            surely = _least_share(both, of)
            if both and surely > best and both / of >= _LEAST_SHARE:
                best = surely
                said = f"{both:,} of {of:,} with {self._relation(shared[0])} {self._entity(shared[1])} have it"
        return said

    def _shared_with_others(self, one: ProposedFact) -> str:
        """Say what the object has in common with the subject's other objects of the relation."""
        facts, rows = self._every, self._of_subject(one.subject)
        others = set(facts.object[rows[facts.relation[rows] == one.relation]].tolist()) - {one.object}
        has = {(int(facts.relation[row]), int(facts.object[row])) for row in self._of_subject(one.object)}
        if not others or not has:
            return ""
        common: Counter[tuple[int, int]] = Counter()
        for other in others:
            common.update({(int(facts.relation[row]), int(facts.object[row])) for row in self._of_subject(other)} & has)
        if not common:
            return ""
        shared, count = max(common.items(), key=lambda item: (item[1], -len(self._holders(*item[0])), item[0]))
        return (
            f"{count:,} of {len(others):,} others here also have {self._relation(shared[0])} {self._entity(shared[1])}"
        )

    @property
    def _every(self) -> Quadruples:
        return self.trained.dataset.all_facts

    @property
    def _unit(self) -> str:
        return self.trained.dataset.granularity

    def _entity(self, number: int) -> str:
        return self.trained.entities.labels[number]

    def _relation(self, number: int) -> str:
        return self.trained.relations.labels[number]

    def _written(self, time: int) -> str:
        return written(time, self.trained.dataset.granularity)

    def _of_subject(self, subject: int) -> Ints:
        keys, order = self._by_subject
        first, after = np.searchsorted(keys, [subject, subject + 1])
        return order[first:after]

    def _holders(self, relation: int, object: int) -> Ints:
        keys, order = self._by_object
        key = relation * len(self.trained.dataset.entities) + object
        first, after = np.searchsorted(keys, [key, key + 1])
        return order[first:after]

    @cached_property
    def _by_subject(self) -> tuple[Ints, Ints]:
        order = np.argsort(self._every.subject, kind="stable")
        return self._every.subject[order], order

    @cached_property
    def _by_object(self) -> tuple[Ints, Ints]:
        keys = self._every.relation * len(self.trained.dataset.entities) + self._every.object
        order = np.argsort(keys, kind="stable")
        return keys[order], order

    @cached_property
    def _usual(self) -> dict[int, tuple[int, int, int]]:
        """For each relation the quarters of how long dated facts last, and how many these are."""
        facts = self._every[self._every.dated]
        found = {}
        for relation in np.unique(facts.relation):
            lasted = (facts.end - facts.start)[facts.relation == relation]
            low, high = (int(one) for one in np.quantile(lasted, [0.25, 0.75]))
            found[int(relation)] = low, high, len(lasted)
        return found


def _least_share(both: int, of: int) -> float:
    """Return the lower end of the 95 % interval of a share (Wilson 1927), so that few cases count for little.

    >>> round(_least_share(2, 2), 2), round(_least_share(40, 50), 2)
    (0.34, 0.67)
    """
    if not of:
        return 0.0
    share, squared = both / of, _TELLING**2
    middle = share + squared / (2 * of)
    spread = _TELLING * np.sqrt(share * (1 - share) / of + squared / (4 * of**2))
    return float((middle - spread) / (1 + squared / of))
