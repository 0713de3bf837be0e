"""Runs on facts by period, read once for all views."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.reports.placed_run import PlacedRun
from asof.runs.cutoff import CutoffOf
from asof.runs.intervals import Result
from asof.runs.item_scores import ItemScores

_RESAMPLES = 2000
_FIRST = ("exact-match", "accuracy", "f1", "logprob")  # what a run is compared by: the first that its probe has


@dataclass(frozen=True)
class PeriodRun(PlacedRun):
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
        """Return a measure over the items of a period and of some splits, with an interval resampled by fact."""
        chosen = np.ones(self.scores.table.num_rows, bool)
        if period is not None:
            chosen &= self._columns["period"] == period
        if splits:
            chosen &= np.isin(self._columns["split"], list(splits))
        if not chosen.any():
            return Result(float("nan"), float("nan"), float("nan"), 0)
        facts, values = self._facts[chosen], self._measured[measure][chosen]
        count = self._draws.shape[1]
        counts = self._draws @ np.bincount(facts, minlength=count)
        sums = self._draws @ np.bincount(facts, values, count)
        low, high = np.quantile(sums[counts > 0] / counts[counts > 0], [0.025, 0.975])
        return Result(float(values.mean()), float(low), float(high), int(chosen.sum()))

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

    @cached_property
    def _facts(self) -> npt.NDArray[np.int64]:
        return np.unique(self._columns["group"], return_inverse=True)[1]

    @cached_property
    def _draws(self) -> npt.NDArray[np.float64]:
        """How often each fact is drawn in each resample; the same for all results, which are many."""
        count = int(self._facts.max()) + 1
        random = np.random.default_rng(self.seed)
        return random.multinomial(count, np.full(count, 1 / count), size=_RESAMPLES).astype(float)
