"""How surprising are the right answers: models by periods (table 2), and their distribution (figure 5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

import numpy as np

from asof.reports.charts import Line, Point, lines
from asof.reports.dynamic_templama.runs import PeriodRun
from asof.reports.html import figure, numbers, paragraph, section, side_by_side
from asof.reports.svg import frame, shade, short, word

_MEASURE = "log-perplexity"
_MOST_COLUMNS = 8  # more do not fit beside each other on a phone; then years are shown
_BINS = 24
_DARKEST = 10.0  # log-perplexity has no highest value; guessing among 22,000 tokens, a small vocabulary, gives this


def likelihood_section(runs: Sequence[PeriodRun]) -> str:
    """The median log-perplexity of right answers by run and period, and its density over all items."""
    scored = [run for run in runs if _MEASURE in run.scores.measured]
    if not scored:
        return ""
    columns = _columns(scored)
    cells = [[_median(run, periods) for periods in columns.values()] for run in scored]
    said = "; ".join(f"{run.name}: {', '.join(map(_two, row))}" for run, row in zip(scored, cells, strict=True))
    rows = [(run.key, run.name, *map(_two, row)) for run, row in zip(scored, cells, strict=True)]
    return section(
        "likelihood",
        "Perplexity of right answers",
        paragraph(
            "The negative mean log-probability of a token of the likeliest right answer: pseudo-likelihoods of masked "
            "models, log-probabilities of others. Lower is better. Only models with the same vocabulary are comparable."
        ),
        side_by_side(
            [
                figure(
                    "Median by run and period; darker is more surprising: from 0 in steps of 2 to 8 and more",
                    _matrix(said, scored, columns, cells),
                ),
                figure("Distribution over all items", _densities(scored)),
            ]
        ),
        numbers("The numbers: log-perplexity", ["", "run", *columns], rows),
    )


def _columns(runs: Sequence[PeriodRun]) -> dict[str, list[str]]:
    """Return the periods of each column: years where periods are many."""
    periods = sorted({period for run in runs for period in run.periods})
    if len(periods) <= _MOST_COLUMNS:
        return {period: [period] for period in periods}
    years: dict[str, list[str]] = {}
    for period in periods:
        years.setdefault(period[:-3] if "-" in period[1:] else period, []).append(period)
    shown = list(years)[-_MOST_COLUMNS:]
    return {year: years[year] for year in shown}


def _median(run: PeriodRun, periods: Sequence[str]) -> float:
    values = [value for period in periods for value in run.values(_MEASURE, period)]
    return float(np.median(values)) if values else math.nan


def _two(value: float) -> str:
    return "no item" if math.isnan(value) else f"{value:.2f}"


def _matrix(
    text: str, runs: Sequence[PeriodRun], columns: dict[str, list[str]], cells: Sequence[Sequence[float]]
) -> str:
    left, top, tall = 22.0, 20.0, 26.0
    wide = (338.0 - left) / len(columns)
    parts = [word(left + (position + 0.5) * wide, 13, name, "mid") for position, name in enumerate(columns)]
    for row, run in enumerate(runs):
        y = top + row * tall
        parts.append(word(0, y + 17, run.key, "key"))
        for position, value in enumerate(cells[row]):
            x = left + position * wide + 1
            box = f'x="{x:.2f}" y="{y + 1:g}" width="{wide - 2:.2f}" height="{tall - 2:g}" rx="3"'
            said = word(left + (position + 0.5) * wide, y + 17, "" if math.isnan(value) else f"{value:.1f}", "mid")
            note = f"<title>{escape(f'{run.key}, {list(columns)[position]}: {_two(value)}')}</title>"
            parts.append(f'<g class="cell {shade(round(value, 1) / _DARKEST)}">{note}<rect {box}/>{said}</g>')
    return frame("Log-perplexity by run and period", text, top + tall * len(runs) + 6, "".join(parts))


def _densities(runs: Sequence[PeriodRun]) -> str:
    every = {run.key: np.array(run.scores.measured[_MEASURE]) for run in runs}
    high = float(np.quantile(np.concatenate(list(every.values())), 0.99))
    series = []
    for run in runs:
        counts, edges = np.histogram(every[run.key], bins=_BINS, range=(0, max(high, 1e-6)))
        shares = counts / max(1, len(every[run.key]))
        points = [
            Point((a + b) / 2, float(share), f"{a:.1f} to {b:.1f}: {share:.3f}")
            for a, b, share in zip(edges[:-1], edges[1:], shares, strict=True)
        ]
        series.append(Line(run.key, run.position, points, dots=False))
    said = "; ".join(f"{run.name}: median {np.median(every[run.key]):.2f}" for run in runs)
    ticks = [(position, short(round(position, 1))) for position in (0.0, high / 2, high)]
    return lines(
        "Log-perplexity of right answers", said, series, x_label="log-perplexity", y_label="share", x_ticks=ticks
    )
