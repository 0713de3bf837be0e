"""A number for many facts or items, with its n and its 95 % interval."""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan, nan
from typing import Literal

Method = Literal["clopper-pearson", "gaffke", "t", "bootstrap", "none"]


@dataclass(frozen=True)
class Result:
    """A mean with its 95 % interval.

    Args:
        n: Over how many values the mean is: facts, or items.
        facts: To how many facts these belong; an interval is as wide as so few independent facts make it.
        interval: The method of the interval; "none" where there is nothing to make one from, and low and high are
            not numbers.
    """

    value: float
    low: float
    high: float
    n: int
    facts: int
    interval: Method

    def figures(self, digits: int = 4) -> dict[str, float | str]:
        """Return value, interval and its method for a row of a table or of JSON."""
        ends = {"value": self.value, "low": self.low, "high": self.high}
        return {**{name: round(end, digits) for name, end in ends.items()}, "interval": self.interval}

    def __str__(self) -> str:
        between = "" if isnan(self.low) else f" [{self.low:.3f}, {self.high:.3f}]"
        return f"{self.value:.3f}{between} n={self.n}"


NOTHING = Result(nan, nan, nan, 0, 0, "none")  # a mean over no values
