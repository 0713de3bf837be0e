"""``asof facts``: which facts hold on a date or during a period."""

import sys
from pathlib import Path
from typing import Any

import click
import pyarrow as pa
import pyarrow.parquet as pq

from asof.cli.options import TimeOption, base_option, json_option, known_on_option, limit_option, open_base
from asof.cli.output import Row, counted, ends_in_words, show, talk
from asof.errors import UserError
from asof.facts import FactStore, FactTable
from asof.facts.elsewhere import found_elsewhere
from asof.facts.known_day import beyond_known_day
from asof.facts.row_table import rows_table, with_dates
from asof.timeline import Date, Open, Time, Verdict, in_words
from asof.whole_file import write_whole

_ON_A_TERMINAL = 100  # rows, where nobody asked for a number of them

_EXAMPLES = """\b
Examples:
  asof facts --subject Italy --relation "head of government" --on 2021-03
  asof facts --object "Angela Merkel" --during 2005-Q4
"""


@click.command("facts", epilog=_EXAMPLES)
@click.option("--subject", metavar="NAME", help="The subject of the facts: a name or an id.")
@click.option("--relation", metavar="NAME", help="The relation: a name or an id.")
@click.option("--object", "object_name", metavar="NAME", help="The object of the facts: a name or an id.")
@click.option(
    "--on", type=TimeOption(), help="Facts that hold on this date: 2011, 2011-03-20, 'Q1 2011', '44 BC', today ..."
)
@click.option("--during", type=TimeOption(), help="Facts that hold at any time in this period.")
@click.option("--surely", is_flag=True, help="Only facts that surely hold.")
@limit_option
@base_option
@known_on_option
@click.option("--to", "file", type=click.Path(path_type=Path), help="A new Parquet file for the facts.")
@json_option
def command(
    subject: str | None,
    relation: str | None,
    object_name: str | None,
    on: Time | None,
    during: Time | None,
    surely: bool,
    limit: int | None,
    base: str,
    known_on: Date | None,
    file: Path | None,
    as_json: bool,
) -> None:
    """Show which facts hold on a date or during a period.

    --on and --during ask about the valid time of the facts. Without --on and --during, all matching facts of the base
    are shown. A terminal shows the first 100 unless --limit says otherwise; a pipe, a file and --json get all of them.
    A file has the first and the last day as dates, too, beside the numbers of days, where a calendar has them.
    """
    if on and during:
        raise UserError(
            "Give --on or --during, not both: --on asks for a date as a whole, --during for any part of it."
        )
    store = open_base(base, known_on)
    ids = store.ids(subject=subject or None, object=object_name or None, relation=relation or None)
    asked: dict[str, Any] = {**ids, "on": on, "during": during, "surely": surely}
    # A person who asks for everything sees the beginning; a program gets what it asked for.
    shortened = limit is None and sys.stdout.isatty() and not as_json and not file
    found = store.facts(**asked, limit=_ON_A_TERMINAL if shortened else limit)
    when = on or during
    if file:
        _write(file, with_dates(rows_table(found.table, known_to=store.known_by, on=when)))
        talk(f"{file} holds {counted(len(found), 'fact')}.")
        return
    rows = [fact.as_row(known_to=store.known_by, on=when) for fact in found]
    columns = ["subject", "relation", "object", "start", "end", *(["holds", "why"] if when else [])]
    if rows:
        show(rows if as_json else [_for_people(row, during) for row in rows], columns=columns, as_json=as_json)
    else:
        time = f"{'--on' if on else '--during'} {when}" if when else ""
        ends = {end: ids.get(end) for end in ("subject", "relation", "object")}
        talk(f"No matching facts. {found_elsewhere(store, **ends, time=time)}".rstrip())
    if shortened and len(rows) == _ON_A_TERMINAL and (total := store.count(**asked)) > len(rows):
        talk(
            f"The first {len(rows)} of {counted(total, 'fact')}. Narrow the selection with --subject, --relation, "
            f"--object or --on, or show more with --limit {total}."
        )
    _tell_doubts(store, found, on, when)


def _tell_doubts(store: FactStore, found: FactTable, on: Time | None, when: Time | None) -> None:
    """Say for how many facts a date is transitional, and that the base is not current to the time asked for."""
    if on and Verdict.TRANSITIONAL in found.verdicts:
        changing = found.verdicts.count(Verdict.TRANSITIONAL)
        which = "all of these" if changing == len(found) else f"{changing} of these {len(found)} facts"
        talk(f"{_capital(in_words(on))} is transitional for {which}: they hold during a part of it, or possibly.")
    if when and any(fact.end is Open.ONGOING for fact in found) and (note := beyond_known_day(store, when)):
        talk(note)


def _write(file: Path, table: pa.Table) -> None:
    if file.exists():
        raise UserError(f"{file} exists already. Give a new file with --to.")
    write_whole(file, lambda temporary: pq.write_table(table, temporary))


def _for_people(row: Row, during: Time | None) -> Row:
    """Say in words why an end is no date; any part of a period is enough, so there a fact holds surely or possibly."""
    surely = {"holds": "possibly"} if row["possibly"] else {"holds": "surely", "why": None}
    return ends_in_words(row) | (surely if during else {})


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
