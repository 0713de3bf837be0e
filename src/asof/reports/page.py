"""The page of a report: runs and trained models in, a folder with one ``index.html`` out, which loads nothing.

Everything is inlined, and a content security policy lets the page run its own script only, whatever a name may hold.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from asof import __version__
from asof.errors import UserError
from asof.registry import pages
from asof.reports.html import PagePart, paragraph
from asof.reports.run_kind import RunKind
from asof.reports.taught import taught_parts
from asof.runs import read_run
from asof.teaching.card import is_taught
from asof.whole_file import write_text

_MARK = '<meta name="generator" content="asof'


def write_report(
    folders: Sequence[Path],
    to: Path,
    *,
    seed: int = 0,
    split: str = "test",
    on_message: Callable[[str], None] = lambda sentence: None,
) -> Path:
    """Write the page of some runs, trained completion models and taught models to a folder and return its file.

    Args:
        split: Of whose facts trained models are asked.
        on_message: Called with a sentence on what is being done, where that takes a while.
    """
    path = to / "index.html"
    if to.exists() and not to.is_dir():
        raise UserError(f"{to} is a file. Give a folder with --to.")
    if path.is_file() and _MARK not in path.read_text(encoding="utf-8", errors="replace")[:2000]:
        raise UserError(f"{path} is not a page that asof wrote. Choose another folder with --to.")
    page = _page(folders, seed, split, on_message)
    to.mkdir(parents=True, exist_ok=True)
    write_text(path, page)
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
    parts: list[PagePart]
    papers: list[str]
    sorts_facts: bool


def figures_of(folders: Sequence[Path], *, seed: int = 0) -> Figures:
    """Make the figures of some runs, for any page."""
    names: list[str] = []
    leads: list[str] = []
    parts: list[PagePart] = []
    papers: list[str] = []
    by_kind = _by_kind(folders)
    for kind, of_kind in by_kind.items():
        shown = kind.shown(of_kind, seed=seed, first_position=len(names))
        names, leads, parts = names + shown.names, leads + shown.leads, parts + shown.parts
        papers += [kind.paper] if kind.paper else []
    return Figures(names, leads, parts, papers, sorts_facts=any(kind.sorts_facts for kind in by_kind))


def _by_kind(folders: Sequence[Path]) -> dict[RunKind[Any], list[Path]]:
    """Sort runs by the page that their benchmark or their probe declares, in the order in which they are given."""
    found: dict[RunKind[Any], list[Path]] = {}
    for folder in folders:
        run = read_run(folder)
        kind = pages.get(run.report_with)
        found.setdefault(kind if kind.fits(run) else pages.get("items"), []).append(folder)
    return found


def _page(folders: Sequence[Path], seed: int, split: str, on_message: Callable[[str], None]) -> str:
    """Return the whole page as HTML: runs first, then trained models."""
    taught = [folder for folder in folders if is_taught(folder)]
    models = [folder for folder in folders if is_trained_model(folder) and folder not in taught]
    figures = figures_of([folder for folder in folders if folder not in [*models, *taught]], seed=seed)
    names, leads, parts, papers = figures.names, figures.leads, figures.parts, figures.papers
    if models:
        from asof.reports.completion.parts import completion_parts  # needs torch

        shown = completion_parts(models, split=split, seed=seed, first_position=len(names), on_message=on_message)
        names, leads, parts = names + shown.names, leads + shown.leads, parts + shown.parts
        papers.append("Jain et al. 2020, EMNLP")
    if taught:
        told = taught_parts(taught, first_position=len(names))
        names, leads, parts = names + told.names, leads + told.leads, parts + told.parts
    made_by = f"Made by asof {__version__}. Intervals: 95 %, by fact; exact for shares." + (
        f" Figures after {' and '.join(papers)}." if papers else ""
    )
    title = "What do trained models know?" if models else "What did teaching do?"
    title = "When do models know?" if figures.names else title
    return html_page(title, names, leads, parts, made_by, sorts_facts=figures.sorts_facts)


def html_page(
    title: str,
    names: Sequence[str],
    leads: Sequence[str],
    parts: Sequence[PagePart],
    made_by: str,
    *,
    sorts_facts: bool = False,
    head: str = "",
) -> str:
    """Put a page together; without facts to sort it has no script.

    Args:
        head: More elements of its head, as HTML.
    """
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
        f"<title>{escape(f'{title} ' + ', '.join(names))}</title>\n<style>{style}</style>\n{head}</head>\n<body>\n"
        '<a class="skip" href="#main">To the results</a>\n'
        f"<header><h1>{escape(title)}</h1>{''.join(map(paragraph, leads))}</header>\n"
        f'<nav aria-label="Parts"><ul>{links}</ul></nav>\n'
        f'<main id="main">{"".join(part.content for part in parts)}</main>\n'
        f"<footer>{paragraph(made_by)}</footer>\n{f'<script>{script}</script>' if script else ''}\n</body>\n</html>\n"
    )


def _hash(content: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
