"""The numbers of any run: what each item is worth by the measures of its probe, for all items or by a tag."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from asof.errors import UserError, did_you_mean
from asof.probes import Probe
from asof.runs.folder import Run
from asof.runs.intervals import Result
from asof.runs.timestress_scores import TimeStressScores

_RESAMPLES = 2000


@dataclass(frozen=True)
class GroupScores:
    """One fact: the mean of each measure over its items."""

    fact: str
    measures: dict[str, float]


@dataclass(frozen=True)
class ItemScores:
    """All items of a run. Built from the table of a run, and the probe that made its predictions."""

    table: pa.Table
    probe: Probe

    @cached_property
    def measured(self) -> dict[str, list[float]]:
        """The measures of every item, by name."""
        found: dict[str, list[float]] = defaultdict(list)
        for row in self.table.to_pylist():
            for name, value in self.probe.measures(row).items():
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
        groups = self.table["group"].to_pylist()
        return {name: mean_of_items(values, groups, seed=seed) for name, values in self.measured.items()}

    def by(self, tag: str) -> dict[Any, ItemScores]:
        """Part the items by a tag, in the order of its values."""
        own = {"id", "prompt", "answers", "group"}
        tags = [name for name in self.table.column_names if name not in own]
        if tag not in tags:
            raise UserError(f"Items have no tag {tag!r}.{did_you_mean(tag, tags)} They have: {', '.join(tags)}.")
        values = self.table[tag].to_pylist()
        return {
            value: ItemScores(self.table.filter(pa.array([one == value for one in values])), self.probe)
            for value in sorted(set(values), key=lambda one: (one is None, one))
        }


def scores_of(run: Run) -> TimeStressScores | ItemScores:
    """Open the scores of a run, with those that its benchmark defines where it does."""
    if run.settings.get("benchmark_name") == "timestress":
        return TimeStressScores(run.table())
    return ItemScores(run.table(), run.probe)


def mean_of_items(values: Sequence[float], groups: Sequence[str], *, seed: int = 0) -> Result:
    """Return the mean over items that have a value, with an interval from resampling the facts they belong to.

    ``n`` counts items.

    >>> mean_of_items([1.0, 0.0, 0.0], ["a", "a", "b"]).value
    0.3333333333333333
    """
    numbers = np.asarray(values, float)
    known = ~np.isnan(numbers)
    if not known.any():
        return Result(float("nan"), float("nan"), float("nan"), 0)
    names, which = _numbered([group for group, there in zip(groups, known, strict=True) if there])
    sums, counts = np.bincount(which, numbers[known], len(names)), np.bincount(which, minlength=len(names))
    random = np.random.default_rng(seed)
    means = np.empty(_RESAMPLES)
    for place in range(_RESAMPLES):
        drawn = random.integers(0, len(names), len(names))
        means[place] = sums[drawn].sum() / counts[drawn].sum()
    low, high = np.quantile(means, [0.025, 0.975])
    return Result(float(numbers[known].mean()), float(low), float(high), int(known.sum()))


def _numbered(groups: Sequence[str]) -> tuple[list[str], np.ndarray[Any, np.dtype[np.int64]]]:
    places: dict[str, int] = {}
    which = [places.setdefault(group, len(places)) for group in groups]
    return list(places), np.asarray(which, np.int64)
