"""All that the page says of runs on facts by period: what they are, the sections, what to mind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from asof.reports.dynamic_templama.cutoffs import cutoff_section, examples_section, said
from asof.reports.dynamic_templama.likelihoods import likelihood_section
from asof.reports.dynamic_templama.periods import periods_section, window_section
from asof.reports.dynamic_templama.runs import PeriodRun, read_period_runs
from asof.reports.html import Part, cards, cell, described, section

_SECTIONS: tuple[tuple[str, str, Callable[[Sequence[PeriodRun]], str]], ...] = (
    ("cutoff", "Cutoff", cutoff_section),
    ("periods", "Periods", periods_section),
    ("window", "Around the cutoff", window_section),
    ("likelihood", "Likelihoods", likelihood_section),
    ("examples", "Examples", examples_section),
)


def period_parts(folders: Sequence[Path], *, seed: int, first_place: int) -> tuple[list[Part], list[str], list[str]]:
    """Return the parts of the page about runs by period, the paragraphs that lead to them, and the runs' names."""
    runs = read_period_runs(folders, seed=seed, first_place=first_place)
    parts = [Part("by-period", "Runs by period", section("by-period", "Runs by period", cards(map(_card, runs))))]
    parts += [Part(id, title, made(runs)) for id, title, made in _SECTIONS]
    asked = "A model was asked" if len(runs) == 1 else f"In {len(runs)} runs models were asked"
    leads = [
        f"{asked} what is right in each period, about facts that change (DynamicTempLAMA, arXiv:2302.12297), to see "
        "until when they know the world."
    ]
    if len({run.benchmark.items_sha256 for run in runs}) > 1:
        leads.append("Mind: these runs are not on the same benchmark, so their numbers may differ for that reason.")
    if len({run.measure for run in runs}) > 1:
        leads.append("Mind: these runs were asked in different ways, so their measures are not the same.")
    return [part for part in parts if part.content], leads, [run.name for run in runs]


def _card(run: PeriodRun) -> str:
    cutoff = run.cutoff.overall
    result = run.result(run.measure)
    rows = {
        "Cutoff": said(cutoff) + (f" ({cutoff.low} to {cutoff.high})" if cutoff.best else f": {cutoff.why}"),
        "Changed facts": f"{cutoff.facts:,} that tell something",
        run.measure: cell(result),
        "Never changing facts": cell(cutoff.controls.unchanged),
        "Probe": str(run.run.settings["probe"]),
        "Benchmark": f"{run.benchmark.name} in {run.benchmark.folder.name}, items {run.benchmark.items_sha256[:12]}",
        "Base": run.benchmark.base,
        "Left out": "; ".join(f"{count:,}: {reason}" for reason, count in run.run.left_out().items()),
    }
    return described(run.key, run.place, run.name, {name: value for name, value in rows.items() if value})
