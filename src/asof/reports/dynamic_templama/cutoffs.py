"""Until when do models know the world: the estimate and its curve, and facts whose answer changed (tables 3, 4)."""

from __future__ import annotations

from collections.abc import Sequence

from asof.reports.charts import Line, Point, lines
from asof.reports.dynamic_templama.periods import ticks_of
from asof.reports.dynamic_templama.runs import PeriodRun
from asof.reports.html import figure, numbers, paragraph, section, side_by_side
from asof.runs.cutoff import CurvePoint, Cutoff
from asof.runs.cutoff_rows import more_notes, said

_EXAMPLES = 12
_AT_A_TIME = 4  # periods whose changes are drawn as one point: single quarters have few


def cutoff_section(runs: Sequence[PeriodRun]) -> str:
    """The estimates with their intervals, and for each run the curve of new against previous answers."""
    rows = [(run.key, run.name, *_told(run.cutoff.overall)) for run in runs]
    relations = [
        (run.key, run.name, name, *_told(part)) for run in runs for name, part in run.cutoff.by_relation.items()
    ]
    charts = [
        figure(f"{run.key} {run.name}: {said(run.cutoff.overall)}", _curve(run))
        for run in runs
        if any(point.changes or point.expected for point in run.cutoff.curve)
    ]
    columns = ["estimate", "95 % interval", "changed facts", "known", "guessing", "facts that never change"]
    return section(
        "cutoff",
        "Knowledge cutoff: until when do the models know the world?",
        paragraph(
            "Of each fact that changed, does the model take the new answer (n) or one that was over (p, dashed)? It "
            "takes new ones up to its cutoff and old ones after it; the shaded span is the 95 % interval of the "
            "estimate, and the vertical lines are the 95 % band of the new answers that it expects (e). "
            "Known is the share of facts that are answered with an answer they had at some time."
        ),
        numbers("Estimates", ["", "run", *columns], rows, is_open=True),
        *(paragraph(note) for run in runs for note in more_notes(run.cutoff)),
        side_by_side(charts),
        numbers("Estimates by relation", ["", "run", "relation", *columns], relations),
    )


def _told(cutoff: Cutoff) -> tuple[object, ...]:
    held = cutoff.controls
    span = f"{cutoff.low} to {cutoff.high}" if cutoff.best else cutoff.why
    return said(cutoff), span, cutoff.facts, held.known, held.guessing, held.unchanged


def _curve(run: PeriodRun) -> str:
    points = run.cutoff.curve
    new: list[Point] = []
    previous: list[Point] = []
    for start in range(0, len(points), _AT_A_TIME):
        some = [point for point in points[start : start + _AT_A_TIME] if point.changes]
        count = sum(point.changes for point in some)
        if count:
            position, span = start + (len(some) - 1) / 2, f"{some[0].period} to {some[-1].period}"
            for share, line in ((_mean(some, "new"), new), (_mean(some, "previous"), previous)):
                line.append(Point(position, share, f"{span}: {share:.2f} of {count} changes"))
    expected = [
        Point(position, point.expected.value, f"{point.period}: {point.expected.value:.2f}", point.expected.low,
              point.expected.high)
        for position, point in enumerate(points) if point.expected
    ]  # fmt: skip
    cutoff = run.cutoff.overall
    periods = list(run.cutoff.histories.periods)
    shaded = (periods.index(cutoff.low) - 0.5, periods.index(cutoff.high) + 0.5) if cutoff.low and cutoff.high else None
    text = f"{said(cutoff)}. New answers: {', '.join(point.note for point in new)}"
    return lines(
        "New and previous answers",
        text,
        [Line("n", run.position, new), Line("p", run.position, previous, dashed=True),
         Line("e", run.position, expected, dots=False)],
        x_label="period of the change", y_label="share of changes", x_ticks=ticks_of(run.periods), y_range=(0, 1),
        shaded=shaded,
    )  # fmt: skip


def _mean(points: Sequence[CurvePoint], name: str) -> float:
    count = sum(point.changes for point in points)
    return float(sum(getattr(point, name) * point.changes for point in points) / count)


def examples_section(runs: Sequence[PeriodRun]) -> str:
    """Facts whose answer changed, and what each model says."""
    parts = []
    for run in runs:
        rows: list[tuple[str, ...]] = []
        for one in run.cutoff.answers:
            if not one.fact.changes or len(rows) == _EXAMPLES:
                continue
            position = one.fact.asked[-1]
            verdict, until = one.fact.verdict(one.text, position)
            if verdict in ("wrong", "no answer"):
                continue
            periods = run.cutoff.histories.periods
            history = "; ".join(
                f"{name} {periods[int(right.argmax())]} to {periods[len(right) - 1 - int(right[::-1].argmax())]}"
                for name, right in zip(one.fact.names, one.fact.holds, strict=True)
            )
            told = verdict + (f", true until {periods[until]}" if until is not None else "")
            rows.append((one.fact.subject, one.fact.relation_label, history, one.text, told))
        if rows:
            columns = ["subject", "relation", "right answers", "given", "verdict"]
            parts.append(numbers(f"{run.key} {run.name}", columns, rows, is_open=len(runs) == 1))
    if not parts:
        return ""
    lead = paragraph("Facts that changed and that the model answers with an answer they had at some time.")
    return section("examples", "Whose answer changed", lead, *parts)
