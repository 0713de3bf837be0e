"""How results are shown: a table on a terminal, tab separated text on a pipe, JSON lines on demand.

Data go to stdout, talk goes to stderr.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from textwrap import wrap
from typing import Any

import click
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from asof.json_numbers import json_numbers

Row = dict[str, Any]

_NARROW = ("start", "end", "first", "last", "holds", "why", "status", "change", "problem")  # columns that wrap last


def show(rows: Iterable[Row], *, columns: Sequence[str], as_json: bool, title: str = "") -> None:
    """Show rows: all their keys as JSON or tab separated, the chosen columns on a terminal."""
    if as_json:
        for row in rows:
            write_json(row)
    elif sys.stdout.isatty():
        _table(rows, columns, title)
    else:
        _tab_separated(list(rows))


def show_record(row: dict[str, str]) -> None:
    """Show the names and values of one thing, a line each."""
    if sys.stdout.isatty():
        _records(list(row), [list(row.values())], Console())
    else:
        for name, value in row.items():
            click.echo(f"{name}\t{value}")


def write_json(row: Row) -> None:
    """Write a row as one line of JSON; JSON has no number for "nothing was counted", so that is null.

    >>> write_json({"metric": "em", "value": float("nan"), "items": 0})
    {"metric": "em", "value": null, "items": 0}
    """
    click.echo(json.dumps(json_numbers(row), ensure_ascii=False, allow_nan=False))


def ends_in_words(row: Row) -> Row:
    """Put in place of an end that is no date why it is none; programs read that from its precision.

    >>> ends_in_words({"start": "2021", "start_precision": "year", "end": None, "end_precision": "ongoing"})["end"]
    'ongoing'
    """
    return row | {end: row[end] or row[f"{end}_precision"] for end in ("start", "end")}


def talk(message: str) -> None:
    """Say something to the person, not to the pipe."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(message))


def counted(number: int, singular: str, many: str | None = None) -> str:
    """Count things in words.

    >>> counted(1, "fact"), counted(1200, "fact"), counted(2, "entity", "entities")
    ('1 fact', '1,200 facts', '2 entities')
    """
    return f"{number:,} {singular if number == 1 else many or singular + 's'}"


def _table(rows: Iterable[Row], columns: Sequence[str], title: str) -> None:
    console = Console()
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    widths = _widths(columns, cells, console.width)
    if title:
        console.print(Text(title, style="italic"))
    if widths is None:
        _records(columns, cells, console)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for column, width in zip(columns, widths, strict=True):
        table.add_column(column, width=width)
    for row in cells:
        table.add_row(*map(Text, row))
    console.print(table)


def _widths(columns: Sequence[str], cells: list[list[str]], room: int) -> list[int] | None:
    """Return the widths of columns so that no word is broken, None where there is no room for that.

    >>> _widths(["start", "what"], [["2011-03-20", "the first of many"]], 20)
    [10, 8]
    >>> _widths(["start", "what"], [["2011-03-20", "the longest-serving"]], 20)
    """
    whole = [[column, *(row[i] for row in cells)] for i, column in enumerate(columns)]
    widths = [max(map(cell_len, texts)) for texts in whole]
    words = [max((cell_len(word) for text in texts for word in text.split()), default=0) for texts in whole]
    room -= 2 * (len(columns) - 1)
    for least in ([w if c in _NARROW else n for c, w, n in zip(columns, widths, words, strict=True)], words):
        if sum(least) <= room:
            while sum(widths) > room:
                shrinks = [i for i, width in enumerate(widths) if width > least[i]]
                widths[max(shrinks, key=lambda i: widths[i])] -= 1
            return widths
    return None


def _records(columns: Sequence[str], cells: list[list[str]], console: Console) -> None:
    """Show each row as lines of name and value: what is too wide for a table."""
    widest = max(map(cell_len, columns))
    for number, row in enumerate(cells):
        if number:
            console.print()
        for column, cell in zip(columns, row, strict=True):
            begun = f"{column.ljust(widest)}  "
            lines = wrap(cell, max(20, console.width - len(begun)), break_long_words=False, break_on_hyphens=False)
            console.print(Text(begun + f"\n{' ' * len(begun)}".join(lines)), soft_wrap=True)


def _tab_separated(rows: list[Row]) -> None:
    if rows:
        click.echo("\t".join(rows[0]))
    for row in rows:
        click.echo("\t".join(_cell(value).replace("\t", " ").replace("\n", " ") for value in row.values()))


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
