"""The page of a report: runs and trained models in, a folder with one ``index.html`` out, which loads nothing.

Everything is inlined, and a content security policy lets the page run its own script only, whatever a name may hold.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path

from asof import __version__
from asof.errors import UserError
from asof.reports.breakdowns import format_section, popularity_section, relation_section
from asof.reports.dynamic_templama.parts import period_parts
from asof.reports.dynamic_templama.runs import is_period_run
from asof.reports.fact_table import facts_section
from asof.reports.figures import ReportedRun, read_runs
from asof.reports.html import FEW, Part, cards, cell, described, paragraph, section
from asof.reports.lama_tk.parts import recall_parts
from asof.reports.lama_tk.runs import is_recall_run
from asof.reports.sections import alpha_section, far_section, scores_section, transfer_section

_MARK = '<meta name="generator" content="asof'
_PARTS: tuple[tuple[str, str, Callable[[Sequence[ReportedRun]], str]], ...] = (
    ("scores", "Scores", scores_section), ("alpha", "Over time", alpha_section), ("far", "Wrong dates", far_section),
    ("transfer", "Transfer", transfer_section), ("formats", "Formats", format_section),
    ("popularity", "Popularity", popularity_section), ("relations", "Relations", relation_section),
    ("facts", "Facts", facts_section),
)  # fmt: skip


def write_report(
    folders: Sequence[Path],
    to: Path,
    *,
    seed: int = 0,
    split: str = "test",
    told: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Write the page of some runs and trained completion models to a folder and return its file.

    Args:
        split: Of whose facts trained models are asked.
        told: Called with a sentence on what is being done, where that takes a while.
    """
    path = to / "index.html"
    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file. Give a folder with --to.")
    if path.is_file() and _MARK not in path.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UserError(f"{path} is not a page that asof wrote. Choose another folder with --to.")
    page = _page(folders, seed, split, told)
    to.mkdir(parents=True, exist_ok=True)
    temporary = to / ".index.html.new"
    temporary.write_text(page, encoding="utf-8")
    temporary.replace(path)
    return path


def is_trained_model(folder: Path) -> bool:
    """Tell a trained model, also one whose training was stopped, from a run; torch is not needed for that."""
    return any((folder / name).is_file() for name in ("model.toml", "epochs.jsonl"))


@dataclass(frozen=True)
class Figures:
    """What can be shown of some runs: their names, paragraphs that lead to the parts, the parts, and the papers.

    ``sorts_facts`` says that there is a table of facts, which wants ``page.js``.
    """

    names: list[str]
    leads: list[str]
    parts: list[Part]
    papers: list[str]
    sorts_facts: bool


def figures_of(folders: Sequence[Path], *, seed: int = 0) -> Figures:
    """Make the figures of some runs, for any page."""
    by_period = [folder for folder in folders if is_period_run(folder)]
    of_recall = [folder for folder in folders if is_recall_run(folder)]
    runs = read_runs([folder for folder in folders if folder not in by_period + of_recall], seed=seed)
    names, leads, parts, papers = [run.name for run in runs], [], [], []
    if runs:
        leads += _lead(runs)
        parts += [Part("runs", "Runs", section("runs", "Runs", cards(map(_card, runs))))]
        parts += [Part(id, link, made(runs)) for id, link, made in _PARTS]
        papers.append("Ammar Khodja et al. 2025, arXiv:2502.01220")
    if by_period:
        found, said, named = period_parts(by_period, seed=seed, first_place=len(runs))
        names, leads, parts = names + named, leads + said, parts + found
        papers.append("Margatina et al. 2023, arXiv:2302.12297")
    if of_recall:
        found, said, named = recall_parts(of_recall, seed=seed, first_place=len(names))
        names, leads, parts = names + named, leads + said, parts + found
        papers.append("Zhao et al. 2022, Findings of EMNLP")
    return Figures(names, leads, [part for part in parts if part.content], papers, sorts_facts=bool(runs))


def _page(folders: Sequence[Path], seed: int, split: str, told: Callable[[str], None]) -> str:
    """Return the whole page as HTML: runs first, then trained models."""
    models = [folder for folder in folders if is_trained_model(folder)]
    figures = figures_of([folder for folder in folders if folder not in models], seed=seed)
    names, leads, parts, papers = figures.names, figures.leads, figures.parts, figures.papers
    if models:
        from asof.reports.completion.parts import completion_parts  # needs torch

        found, said, named = completion_parts(models, split=split, seed=seed, first_place=len(names), told=told)
        names, leads, parts = names + named, leads + said, parts + found
        papers.append("Jain et al. 2020, EMNLP")
    made_by = (
        f"Made by asof {__version__}. Intervals: 95 %, 2,000 resamples by fact, seed {seed}. "
        f"Figures after {' and '.join(papers)}."
    )
    title = "When do models know?" if figures.names else "What do trained models know?"
    shown = [part for part in parts if part.content]
    return _html(title, names, leads, shown, made_by, sorts_facts=figures.sorts_facts)


def _html(
    title: str, names: Sequence[str], leads: Sequence[str], parts: Sequence[Part], made_by: str, *, sorts_facts: bool
) -> str:
    """Put the page together; without facts to sort it has no script."""
    links = "".join(f'<li><a href="#{part.id}">{part.link}</a></li>' for part in parts)
    style = files("asof.reports").joinpath("page.css").read_text("utf-8")
    script = files("asof.reports").joinpath("page.js").read_text("utf-8") if sorts_facts else ""
    allowed = f"script-src '{_hash(script)}'; " if script else ""
    policy = f"default-src 'none'; style-src '{_hash(style)}'; {allowed}base-uri 'none'"
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'{_MARK} {__version__}">\n<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(f'{title} ' + ', '.join(names))}</title>\n<style>{style}</style>\n</head>\n<body>\n"
        '<a class="skip" href="#main">To the results</a>\n'
        f"<header><h1>{title}</h1>{''.join(map(paragraph, leads))}</header>\n"
        f'<nav aria-label="Parts"><ul>{links}</ul></nav>\n'
        f'<main id="main">{"".join(part.content for part in parts)}</main>\n'
        f"<footer>{paragraph(made_by)}</footer>\n{f'<script>{script}</script>' if script else ''}\n</body>\n</html>\n"
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()


def _lead(runs: Sequence[ReportedRun]) -> list[str]:
    asked = "A model was asked" if len(runs) == 1 else f"In {len(runs)} runs models were asked"
    text = (
        f"{asked} about facts that were true for a time, "
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
    if (fewest := min(len(facts) for facts in asked)) < FEW:
        found.append(f"Mind: {fewest} facts are few; look at the intervals, not at the numbers alone.")
    return found


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
    return described(run.key, run.place, run.name, rows)
