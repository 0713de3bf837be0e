"""Cutoffs and scores by release, as charts with intervals and as tables."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, isfinite, isnan

from asof.reports.charts import Line, Point, lines
from asof.reports.html import cell, figure, numbers, paragraph, part_title, section, side_by_side
from asof.timeline import Period
from asof.timeline.calendar import calendar_day
from asof.watches.outcomes import Outcome, Track
from asof.watches.settings import Bound, WatchSettings

_MOST_CHARTS = 4  # of the measures of a track; the table has all
_LETTER, _ROOM = 9, 290  # the width of a letter, and of all names of releases below a chart


def cutoff_section(watch: WatchSettings, tracks: Sequence[Track]) -> str:
    """The knowledge cutoff of every release that has one."""
    told = [track for track in tracks if any(one.cutoff for one in track.outcomes)]
    if not told:
        return ""
    charts = [
        figure(f"{track.model} on {track.benchmark} ({track.probe})", drawn)
        for track in told
        if (drawn := _cutoff_chart(track, _place(tracks, track), _bounds(watch, track)))
    ]
    rows = [_cutoff_row(track, one) for track in told for one in track.outcomes if one.cutoff]
    columns = ["release", "benchmark", "cutoff", "95 % interval", "changed facts", "released", "asked"]
    return section(
        "cutoff",
        "Knowledge cutoff by release",
        paragraph(
            "Until when does a model know the world? The dot is the likeliest period, the line its 95 % interval; "
            "dashed is the bound. Where a run cannot tell there is no dot."
        ),
        side_by_side(charts),
        numbers("The numbers: knowledge cutoffs", columns, rows, is_open=True),
    )


def scores_section(watch: WatchSettings, tracks: Sequence[Track]) -> str:
    """Every measure of every release."""
    parts = []
    for track in tracks:
        index = _place(tracks, track)
        charts = [
            figure(f"{measure}{_direction(track, measure)}", _score_chart(track, index, measure, _bounds(watch, track)))
            for measure in list(track.newest.results)[:_MOST_CHARTS]
        ]
        rows = [
            (one.release, name, result, one.kept.record.done)
            for one in track.outcomes
            for name, result in one.results.items()
        ]
        title = f"{track.model} on {track.benchmark} ({track.probe})"
        parts += [part_title(title), side_by_side(charts)]
        parts.append(numbers(f"The numbers: {title}", ["release", "metric", "95 % interval", "asked"], rows))
    return section("scores", "Scores by release", *parts) if parts else ""


def _place(tracks: Sequence[Track], track: Track) -> int:
    """Return the place of a model among all, which gives it its colour."""
    return list(dict.fromkeys(one.model for one in tracks)).index(track.model)


def _bounds(watch: WatchSettings, track: Track) -> list[Bound]:
    return [
        one
        for one in watch.bounds
        if one.benchmark == track.benchmark
        and (not one.models or track.model in one.models)
        and (not one.probe or one.probe == track.probe)
    ]


def _cutoff_row(track: Track, outcome: Outcome) -> tuple[object, ...]:
    record, told = outcome.kept.record, outcome.told_cutoff
    return (
        outcome.title, f"{track.benchmark} ({track.probe})", told.text, told.span, told.facts, record.released or "",
        record.done or "",
    )  # fmt: skip


def _cutoff_chart(track: Track, index: int, bounds: Sequence[Bound]) -> str:
    points = []
    for position, outcome in enumerate(track.outcomes):
        cutoff = outcome.cutoff
        if cutoff is None or cutoff.best is None or cutoff.low is None or cutoff.high is None:
            continue
        note = f"{outcome.release}: {cutoff.best} [{cutoff.low}, {cutoff.high}], {cutoff.facts:,} changed facts"
        points.append(Point(position, _year(cutoff.best), note, _year(cutoff.low), _year(cutoff.high)))
    if not points:
        return ""
    oldest = [Period.parse(one.cutoff_not_older_than) for one in bounds if one.cutoff_not_older_than]
    level = _year(oldest[0]) if oldest else None
    heights = [value for point in points for value in (point.low, point.high)] + ([level] if level else [])
    low, high = floor(min(heights)), ceil(max(heights))
    step = max(1, ceil((high - low) / 6))
    return lines(
        "Knowledge cutoff by release",
        "; ".join(point.note for point in points),
        [Line("", index, points)],
        x_label="release",
        y_label="year",
        x_ticks=_release_ticks(track),
        y_range=(low, high if high > low else low + 1),
        y_ticks=[(year, str(year)) for year in range(low, high + 1, step)],
        chance=level,
        chance_label="bound",
    )


def _score_chart(track: Track, index: int, measure: str, bounds: Sequence[Bound]) -> str:
    points = []
    for position, outcome in enumerate(track.outcomes):
        result = outcome.results.get(measure)
        if result is not None and result.n and not isnan(result.value):
            note = f"{outcome.release}: {cell(result)}"
            points.append(Point(position, result.value, note, result.low, result.high))
    metric = track.newest.scores.units.metrics.get(measure)
    whole = metric.range if metric and all(map(isfinite, metric.range)) else None
    levels = [value for one in bounds if one.metric == measure for value in (one.at_least, one.at_most)]
    level = next((value for value in levels if value is not None), None)
    return lines(
        f"{measure} by release",
        "; ".join(point.note for point in points),
        [Line("", index, points)],
        x_label="release",
        y_label=measure,
        x_ticks=_release_ticks(track),
        y_range=whole,
        chance=level,
        chance_label="bound",
    )


def _direction(track: Track, measure: str) -> str:
    better = track.newest.scores.units.better(measure)
    return "" if better == "neither" else f", {better} is better"


def _release_ticks(track: Track) -> list[tuple[float, str]]:
    """Name as many releases as fit below a chart, the newest among them."""
    names = [one.release for one in track.outcomes]
    shown = [name if len(name) <= _LONGEST else f"{name[:_LONGEST]}…" for name in names]
    every = ceil(sum(_LETTER * (len(name) + 1) for name in shown) / _ROOM)
    return [(place, name) for place, name in enumerate(shown) if (len(shown) - 1 - place) % max(1, every) == 0]


_LONGEST = 14  # letters of a release


def _year(period: Period) -> float:
    """Return the middle of a period in years."""
    year, month, day = calendar_day((period.first + period.last) // 2)
    return year + (month - 1) / 12 + (day - 1) / 366
