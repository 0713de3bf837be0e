"""Runs of which every item has its scores, whatever they are: the sections that any benchmark can be shown with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite, isnan
from typing import Any

from asof.errors import UserError
from asof.metrics import Result
from asof.reports.charts import Bar, bars
from asof.reports.html import cell, described, figure, numbers, paragraph, part_title, section, side_by_side
from asof.reports.numbered_run import NumberedRun
from asof.reports.run_kind import mind_benchmarks, mind_few
from asof.runs.item_scores import scores_of
from asof.runs.measured import Scores

_EXAMPLES = 6  # of each kind
_MOST_GROUPS = 12  # in a chart; the table below it has all
Members = dict[str, Result | None]  # by the key of each run


@dataclass(frozen=True)
class ItemRun(NumberedRun):
    """A run with the scores that its benchmark declares."""

    @cached_property
    def scores(self) -> Scores:
        """What each item or fact is worth."""
        return scores_of(self.run)

    @cached_property
    def results(self) -> dict[str, Result]:
        """Every measure with its interval."""
        return self.scores.results()

    def refuse_empty(self) -> None:
        """Raise an error when nothing is scored yet."""
        if not self.results:
            raise UserError(f"{self.run.folder}: {self.scores.nothing_yet}")

    def by(self, tag: str) -> dict[str, dict[str, Result]]:
        """Return the results for each value of a tag; nothing where items do not have it."""
        if tag not in self._parted:
            there = self.scores.unit == "item" and tag in self.scores.table.column_names
            parts = self.scores.by(tag).items() if there else ()
            self._parted[tag] = {str(value): part.results() for value, part in parts}
        return self._parted[tag]

    @cached_property
    def _parted(self) -> dict[str, dict[str, dict[str, Result]]]:
        return {}


def card(run: ItemRun) -> str:
    """Say what a run is, with its scores."""
    rows = {name: cell(result) for name, result in run.results.items()}
    return described(run.key, run.position, run.name, rows | run.about())


def what_to_mind(runs: Sequence[ItemRun]) -> list[str]:
    """Warn when runs are not on the same items, and when facts are few."""
    facts = min(max(result.facts for result in run.results.values()) for run in runs)
    return [*mind_benchmarks(runs), *mind_few(facts)]


def measures_of(runs: Sequence[ItemRun]) -> list[str]:
    """Return the measures of all runs, in their order."""
    return list(dict.fromkeys(name for run in runs for name in run.results))


def scores_section(runs: Sequence[ItemRun]) -> str:
    """Every measure of every run."""
    charts = [
        chart(measure, [("", {run.key: run.results.get(measure) for run in runs})], runs)
        for measure in measures_of(runs)
    ]
    rows = [(run.key, run.name, name, result) for run in runs for name, result in run.results.items()]
    table = numbers("The numbers: scores", ["", "run", "measure", "result"], rows, is_open=not any(charts))
    return section("item-scores", "Scores", side_by_side(charts), table)


def by_tag(
    runs: Sequence[ItemRun], tag: str, title: str, measures: Sequence[str], *, names: Mapping[str, str] | None = None
) -> str:
    """Return some measures for each value of a tag: charts, and a table; nothing where no item has the tag.

    Args:
        names: What values are called where they do not say it themselves.
    """
    called = names or {}
    values = _values(runs, tag)
    if not values:
        return ""
    charts = []
    for measure in measures:
        groups = [
            (called.get(value, value), {run.key: run.by(tag).get(value, {}).get(measure) for run in runs})
            for value in values
        ]
        charts.append(chart(measure, groups[:_MOST_GROUPS], runs))
    rows = [
        (called.get(value, value), run.key, *(run.by(tag)[value].get(measure, "none") for measure in measures))
        for value in values
        for run in runs
        if value in run.by(tag)
    ]
    table = numbers(f"The numbers: {title[0].lower()}{title[1:]}", [tag, "run", *measures], rows)
    return part_title(title) + side_by_side(charts) + table


def _values(runs: Sequence[ItemRun], tag: str) -> list[str]:
    """Return the values of a tag, those with most items first."""
    sizes: dict[str, int] = {}
    for run in runs:
        for value, results in run.by(tag).items():
            sizes[value] = max([sizes.get(value, 0), *(result.n for result in results.values())])
    return sorted(sizes, key=lambda value: (-sizes[value], value))


def chart(measure: str, groups: Sequence[tuple[str, Members]], runs: Sequence[ItemRun]) -> str:
    """Draw a measure as bars over its range; nothing where values may be below 0, which have no bar."""
    metric = runs[0].scores.units.metrics.get(measure)
    found = [result for _, members in groups for result in members.values() if result and result.n]
    lowest, highest = metric.range if metric else (min((one.value for one in found), default=0.0), float("inf"))
    if not found or lowest < 0:
        return ""
    if not isfinite(highest):
        highest = max(one.high if isfinite(one.high) else one.value for one in found) or 1.0
    shown = [
        (name, run, result) for name, members in groups for run in runs if (result := members[run.key]) and result.n
    ]
    drawn = [(name, [_bar(run, one) for where, run, one in shown if where == name]) for name, _ in groups]
    told = "; ".join(f"{name} {run.name} {cell(result)}".strip() for name, run, result in shown)
    direction = f", {metric.better} is better" if metric and metric.better != "neither" else ""
    return figure(f"{measure} with 95 % intervals{direction}", bars(measure, told, drawn, highest=highest))


def _bar(run: ItemRun, result: Result) -> Bar:
    return Bar(run.key, run.position, result.value, result.low, result.high, result.n)


def examples_section(runs: Sequence[ItemRun], measure: str | None = None) -> str:
    """Some items with what was predicted: those with the best value of a measure, and others."""
    parts = []
    for run in runs:
        units = run.scores.units
        name = measure if measure and measure in units.values else next(iter(units.values))
        if run.scores.unit != "item":
            continue
        rows, values = run.scores.table.to_pylist(), units.values[name]
        known = [position for position, value in enumerate(values) if not isnan(value)]
        if not known:
            continue
        best = _best(run, name)
        for title, wanted in (("Wrong", False), ("Right", True)):
            positions = [position for position in known if (values[position] == best) == wanted]
            if shown := positions[:: max(1, len(positions) // _EXAMPLES)][:_EXAMPLES]:
                told = [(*_example(rows[position], run.run.probe.scored), values[position]) for position in shown]
                caption = f"{title}, {run.key} {run.name}: {len(positions):,} of {len(known):,} items"
                parts.append(numbers(caption, ["asked", "accepted answers", "predicted", name], told, is_open=True))
    return (
        section("items", "Sample of items", paragraph("A regular sample of all such items."), *parts) if parts else ""
    )


def _best(run: ItemRun, measure: str) -> float:
    """Return the best value that a measure can have, or the best one there is."""
    units = run.scores.units
    known = [value for value in units.values[measure] if not isnan(value)]
    lower = units.better(measure) == "lower"
    lowest, highest = units.ranges.get(measure, (min(known), max(known)))
    best = lowest if lower else highest
    return best if isfinite(best) else min(known) if lower else max(known)


def _example(row: dict[str, Any], scored: str) -> tuple[str, str, str]:
    answers = ", ".join(row["answers"][:5]) + (", ..." if len(row["answers"]) > 5 else "")
    predicted = row[scored]
    return row["prompt"], answers or "none", "nothing" if predicted == "" else str(predicted)
