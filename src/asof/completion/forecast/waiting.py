"""How long until something ends or begins: waiting times of the past, for all, a role, and a timeline of its own.

The chance that it happens after so long, given that it has not yet, is counted over all that waited so long (Kaplan and
Meier 1958), so what still waits teaches too. Few cases of a timeline lean on those of its role, and these on all.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from asof.completion.dataset import Ints

Floats = npt.NDArray[np.float64]
_GROWTH = 1.05  # from one bin of waiting times to the next: some 18 days at the end of a year
_STRENGTHS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 1e6)  # cases that a role weighs against those of a timeline
_ROLE_STRENGTH = 3.0  # cases that all roles weigh against those of one
_TRIED_ON = 2000  # timelines, to choose the strength
_LEAST_TRIED = 20
_USUAL_STRENGTH = 4.0  # where there are fewer
_SURELY = 1 - 1e-9
_NEARLY_ALL = 0.95


@dataclass(frozen=True)
class WaitingSpells:
    """Times that were waited.

    Args:
        timeline: What waited: an entity in a role.
        waited: How long; where it has not happened yet, the least that it can still become.
        happened: Whether it did.
    """

    timeline: Ints
    role: Ints
    waited: Ints
    happened: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.waited)

    def __getitem__(self, rows: Ints | npt.NDArray[np.bool_]) -> WaitingSpells:
        return WaitingSpells(self.timeline[rows], self.role[rows], self.waited[rows], self.happened[rows])


@dataclass(frozen=True)
class ChanceWindow:
    """A statement about when: it comes within these times, or (if not ``comes``) not before they are over."""

    comes: bool
    first: int
    last: int
    chance: float


@dataclass(frozen=True)
class WaitingCurve:
    """When something will happen: times one after the other, and the chance of each.

    Args:
        horizon: Until when it can be foreseen: nearly all that waited in the past did not wait longer.
    """

    times: Ints
    chances: Floats
    horizon: int

    def window(self, share: float) -> ChanceWindow:
        """Return the shortest time that holds a share of the chances; that nothing happens where that is as sure.

        Where neither is, return the time until the horizon with its lower chance.

        >>> WaitingCurve(np.array([2020, 2021, 2022]), np.array([0.1, 0.6, 0.2]), 2022).window(0.75)
        ChanceWindow(comes=True, first=2021, last=2022, chance=0.8)
        >>> WaitingCurve(np.array([2020, 2021, 2022]), np.array([0.01, 0.09, 0.8]), 2021).window(0.75)
        ChanceWindow(comes=False, first=2020, last=2021, chance=0.9)
        >>> WaitingCurve(np.array([2020, 2021]), np.array([0.2, 0.3]), 2021).window(0.75)
        ChanceWindow(comes=True, first=2020, last=2021, chance=0.5)
        """
        sums = np.concatenate([[0.0], self.chances[self.times <= self.horizon].cumsum()])
        first, last = int(self.times[0]), int(self.times[len(sums) - 2])
        if sums[-1] < share:
            comes = bool(1 - sums[-1] < share)
            return ChanceWindow(comes, first, last, float(np.round(sums[-1] if comes else 1 - sums[-1], 9)))
        after = np.searchsorted(sums, sums + share - 1e-9)
        whole = np.flatnonzero(after < len(sums))
        begin = int(whole[np.argmin(after[whole] - whole)])
        mass = float(np.round(sums[after[begin]] - sums[begin], 9))
        return ChanceWindow(True, int(self.times[begin]), int(self.times[after[begin] - 1]), mass)

    def by(self, time: int) -> float:
        """Return the chance that it happens until a time."""
        return float(self.chances[self.times <= time].sum())


@dataclass(frozen=True)
class WaitingTimes:
    """How likely something is after each waiting time, given that it has not happened before.

    Args:
        edges: Where bins of waiting times begin.
        of_role: For each role and bin.
        strengths: For each role, so many of its cases weigh as much as one of a timeline.
    """

    edges: Ints
    of_role: Floats
    spells: WaitingSpells
    strengths: Floats

    @classmethod
    def of(cls, spells: WaitingSpells, roles: int) -> WaitingTimes:
        """Count what has been waited, and choose how much a timeline's own cases count."""
        edges = _edges(int(spells.waited.max(initial=1)) + 1)
        happened, waited = _counts(spells, edges, spells.role, roles)
        overall = (happened.sum(0) + 0.1) / (waited.sum(0) + 2.0)
        of_role = (happened + _ROLE_STRENGTH * overall) / (waited + _ROLE_STRENGTH)
        order = np.argsort(spells.timeline, kind="stable")
        made = cls(edges, of_role, spells[order], np.full(roles, _STRENGTHS[-1]))
        return replace(made, strengths=made._best_strengths())

    def curve(self, timeline: int, role: int, *, since: int, day: int) -> WaitingCurve:
        """Tell when it will happen to what has waited since a time and is still waiting at the end of a day."""
        first, after = np.searchsorted(self.spells.timeline, [timeline, timeline + 1])
        own = self.spells[np.arange(first, after)]
        happened, waited = (one[0] for one in _counts(own, self.edges, np.zeros(len(own), np.int64), 1))
        chances = (happened + self.strengths[role] * self.of_role[role]) / (waited + self.strengths[role])
        times, found = _spread(self.edges, chances, since, day)
        usual, long = self._usual(role)
        return WaitingCurve(times, found, max(since + long, day + usual, day + 1))

    def _usual(self, role: int) -> tuple[int, int]:
        """Return after how long half of what happened in a role had happened, and nearly all."""
        waited = self.spells.waited[self.spells.happened & (self.spells.role == role)]
        half, nearly = np.quantile(waited, [0.5, _NEARLY_ALL]) if len(waited) else (1, 1)
        return int(half), int(np.ceil(nearly))

    def knows(self, role: int) -> bool:
        """Tell whether it has ever happened in a role."""
        return bool(self.spells.happened[self.spells.role == role].any())

    def _best_strengths(self) -> Floats:
        """Foretell the last case of each timeline from those before it: what would have been best for each role.

        Roles with few such timelines lean on all.
        """
        roles, spells = len(self.of_role), self.spells
        last, others = self._last_cases()
        if len(last) < _LEAST_TRIED:
            return np.full(roles, _USUAL_STRENGTH)
        names, index = np.unique(others.timeline, return_inverse=True)
        happened, waited = _counts(others, self.edges, index, len(names))
        rows = np.searchsorted(names, spells.timeline[last])
        role, at = spells.role[last], np.arange(len(last))
        bins = np.searchsorted(self.edges, spells.waited[last], side="right") - 1
        likely = np.zeros((roles, len(_STRENGTHS)))
        for number, strength in enumerate(_STRENGTHS):
            hazards = (happened[rows] + strength * self.of_role[role]) / (waited[rows] + strength)
            stays = np.cumsum(np.log1p(-np.minimum(hazards, _SURELY)), axis=1)
            before = np.where(bins > 0, stays[at, np.maximum(bins - 1, 0)], 0.0)
            np.add.at(likely[:, number], role, before + np.log(np.maximum(hazards[at, bins], 1e-12)))
        usual = likely.sum(0) / len(last)
        found: Floats = np.array(_STRENGTHS)[np.argmax(likely + _LEAST_TRIED * usual, axis=1)]
        return found

    def _last_cases(self) -> tuple[Ints, WaitingSpells]:
        """Return the last case of timelines that have more than one, and the cases before it."""
        spells = self.spells
        last = np.flatnonzero(np.diff(spells.timeline, append=-1))
        more = np.diff(last, prepend=-1) > 1
        last = last[more & spells.happened[last]]
        last = last[:: max(1, len(last) // _TRIED_ON)]
        others = np.flatnonzero(np.isin(spells.timeline, spells.timeline[last]))
        return last, spells[np.setdiff1d(others, last)]


def _edges(most: int) -> Ints:
    """Return where bins begin: each time by itself at first, then wider and wider."""
    edges = [0]
    while edges[-1] <= most:
        edges.append(max(edges[-1] + 1, int(edges[-1] * _GROWTH)))
    return np.array(edges, np.int64)


def _counts(spells: WaitingSpells, edges: Ints, group: Ints, groups: int) -> tuple[Floats, Floats]:
    """Count, for each group and bin, how often it happened in the bin and how many were still waiting then."""
    bins = np.searchsorted(edges, spells.waited, side="right") - 1
    happened = np.zeros((groups, len(edges)))
    np.add.at(happened, (group[spells.happened], bins[spells.happened]), 1)
    left = np.zeros((groups, len(edges)))  # what left before a bin was over without that it had happened
    np.add.at(left, (group[~spells.happened], bins[~spells.happened]), 1)
    reached = (happened + left)[:, ::-1].cumsum(1)[:, ::-1]
    return happened, reached - left


def _spread(edges: Ints, chances: Floats, since: int, day: int) -> tuple[Ints, Floats]:
    """Spread the chance of each bin over its times, from the day after on."""
    widths = np.diff(edges, append=int(edges[-1] * _GROWTH) + 1)
    waited = np.arange(edges[0], edges[-1] + widths[-1])
    bins = np.repeat(np.arange(len(edges)), widths)
    each = 1 - (1 - np.minimum(chances, _SURELY)) ** (1 / widths)  # a time's share of what may happen in its bin
    open_ = waited > day - since
    if not open_.any():  # nothing has ever waited so long
        waited, bins, open_ = np.arange(1, 2) + day - since, bins[-1:], np.array([True])
    steps = each[bins[open_]]
    stays = np.concatenate([[1.0], np.cumprod(1 - steps)])
    return since + waited[open_], steps * stays[:-1]
