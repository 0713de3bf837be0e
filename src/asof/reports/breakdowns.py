"""The scores of some runs taken apart: by format of the prompt, by popularity, by relation.

Figures 6, 9 and 15 of the TimeStress paper (Ammar Khodja et al. 2025), each a section of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from asof.metrics import Result
from asof.reports.charts import Line, Point, bars, lines
from asof.reports.figures import ReportedRun, facts_of_relations, popularity_bins, same_but_format
from asof.reports.html import cell, difference, figure, numbers, paragraph, section, side_by_side
from asof.reports.sections import MEASURES, bar_of
from asof.reports.svg import short
from asof.runs.compare import compare

_TOP_RELATIONS = 10


def format_section(runs: Sequence[ReportedRun]) -> str:
    """The same model with another format of prompt (figure 6); nothing when no two runs differ only so."""
    groups = same_but_format(runs)
    if not groups:
        return ""
    charts = []
    for measure, title, chance in MEASURES:
        named = [
            (
                f"{group[0].model}: " + ", ".join(f"{run.key} {run.run.settings['format']}" for run in group),
                [bar_of(run, run.results[f"{measure} global"]) for run in group],
            )
            for group in groups
        ]
        said = "; ".join(f"{run.name} {cell(run.results[f'{measure} global'])}" for group in groups for run in group)
        charts.append(figure(f"Global {title.lower()} by format", bars(f"Global {title}", said, named, chance=chance)))
    rows = []
    for first, *others in groups:
        for other in others:
            formats = f"{other.key} {other.run.settings['format']} − {first.key} {first.run.settings['format']}"
            for row in compare(first.scores, other.scores, seed=other.seed):
                gap = f"{difference(row.difference, row.low, row.high)} n = {row.n:,}"
                rows.append((first.model, formats, row.measure, gap, f"{row.p:.3f}"))
    return section(
        "formats",
        "Does the format of the prompt matter?",
        paragraph("Runs of one model that differ only in format; differences are paired by fact."),
        side_by_side(charts),
        numbers("The numbers: paired differences", ["model", "formats", "measure", "difference", "p"], rows),
    )


def popularity_section(runs: Sequence[ReportedRun]) -> str:
    """Win rate and robustness against popularity (figure 9)."""
    popularity = {fact.fact: fact.popularity for run in runs for fact in run.scores.facts}
    bins = popularity_bins(popularity)
    title = "Are popular facts known better?"
    about = "Popularity is the geometric mean of the popularity of subject and object, as the base has it."
    if len(bins) < 2:
        alike = "All facts have about the same popularity" if len(popularity) > 3 else "There are too few facts"
        return section("popularity", title, paragraph(f"{about} {alike} ({short(bins[0][0])}): nothing to compare."))
    charts, rows = [], []
    # Runs stand a little apart, so that their intervals do not hide each other.
    step = min(0.08, 0.4 / len(runs)) * (len(bins) - 1) / 4
    for measure, name, chance in MEASURES:
        series = []
        for run in runs:
            results = [run.mean(f"{measure} global", facts) for _, _, facts in bins]
            points = [
                Point(
                    i + (run.position - (len(runs) - 1) / 2) * step,
                    result.value,
                    f"popularity {_range(*bins[i][:2])}, {cell(result)}",
                    result.low,
                    result.high,
                )
                for i, result in enumerate(results)
                if result.n
            ]
            series.append(Line(run.key, run.position, points))
            rows += [(run.key, name.lower(), _range(*bins[i][:2]), result) for i, result in enumerate(results)]
        said = f"{len(bins)} groups of facts from the least to the most popular; the numbers are in the table below"
        ticks = [
            (i, short(float(np.median([popularity[fact] for fact in facts])))) for i, (_, _, facts) in enumerate(bins)
        ]
        charts.append(
            figure(
                f"Global {name.lower()} by popularity",
                lines(
                    f"Global {name.lower()} by popularity", said, series,
                    x_label="popularity (median of each group of facts)", y_label=name.lower(),
                    x_ticks=ticks, y_range=(0, 1), chance=chance,
                ),
            )
        )  # fmt: skip
    columns = ["run", "measure", "popularity", "global"]
    return section(
        "popularity", title, paragraph(about), side_by_side(charts), numbers("The numbers: popularity", columns, rows)
    )


def _range(low: float, high: float) -> str:
    return short(low) if low == high else f"{short(low)} to {short(high)}"


def _counted(results: Sequence[Result]) -> str:
    """Say how many facts results are over, when they may differ by run.

    >>> seven, three = (Result(1, 1, 1, n, n, "gaffke") for n in (7, 3))
    >>> _counted([seven, seven]), _counted([seven, three])
    ('n = 7', 'n = 3 to 7')
    """
    fewest, most = min(result.n for result in results), max(result.n for result in results)
    return f"n = {most:,}" if fewest == most else f"n = {fewest:,} to {most:,}"


def relation_section(runs: Sequence[ReportedRun]) -> str:
    """Win rate and robustness by relation, the best known first (figure 15)."""
    relations = facts_of_relations(runs)
    found = {
        (measure, relation): [run.mean(f"{measure} global", facts) for run in runs]
        for measure, _, _ in MEASURES
        for relation, facts in relations
    }
    charts = []
    for measure, name, chance in MEASURES:
        groups = [
            (
                f"{relation} ({_counted(found[measure, relation])})",
                list(map(bar_of, runs, found[measure, relation])),
            )
            for relation, _ in relations[:_TOP_RELATIONS]
        ]
        said = f"{len(groups)} relations; the numbers are in the table below"
        title = f"Global {name.lower()} by relation"
        charts.append(figure(title, bars(title, said, groups, chance=chance)))
    rows = [
        (relation, run.key, *(found[measure, relation][run.position] for measure, _, _ in MEASURES))
        for relation, _ in relations
        for run in runs
    ]
    shown = (
        f"The {_TOP_RELATIONS} best of {len(relations)} relations"
        if len(relations) > _TOP_RELATIONS
        else "All relations"
    )
    return section(
        "relations",
        "Which relations are known best?",
        paragraph(f"{shown}, by global robustness, then by win rate; relations with fewer than three facts come last."),
        side_by_side(charts),
        numbers(f"The numbers: {len(relations)} relations", ["relation", "run", "win rate", "robustness"], rows),
    )
