"""Time from left to right: when facts held, and what a model's answers are worth period by period."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from asof.api.figure import new_figure
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.runs.cutoff import CutoffOf

_MOST_LINES = 100
_DAYS_PER_YEAR = 365.2425
_COLOURS = {
    "correct": "tab:green",
    "outdated": "tab:orange",
    "early": "tab:blue",
    "wrong": "tab:gray",
    "no answer": "tab:purple",
}


def plot_facts(rows: Sequence[Mapping[str, Any]], known_to: int | None) -> Any:
    """Draw when facts held, a line for each object, and return the matplotlib figure.

    A bar is full where a fact surely held and pale where it may have; what is ongoing ends at the day up to which the
    base is known.
    """
    several = len({row["subject"] for row in rows}) > 1
    named = {id(row): f"{row['subject']}: {row['object']}" if several else str(row["object"]) for row in rows}
    lines = list(dict.fromkeys(named.values()))
    if not lines:
        raise UserError("There is nothing to draw: no fact was found.")
    if len(lines) > _MOST_LINES:
        raise UserError(
            f"{len(lines)} lines are too many to draw; {_MOST_LINES} can be read. Ask for one relation, or a period."
        )
    stated = [row[name] for row in rows for name in ("latest_start", "earliest_end") if row[name] is not None]
    border = (min(stated, default=0), max([*stated, *([known_to] if known_to is not None else [])], default=0))
    figure = new_figure(8, 0.8 + 0.24 * len(lines))
    axis = figure.subplots()
    for row in rows:
        place = lines.index(named[id(row)])
        for first, last, alpha in (("earliest_start", "latest_end", 0.3), ("latest_start", "earliest_end", 1.0)):
            start, end = (border[side] if row[name] is None else row[name] for side, name in enumerate((first, last)))
            if end >= start:
                left = _year(max(start, border[0]))
                axis.barh(
                    place,
                    _year(min(end, border[1]) + 1) - left,
                    left=left,
                    height=0.6,
                    alpha=alpha,
                    color="C0",
                    edgecolor="C0",
                )
    axis.set_yticks(range(len(lines)), lines)
    axis.invert_yaxis()
    axis.grid(axis="x", alpha=0.3)
    axis.xaxis.get_major_locator().set_params(integer=True)
    if len(titles := {row["relation"] for row in rows}) == 1:
        axis.set_title(titles.pop() if several else f"{rows[0]['subject']}: {titles.pop()}", fontsize="medium")
    return figure


def plot_cutoffs(cutoffs: Sequence[CutoffOf], notes: Sequence[str]) -> Any:
    """Draw what answers about facts that change are worth in each period, a panel for each run.

    The interval of the estimate is shaded, and the dashed line is how often it expects the new answer to be taken for a
    change in the period, with its band; where the run cannot tell, neither is drawn.
    """
    figure = new_figure(8, 0.4 + 2.8 * len(cutoffs))
    for axis, one, note in zip(figure.subplots(len(cutoffs), squeeze=False).ravel(), cutoffs, notes, strict=True):
        points = [point for point in one.curve if point.facts]
        periods = [str(point.period) for point in points]
        for name, colour in _COLOURS.items():
            if name == "no answer" and not any(point.shares[name] for point in points):
                continue
            axis.plot(periods, [point.shares[name] for point in points], marker=".", label=name, color=colour)
        estimate = one.overall
        if estimate.low is not None and estimate.high is not None:
            low, high = str(estimate.low), str(estimate.high)
            axis.axvspan(periods.index(low) - 0.4, periods.index(high) + 0.4, alpha=0.2, color="C4", lw=0)
        bands = [point.expected for point in points if point.expected]
        if len(bands) == len(points):
            axis.plot(periods, [band.value for band in bands], "--", color="C4", label="new answers expected")
            axis.fill_between(
                periods, [band.low for band in bands], [band.high for band in bands], color="C4", alpha=0.15
            )
        step = -(-len(periods) // 12)
        axis.set_xticks(range(0, len(periods), step), periods[::step])
        axis.set_ylim(-0.03, 1.03)
        axis.set_ylabel("share of answers")
        axis.set_title(note, fontsize="medium", wrap=True)
        axis.grid(alpha=0.3)
        axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def _year(day: int) -> float:
    return 1970 + day / _DAYS_PER_YEAR
