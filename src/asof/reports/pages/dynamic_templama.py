"""All that the page says of runs on facts by period: what they are, the sections, what to mind."""

from __future__ import annotations

from collections.abc import Sequence

from asof.registry import pages
from asof.reports.dynamic_templama.cutoffs import cutoff_section, examples_section
from asof.reports.dynamic_templama.likelihoods import likelihood_section
from asof.reports.dynamic_templama.periods import periods_section, window_section
from asof.reports.dynamic_templama.runs import PeriodRun
from asof.reports.html import cell, described
from asof.reports.run_kind import RunKind, asked, mind_benchmarks
from asof.runs.cutoff_rows import said


def _card(run: PeriodRun) -> str:
    cutoff = run.cutoff.overall
    result = run.result(run.measure)
    rows = {
        "Cutoff": said(cutoff) + (f" ({cutoff.low} to {cutoff.high})" if cutoff.best else f": {cutoff.why}"),
        "Changed facts": f"{cutoff.facts:,} with a usable answer",
        run.measure: cell(result),
        "Never changing facts": cell(cutoff.controls.unchanged),
    }
    return described(run.key, run.position, run.name, rows | run.about())


def _leads(runs: Sequence[PeriodRun]) -> list[str]:
    said = (
        f"{asked(runs)} what is right in each period, about facts that change (DynamicTempLAMA, arXiv:2302.12297), to "
        "see until when they know the world."
    )
    found = [said, *mind_benchmarks(runs)]
    if len({run.measure for run in runs}) > 1:
        found.append("Caution: these runs use different probes, so their metrics are not the same.")
    return found


pages.register("dynamic-templama")(
    RunKind(
        paper="Margatina et al. 2023, arXiv:2302.12297",
        read_as=PeriodRun,
        first=("by-period", "Runs by period", "Runs by period"),
        card=_card,
        sections=(
            ("cutoff", "Cutoff", cutoff_section),
            ("periods", "Periods", periods_section),
            ("window", "Around the cutoff", window_section),
            ("likelihood", "Likelihoods", likelihood_section),
            ("examples", "Examples", examples_section),
        ),
        leads=_leads,
    )
)
