"""``asof reproduce``: published figures and ours, made again and checked."""

import os
import sys
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import click

from asof.cli.options import json_option
from asof.cli.output import counted, show, talk
from asof.errors import UserError, did_you_mean
from asof.reproductions import Entry, Figure, Row, read_entries, reproductions_folder, run_again, what_is_missing
from asof.reproductions.needs import needs_of

_EXAMPLES = """\b
Examples:
  asof reproduce
  asof reproduce worked-examples
  asof reproduce completion "YAGO11k timeplex-base" --data FOLDER --to work
"""
_LISTED = ["row", "figure", "published", "ours", "tolerance", "takes", "needs"]
_CHECKED = ["row", "figure", "published", "ours", "now", "tolerance", "verdict", "check"]


@click.command("reproduce", epilog=_EXAMPLES)
@click.argument("name", required=False)
@click.argument("row_names", metavar="[ROW]...", nargs=-1)
@click.option(
    "--data",
    envvar="ASOF_DATA",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("data"),
    show_default=True,
    help="The folder with the published datasets (YAGO11k, TimeQA ...). Also $ASOF_DATA.",
)
@click.option(
    "--to",
    "work",
    type=click.Path(path_type=Path, file_okay=False),
    help="Keep the work in this folder, so that the same command can resume it (default: nothing is kept).",
)
@click.option("--seed", "seeds", type=int, multiple=True, help="Run only with this seed; may be repeated.")
@click.option("--dry-run", is_flag=True, help="Show figures, commands and requirements; run nothing.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Reproductions of your own (default: those of asof).",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    name: str | None,
    row_names: tuple[str, ...],
    data: Path,
    work: Path | None,
    seeds: tuple[int, ...],
    dry_run: bool,
    folder: Path | None,
    as_json: bool,
) -> None:
    """Reproduce published figures, and check them.

    Without a NAME, lists the reproductions: for each row the first figure, as published and as we measured it, the
    tolerance, the time on one core, and whether everything it needs is here. With a NAME, runs the rows of that
    reproduction (or only the named ones) and shows every figure.

    Each figure is checked twice: against ours, so that a change of the program is noticed, and against the published
    one, unless the reproduction says why they differ. The exit code is 3 when a check fails, and 1 when something could
    not be run here.
    """
    entries = read_entries(folder or reproductions_folder())
    if name is None:
        _list(entries, data, as_json)
        return
    entry = _entry(entries, name)
    rows = [entry.row(wanted) for wanted in row_names] or entry.rows
    if dry_run:
        _plan(entry, rows, data, as_json)
        return
    failed = missing = False
    with nullcontext(work) if work else tempfile.TemporaryDirectory() as work_folder:
        for row in rows:
            lacks = what_is_missing(row, data)
            if lacks:
                talk(f"{row.name} was not run: {_sentence(lacks)}")
                missing |= not row.not_run or bool(row_names)
            else:
                failed |= not _check(entry, row, data, Path(work_folder), seeds, as_json)
    if failed or missing:
        ctx.exit(3 if failed else 1)


def _entry(entries: list[Entry], name: str) -> Entry:
    found = {entry.name: entry for entry in entries}
    wanted = name.removesuffix(".toml").replace("_", "-")
    if wanted not in found:
        raise UserError(
            f"No reproduction is called {name!r}.{did_you_mean(wanted, found)}\n"
            f"Known: {', '.join(found)}. See: asof reproduce"
        )
    return found[wanted]


def _list(entries: list[Entry], data: Path, as_json: bool) -> None:
    """Show all rows: with every figure as JSON, else with the first."""
    every = []
    for entry in entries:
        rows = []
        for row in entry.rows:
            numbers = [_numbers(figure) for figure in row.figures] or [_numbers(Figure(""))]
            rows.append(
                _about(entry, row, what_is_missing(row, data)) | ({"figures": numbers} if as_json else numbers[0])
            )
        every += rows
        if sys.stdout.isatty() and not as_json:
            show(
                [told | {"needs": _needs(told)} for told in rows],
                columns=_LISTED,
                as_json=False,
                title=f"\n{entry.name}: {entry.paper}",
            )
    if as_json or not sys.stdout.isatty():
        show(every, columns=[], as_json=as_json)
    elsewhere = sum(not told["here"] for told in every)
    talk(
        f"\n{counted(len(every), 'row')}, {elsewhere} of which cannot be run here. To see why, and what each one "
        "runs: asof reproduce NAME --dry-run"
    )


