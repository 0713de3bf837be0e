"""The dates of TimeStress around a fact: the years of its scan, and how far a date is from the middle (appendix A.4).

Two ways of computing: the paper's, with the middle of imprecise ends and parts of days, and the published program's,
with ends in full and whole days. The program cuts parts of days off (towards the middle) and sums up its steps in
floating point; a year at the edge of the scan may depend on that.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.errors import UserError
from asof.facts import Fact
from asof.timeline import Date
from asof.timeline.calendar import calendar_day


@dataclass(frozen=True)
class Scan:
    """The middle and the length of a fact's interval, in days."""

    middle: float
    length: float
    whole_days: bool

    @classmethod
    def of(cls, fact: Fact, *, whole_days: bool) -> Scan:
        """Measure a fact, as the paper does or in whole days as the published program does."""
        start, end = fact.start, fact.end
        if not isinstance(start, Date) or not isinstance(end, Date):
            raise UserError(f"{fact} has no two dated ends.")
        if whole_days:
            length = end.last - start.first
            return cls(start.first + length // 2, length, whole_days)
        first, last = (start.first + start.last) / 2, (end.first + end.last) / 2
        return cls((first + last) / 2, last - first, whole_days)

    def years(self, *, reach: float, stride: float, last_year: int) -> list[int]:
        """Return the different years from ``reach`` lengths before the middle to as much after it."""
        days = self._days_of_program(reach, stride) if self.whole_days else self._days(reach, stride)
        return [int(year) for year in np.unique(calendar_day(days)[0]) if year <= last_year]

    def alpha(self, date: Date) -> float:
        """Return how far the middle of a date is from the middle of the fact, in lengths."""
        if self.whole_days:
            return (date.first + (date.last - date.first) // 2 - self.middle) / self.length
        return ((date.first + date.last) / 2 - self.middle) / self.length

    def _days(self, reach: float, stride: float) -> npt.NDArray[np.int64]:
        steps = round(reach / stride)
        days: npt.NDArray[np.float64] = np.floor(self.middle + np.arange(-steps, steps + 1) * stride * self.length)
        return days.astype(np.int64)

    def _days_of_program(self, reach: float, stride: float) -> npt.NDArray[np.int64]:
        alphas = np.arange(-reach, reach + stride / 500, stride)  # not exact multiples of the stride: as there
        return int(self.middle) + (alphas * self.length).astype(np.int64)  # which cuts towards zero
