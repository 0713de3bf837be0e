"""How much fits: accuracy against the number of facts that models were taught, a line for each kind (figure 2)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from asof.reports.charts import Line, Point, lines
from asof.reports.html import figure, numbers, paragraph, section, side_by_side
from asof.reports.lama_tk.runs import COLUMNS, RecallRun, in_row
from asof.reports.svg import short

_SHOWN = ("Acc@1", "Acc@5", "Hit@5", "Hit@10")


def capacity_section(runs: Sequence[RecallRun]) -> str:
    """Draw curves; nothing when no kind of model was asked about two sizes."""
    curves = _curves(runs)
    if all(len(curve) < 2 for curve in curves.values()):
        return ""
    results = {run.key: run.results() for curve in curves.values() for run in curve}
    sizes = sorted({run.benchmark.groups_count for curve in curves.values() for run in curve})
    charts = []
    for measure in _SHOWN:
        series = [
            Line(
                str(number),
                curve[0].position,  # the colour of its smallest run: no other line has it
                [
                    Point(
                        math.log10(run.benchmark.groups_count),
                        found.value,
                        f"{run.benchmark.groups_count:,} facts, {found}",
                        found.low,
                        found.high,
                    )
                    for run in curve
                    for found in [results[run.key][measure]]
                    if found.n
                ],
            )
            for number, curve in enumerate(curves.values(), start=1)
        ]
        if any(line.points for line in series):
            said = "; ".join(f"{line.key}: {', '.join(point.note for point in line.points)}" for line in series)
            drawn = lines(
                measure, said, series, x_label="facts taught (logarithmic)", y_label=measure,
                x_ticks=_ticks(sizes), y_range=(_floor(series), 1),
            )  # fmt: skip
            charts.append(figure(f"{measure} by number of facts", drawn))
    rows = [
        (str(number), name, run.key, run.benchmark.groups_count, run.benchmark.items_count, *in_row(results[run.key]))
        for number, (name, curve) in enumerate(curves.items(), start=1)
        for run in curve
    ]
    return section(
        "capacity",
        "Capacity: how many facts can a model memorize?",
        paragraph(
            "Each line is one kind of model, taught more and more facts. "
            + " ".join(f"{number}: {name}." for number, name in enumerate(curves, start=1))
        ),
        side_by_side(charts),
        numbers("The numbers (figure 2)", ["line", "model", "run", "facts", "items", *COLUMNS], rows),
    )


def _floor(series: Sequence[Line]) -> float:
    """Return the tenth below the lowest point, where a chart begins: accuracies may all be near 1."""
    return min(0.9, math.floor(10 * min(point.low for line in series for point in line.points)) / 10)


def _curves(runs: Sequence[RecallRun]) -> dict[str, list[RecallRun]]:
    """Put runs that recite into lines: by model, base and whether there are conflicts; each from few facts to many."""
    found: dict[str, list[RecallRun]] = defaultdict(list)
    for run in runs:
        if run.query == "recite":
            taught = "with conflicts" if run.with_conflicts else "without conflicts"
            found[f"{run.model}, {run.benchmark.base} {taught}"].append(run)
    return {name: sorted(curve, key=lambda run: run.benchmark.groups_count) for name, curve in found.items()}


def _ticks(sizes: Sequence[int]) -> list[tuple[float, str]]:
    """Name sizes below a chart, none so near to another that they would run together.

    >>> _ticks([1000, 1100, 10000])
    [(3.0, '1,000'), (4.0, '10,000')]
    """
    least = 0.18 * max(math.log10(sizes[-1] / sizes[0]), 0.1)
    kept: list[tuple[float, str]] = []
    for size in sizes:
        if not kept or math.log10(size) - kept[-1][0] >= least:
            kept.append((math.log10(size), f"{size:,}" if size < 100_000 else short(size)))
    return kept
