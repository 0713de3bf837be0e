"""What a reproduction file holds: a paper, and rows with commands, published figures, ours, and a tolerance.

    paper = "arXiv:2108.06314"
    about = "Readers on ..."

    [[row]]
    name = "temporal reader"
    commands = ["asof readers train temporal DATA/TimeQA --seed SEED --to reader", ..., "asof score answers --json"]
    tolerance = 0.02
    [row.published]
    "em easy" = 0.476
    [row.ours]
    "em easy" = 0.390

DATA in a command stands for the folder with the published datasets, SEED for a seed. A command is one of asof, or a
Python program that lies beside the file. What the last command of a row prints as JSON lines are its figures.
"""

from __future__ import annotations

import math
import re
import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

import asof
from asof.errors import UserError, did_you_mean

Against = Literal["", "as published", "higher", "lower"]


@dataclass(frozen=True)
class Figure:
    """One number: as it was published, as we had it, and as it came out now."""

    name: str
    tolerance: float | None = None
    published: float | None = None
    ours: float | None = None
    now: float | None = None

    @property
    def against_published(self) -> Against:
        """Say where our number stands beside the published one, the latest that there is.

        >>> Figure("mrr", 0.01, published=0.18, ours=0.185).against_published
        'as published'
        >>> Figure("mrr", 0.01, published=0.18, ours=0.185, now=0.2).against_published
        'higher'
        """
        latest = self.ours if self.now is None else self.now
        if latest is None or self.published is None:
            return ""
        if _near(latest, self.published, self.tolerance):
            return "as published"
        return "higher" if latest > self.published else "lower"

    @property
    def repeated(self) -> bool:
        """Tell whether the number of now is the one that we had, within the tolerance."""
        return self.ours is None or (self.now is not None and _near(self.now, self.ours, self.tolerance))


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One row of a published table: how it is made again, and what came out.

    Attributes:
        commands: Run one after the other, in a folder of their own.
        tolerance: By how much a figure may be off.
        seeds: The commands run once for each; the mean counts.
        cpu_minutes: How long all of it takes, on one core.
        weights: Names of models that ``asof models get`` fetches.
        extras: Of the package: ``pip install 'asof[completion]'``.
        published_by: Whose figures are published, where it is not the paper of the file.
        differs: Why a figure is not as published, in words.
        not_run: Why there is nothing to run: then there are no commands.
    """

    name: str
    commands: tuple[str, ...] = ()
    tolerance: float | None = None
    seeds: tuple[int, ...] = (0,)
    cpu_minutes: float | None = None
    weights: tuple[str, ...] = ()
    extras: tuple[str, ...] = ()
    published: dict[str, float] = {}
    ours: dict[str, float] = {}
    published_by: str = ""
    differs: str = ""
    not_run: str = ""

    def __post_init__(self) -> None:
        """Refuse a row that could not be run or checked."""
        if not self.name.strip():
            raise ValueError("a row needs a name")
        if bool(self.commands) == bool(self.not_run):
            raise ValueError("a row has either commands or not_run, which says why there are none")
        if self.commands and (self.tolerance is None or not self.ours):
            raise ValueError("a row with commands needs a tolerance and figures under [row.ours]")
        numbers = [*self.published.values(), *self.ours.values(), self.tolerance or 0.0, self.cpu_minutes or 0.0]
        if not all(map(math.isfinite, numbers)) or (self.tolerance or 0.0) < 0:
            raise ValueError("figures must be numbers, and the tolerance not below zero")
        if not self.seeds or len(set(self.seeds)) < len(self.seeds):
            raise ValueError("seeds must be different numbers, one at least")

    @property
    def datasets(self) -> list[str]:
        """The published datasets that the commands read."""
        found = [name for command in self.commands for name in re.findall(r"\bDATA/([^\s/]+)", command)]
        return list(dict.fromkeys(found))

    @property
    def figures(self) -> list[Figure]:
        """All figures, ours first."""
        return [
            Figure(name, self.tolerance, self.published.get(name), self.ours.get(name))
            for name in {**self.ours, **self.published}
        ]


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A file of reproductions; ``path`` is where it was read from."""

    paper: str
    rows: tuple[Row, ...] = msgspec.field(name="row")
    about: str = ""
    path: Path = Path()

    def __post_init__(self) -> None:
        """Refuse two rows of one name."""
        names = [row.name for row in self.rows]
        twice = [name for name in names if names.count(name) > 1]
        if twice:
            raise ValueError(f"two rows are called {twice[0]!r}")

    @property
    def name(self) -> str:
        """What a user types: ``timestress_almanac.toml`` is ``timestress-almanac``."""
        return self.path.stem.replace("_", "-")

    def row(self, name: str) -> Row:
        """Find a row by its name."""
        found = {row.name: row for row in self.rows}
        if name not in found:
            raise UserError(
                f"{self.name} has no row {name!r}.{did_you_mean(name, found)}\n"
                f"It has: {', '.join(map(repr, found))}. See: asof reproduce"
            )
        return found[name]


def reproductions_folder() -> Path:
    """Return the folder with our reproductions: that of the repository, or its copy in an installed package."""
    checkout = Path(asof.__file__).resolve().parents[2] / "reproductions"
    return checkout if checkout.is_dir() else Path(__file__).parent / "tables"


def read_entries(folder: Path) -> list[Entry]:
    """Read all reproductions of a folder, by name."""
    paths = sorted(folder.glob("*.toml"))
    if not paths:
        raise UserError(f"{folder} has no reproductions (*.toml). Give their folder with --folder.")
    return [read_entry(path) for path in paths]


def read_entry(path: Path) -> Entry:
    """Read one file, or say what is wrong with it and where."""
    try:
        text = path.read_text(encoding="utf-8")
        given = tomllib.loads(text)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UserError(f"{path} cannot be read: {error}.") from error
    try:
        entry = msgspec.structs.replace(msgspec.convert(given, Entry), path=path)
    except msgspec.ValidationError as error:
        raise UserError(f"{path}, {_location(str(error), given)}") from error
    for row in entry.rows:
        for command in row.commands:
            _check_command(command, f"{path}, row {row.name!r}", path.parent)
    return entry


def words_of(command: str) -> list[str]:
    """Part a command into words, as a shell would, but run nothing by it."""
    return shlex.split(command)


def _check_command(command: str, where: str, folder: Path) -> None:
    try:
        program = words_of(command)[0]
    except (ValueError, IndexError) as error:
        raise UserError(f"{where}: the command {command!r} cannot be read: {error}.") from error
    if program != "asof" and not (re.fullmatch(r"\w+\.py", program) and (folder / program).is_file()):
        raise UserError(
            f"{where}: the command {command!r} begins with {program!r}. Commands are those of asof, or a Python "
            "program that lies beside the file."
        )


def _location(message: str, given: dict[str, object]) -> str:
    """Say in words where a mistake is: msgspec writes $.row[2].seeds."""
    told, _, where = message.partition(" - at `$")
    where = where.rstrip("`")
    steps = re.match(r"\.row\[(\d+)\](?:\.(.*))?", where)
    if not steps:
        return f"{where.lstrip('.') or 'at the top'}: {told}."
    rows = given["row"]
    row = rows[int(steps[1])] if isinstance(rows, list) else {}
    named = f" ({row['name']!r})" if isinstance(row, dict) and "name" in row else ""
    inside = f", {steps[2]}" if steps[2] else ""
    return f"row {int(steps[1]) + 1}{named}{inside}: {told}."


def _near(first: float, second: float, tolerance: float | None) -> bool:
    return abs(first - second) <= (tolerance or 0.0) + 1e-9  # what is written with four digits has no more
