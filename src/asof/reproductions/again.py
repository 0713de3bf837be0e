"""A row run again: its commands, one after the other, in a folder of their own, once for each seed.

What a command printed is kept beside its files in ``done.jsonl``: where the folder stays, the same call goes on after
the last command that ended.
"""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import mean

from asof import __version__
from asof.errors import UserError
from asof.reproductions.entry import Entry, Figure, Row, words_of
from asof.whole_file import write_text

_DONE = "done.jsonl"


def run_again(
    entry: Entry,
    row: Row,
    *,
    data: Path,
    work: Path,
    seeds: Sequence[int] | None = None,
    on_message: Callable[[str], None] = lambda sentence: None,
) -> list[Figure]:
    """Run a row and return its figures with what came out now.

    Args:
        data: The folder with the published datasets.
        work: Where the commands write; what is there from an earlier call is not made again.
        seeds: Instead of those of the row.
        on_message: Hears each command before it runs.
    """
    runs = []
    for seed in seeds or row.seeds:
        folder = work / entry.name / re.sub(r"\W+", "-", row.name) / f"seed-{seed}"
        folder.mkdir(parents=True, exist_ok=True)
        filled = [command.replace("DATA/", f"{data.resolve()}/").replace("SEED", str(seed)) for command in row.commands]
        runs.append(figures_of(_run_all(filled, folder, entry.path.parent, on_message)))
    figures = []
    for figure in row.figures:
        found = [run[figure.name] for run in runs if figure.name in run]
        if figure.ours is not None and len(found) < len(runs):
            seen = ", ".join(runs[0]) or "none"
            raise UserError(
                f"{entry.path}, row {row.name!r}: the last command gives no figure {figure.name!r}. It gives: {seen}."
            )
        figures.append(replace(figure, now=mean(found) if found else None))
    return figures


_OWN = ("metric", "interval")  # texts in a line of ``asof score`` that are no group


def figures_of(output: str) -> dict[str, float]:
    """Read figures from JSON lines.

    A line with a metric is one figure, named by its group, if it has one, and the metric (``asof score``); any other
    has a figure in each number, named by its filter, if it has one (``asof rank``).

    >>> figures_of('{"level": "easy", "metric": "em", "value": 1.0, "low": 0.9, "interval": "gaffke"}')
    {'em easy': 1.0}
    >>> figures_of('{"filter": "instants", "mrr": 0.25}')
    {'instants mrr': 0.25}
    """
    found: dict[str, float] = {}
    for line in output.splitlines():
        told = json.loads(line)
        if "metric" in told:
            group = [str(value) for key, value in told.items() if isinstance(value, str) and key not in _OWN]
            found[" ".join([told["metric"], *group])] = float(told["value"])
        else:
            prefix = f"{told['filter']} " if "filter" in told else ""
            found |= {prefix + name: value for name, value in told.items() if isinstance(value, float)}
    return found


def _run_all(commands: Sequence[str], folder: Path, programs: Path, on_message: Callable[[str], None]) -> str:
    """Run what has not ended before, and return what the last command printed."""
    ended = _ended(folder / _DONE, commands)
    for command in commands[len(ended) :]:
        on_message(command)
        ended.append({"asof": __version__, "command": command, "output": _run_one(command, folder, programs)})
        write_text(folder / _DONE, "".join(json.dumps(line) + "\n" for line in ended))
    return ended[-1]["output"]


def _run_one(command: str, folder: Path, programs: Path) -> str:
    first, *rest = words_of(command)
    program = ["-m", "asof"] if first == "asof" else [str((programs / first).resolve())]
    own = {name: value for name, value in os.environ.items() if name != "ASOF_BASE"}  # figures are those of the almanac
    ran = subprocess.run([sys.executable, *program, *rest], cwd=folder, env=own, stdout=subprocess.PIPE, text=True)  # noqa: S603
    if ran.returncode:
        raise UserError(f"This command ended with exit code {ran.returncode}, so nothing was checked: {command}")
    return ran.stdout


def _ended(record: Path, commands: Sequence[str]) -> list[dict[str, str]]:
    """Return what ended before in this folder; that of other commands, or another version, is refused."""
    if not record.is_file():
        return []
    try:
        kept = [json.loads(line) for line in record.read_text(encoding="utf-8").splitlines()]
        same = [(line["asof"], line["command"]) for line in kept] == [
            (__version__, told) for told in commands[: len(kept)]
        ]
    except (ValueError, KeyError, TypeError):
        same = False
    if not same:
        raise UserError(
            f"{record.parent} holds the work of other commands or of another version of asof. Give another folder with "
            "--to, or remove that one."
        )
    return kept
