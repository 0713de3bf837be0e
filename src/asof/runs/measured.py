"""What each item of a run is worth, or each fact where a benchmark scores facts as a whole: a table of numbers.

Scores of every kind give one, and results and comparisons are made from it, so that all show the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from asof.metrics import Range, Result, means_of_items


@dataclass(frozen=True)
class Measured:
    """Columns of numbers, one for each measure; not a number where a measure does not apply.

    Args:
        ids: The id of each item or fact.
        facts: The fact that each belongs to.
        values: The values of each measure.
        ranges: The range of each measure that has one.
    """

    ids: Sequence[str]
    facts: Sequence[str]
    values: Mapping[str, Sequence[float]]
    ranges: Mapping[str, Range] = field(default_factory=dict)

    def results(self) -> dict[str, Result]:
        """Return the mean of every measure, with its interval."""
        return means_of_items(self.values, self.facts, within=self.ranges)
