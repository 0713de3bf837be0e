"""Options that several verbs share, and how they are read."""

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import click

from asof.errors import DateError
from asof.facts import FactStore, InversionPolicy
from asof.places import remote_address
from asof.registry import engines
from asof.sources.almanac import almanac_base
from asof.timeline import Date, Days, Period, Time, parse_when

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class TimeOption(click.ParamType[Time]):
    """A date, a period or another time on the command line: whatever ``asof ask`` reads."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Time:
        """Read the text, or fail with what is wrong with it."""
        if isinstance(value, Date | Period | Days):
            return value
        try:
            return parse_when(value)
        except DateError as error:
            self.fail(str(error), param, ctx)


class Day(click.ParamType[Date]):
    """A date, not a period."""

    name = "date"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Date:
        """Read the text, or fail with what is wrong with it."""
        try:
            date = parse_when(value) if isinstance(value, str) else value
        except DateError as error:
            self.fail(str(error), param, ctx)
        if not isinstance(date, Date):
            self.fail(f"{value!r} is a period. Give a day, such as 2011-03-20 or yesterday.", param, ctx)
        return date


class MemorySize(click.ParamType[int]):
    """A size of memory on the command line, in bytes for the program."""

    name = "size"
    _units: ClassVar = {"MB": 10**6, "GB": 10**9, "MIB": 2**20, "GIB": 2**30}

    def __init__(self, *, least: int) -> None:
        self._least = least

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read a number and its unit, or fail with what is wrong with it."""
        if isinstance(value, int):
            return value
        read = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*([MG]i?B)\s*", value, re.IGNORECASE)
        if not read:
            self.fail(f"{value!r} is not a size. Write a number and a unit, as in 500MB or 2GB.", param, ctx)
        size = int(float(read[1]) * self._units[read[2].upper()])
        if size < self._least:
            self.fail(f"{value} is too small: give {self._least // 10**6}MB or more.", param, ctx)
        return size


class ShareOption(click.ParamType[float]):
    """A share on the command line: 5% or 0.05."""

    name = "share"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Read the number, or fail with what is wrong with it."""
        if isinstance(value, float):
            return value
        read = re.fullmatch(r"\s*([0-9]+(?:\.[0-9]+)?)\s*(%?)\s*", value)
        share = float(read[1]) / (100 if read[2] else 1) if read else -1
        if not 0 <= share <= 1:
            self.fail(f"{value!r} is not a share between 0% and 100%. Write 5% or 0.05.", param, ctx)
        return share


class FolderOrPlace(click.Path):
    """A folder that exists, or the address of one at a place, which is looked at when it is opened."""

    def __init__(self) -> None:
        super().__init__(path_type=Path, exists=True)

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        """Read the path, or leave the address as it is."""
        return Path(value) if remote_address(value) is not None else super().convert(value, param, ctx)


base_option: Decorator = click.option(
    "--base",
    envvar="ASOF_BASE",
    default="almanac",
    show_default=True,
    help="The base to ask: a folder that 'asof mine' wrote. Also $ASOF_BASE.",
)
base_argument: Decorator = click.argument("folder", required=False, metavar="[BASE]")
known_on_option: Decorator = click.option(
    "--as-known-on",
    "known_on",
    type=Day(),
    help="Ask what the base said on this day, not what it says now: an updated base remembers it.",
)
json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
engine_option: Decorator = click.option(
    "--engine",
    type=click.Choice(engines.names()),
    default="duckdb",
    show_default=True,
    help="The engine: DuckDB in this process, or Spark on its machines.",
)
source_option: Decorator = click.option(
    "--source", "kind", metavar="KIND", help="The kind of source, if it is not recognised: see asof list sources."
)
inverted_option: Decorator = click.option(
    "--inverted",
    type=click.Choice([str(choice) for choice in InversionPolicy]),
    default=str(InversionPolicy.REJECT),
    show_default=True,
    help="What to do with facts that end before they start.",
)
max_rejects_option: Decorator = click.option(
    "--max-rejects",
    "--most-lost",
    "max_rejects",
    type=ShareOption(),
    help="The share that may be lost before nothing is written (default: 5% of rows, 0.1% of the bytes of a dump).",
)
memory_option: Decorator = click.option(
    "--memory",
    type=MemorySize(least=100_000_000),
    default="250MB",
    show_default=True,
    help="How much memory sorting may use; what does not fit goes to the disk of the base. More is faster.",
)
host_option: Decorator = click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address to listen on; 0.0.0.0: all of this machine. Where others can reach it, requests need a token.",
)
token_option: Decorator = click.option(
    "--token",
    envvar="ASOF_TOKEN",
    metavar="TEXT",
    help="The token that requests must send (default: none on this machine alone, else a new one). Also $ASOF_TOKEN.",
)
live_option: Decorator = click.option(
    "--live",
    metavar="WIKIBASE",
    help="Look up what the base has not at a Wikibase: wikidata, or an address such as https://wiki.example.",
)
live_hours_option: Decorator = click.option(
    "--live-hours",
    type=click.FloatRange(min=0),
    default=24.0,
    show_default=True,
    help="How long what was looked up live counts as fresh.",
)
live_budget_option: Decorator = click.option(
    "--live-budget",
    type=click.IntRange(min=1),
    default=500,
    show_default=True,
    help="The largest number of requests to the Wikibase in an hour.",
)
NOT_ENCRYPTED = (
    "Others can reach this address with the token. The connection is not encrypted: in a network that you do not "
    "trust, put a proxy with TLS before it."
)
# Where the limit is not of rows that are shown, a verb has an option of its own that says what it counts.
limit_option: Decorator = click.option("--limit", type=click.IntRange(min=0), help="Show at most this many rows.")


def open_base(location: str, known_on: Date | None = None) -> FactStore:
    """Open a base, as it is or as it was on a day; 'almanac' is the one that comes with asof."""
    return FactStore(almanac_base() if location == "almanac" else location, known_on=known_on)
