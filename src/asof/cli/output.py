"""How results are shown: a table on a terminal, tab separated text on a pipe, JSON lines on demand.

Data go to stdout, talk goes to stderr.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.json_numbers import json_numbers

Row = dict[str, Any]

_NARROW = ("start", "end", "first", "last", "holds", "why", "status", "change", "problem")  # columns that never wrap


def show(rows: Iterable[Row], *, columns: Sequence[str], as_json: bool, title: str = "") -> None:
    """Show rows: all their keys as JSON or tab separated, the chosen columns on a terminal."""
    if as_json:
        for row in rows:
            write_json(row)
    elif sys.stdout.isatty():
        _table(rows, columns, title)
    else:
        _tab_separated(list(rows))


def write_json(row: Row) -> None:
    """Write a row as one line of JSON; JSON has no number for "nothing was counted", so that is null.

    >>> write_json({"metric": "em", "value": float("nan"), "items": 0})
    {"metric": "em", "value": null, "items": 0}
    """
    click.echo(json.dumps(json_numbers(row), ensure_ascii=False, allow_nan=False))


def talk(message: str) -> None:
    """Say something to the person, not to the pipe."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(message))


def counted(number: int, one: str, many: str | None = None) -> str:
    """Count things in words.

    >>> counted(1, "fact"), counted(1200, "fact"), counted(2, "entity", "entities")
    ('1 fact', '1,200 facts', '2 entities')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _table(rows: Iterable[Row], columns: Sequence[str], title: str) -> None:
    table = Table(
        title=Text(title) if title else None, title_justify="left", box=None, header_style="bold", pad_edge=False
    )
    for column in columns:
        table.add_column(column, overflow="fold", no_wrap=column in _NARROW)
    for row in rows:
        table.add_row(*(Text(_cell(row[column])) for column in columns))
    Console().print(table)


def _tab_separated(rows: list[Row]) -> None:
    if rows:
        click.echo("\t".join(rows[0]))
    for row in rows:
        click.echo("\t".join(_cell(value).replace("\t", " ").replace("\n", " ") for value in row.values()))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
