"""The numbers of any run: what each item is worth by the measures of its probe, for all items or by a tag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from asof.errors import UserError, did_you_mean
from asof.probes import Probe
from asof.runs.folder import Run
from asof.runs.intervals import Result
from asof.runs.lama_tk_scores import recall_measures
from asof.runs.timestress_scores import TimeStressScores

_RESAMPLES = 2000

Measures = Callable[[Mapping[str, Any]], dict[str, float] | None]


@dataclass(frozen=True)
class GroupScores:
    """One fact: the mean of each measure over its items."""

    fact: str
    measures: dict[str, float]


@dataclass(frozen=True)
class ItemScores:
    """All items of a run. Built from the table of a run, and the probe that made its predictions.

    Args:
        of_benchmark: The measures that the benchmark defines for a row; None: those of the probe.
    """

    table: pa.Table
    probe: Probe
    of_benchmark: Measures = lambda row: None

    @cached_property
    def measured(self) -> dict[str, list[float]]:
        """The measures of every item, by name."""
        found: dict[str, list[float]] = defaultdict(list)
        for row in self.table.to_pylist():
            measures = self.of_benchmark(row)
            for name, value in (self.probe.measures(row) if measures is None else measures).items():
                found[name].append(value)
        return dict(found)

    @cached_property
    def facts(self) -> list[GroupScores]:
        """The means over the items of each fact, for a comparison that is paired by fact."""
        names, which = _numbered(self.table["group"].to_pylist())
        counts = np.bincount(which, minlength=len(names))
        means = {name: np.bincount(which, values, len(names)) / counts for name, values in self.measured.items()}
        return [
            GroupScores(fact, {name: float(values[place]) for name, values in means.items()})
            for place, fact in enumerate(names)
        ]

    def results(self, *, seed: int = 0) -> dict[str, Result]:
        """Return every measure, averaged over items, with its interval."""
        return means_of_items(self.measured, self.table["group"].to_pylist(), seed=seed)

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
        return ItemScores(run.table(), run.probe, recall_measures)
    return ItemScores(run.table(), run.probe)


def mean_of_items(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Result:
    """Return the mean over items that have a value, with an interval from resampling the facts they belong to.

    ``n`` counts items.

    >>> mean_of_items([1.0, 0.0, 0.0], ["a", "a", "b"]).value
    0.3333333333333333
    """
    return means_of_items({"": values}, groups, seed=seed)[""]


def means_of_items(
    measured: Mapping[str, Sequence[float]], groups: Sequence[str], *, seed: int = 0
) -> dict[str, Result]:
    """Return ``mean_of_items`` of several measures; those that have a value for the same items share their draws."""
    columns = {name: np.asarray(values, float) for name, values in measured.items()}
    alike: dict[bytes, list[str]] = defaultdict(list)
    for name, column in columns.items():
        alike[np.isnan(column).tobytes()].append(name)
    found: dict[str, Result] = {}
    for names in alike.values():
        known = ~np.isnan(columns[names[0]])
        if not known.any():
            found |= {name: Result(float("nan"), float("nan"), float("nan"), 0) for name in names}
            continue
        members, which = _numbered([group for group, there in zip(groups, known, strict=True) if there])
        counts = np.bincount(which, minlength=len(members))
        sums = [np.bincount(which, columns[name][known], len(members)) for name in names]
        low, high = np.quantile(_resampled(np.stack([*sums, counts], axis=1), seed), [0.025, 0.975], axis=0)
        for place, name in enumerate(names):
            mean = float(columns[name][known].mean())
            found[name] = Result(mean, float(low[place]), float(high[place]), int(known.sum()))
    return {name: found[name] for name in measured}


def _resampled(sums: np.ndarray[Any, np.dtype[np.float64]], seed: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Draw groups again and again; return the means of each draw from sums over groups, whose last column is counts."""
    random = np.random.default_rng(seed)
    size = len(sums)
    totals = np.empty((_RESAMPLES, sums.shape[1]))
    for place in range(_RESAMPLES):
        often = np.bincount(random.integers(0, size, size), minlength=size)
        totals[place] = often @ sums
    return totals[:, :-1] / totals[:, -1:]


def _numbered(groups: Sequence[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    places: dict[str, int] = {}
    which = [places.setdefault(group, len(places)) for group in groups]
    return list(places), np.asarray(which, np.int64)
