"""The figures of the TimeStress paper (Ammar Khodja et al. 2025) for some runs, each a section of the page."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from asof.metrics import Result
from asof.reports.charts import Bar, Line, Point, bars, heat_map, histogram, lines
from asof.reports.figures import ALMOST_KNOWN, ReportedRun, counts_by_bin
from asof.reports.html import cell, figure, numbers, paragraph, section, side_by_side
from asof.reports.svg import short
from asof.runs.scores.timestress import PRECISIONS

_LEVELS = (*PRECISIONS, "global")
_BINS = 0.5  # of α, in histograms
MEASURES = (("win-rate", "Win rate", 0.5), ("robustness", "Robustness", None))


def bar_of(run: ReportedRun, result: Result) -> Bar:
    """Return a run's result as a bar."""
    return Bar(run.key, run.position, result.value, result.low, result.high, result.n)


def scores_section(runs: Sequence[ReportedRun]) -> str:
    """Win rate and robustness at each precision (figures 3 and 5)."""
    charts = []
    for measure, title, chance in MEASURES:
        groups = [(level, [bar_of(run, run.results[f"{measure} {level}"]) for run in runs]) for level in _LEVELS]
        said = "; ".join(
            f"{run.name}: " + ", ".join(f"{level} {cell(run.results[f'{measure} {level}'])}" for level in _LEVELS)
            for run in runs
        )
        charts.append(figure(f"{title} with 95 % intervals", bars(title, said, groups, chance=chance)))
    rows = [
        (run.key, run.name, title.lower(), *(run.results[f"{measure} {level}"] for level in _LEVELS))
        for run in runs
        for measure, title, _ in MEASURES
    ]
    return section(
        "scores",
        "Win rate and robustness",
        paragraph(
            "The win rate is the share of pairs of a right and a wrong date in which the answer is likelier under the "
            "right one; guessing gives 0.5. A fact is robustly known when every right date wins over every wrong one. "
            "Global means: the mean of the three win rates; robust at all three precisions."
        ),
        side_by_side(charts),
        numbers("The numbers: win rate and robustness", ["", "run", "measure", *_LEVELS], rows),
    )


def alpha_section(runs: Sequence[ReportedRun]) -> str:
    """Log-probability of the answer against the position of the date (figure 2)."""
    found = {run.key: run.scores.mean_logprob_by_alpha() for run in runs}
    series = [
        Line(
            run.key,
            run.position,
            [
                Point(alpha, mean, f"α {short(alpha)}, {mean:+.3f} from {n} dates")
                for alpha, mean, n in found[run.key]
                if math.isfinite(mean)
            ],
        )
        for run in runs
    ]
    said = "Highest at " + "; ".join(
        f"α = {max(line.points, key=lambda point: point.y).x:g} for {runs[line.series].name}"
        for line in series
        if line.points
    )
    drawn = lines(
        "Log-probability of the answer by α",
        said,
        series,
        x_label="α, position of the year",
        y_label="log-probability, above or below the fact's mean",
        x_ticks=[(position, short(position)) for position in range(-4, 5, 2)],
        shaded=(-0.5, 0.5),
    )
    rows = [(run.key, f"{alpha:g}", f"{mean:+.4f}", n) for run in runs for alpha, mean, n in found[run.key]]
    return section(
        "alpha",
        "Is the answer likelier in its own time?",
        paragraph(
            "α is the distance of a year from the middle of the time in which the fact held, in lengths of that time: "
            "the shaded span |α| < 0.5 is when it was true. A model that knows when has its peak there. From each fact "
            "its own mean is taken off first, so that facts with long answers do not weigh more."
        ),
        side_by_side([figure("Mean log-probability by α, dates that are years", drawn)]),
        numbers("The numbers: log-probability by α", ["run", "α", "mean log-probability", "dates"], rows),
    )


