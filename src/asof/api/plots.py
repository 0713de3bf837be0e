"""Scores as people would rather look at them: a dot for each measure, and its interval as a line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from asof.api.figure import new_figure
from asof.errors import UserError

_INCHES_PER_LINE = 0.32
_PANELS_ACROSS = 4


def plot_scores(rows: Mapping[str, Sequence[Mapping[str, Any]]], *, by: str | None = None, title: str = "") -> Any:
    """Draw the scores of runs, a panel for each metric, and return the matplotlib figure.

    Args:
        rows: The rows of ``score_rows`` by the name of each run.
        by: The tag they were made for, if any: its values are the lines then.
    """
    metrics = list(dict.fromkeys(row["metric"] for some in rows.values() for row in some))
    if not metrics:
        raise UserError("There is nothing to plot: no fact has all its predictions yet.")
    panels = metrics if by else ["value"]
    lines = list(dict.fromkeys(str(row[by]) for some in rows.values() for row in some)) if by else metrics
    across = min(len(panels), _PANELS_ACROSS)
    down = -(-len(panels) // across)
    height = down * (0.8 + _INCHES_PER_LINE * len(lines) * max(1, len(rows))) + 0.6
    figure = new_figure(max(6.4, 3.2 * across), height)
    axes = figure.subplots(down, across, sharey=True, squeeze=False).ravel()
    for axis in axes[len(panels) :]:
        axis.set_axis_off()
    for axis, panel in zip(axes, panels, strict=False):
        for number, (name, some) in enumerate(rows.items()):
            own = [row for row in some if not by or row["metric"] == panel]
            positions = [lines.index(str(row[by]) if by else row["metric"]) for row in own]
            _draw_dots(axis, own, [position + _offset(number, len(rows)) for position in positions], name)
        axis.set_yticks(range(len(lines)), lines)
        axis.set_xlabel(panel if by else "value, 95 % interval")
        axis.grid(axis="x", alpha=0.3)
    axes[0].invert_yaxis()
    if len(rows) > 1:
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center")
    if title:
        figure.suptitle(title, fontsize="medium", wrap=True)
    return figure


def _draw_dots(axis: Any, rows: Sequence[Mapping[str, Any]], positions: Sequence[float], name: str) -> None:
    """Draw values with their intervals."""
    values = [row["value"] for row in rows]
    arms = [[row["value"] - row["low"] for row in rows], [row["high"] - row["value"] for row in rows]]
    axis.errorbar(values, positions, xerr=arms, fmt="o", capsize=3, label=name)


def _offset(number: int, runs: int) -> float:
    """Return how far a run stands from the middle of its line, so that dots do not hide each other."""
    return (number - (runs - 1) / 2) * 0.6 / max(1, runs)
