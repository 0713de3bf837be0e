"""Where days lie on a drawn line of time: the span that a page shows, its ticks, and the bar of a fact.

Places are percents of the width, so that a bar fits any screen without being drawn again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Span
from asof.timeline.calendar import calendar_day, day_number

_MARGIN = 0.04  # of the span, left free before the first and after the last date
_LEAST_DAYS = 730  # a single day would else fill the whole line
_ABOUT_TICKS = 6
_LEAST_WIDTH = 0.4  # percent: a day in a thousand years is still to be seen
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Tick:
    """A named place on the line."""

    at: float
    label: str


@dataclass(frozen=True)
class TimeBar:
    """A fact on the line: surely from ``sure`` to ``unsure``, possibly from ``first`` to ``last``.

    Without a day on which the fact surely holds, ``sure`` and ``unsure`` are None. An arrow says that it goes on beyond
    all dates, to the left or to the right.
    """

    first: float
    last: float
    sure: float | None
    unsure: float | None
    arrow_left: bool
    arrow_right: bool

    @property
    def middle(self) -> float:
        """Where a bar is marked that is too thin to be seen: a day in a century, on any screen."""
        return round((self.first + self.last) / 2, 3)


@dataclass(frozen=True)
class Axis:
    """The days that a line shows, from the first to the last."""

    first: int
    last: int

    @classmethod
    def around(cls, bounds: Iterable[Bounds], known_by: Date | None, *, also: Span | None = None) -> Axis:
        """Return a line that shows every date of some facts, and a date that was asked for where it is near them."""
        days = [day for some in bounds for day in some if MIN_DAY < day < MAX_DAY]
        if not days:
            days = [known_by.last if known_by else 0]
        first, last = min(days), max(days)
        reach = max(last - first, _LEAST_DAYS)
        if also and first - reach <= also.first and also.last <= last + reach:
            first, last = min(first, also.first), max(last, also.last)
        margin = round(max(_MARGIN * (last - first), (_LEAST_DAYS - (last - first)) / 2, 30))
        return cls(max(first - margin, MIN_DAY), min(last + margin, MAX_DAY))

    @property
    def first_year(self) -> int:
        """The astronomical year in which the line begins."""
        return calendar_day(self.first)[0]

    @property
    def last_year(self) -> int:
        """The astronomical year in which the line ends."""
        return calendar_day(self.last)[0]

    def at(self, day: int) -> float:
        """Return the place of the beginning of a day; days outside lie at the ends.

        >>> Axis(0, 99).at(50), Axis(0, 99).at(-7)
        (50.0, 0.0)
        """
        return round(100 * (min(max(day, self.first), self.last + 1) - self.first) / (self.last + 1 - self.first), 3)

    def bar(self, bounds: Bounds) -> TimeBar | None:
        """Return the bar of a fact, or None when it lies outside.

        >>> Axis(0, 99).bar(Bounds(10, 19, 50, 59))
        TimeBar(first=10.0, last=60.0, sure=19.0, unsure=51.0, arrow_left=False, arrow_right=False)
        """
        first, latest_start, earliest_end, last = bounds
        if last < self.first or first > self.last or last < first:
            return None
        surely = latest_start <= earliest_end
        left, right = self.at(first), self.at(last + 1)
        if right - left < _LEAST_WIDTH:
            left = min(left, 100 - _LEAST_WIDTH)
            right = left + _LEAST_WIDTH
            return TimeBar(left, right, left if surely else None, right if surely else None, False, False)
        return TimeBar(
            left,
            right,
            self.at(latest_start) if surely else None,
            self.at(earliest_end + 1) if surely else None,
            first == MIN_DAY,
            last == MAX_DAY,
        )

    @property
    def ticks(self) -> list[Tick]:
        """Round years, or months where the line is short.

        >>> [tick.label for tick in Axis(day_number(-60, 1, 1), day_number(120, 1, 1)).ticks]
        ['50 BCE', '1', '50', '100']
        """
        years = self.last_year - self.first_year
        if years < 3:
            return self._months()
        step = next((step for step in _STEPS if years / step <= _ABOUT_TICKS), _STEPS[-1])
        # Counted as people count: 50 BCE is a round year, the astronomical -50 is not; there is no year 0.
        low, high = -(-self.first_year // step) - 1, self.last_year // step + 1
        found = []
        for count in range(low, high + 1):
            shown = count * step
            year = shown if shown > 0 else 1 if shown == 0 else 1 + shown
            day = day_number(year, 1, 1)
            if self.first <= day <= self.last and (shown != 0 or step > 1):
                found.append(Tick(self.at(day), f"{-shown} BCE" if shown < 0 else str(max(shown, 1))))
        return found

    def _months(self) -> list[Tick]:
        year, month, _ = calendar_day(self.first)
        step = 3 if self.last - self.first < 500 else 6
        found = []
        for count in range(48):
            months = year * 12 + month - 1 + count
            day = day_number(months // 12, months % 12 + 1, 1)
            if months % step == 0 and self.first <= day <= self.last:
                found.append(Tick(self.at(day), str(Date.of(months // 12, months % 12 + 1))))
        return found
