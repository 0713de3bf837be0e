"""How good are models in each period, on facts that stayed and on facts that changed? (figures 3, 4, 6, 7 and 9)."""

from __future__ import annotations

from collections.abc import Sequence

from asof.reports.charts import Bar, Line, Point, bars, lines
from asof.reports.dynamic_templama.runs import PeriodRun
from asof.reports.html import figure, numbers, paragraph, section, side_by_side

_SPLITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("All facts", ()),
    ("Facts that stayed as they were", ("unchanged",)),
    ("Facts that had changed or begun", ("updated", "new")),
)


def ticks_of(periods: Sequence[str]) -> list[tuple[float, str]]:
    """Name some of the periods below a chart: the first, one in the middle where there is room, the last.

    >>> ticks_of(["2019-Q1", "2019-Q2", "2019-Q3"])
    [(0, '2019-Q1'), (2, '2019-Q3')]
    """
    last = len(periods) - 1
    positions = {0, last} if last < 6 else {0, last // 2, last}
    return [(position, periods[position]) for position in sorted(positions)]


def periods_section(runs: Sequence[PeriodRun]) -> str:
    """The main measure of each run over the periods (figures 3, 6 and 7)."""
    charts, rows = [], []
    periods = sorted({period for run in runs for period in run.periods})
    for title, splits in _SPLITS:
        series = []
        for run in runs:
            points = []
            for position, period in enumerate(periods):
                found = run.result(run.measure, period=period, splits=splits)
                if found.n:
                    points.append(Point(position, found.value, f"{period}, {found}", found.low, found.high))
                    rows.append((run.key, run.name, run.measure, title, period, found))
            series.append(Line(run.key, run.position, points))
        if any(line.points for line in series):
            said = "; ".join(_ends(run, line) for run, line in zip(runs, series, strict=True) if line.points)
            drawn = lines(
                title, said, series, x_label="period", y_label=_label(runs), x_ticks=ticks_of(periods),
                y_range=(0, 1) if all(run.measure != "logprob" for run in runs) else None,
            )  # fmt: skip
            charts.append(figure(f"{title}, with 95 % intervals", drawn))
    return section(
        "periods",
        "Period by period",
        paragraph(
            "Each item asks what is right in a period. A sentence without a date gets the same answer in every period: "
            "its score falls where the world has moved on from what the model knows."
        ),
        side_by_side(charts),
        numbers("The numbers: period by period", ["", "run", "measure", "facts", "period", "result"], rows),
    )


def window_section(runs: Sequence[PeriodRun]) -> str:
    """The period of the estimated cutoff, the one before and the one after (figures 4 and 9)."""
    groups, rows = [], []
    for step, title in ((-1, "one before"), (0, "the cutoff's"), (1, "one after")):
        members = []
        for run in runs:
            best = run.cutoff.overall.best
            if best is None or str(best + step) not in run.periods:
                continue
            found = run.result(run.measure, period=str(best + step), splits=("updated", "new"))
            if found.n:
                members.append(Bar(run.key, run.position, found.value, found.low, found.high, found.n))
                rows.append((run.key, run.name, run.measure, str(best + step), found))
        groups.append((f"{title} period", members))
    if not rows:
        return ""
    said = "; ".join(f"{row[1]} in {row[3]}: {row[4]}" for row in rows)
    return section(
        "window",
        "Just before and just after the cutoff",
        paragraph("Facts that changed or began in the period, and how good the answers are that the model gives."),
        side_by_side([figure("Changed facts around the estimated cutoff", bars("Around the cutoff", said, groups))]),
        numbers("The numbers: around the cutoff", ["", "run", "measure", "period", "result"], rows),
    )


def _ends(run: PeriodRun, line: Line) -> str:
    first, last = line.points[0], line.points[-1]
    return f"{run.name}: {first.note} to {last.note}"


def _label(runs: Sequence[PeriodRun]) -> str:
    return " / ".join(dict.fromkeys(run.measure for run in runs))
