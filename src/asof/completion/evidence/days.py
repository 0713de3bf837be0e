"""The days on which each of many keys had a fact, sorted, so that windows are counted by bisection."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from asof.completion.dataset import Ints

_WINDOWS = (0, 1, 3, 7, 30, 120)  # days before and after
_NEVER = 5000
AROUND = ("facts", "since", "until", *(f"within {days}" for days in _WINDOWS))


@dataclass(frozen=True)
class DayIndex:
    """Facts, sorted by key and day; a place is a number in that order.

    Args:
        moments: Of each fact its key times ``length`` plus its day, counted from ``first``.
    """

    moments: Ints
    first: int
    length: int

    @classmethod
    def of(cls, keys: Ints, days: Ints) -> DayIndex:
        """Sort facts."""
        first = int(days.min(initial=0))
        length = int(days.max(initial=0)) - first + 1
        return cls(np.sort(keys * length + (days - first)), first, length)

    def within(self, keys: Ints, days: Ints, window: int) -> Ints:
        """Count the facts of each key at most so many days before or after a day."""
        begin, end = self._stretch(keys, days, window)
        return end - begin

    def near(self, keys: Ints, days: Ints, window: int) -> tuple[Ints, Ints]:
        """Pair each key with its facts around a day: the number of the key, and the place of the fact."""
        begin, end = self._stretch(keys, days, window)
        sizes = end - begin
        which = np.repeat(np.arange(len(keys)), sizes)
        return which, begin[which] + np.arange(len(which)) - np.repeat(np.cumsum(sizes) - sizes, sizes)

    def count(self, keys: Ints) -> Ints:
        """Count the facts of each key."""
        return self._positions(keys, self.length) - self._positions(keys, 0)

    def around(self, keys: Ints, days: Ints) -> list[Ints]:
        """Return the figures of ``AROUND``: a fact on the day itself is the next one, not the last."""
        begin, position, end = (self._positions(keys, day) for day in (0, days - self.first, self.length))
        moment = keys * self.length + days - self.first
        known = np.append(self.moments, 0)
        since = np.where(position > begin, moment - known[position - 1], _NEVER)
        until = np.where(position < end, known[position] - moment, _NEVER)
        return [end - begin, since, until, *(self.within(keys, days, window) for window in _WINDOWS)]

    def _stretch(self, keys: Ints, days: Ints, window: int) -> tuple[Ints, Ints]:
        day = days - self.first
        return self._positions(keys, day - window), self._positions(keys, day + window + 1)

    def _positions(self, keys: Ints, day: Ints | int) -> Ints:
        """Return where a day would stand among the facts of each key."""
        positions: Ints = np.searchsorted(self.moments, keys * self.length + np.clip(day, 0, self.length))
        return positions
