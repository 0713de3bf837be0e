"""Who may come next in a timeline, and what the past says for each of them.

A candidate was there before ("again"), is linked with the timeline's entity in another way ("linked"), or is seen in
the same role elsewhere ("elsewhere"): lately, or after whoever is the last here. Two more options stand for all others:
something else that is known, and something that is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from asof.completion.dataset import BEFORE_ALL, Ints
from asof.completion.forecast.past_view import PastView
from asof.completion.forecast.waiting import Floats

MOST = 40  # candidates of each class
_FACTS = 300  # that are looked at for each class
NOT_KNOWN, ANOTHER = -2, -1  # in the place of a candidate: something that is not known, something else that is


class Origin(IntEnum):
    """Where an answer comes from."""

    AGAIN = 0
    LINKED = 1
    ELSEWHERE = 2
    ANOTHER = 3
    NEW = 4


FEATURES = (
    "again", "linked", "elsewhere", "another", "share of its origin", "many elsewhere", "times here", "was last",
    "is there", "time since here", "link that leads here", "time since linked", "times in the role",
    "time since in the role", "is in the role elsewhere", "time since heard of", "share of all here",
    "followed here", "followed elsewhere", "many again", "many linked",
    "link goes on", "later links alike",
)  # fmt: skip


@dataclass(frozen=True)
class SuccessorOptions:
    """What may come next: candidates and, last, the two options for all others, with their features."""

    candidates: Ints
    origins: Ints
    features: Floats


@dataclass(frozen=True)
class Shares:
    """How often answers had each origin, so far: in a role, and in each timeline."""

    of_role: dict[int, Floats]
    of_timeline: dict[tuple[int, int], Floats]
    through: dict[tuple[int, int], Floats]  # role, role of a link: answers that had it, candidates that had it

    @classmethod
    def none(cls) -> Shares:
        """Begin with nothing seen."""
        return cls({}, {}, {})

    def at(self, entity: int, role: int) -> Floats:
        """Return the share of each origin, that of a timeline leaning on that of its role."""
        usual = self.of_role.get(role, np.zeros(len(Origin))) + 0.5
        own = self.of_timeline.get((entity, role), np.zeros(len(Origin)))
        mixed = own + 4 * usual / usual.sum()
        found: Floats = mixed / mixed.sum()
        return found

    def note(self, entity: int, role: int, origin: int, weight: float) -> None:
        """Count an answer."""
        self.of_role.setdefault(role, np.zeros(len(Origin)))[origin] += weight
        self.of_timeline.setdefault((entity, role), np.zeros(len(Origin)))[origin] += weight

    def link(self, role: int, other: int) -> float:
        """Return how much more often a link is there with answers than with candidates, as a logarithm."""
        hits, seen = self.through.get((role, other), np.zeros(2))
        return float(np.log((hits + 0.2) / (seen + 10)))


@dataclass(frozen=True)
class Scene:
    """The past as candidates are looked up in it."""

    known: PastView
    by_role: Ints  # facts in the order of role and start
    role_moments: Ints
    follows: tuple[Ints, Ints, Ints]  # role and who was last, as one number, in order; when the next began; who it was

    @classmethod
    def of(cls, known: PastView) -> Scene:
        """Sort what was known."""
        moments = known.role * _SPAN + (known.start - BEFORE_ALL)
        order = np.argsort(moments, kind="stable")
        same = np.flatnonzero(known.timeline_of[1:] == known.timeline_of[:-1])
        keys = (known.role[same] * len(known.met) + known.answer[same]) * _SPAN + known.start[same + 1] - BEFORE_ALL
        by_key = np.argsort(keys, kind="stable")
        same = same[by_key]
        return cls(known, order, moments[order], (keys[by_key], known.start[same + 1], known.answer[same + 1]))

    def options(self, entity: int, role: int, time: int, shares: Shares) -> SuccessorOptions:
        """Return what may come next in a timeline, given what had begun before a time.

        >>> int(Origin.NEW)
        4
        """
        known = self.known
        first, after = (int(one[0]) for one in known.begun_before(np.array([entity]), role, time))
        here = np.arange(first, after)
        again, last_of, counts = _unique_last(known.answer[here])
        again, last_of, counts = again[:MOST], last_of[:MOST], counts[:MOST]
        link_facts = known.of_entity(entity, time, most=_FACTS)
        link_facts = link_facts[(known.role[link_facts] != role) & (known.answer[link_facts] != entity)]
        linked, last_link, _ = _unique_last(known.answer[link_facts])
        new_here = ~np.isin(linked, again)
        linked, last_link = linked[new_here][:MOST], last_link[new_here][:MOST]
        last = int(known.answer[here[-1]]) if len(here) else -1
        followers = self._followers(role, last, time)
        elsewhere = np.concatenate([_unique_last(followers)[0][:MOST], _unique_last(self._lately(role, time))[0]])
        elsewhere = np.array(list(dict.fromkeys(elsewhere.tolist())), np.int64)
        elsewhere = elsewhere[~np.isin(elsewhere, np.concatenate([again, linked])) & (elsewhere != entity)][:MOST]
        candidates = np.concatenate([again, linked, elsewhere])
        origins = np.repeat([Origin.AGAIN, Origin.LINKED, Origin.ELSEWHERE], [len(again), len(linked), len(elsewhere)])
        made = np.zeros((len(candidates) + 2, len(FEATURES)))
        every = np.concatenate([origins, [Origin.ANOTHER, Origin.NEW]])
        made[np.flatnonzero(every < Origin.NEW), every[every < Origin.NEW]] = 1
        made[:, 4] = np.log(shares.at(entity, role)[every])
        for origin, column in ((Origin.AGAIN, 19), (Origin.LINKED, 20), (Origin.ELSEWHERE, 5)):
            made[every == origin, column] = -np.log(max(1, int((origins == origin).sum())))
        if len(again):
            own = slice(0, len(again))
            places = here[last_of]
            made[own, 6] = np.log1p(counts)
            made[own, 7] = again == last
            made[own, 8] = _goes_on(known, places, time)
            made[own, 9] = np.log1p(time - known.start[places])
            made[own, 16] = counts / len(here)
            after_last = np.flatnonzero(known.answer[here[:-1]] == last)
            made[own, 17] = np.log1p((known.answer[here[1:]][after_last][:, None] == again).sum(0))
        if len(linked):
            own = slice(len(again), len(again) + len(linked))
            places = link_facts[last_link]
            made[own, 10] = [shares.link(role, int(other)) for other in known.role[places]]
            made[own, 11] = np.log1p(time - known.start[places])
            made[own, 21] = _goes_on(known, places, time)
            made[own, 22] = np.log1p(_earlier_alike(known.role[places]))
        listed = slice(0, len(candidates))
        made[listed, 12:15] = self._in_the_role(candidates, role, time)
        heard = known.last_heard_of(candidates, time)
        made[listed, 15] = np.log1p(np.minimum(time - heard, _LONG))
        if len(followers):
            names, often = np.unique(followers, return_counts=True)
            place = np.minimum(np.searchsorted(names, candidates), len(names) - 1)
            made[listed, 18] = np.where(names[place] == candidates, np.log1p(often[place]), 0.0)
        return SuccessorOptions(np.concatenate([candidates, [ANOTHER, NOT_KNOWN]]), every, made)

    def links(self, entity: int, role: int, time: int) -> tuple[Ints, Ints]:
        """Return which entities are linked with one in another role before a time, and in which."""
        known = self.known
        facts = known.of_entity(entity, time, most=_FACTS)
        facts = facts[known.role[facts] != role]
        return known.answer[facts], known.role[facts]

    def _lately(self, role: int, time: int) -> Ints:
        first, after = np.searchsorted(self.role_moments, [role * _SPAN, role * _SPAN + time - BEFORE_ALL])
        found: Ints = self.known.answer[self.by_role[max(first, after - _FACTS) : after]]
        return found

    def _followers(self, role: int, last: int, time: int) -> Ints:
        if last < 0:
            return np.zeros(0, np.int64)
        begin = (role * len(self.known.met) + last) * _SPAN
        first, after = np.searchsorted(self.follows[0], [begin, begin + time - BEFORE_ALL])
        found: Ints = self.follows[2][max(first, after - _FACTS) : after]
        return found

    def _in_the_role(self, candidates: Ints, role: int, time: int) -> Floats:
        """Return how often each was in the role, how long ago it last began to be, and whether it is still."""
        known = self.known
        first, after = known.begun_before(candidates, known.turned(role), time)
        there = after > first
        places = np.maximum(after - 1, 0)
        ago = np.where(there, time - known.start[places], _LONG) if len(known) else np.full(len(candidates), _LONG)
        still = there & _goes_on(known, places, time) if len(known) else there
        return np.stack([np.log1p(after - first), np.log1p(np.minimum(ago, _LONG)), still], axis=1)


_SPAN = 10**8
_LONG = 10**5


def _goes_on(known: PastView, places: Ints, time: int) -> Ints:
    """Tell of which facts the end had not come before a time."""
    found: Ints = (known.end[places] >= time).astype(np.int64)
    return found


def _earlier_alike(values: Ints) -> Ints:
    """Count, for each value, how many like it stand before it.

    >>> _earlier_alike(np.array([7, 3, 7, 7])).tolist()
    [0, 0, 1, 2]
    """
    order = np.argsort(values, kind="stable")
    begins = np.flatnonzero(np.diff(values[order], prepend=-1))
    sizes = np.diff(begins, append=len(values))
    found = np.zeros(len(values), np.int64)
    found[order] = np.arange(len(values)) - np.repeat(begins, sizes)
    return found


def _unique_last(values: Ints) -> tuple[Ints, Ints, Ints]:
    """Return each value once, the latest first, with the place where it is last and how often it is there."""
    names, place, counts = np.unique(values[::-1], return_index=True, return_counts=True)
    order = np.argsort(place, kind="stable")
    return names[order], len(values) - 1 - place[order], counts[order]
