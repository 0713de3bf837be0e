"""Runs on LAMA-TK, read once for all views."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from asof.metrics import NOTHING, Result, mean_of_items, means_of_items
from asof.reports.charts import Bar
from asof.reports.numbered_run import NumberedRun
from asof.runs.item_scores import ItemScores, scores_of

MEASURES = ("Acc@1", "Acc@5", "Hit@1", "Hit@5", "Hit@10")
_MODEL = ("size", "start", "objective", "time_masking")  # what a memorised model says of itself, beside its weights

Truths = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RecallRun(NumberedRun):
    """A run on LAMA-TK, with its scores."""

    @property
    def query(self) -> str:
        """What its benchmark asks: recite, boundary or implicit."""
        return str(self.benchmark.settings["query"])

    @property
    def with_conflicts(self) -> bool:
        """Whether its benchmark has prompts with several right answers."""
        return bool(self.benchmark.settings["conflicts"])

    @cached_property
    def model(self) -> str:
        """What was asked, without the facts it was taught: models of one kind make one line of a chart."""
        told = self.run.versions
        said = [f"{name.replace('_', ' ')} {told[name]}" for name in _MODEL if name in told]
        return ", ".join(said) or self.run.name

    @cached_property
    def scores(self) -> ItemScores:
        """What each item is worth."""
        return cast(ItemScores, scores_of(self.run))  # the page is for runs with these measures

    def results(self, chosen: Truths | None = None, **tags: object) -> dict[str, Result]:
        """Return all measures of the items that have some tags, with intervals by fact."""
        fits = np.ones(self.scores.table.num_rows, bool) if chosen is None else chosen
        for name, value in tags.items():
            fits = fits & (self.column(name) == value)
        if not fits.any():
            return dict.fromkeys(MEASURES, NOTHING)
        some = {name: values[fits].tolist() for name, values in self.measured.items() if name in MEASURES}
        found = means_of_items(some, self.column("group")[fits].tolist(), within=self.scores.units.ranges)
        return dict.fromkeys(MEASURES, NOTHING) | found

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a tag of all items."""
        return self._columns.setdefault(name, np.array(self.scores.table[name].to_pylist(), object))

    @cached_property
    def measured(self) -> dict[str, npt.NDArray[np.float64]]:
        """The measures of all items."""
        return {name: np.asarray(values, float) for name, values in self.scores.measured.items()}

    @cached_property
    def _columns(self) -> dict[str, npt.NDArray[Any]]:
        return {}


def bar(run: RecallRun, result: Result) -> Bar:
    """Return the bar of a run."""
    return Bar(run.key, run.position, result.value, result.low, result.high, result.n)


COLUMNS = (*MEASURES, "n")


def in_row(results: dict[str, Result]) -> list[object]:
    """Return the cells of ``COLUMNS``: the measures, and over how many items they are."""
    return [*(_cell(results[name]) for name in MEASURES), results[MEASURES[0]].n]


def _cell(result: Result) -> str:
    """Write a result on one line; Hit@k may be over fewer items than Acc@k, where an answer is no single token."""
    if not result.n:
        return "no item"
    return f"{result.value:.3f} [{result.low:.3f},\u00a0{result.high:.3f}]".replace(" ", "\u00a0")


def difference_of(first: RecallRun, second: RecallRun, measure: str, fits: Truths | None = None) -> Result:
    """Return how much better the other run is on items that both have, paired by item, with an interval by fact."""
    of_other = dict(zip(second.column("id").tolist(), second.measured[measure].tolist(), strict=True))
    ids, groups = first.column("id").tolist(), first.column("group").tolist()
    wanted = np.ones(len(ids), bool) if fits is None else fits
    pairs = [
        (of_other[id] - value, group)
        for id, group, value, there in zip(ids, groups, first.measured[measure].tolist(), wanted, strict=True)
        if there and id in of_other
    ]
    if not pairs:
        return NOTHING
    values, facts = zip(*pairs, strict=True)
    lowest, highest = first.scores.units.ranges[measure]
    return mean_of_items(values, list(facts), within=(lowest - highest, highest - lowest))
