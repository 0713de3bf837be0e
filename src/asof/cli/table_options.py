"""The options of ``asof mine`` that only tables have."""

from collections.abc import Callable
from typing import Any

import click

from asof.errors import UserError

_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "--columns",
        multiple=True,
        metavar="OURS=THEIRS,...",
        help="Which column of a table is which: object=team,start=since. Repeated, each with its --relation: the "
        "columns of a wide table, one fact each.",
    ),
    click.option("--separator", metavar="SIGN", help="Table: what stands between cells (default: found in the file)."),
    click.option(
        "--encoding",
        metavar="NAME",
        help="Table: the encoding of the text, such as cp1252 (default: found in the file).",
    ),
    click.option("--sheet", metavar="NAME", help="Workbook: which sheet (default: the first that has the columns)."),
    click.option(
        "--date-format",
        metavar="ORDER",
        help="Table: what 03/04/2011 means: dd/mm/yyyy, mm/dd/yyyy or %d.%m.%y (default: each column says it).",
    ),
    click.option("--keep-spellings", is_flag=True, help="Table: keep names apart that differ in case or spaces only."),
]


def table_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of tables."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def column_pairs(texts: tuple[str, ...]) -> dict[str, str] | list[dict[str, str]]:
    """Read what was said of columns, one mapping for each time that it was said.

    >>> column_pairs(("subject=Company,object=CEO",))
    {'subject': 'Company', 'object': 'CEO'}
    """
    views = [_pairs(text) for text in texts]
    return views[0] if len(views) == 1 else views


def _pairs(text: str) -> dict[str, str]:
    pairs = [pair.split("=", 1) for pair in text.split(",") if pair]
    wrong = next((pair for pair in pairs if len(pair) != 2), None)
    if wrong:
        raise UserError(f"--columns {text!r}: {wrong[0]!r} is not a pair. Write OURS=THEIRS, as in object=team.")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}
