"""Runs on facts by period, read once for all views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.metrics import Result, means_of_items
from asof.reports.numbered_run import NumberedRun
from asof.runs.cutoff import CutoffOf
from asof.runs.item_scores import ItemScores

_FIRST = ("exact-match", "accuracy", "f1", "logprob")  # what a run is compared by: the first that its probe has


@dataclass(frozen=True)
class PeriodRun(NumberedRun):
    """A run on facts by period, with its scores."""

    @cached_property
    def scores(self) -> ItemScores:
        """What each item is worth."""
        return ItemScores(self.run.table(), self.run.probe)

    @cached_property
    def cutoff(self) -> CutoffOf:
        """What the run says about the model's cutoff."""
        return CutoffOf(self.run)

    @cached_property
    def measure(self) -> str:
        """The measure that stands for the run."""
        return next((name for name in _FIRST if name in self.scores.measured), next(iter(self.scores.measured)))

    @property
    def periods(self) -> list[str]:
        """The periods that were asked about, in their order."""
        return [str(period) for period in self.cutoff.histories.periods]

    def result(self, measure: str, *, period: str | None = None, splits: Sequence[str] = ()) -> Result:
        """Return a measure over the items of a period and of some splits, with an interval by fact."""
        chosen = np.ones(self.scores.table.num_rows, bool)
        if period is not None:
            chosen &= self._columns["period"] == period
        if splits:
            chosen &= np.isin(self._columns["split"], list(splits))
        values, facts = self._measured[measure][chosen], self._columns["group"][chosen].tolist()
        return means_of_items({measure: values}, facts, within=self.scores.units.ranges)[measure]

    def values(self, measure: str, period: str) -> list[float]:
        """Return a measure of every item of a period."""
        return [float(value) for value in self._measured[measure][self._columns["period"] == period]]

    @cached_property
    def _columns(self) -> dict[str, npt.NDArray[np.str_]]:
        names = self.scores.table.column_names
        empty = [""] * self.scores.table.num_rows
        return {
            name: np.array([value or "" for value in self.scores.table[name].to_pylist()] if name in names else empty)
            for name in ("period", "split", "group")
        }

    @cached_property
    def _measured(self) -> dict[str, npt.NDArray[np.float64]]:
        return {name: np.asarray(values, float) for name, values in self.scores.measured.items()}
