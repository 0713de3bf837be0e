"""The numbers of any run: what each item is worth by the measures of its probe, for all items or by a tag."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import nan
from typing import Any

import pyarrow as pa

from asof.errors import UserError, did_you_mean
from asof.metrics import Range, Result
from asof.probes import Probe, ranges_of
from asof.runs.folder import Run
from asof.runs.lama_tk_scores import RECALL_RANGES, recall_measures
from asof.runs.measured import Measured
from asof.runs.timestress_scores import TimeStressScores

Measures = Callable[[Mapping[str, Any]], dict[str, float] | None]


@dataclass(frozen=True)
class ItemScores:
    """All items of a run. Built from the table of a run, and the probe that made its predictions.

    Args:
        of_benchmark: The measures that the benchmark defines for a row; None: those of the probe.
        ranges: The lowest and the highest value of each of these.
    """

    table: pa.Table
    probe: Probe
    of_benchmark: Measures = lambda row: None
    ranges: Mapping[str, Range] = field(default_factory=dict)

    @cached_property
    def measured(self) -> dict[str, list[float]]:
        """The measures of every item, by name; not a number where an item does not have one."""
        found: dict[str, list[float]] = {}
        for place, row in enumerate(self.table.to_pylist()):
            measures = self.of_benchmark(row)
            for name, value in (self.probe.measures(row) if measures is None else measures).items():
                found.setdefault(name, [nan] * self.table.num_rows)[place] = value
        return found

    @cached_property
    def units(self) -> Measured:
        """What each item is worth."""
        ids, facts = self.table["id"].to_pylist(), self.table["group"].to_pylist()
        return Measured(ids, facts, self.measured, {**ranges_of(self.probe), **self.ranges})

    def results(self) -> dict[str, Result]:
        """Return every measure, averaged over items, with its interval."""
        return self.units.results()

    def by(self, tag: str) -> dict[Any, ItemScores]:
        """Part the items by a tag, in the order of its values."""
        own = {"id", "prompt", "answers", "group"}
        tags = [name for name in self.table.column_names if name not in own]
        if tag not in tags:
            raise UserError(f"Items have no tag {tag!r}.{did_you_mean(tag, tags)} They have: {', '.join(tags)}.")
        values = self.table[tag].to_pylist()
        return {
            value: replace(self, table=self.table.filter(pa.array([one == value for one in values])))
            for value in sorted(set(values), key=lambda one: (one is None, one))
        }


def scores_of(run: Run) -> TimeStressScores | ItemScores:
    """Open the scores of a run, with those that its benchmark defines where it does."""
    if run.settings.get("benchmark_name") == "timestress":
        return TimeStressScores(run.table())
    if run.settings.get("benchmark_name") == "lama-tk":
        return ItemScores(run.table(), run.probe, recall_measures, RECALL_RANGES)
    return ItemScores(run.table(), run.probe)