def _plan(entry: Entry, rows: Sequence[Row], data: Path, as_json: bool) -> None:
    """Show what would be run, with all figures that are known."""
    shown = []
    for row in rows:
        lacks = what_is_missing(row, data)
        if as_json:
            figures = [_numbers(figure) for figure in row.figures]
            shown.append(_about(entry, row, lacks) | {"commands": row.commands, "figures": figures})
            continue
        for figure in row.figures:
            shown.append({"row": row.name, **_numbers(figure)})
        talk(f"{row.name}: {_sentence(lacks) if lacks else f'can be run here ({_takes(row)}).'}")
        for line in row.commands:
            talk(f"  {line}")
        if row.differs:
            talk(f"  Why figures differ from the published ones: {row.differs}")
    show(shown, columns=["row", "figure", "published", "ours", "tolerance", "verdict"], as_json=as_json)


def _check(entry: Entry, row: Row, data: Path, work: Path, seeds: tuple[int, ...], as_json: bool) -> bool:
    """Run a row, show its figures and tell whether all are as they should be."""
    talk(f"{row.name}: {counted(len(seeds or row.seeds), 'seed')}, {_takes(row)}.")
    before = _cpu_seconds()
    figures = run_again(entry, row, data=data, work=work, seeds=seeds, on_message=lambda line: talk(f"  {line}"))
    took = _cpu_seconds() - before
    shown, good = [], True
    for figure in figures:
        right = figure.repeated and (bool(row.differs) or figure.against_published in ("", "as published"))
        good &= right
        shown.append({"name": entry.name, "row": row.name, **_numbers(figure), "check": "good" if right else "OFF"})
    show(shown, columns=_CHECKED, as_json=as_json)
    if row.differs and any(figure.against_published in ("higher", "lower") for figure in figures):
        talk(f"Why figures differ from the published ones: {row.differs}")
    talk(f"{row.name}: {'all figures are good' if good else 'some figures are OFF'}; took {_time(took / 60)} of CPU.")
    return good


def _about(entry: Entry, row: Row, lacks: list[str]) -> dict[str, Any]:
    return {
        "name": entry.name,
        "row": row.name,
        "takes": _takes(row),
        "needs": needs_of(row),
        "here": not lacks,
        "why": "; ".join(lacks),
        "differs": row.differs,
    }


def _needs(row: dict[str, Any]) -> str:
    if row["here"]:
        return ", ".join(row["needs"]) or "nothing more"
    return f"{', '.join(row['needs'])}: not here" if row["needs"] else "cannot be run"


def _sentence(reasons: list[str]) -> str:
    return "; ".join(reason.rstrip(".") for reason in reasons) + "."


def _numbers(figure: Figure) -> dict[str, Any]:
    return {
        "figure": figure.name,
        "published": _number(figure.published),
        "ours": _number(figure.ours),
        **({} if figure.now is None else {"now": _number(figure.now)}),
        "tolerance": figure.tolerance,
        "verdict": figure.against_published,
    }


def _number(value: float | None) -> float | None:
    """Round a figure; counts stay whole numbers."""
    return value if value is None else int(value) if value.is_integer() and value > 1 else round(value, 4)


def _takes(row: Row) -> str:
    if row.not_run:
        return ""
    return "not measured" if row.cpu_minutes is None else _time(row.cpu_minutes)


def _time(minutes: float) -> str:
    """Write a time as short as it makes sense."""
    if minutes < 1:
        return f"{minutes * 60:.0f} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _cpu_seconds() -> float:
    used = os.times()
    return used.children_user + used.children_system
