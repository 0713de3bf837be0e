"""What the facts beside a fact say of its missing end: when the next one begins, and when what began with it ended.

In a timeline the next fact may begin as one ends, or a year later, or whenever: how often it is so is counted for each
relation. And where facts of two relations that begin at the same time often end at the same time, too (a post and the
home that comes with it), the end of the one is likely that of the other. For a missing start it is the same the other
way round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Ints, Quadruples
from asof.completion.interval_prediction import Floats

Missing = Literal["end", "start"]
_EDGES = np.array([-10, -5, -2, -1, 0, 1, 2, 3, 4, 6, 11, 21])  # gaps from an end to the next start, in bins
_WIDTHS = np.array([20, 5, 3, 1, 1, 1, 1, 1, 1, 2, 5, 10, 40])
_LEANS_ON_ALL = 5.0
_LEAST_ALIKE = 10  # pairs of facts that begin together, to say how often they end together
NOBODY_NEXT = AFTER_ALL


@dataclass(frozen=True)
class EndsTogether:
    """Another fact of the subject with the same known side: what it says of the missing one.

    Args:
        fact: Its place among all facts, -1 where there is none.
        time: Its end (or start).
        share: Of such pairs, those that end (or start) together.
    """

    fact: Ints
    time: Ints
    share: Floats


@dataclass(frozen=True)
class DatesBeside:
    """The facts of a base, to look at those beside a fact; counts of how they hang together are of some of them.

    Args:
        gaps: For each relation and bin, the logarithm of how likely a gap from an end to the next start is, per time.
        together: For "end" and "start", relation and other relation: the share that end (start) together.
        pairs: The number of pairs which that is from.
    """

    every: Quadruples
    gaps: Floats
    together: dict[Missing, Floats]
    pairs: dict[Missing, Floats]

    @classmethod
    def of(cls, learnt: Quadruples, every: Quadruples, relations: int) -> DatesBeside:
        """Count on some dated facts; look at all."""
        found = {side: _together(learnt, relations, side) for side in ("end", "start")}
        return cls(
            every,
            _gaps(learnt, relations),
            {side: shares for side, (shares, _) in found.items()},  # type: ignore[misc]
            {side: pairs for side, (_, pairs) in found.items()},  # type: ignore[misc]
        )

    def gap_logs(self, facts: Quadruples, missing: Missing, times: Ints) -> Floats:
        """Say of each possible end (or start) of facts how usual the pause is that it leaves: a row for each fact."""
        other = self.neighbours(facts, missing)
        gap = other[:, None] - times if missing == "end" else times - other[:, None]
        found = self.gaps[facts.relation[:, None], np.searchsorted(_EDGES, gap, side="right")]
        return np.where((np.abs(other) < AFTER_ALL)[:, None], found, 0.0)

    def neighbours(self, facts: Quadruples, missing: Missing) -> Ints:
        """Return when the next of each timeline begins, or the one before ends; AFTER_ALL or BEFORE_ALL if none."""
        timeline, every = self._timeline(facts), self.every
        if missing == "end":
            dated = every.start > BEFORE_ALL
            keys = np.sort(self._timeline(every)[dated] * _SPAN + every.start[dated] - BEFORE_ALL)
            place = np.searchsorted(keys, timeline * _SPAN + facts.start - BEFORE_ALL, side="right")
            found = keys[np.minimum(place, len(keys) - 1)] if len(keys) else np.zeros(len(facts), np.int64)
            there = (place < len(keys)) & (found // _SPAN == timeline)
            return np.where(there, found % _SPAN + BEFORE_ALL, AFTER_ALL)
        dated = (every.end < AFTER_ALL) & (every.end > BEFORE_ALL)
        keys = np.sort(self._timeline(every)[dated] * _SPAN + every.end[dated] - BEFORE_ALL)
        place = np.searchsorted(keys, timeline * _SPAN + facts.end - BEFORE_ALL, side="left") - 1
        found = keys[np.maximum(place, 0)] if len(keys) else np.zeros(len(facts), np.int64)
        there = (place >= 0) & (found // _SPAN == timeline)
        return np.where(there, found % _SPAN + BEFORE_ALL, BEFORE_ALL)

    def _timeline(self, facts: Quadruples) -> Ints:
        return facts.subject * len(self.gaps) + facts.relation

    def alike(self, facts: Quadruples, missing: Missing) -> EndsTogether:
        """Return for each fact the other one of its subject that says most of its missing end (or start)."""
        every = self.every.dated
        places = np.flatnonzero(every)
        known = (self.every.start if missing == "end" else self.every.end)[places]
        keys = self.every.subject[places] * _SPAN + known - BEFORE_ALL
        order = np.argsort(keys, kind="stable")
        keys, places = keys[order], places[order]
        asked = facts.subject * _SPAN + (facts.start if missing == "end" else facts.end) - BEFORE_ALL
        first, after = np.searchsorted(keys, asked), np.searchsorted(keys, asked, side="right")
        row = np.repeat(np.arange(len(facts)), after - first)
        other = places[np.arange(len(row)) - np.repeat(np.cumsum(after - first) - after, after - first)]
        itself = (self.every.relation[other] == facts.relation[row]) & (self.every.object[other] == facts.object[row])
        row, other = row[~itself], other[~itself]
        share = self.together[missing][facts.relation[row], self.every.relation[other]]
        best = np.lexsort((-share, row))
        row, other, share = row[best], other[best], share[best]
        chosen = np.flatnonzero(np.diff(row, prepend=-1))
        fact = np.full(len(facts), -1)
        fact[row[chosen]] = other[chosen]
        shares = np.zeros(len(facts))
        shares[row[chosen]] = share[chosen]
        fact = np.where(shares > 0, fact, -1)
        side = self.every.end if missing == "end" else self.every.start
        return EndsTogether(fact, np.where(fact >= 0, side[fact], AFTER_ALL), shares)


_SPAN = 4 * AFTER_ALL


def _gaps(facts: Quadruples, relations: int) -> Floats:
    """Count the gaps from ends to next starts in timelines of a subject."""
    facts = facts[facts.dated]
    order = np.lexsort((facts.start, facts.relation, facts.subject))
    facts = facts[order]
    next_ = np.flatnonzero(
        (facts.subject[1:] == facts.subject[:-1])
        & (facts.relation[1:] == facts.relation[:-1])
        & (facts.start[1:] > facts.start[:-1])
    )
    bins = np.searchsorted(_EDGES, facts.start[next_ + 1] - facts.end[next_], side="right")
    counts = np.zeros((relations, len(_WIDTHS)))
    np.add.at(counts, (facts.relation[next_], bins), 1)
    overall = (counts.sum(0) + 0.5) / (counts.sum() + 0.5 * len(_WIDTHS))
    shares = (counts + _LEANS_ON_ALL * overall) / (counts.sum(1, keepdims=True) + _LEANS_ON_ALL)
    few = counts.sum(1) < _LEAST_ALIKE
    logs: Floats = np.log(shares / _WIDTHS)
    logs[few] = 0.0
    return logs


def _together(facts: Quadruples, relations: int, missing: Missing) -> tuple[Floats, Floats]:
    """Count pairs of facts of a subject that begin (or end) together, and how many of them end (begin) together."""
    facts = facts[facts.dated]
    known, other = (facts.start, facts.end) if missing == "end" else (facts.end, facts.start)
    order = np.lexsort((known, facts.subject))
    subject, known, other, relation = facts.subject[order], known[order], other[order], facts.relation[order]
    pairs, same = np.zeros((relations, relations)), np.zeros((relations, relations))
    for step in range(1, _NEAR + 1):
        both = np.flatnonzero((subject[step:] == subject[:-step]) & (known[step:] == known[:-step]))
        equal = other[both] == other[both + step]
        for one, two in ((both, both + step), (both + step, both)):
            np.add.at(pairs, (relation[one], relation[two]), 1)
            np.add.at(same, (relation[one], relation[two]), equal)
    shares = np.where(pairs >= _LEAST_ALIKE, (same + 0.5) / (pairs + 1), 0.0)
    return shares, pairs


_NEAR = 8  # facts of a subject that begin together, at most


def moved_to(chances: Floats, times: Ints, alike: EndsTogether) -> Floats:
    """Give the end of the fact beside its share, and leave the rest to all others.

    >>> beside = EndsTogether(np.array([4]), np.array([2003]), np.array([0.9]))
    >>> moved_to(np.array([[0.5, 0.25, 0.25]]), np.array([[2002, 2003, 2004]]), beside).round(2).tolist()
    [[0.07, 0.9, 0.03]]
    """
    at = times == alike.time[:, None]
    there = (at.any(axis=1) & (alike.fact >= 0))[:, None]
    share = alike.share[:, None]
    own = (chances * at).sum(1, keepdims=True)
    moved = np.where(at, share, chances * (1 - share) / np.maximum(1e-12, 1 - own))
    return np.where(there, moved, chances)
