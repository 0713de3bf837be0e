"""All that the page says of runs on TimeStress: what they are, the sections, what to mind."""

from __future__ import annotations

import math
from collections.abc import Sequence

from asof.registry import pages
from asof.reports.breakdowns import format_section, popularity_section, relation_section
from asof.reports.fact_table import facts_section
from asof.reports.figures import ReportedRun
from asof.reports.html import cell, described
from asof.reports.run_kind import RunKind, asked, mind_benchmarks, mind_few
from asof.reports.sections import alpha_section, far_section, scores_section, transfer_section


def _leads(runs: Sequence[ReportedRun]) -> list[str]:
    text = (
        f"{asked(runs)} about facts that were true for a time, "
        "under right and wrong dates (TimeStress, arXiv:2502.01220). "
        "Guessing wins half of the pairs of a right and a wrong date (win rate 0.5) and knows practically no fact "
        f"robustly (at year precision about one in {_rounded(1 / max(run.robust_by_chance for run in runs)):,})."
    )
    return [text, *_warnings(runs)]


def _rounded(number: float) -> int:
    """Keep the first digit only.

    >>> _rounded(34567)
    30000
    """
    return int(round(number, -math.floor(math.log10(number))))


def _warnings(runs: Sequence[ReportedRun]) -> list[str]:
    found = mind_benchmarks(runs)
    scored = [set(run.by_fact) for run in runs]
    if any(facts != scored[0] for facts in scored):
        shared = len(set.intersection(*scored))
        found.append(
            f"Caution: the runs have not scored the same facts ({shared:,} in common), and each number is over "
            f"the run's "
            "own facts. For a paired comparison use: asof compare RUN RUN."
        )
    return found + mind_few(min(map(len, scored)))


def _card(run: ReportedRun) -> str:
    facts, items = len(run.scores.facts), run.scores.table.num_rows
    known = sum(fact.measures["robustness global"] == 1 for fact in run.scores.facts)
    settings = ", ".join(f"{name} = {value}" for name, value in run.benchmark.settings.items())
    versions = ", ".join(f"{name} {value}" for name, value in run.versions.items() if name != "model")
    rows = {
        "Global win rate": f"{cell(run.results['win-rate global'])}; chance 0.5",
        "Global robustness": f"{cell(run.results['robustness global'])}; {known:,} of {facts:,} facts",
        "Model": run.model,
        "Format": str(run.run.settings["format"]),
        "Benchmark": f"{run.benchmark.name} in {run.benchmark.folder.name}, items {run.benchmark.items_sha256[:12]}",
        "Base": run.benchmark.base,
        "Settings": settings,
        "Facts": f"{facts:,} scored of {run.benchmark.groups_count:,}",
        "Items": f"{items:,} answered of {run.benchmark.items_count:,}",
        "Run with": versions or "not written down",
    }
    return described(run.key, run.position, run.name, rows)


pages.register("timestress")(
    RunKind(
        paper="Ammar Khodja et al. 2025, arXiv:2502.01220",
        sorts_facts=True,
        read_as=ReportedRun,
        first=("runs", "Runs", "Runs"),
        card=_card,
        sections=(
            ("scores", "Scores", scores_section),
            ("alpha", "Over time", alpha_section),
            ("far", "Wrong dates", far_section),
            ("transfer", "Transfer", transfer_section),
            ("formats", "Formats", format_section),
            ("popularity", "Popularity", popularity_section),
            ("relations", "Relations", relation_section),
            ("facts", "Facts", facts_section),
        ),
        leads=_leads,
    )
)
