"""The options of ``asof mine`` that only Wikidata's dumps and endpoints have."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from asof.cli.options import TimeOption

_OPTIONS: list[Callable[[Any], Any]] = [
    click.option(
        "--relation",
        multiple=True,
        metavar="ID",
        help="Wikidata: take only this relation; table: the relation of all rows, or of each --columns. Repeatable.",
    ),
    click.option(
        "--subject", multiple=True, metavar="ID", help="Wikidata endpoint: only this subject, or @FILE with one a line."
    ),
    click.option("--since", type=TimeOption(), help="Wikidata endpoint: omit facts that surely ended before."),
    click.option("--until", type=TimeOption(), help="Wikidata endpoint: omit facts that surely started after."),
    click.option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Wikidata endpoint: the seconds to wait for an answer before asking for less (default: 70).",
    ),
    click.option("--without-relation", multiple=True, metavar="ID", help="Wikidata dump: leave this relation out."),
    click.option(
        "--language", "languages", multiple=True, metavar="CODE", help="Wikidata: the language of labels (default: en)."
    ),
    click.option("--qualifier", "qualifiers", multiple=True, metavar="ID", help="Wikidata: keep this qualifier, too."),
    click.option("--with-quantities", "numbers", is_flag=True, help="Wikidata: keep objects that are numbers."),
    click.option(
        "--page-views",
        type=click.Path(path_type=Path, exists=True, dir_okay=False),
        help="Wikidata dump: popularity is the views of pages in this file (default: the number of sitelinks).",
    ),
    click.option(
        "--processes",
        type=click.IntRange(min=1),
        help="Wikidata dump: the number of processes (default: one for each core).",
    ),
    click.option("--accept-cut", is_flag=True, help="Wikidata dump: accept a truncated file."),
]


def wikidata_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options of Wikidata's sources."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options that somebody gave, as settings of a source."""
    return {name: value for name, value in options.items() if value}