def far_section(runs: Sequence[ReportedRun]) -> str:
    """Where the preferred wrong dates lie (figure 4)."""
    parts = [
        paragraph(
            "A wrong year is preferred when it is at least as likely as the worst right one. Preferred years near "
            "the fact's time are understandable; far ones (|α| of 1, 2, 3 and more) are not. The numbers "
            "below each chart also say how many of all wrong years are so far. The paper looks at "
            f"facts with a win rate of at least {ALMOST_KNOWN}."
        )
    ]
    for almost, title in ((True, f"Facts almost known (win rate at year ≥ {ALMOST_KNOWN})"), (False, "All facts")):
        chosen = {run.key: run.almost_known() if almost else run.scores.facts for run in runs}
        parts.append(f"<h3>{title}</h3>")
        alphas = {
            run.key: [alpha for fact in chosen[run.key] for alpha in run.preferred_wrong[fact.fact]] for run in runs
        }
        if not any(alphas.values()):
            parts.append(
                paragraph("No such fact has a preferred wrong year." if almost else "No wrong year is preferred.")
            )
            continue
        shares = {beyond: [run.far(beyond, chosen[run.key]) for run in runs] for beyond in (1.0, 2.0, 3.0)}
        charts = [_far_shares(runs, shares), *(_far_years(run, alphas[run.key]) for run in runs if alphas[run.key])]
        rows: list[tuple[object, ...]] = []
        for i, run in enumerate(runs):
            facts = chosen[run.key]
            asked = sum(len(run.wrong_years[fact.fact]) for fact in facts if run.preferred_wrong[fact.fact])
            rows.append(
                (run.key, run.name, "preferred", len(alphas[run.key]), *(found[i] for found in shares.values()))
            )
            rows.append(
                (run.key, run.name, "all, as by chance", asked, *(run.far_of_all(far, facts) for far in shares))
            )
        columns = ["", "run", "wrong years", "how many", *(f"|α| ≥ {beyond:g}" for beyond in shares)]
        parts += [side_by_side(charts), numbers(f"The numbers: {title[0].lower()}{title[1:]}", columns, rows)]
    return section("far", "Where do the preferred wrong dates lie?", *parts)


def _far_shares(runs: Sequence[ReportedRun], shares: Mapping[float, Sequence[Result]]) -> str:
    """Draw which share of the preferred wrong years is far, for each run."""
    groups = [
        (f"|α| ≥ {beyond:g}", [bar_of(run, share) for run, share in zip(runs, shares[beyond], strict=True)])
        for beyond in shares
    ]
    said = "; ".join(
        f"{run.name}: " + ", ".join(f"beyond {beyond:g} {cell(shares[beyond][i])}" for beyond in shares)
        for i, run in enumerate(runs)
    )
    return figure("Share of preferred wrong years that are far", bars("Far failures", said, groups))


def _far_years(run: ReportedRun, alphas: Sequence[float]) -> str:
    """Draw where the preferred wrong years of a run lie."""
    counts = counts_by_bin(alphas, width=_BINS)
    position, most = max(counts, key=lambda pair: pair[1])
    text = f"{len(alphas)} dates, most of them ({most}) at α near {position:g}"
    caption = f"{run.key} {run.name}: {len(alphas):,} preferred wrong years by α"
    return figure(caption, histogram(caption, text, counts, width=_BINS, series=run.position))


def transfer_section(runs: Sequence[ReportedRun]) -> str:
    """P(known at A | known at B) (figure 7)."""
    charts, rows = [], []
    for run in runs:
        found = run.transfer()
        cells = [[(found[a, b].value, found[a, b].n) for b in PRECISIONS] for a in PRECISIONS]
        said = "; ".join(
            f"known at {b}, also at {a}: {cell(found[a, b]) if found[a, b].n else 'no fact known'}" for a, b in found
        )
        title = f"{run.key} {run.name}"
        charts.append(figure(title, heat_map(f"Transfer, {title}", said, list(PRECISIONS), cells)))
        rows += [(run.key, a, b, found[a, b] if found[a, b].n else f"no fact known at {b}") for a, b in found if a != b]
    return section(
        "transfer",
        "Does knowledge carry over to another precision?",
        paragraph(
            "Of the facts robustly known at the precision of a column, the share also known at the precision of the "
            "row. n is the number of facts known at that of the column."
        ),
        side_by_side(charts),
        numbers("The numbers: transfer", ["run", "also known at", "known at", "share"], rows),
    )
