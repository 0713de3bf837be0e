"""What each item of a run is worth, or each fact where a benchmark scores facts as a whole: a table of numbers.

Scores of every kind give one, and results and comparisons are made from it, so that all show the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import pyarrow as pa

from asof.metrics import Better, Metric, Range, Result, means_of_items


@dataclass(frozen=True)
class MeasureColumns:
    """Columns of numbers, one for each measure; not a number where a measure does not apply.

    Args:
        ids: The id of each item or fact.
        facts: The fact that each belongs to.
        values: The values of each measure.
        metrics: What each measure means, as far as it is declared.
    """

    ids: Sequence[str]
    facts: Sequence[str]
    values: Mapping[str, Sequence[float]]
    metrics: Mapping[str, Metric] = field(default_factory=dict)

    @property
    def ranges(self) -> dict[str, Range]:
        """The range of each measure that has one."""
        return {name: metric.range for name, metric in self.metrics.items()}

    def better(self, measure: str) -> Better:
        """Tell whether a high or a low value of a measure is good."""
        return self.metrics[measure].better if measure in self.metrics else "neither"

    def results(self) -> dict[str, Result]:
        """Return the mean of every measure, with its interval."""
        return means_of_items(self.values, self.facts, within=self.ranges)


@dataclass(frozen=True, kw_only=True)
class TaskScores:
    """How another harness makes the same scores: a file of Python that needs nothing but itself.

    Args:
        probe: The probe whose predictions it is for.
        file: A package and a file in it: "toys/lm_eval_scores.py".
        scores: The names of its scores; the file has a function for each, which puts the values of all items together.
        how: A sentence that says what they are.
    """

    probe: str
    file: str
    scores: tuple[str, ...]
    how: str


class Scores(Protocol):
    """The scores of a run: what ``asof.runs.scores`` parts make of its table and its probe."""

    unit: ClassVar[str]  # what a value is of: an item or a fact
    nothing_yet: ClassVar[str]  # what to say of a run without scores
    of_task: ClassVar[TaskScores | None]  # how another harness makes them, where that differs from the probe's own way

    @property
    def table(self) -> pa.Table:
        """The items of the run."""

    @property
    def units(self) -> MeasureColumns:
        """What each item or fact is worth."""

    def results(self) -> dict[str, Result]:
        """Return every measure with its interval."""

    def by(self, tag: str) -> dict[Any, Any]:
        """Part the scores by a tag, or say why that cannot be."""

    def fact_rows(self) -> list[dict[str, Any]] | None:
        """Return a row for each fact, where facts are scored as a whole."""
