"""The numbers of any run: what each item is worth by the measures of its probe, for all items or by a tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import Any, ClassVar

import pyarrow as pa

from asof.metrics import Metric, Result, metric_of
from asof.probes import Probe, metrics_of
from asof.registry import metrics, scores
from asof.runs.folder import Run
from asof.runs.measured import MeasureColumns, Scores, TaskScores
from asof.runs.tags import parted

Measures = Callable[[Mapping[str, Any]], dict[str, float] | None]


@dataclass(frozen=True)
class ItemScores:
    """All items of a run. Built from the table of a run, and the probe that made its predictions.

    Args:
        of_benchmark: The measures that the benchmark defines for a row; None: those of the probe.
        metrics: What each of these means.
    """

    unit: ClassVar[str] = "item"
    nothing_yet: ClassVar[str] = "No fact has all its predictions yet: resume the run."
    of_task: ClassVar[TaskScores | None] = None

    table: pa.Table
    probe: Probe
    of_benchmark: Measures = lambda row: None
    metrics: Mapping[str, Metric] = field(default_factory=dict)

    @cached_property
    def measured(self) -> dict[str, list[float]]:
        """The measures of every item, by name; not a number where an item does not have one."""
        found: dict[str, list[float]] = {}
        for index, row in enumerate(self.table.to_pylist()):
            measures = self.of_benchmark(row)
            for name, value in (self.probe.measures(row) if measures is None else measures).items():
                found.setdefault(name, [nan] * self.table.num_rows)[index] = value
        return found

    @cached_property
    def units(self) -> MeasureColumns:
        """What each item is worth."""
        ids, facts = self.table["id"].to_pylist(), self.table["group"].to_pylist()
        return MeasureColumns(ids, facts, self.measured, {**metrics_of(self.probe), **self.metrics})

    def results(self) -> dict[str, Result]:
        """Return every measure, averaged over items, with its interval."""
        return self.units.results()

    def fact_rows(self) -> None:
        """Return none: items are scored."""

    def by(self, tag: str) -> dict[Any, ItemScores]:
        """Part the items by a tag, in the order of its values."""
        return {value: replace(self, table=part) for value, part in parted(self.table, tag).items()}


def scores_of(run: Run) -> Scores:
    """Open the scores of a run: those that its probe declares, or its benchmark, or those of each row."""
    declared = run.declared.score_with
    if isinstance(declared, tuple) and run.probe.name not in (run.declared.probe, *run.declared.probes):
        declared = ()  # its metrics are for what its own probe gives
    if run.probe.name != run.benchmark().probe:
        declared = getattr(run.probe, "score_elsewhere", declared)
    if not (declared and run.probe.name == run.declared.probe):
        declared = getattr(run.probe, "score_with", declared)  # unless the benchmark says how its own probe is scored
    if isinstance(declared, str):
        part = scores.get(declared)
        of_run = getattr(part, "of_run", None)  # of a part that also looks at items which were not asked
        made: Scores = of_run(run) if of_run else part(run.table(), run.probe)
        return made
    return ItemScores(
        run.table(), run.probe, _by_metrics(declared, run.probe), {one: metric_of(one) for one in declared}
    )


def _by_metrics(names: Sequence[str], probe: Probe) -> Measures:
    """Return what measures a row by metrics that take a text and all accepted answers."""
    functions = {name: metrics.get(name) for name in names}

    def measures(row: Mapping[str, Any]) -> dict[str, float] | None:
        text = row[probe.scored]
        if not functions or not isinstance(text, str):
            return None  # such metrics are for texts; other probes have measures of their own
        return {name: float(function(text, row["answers"])) for name, function in functions.items()}

    return measures
