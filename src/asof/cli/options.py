"""Options that several verbs share, and how they are read."""

from collections.abc import Callable
from typing import Any

import click

from asof.errors import DateError
from asof.facts import FactStore
from asof.registry import engines
from asof.sources.almanac import almanac_base
from asof.timeline import Date, Days, Period, Time, parse_when

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class When(click.ParamType[Time]):
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


base_option: Decorator = click.option(
    "--base",
    envvar="ASOF_BASE",
    default="almanac",
    show_default=True,
    help="The base to ask: a folder that 'asof mine' wrote. Also $ASOF_BASE.",
)
json_option: Decorator = click.option("--json", "as_json", is_flag=True, help="One JSON object per line.")
engine_option: Decorator = click.option(
    "--engine",
    type=click.Choice(engines.names()),
    default="duckdb",
    show_default=True,
    help="Who does the work: DuckDB in this process, or Spark on its machines.",
)
limit_option: Decorator = click.option("--limit", type=click.IntRange(min=0), help="At most so many rows.")


def open_base(place: str) -> FactStore:
    """Open a base; 'almanac' is the one that comes with asof."""
    return FactStore(almanac_base() if place == "almanac" else place)
