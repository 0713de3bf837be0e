"""``asof watch``: releases of models, asked when that is due, with bounds that must hold."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from asof.api.progress import progress_bar
from asof.cli.failures import says_what_is_kept
from asof.cli.options import json_option
from asof.cli.output import counted, show, talk, write_json
from asof.errors import UserError
from asof.timeline import Period
from asof.watches.example import example
from asof.watches.file import read_watch
from asof.watches.page import write_page
from asof.watches.status import SHOWN, WatchStatus, watch_status
from asof.watches.watching import run_watch
from asof.whole_file import write_text

_FILE = Path("watch.toml")
_EXAMPLES = """\b
Examples:
  asof watch init --model smollm2
  asof watch run --dry-run
  asof watch run --markdown summary.md --junit watch.xml
  asof watch status
  asof watch page --to site
"""

file_argument = click.argument("file", type=click.Path(path_type=Path), default=_FILE)
markdown_option = click.option(
    "--markdown", type=click.Path(path_type=Path), help="Write a summary as Markdown to this file."
)
junit_option = click.option(
    "--junit", type=click.Path(path_type=Path), help="Write bounds and checks as test cases (JUnit XML) to this file."
)


@click.group("watch", epilog=_EXAMPLES)
def command() -> None:
    """Watch releases of language models: cutoff, scores, what got worse.

    A file, watch.toml, names models, benchmarks and bounds. 'run' asks what is due and keeps each result in a folder;
    nothing is asked twice. Exit codes of 'run': 0 all is done and all bounds hold, 1 something could not be done, 3 a
    bound is broken.
    """


@command.command("init")
@file_argument
@click.option("--model", "models", multiple=True, metavar="MODEL", help="A model, as for 'asof run'; may be repeated.")
@click.option("--release", help="What its release is called.")
@click.option("--base", default="almanac", show_default=True, help="The base of the facts that are asked about.")
@click.option("--relations", help="Ask about these relations only, such as P6,P169.")
@click.option("--not-older-than", "oldest", metavar="PERIOD", help="A bound on the knowledge cutoff, such as 2024-Q1.")
@click.option("--overwrite", is_flag=True, help="Replace a file that is there.")
def init(
    file: Path,
    models: tuple[str, ...],
    release: str | None,
    base: str,
    relations: str | None,
    oldest: str | None,
    overwrite: bool,
) -> None:
    """Write a commented example of watch.toml.

    On a terminal it asks for what no option says.
    """
    if file.exists() and not overwrite:
        raise UserError(f"{file} is there. Choose another name, or replace it with --overwrite.")
    if not models and sys.stdin.isatty() and sys.stderr.isatty():
        models = (click.prompt("Which model? A folder, a hub name, gguf:FILE or KIND:ADDRESS#NAME", err=True),)
        release = release or click.prompt("What is its release called?", default="1.0", err=True)
        oldest = oldest or click.prompt(
            "Not older than (a quarter such as 2024-Q1, or nothing)", default="", show_default=False, err=True
        )
    if oldest:
        Period.parse(oldest)
    write_text(file, example(models or ("smollm2",), release or "1.0", base, relations, oldest or None))
    talk(f"{file} is written. Correct it, then: asof watch run {file} --dry-run")


@command.command("run")
@file_argument
@click.option("--dry-run", is_flag=True, help="Only say what is due and why; ask nothing.")
@click.option("--limit", type=click.IntRange(min=1), help="For a try: ask about at most this many facts.")
@markdown_option
@junit_option
@json_option
@click.pass_context
def run(
    ctx: click.Context,
    file: Path,
    dry_run: bool,
    limit: int | None,
    markdown: Path | None,
    junit: Path | None,
    as_json: bool,
) -> None:
    """Ask what is due, and judge the bounds.

    Each result is kept; stopped at any time, the same command resumes. A model that fails does not stop
    the others.
    """
    watch = read_watch(file)
    if dry_run:
        _show_due(watch_status(watch, limit=limit), as_json=as_json)
        return
    kept = f"All answers so far are kept in {watch.history_folder}."
    with says_what_is_kept(lambda: kept), progress_bar("asking", unit="items") as progress:
        run_watch(watch, limit=limit, on_message=(lambda sentence: None) if as_json else talk, on_progress=progress)
    status = watch_status(watch, limit=limit)
    _write_summaries(status, markdown, junit)
    if as_json:
        for row in status.rows():
            write_json({"check": row["model"], **row})
        for one in status.verdicts:
            write_json({"verdict": one.state, **one.as_row()})
    else:
        _tell_bounds(status)
    if status.exit_code:
        ctx.exit(status.exit_code)


@command.command("status")
@file_argument
@markdown_option
@junit_option
@json_option
def status(file: Path, markdown: Path | None, junit: Path | None, as_json: bool) -> None:
    """Show what is kept, when it was made, and what is due."""
    found = watch_status(read_watch(file))
    _write_summaries(found, markdown, junit)
    show(found.rows(), columns=SHOWN, as_json=as_json)
    if not as_json:
        _tell_bounds(found)


@command.command("page")
@file_argument
@click.option(
    "-o",
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    default=Path("watch-page"),
    show_default=True,
    help="The folder for the page.",
)
@json_option
def page(file: Path, folder: Path, as_json: bool) -> None:
    """Write the dashboard: a folder of static files.

    index.html opens from disk and loads nothing from elsewhere. Beside it are badges (SVG), knowledge_cutoff.json, the
    facts whose answer changed (changed_facts.tsv) and a feed (feed.xml).
    """
    files = write_page(watch_status(read_watch(file)), folder)
    if as_json:
        write_json({"page": str(files[0]), "files": [path.name for path in files]})
        return
    talk(f"{files[0]} is written, with {', '.join(path.name for path in files[1:])}. Open it in a browser.")


def _show_due(status: WatchStatus, *, as_json: bool) -> None:
    rows = [
        {name: row[name] for name in ("model", "benchmark", "probe")} | {"why": row["due"] or row["failure"]}
        for row, planned in zip(status.rows(), status.plan.checks, strict=True)
        if planned.due or planned.broken
    ]
    show(rows, columns=["model", "benchmark", "probe", "why"], as_json=as_json)
    if not as_json:
        told = f"{counted(len(rows), 'check')} due" if rows else "Nothing is due"
        talk(f"{told}; nothing was asked.")


def _tell_bounds(status: WatchStatus) -> None:
    marks: dict[str, str] = {"kept": "holds", "broken": "BROKEN", "unknown": "cannot be judged"}
    for one in status.verdicts:
        talk(f"{marks[one.state]}: {one.title} on {one.bound.benchmark}, {one.bound} ({one.told})")
    for failure in status.failures:
        talk(f"not done: {failure.model} {failure.release} on {failure.benchmark}: {failure.why}".replace("  ", " "))
    talk(status.headline)


def _write_summaries(status: WatchStatus, markdown: Path | None, junit: Path | None) -> None:
    written: Sequence[tuple[Path | None, Any]] = ((markdown, status.markdown), (junit, status.junit))
    for path, text in written:
        if path is not None:
            write_text(path, text())
