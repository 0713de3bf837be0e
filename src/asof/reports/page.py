"""The page of a report: runs in, a folder with one ``index.html`` out, which opens from disk and loads nothing.

Everything is inlined, and a content security policy lets the page run its own script only, whatever a name may hold.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Sequence
from html import escape
from importlib.resources import files
from pathlib import Path

from asof import __version__
from asof.errors import UserError
from asof.reports.breakdowns import format_section, popularity_section, relation_section
from asof.reports.fact_table import facts_section
from asof.reports.figures import ReportedRun, read_runs
from asof.reports.html import cell, paragraph, section
from asof.reports.sections import alpha_section, far_section, scores_section, transfer_section

_MARK = '<meta name="generator" content="asof'
_FEW = 100  # facts; with fewer, an interval of a share is about 0.2 wide or more
_PARTS = (
    ("scores", "Scores"), ("alpha", "Over time"), ("far", "Wrong dates"), ("transfer", "Transfer"),
    ("formats", "Formats"), ("popularity", "Popularity"), ("relations", "Relations"), ("facts", "Facts"),
)  # fmt: skip


def write_report(folders: Sequence[Path], to: Path, *, seed: int = 0) -> Path:
    """Write the page of some TimeStress runs to a folder and return its file."""
    path = to / "index.html"
    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file. Give a folder with --to.")
    if path.is_file() and _MARK not in path.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UserError(f"{path} is not a page that asof wrote. Choose another folder with --to.")
    page = page_of(read_runs(folders, seed=seed))
    to.mkdir(parents=True, exist_ok=True)
    temporary = to / ".index.html.new"
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(path)
    return path


def page_of(runs: Sequence[ReportedRun]) -> str:
    """Return the whole page as HTML."""
    sections = [
        scores_section(runs),
        alpha_section(runs),
        far_section(runs),
        transfer_section(runs),
        format_section(runs),
        popularity_section(runs),
        relation_section(runs),
        facts_section(runs),
    ]
    links = "".join(
        f'<li><a href="#{id}">{title}</a></li>'
        for (id, title), content in zip(_PARTS, sections, strict=True)
        if content
    )
    title = "When do models know? " + ", ".join(run.name for run in runs)
    style, script = (files("asof.reports").joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    policy = f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'{_MARK} {__version__}">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">To the results</a>\n'
        f'<header><h1>When do models know?</h1>{_lead(runs)}</header>\n<nav aria-label="Parts"><ul>{links}</ul></nav>\n'
        f'<main id="main">{_runs_section(runs)}{"".join(sections)}</main>\n'
        f"<footer>{paragraph(_made_by(runs))}</footer>\n<script>{script}</script>\n</body>\n</html>\n"
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _lead(runs: Sequence[ReportedRun]) -> str:
    asked = "A model was asked" if len(runs) == 1 else f"In {len(runs)} runs models were asked"
    text = (
        f"{asked} about facts that were true for a time, "
        "under right and wrong dates (TimeStress, arXiv:2502.01220). "
        "Guessing wins half of the pairs of a right and a wrong date (win rate 0.5) and knows practically no fact "
        f"robustly (at year precision about one in {_rounded(1 / max(run.robust_by_chance for run in runs)):,})."
    )
    return paragraph(text) + "".join(paragraph(note) for note in _warnings(runs))


def _rounded(number: float) -> int:
    """Keep the first digit only.

    >>> _rounded(34567)
    30000
    """
    return int(round(number, -math.floor(math.log10(number))))


def _warnings(runs: Sequence[ReportedRun]) -> list[str]:
    found = []
    if len({run.benchmark.items_sha256 for run in runs}) > 1:
        found.append("Mind: these runs are not on the same benchmark, so their numbers may differ for that reason.")
    asked = [set(run.by_fact) for run in runs]
    if any(facts != asked[0] for facts in asked):
        shared = len(set.intersection(*asked))
        found.append(
            f"Mind: the runs have not scored the same facts ({shared:,} in common), and each number is over the run's "
            "own facts. For a paired comparison use: asof compare RUN RUN."
        )
    if (fewest := min(len(facts) for facts in asked)) < _FEW:
        found.append(f"Mind: {fewest} facts are few; look at the intervals, not at the numbers alone.")
    return found


def _runs_section(runs: Sequence[ReportedRun]) -> str:
    return section("runs", "Runs", f'<div class="runs">{"".join(_card(run) for run in runs)}</div>')


def _card(run: ReportedRun) -> str:
    facts, items = len(run.scores.facts), run.scores.table.num_rows
    known = sum(fact.measures["robustness global"] == 1 for fact in run.scores.facts)
    settings = ", ".join(f"{name} = {value}" for name, value in run.benchmark.settings.items())
    versions = ", ".join(f"{name} {value}" for name, value in run.versions.items() if name != "model")
    described = {
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
    rows = "".join(f"<div><dt>{escape(name)}</dt><dd>{escape(value)}</dd></div>" for name, value in described.items())
    swatch = f'<span class="swatch b{run.place % 8}">{run.key}</span>'
    return f'<article class="run"><h3>{swatch} {escape(run.name)}</h3><dl>{rows}</dl></article>'


def _made_by(runs: Sequence[ReportedRun]) -> str:
    return (
        f"Made by asof {__version__}. Intervals: 95 %, 2,000 resamples by fact, seed {runs[0].seed}. "
        "Figures after Ammar Khodja et al. 2025, arXiv:2502.01220."
    )
