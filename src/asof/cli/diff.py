"""``asof diff``: what changed between two periods, or between two versions of a base."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asof.cli.options import FolderOrPlace, base_option, engine_option, json_option, limit_option, open_base
from asof.cli.output import counted, show, talk
from asof.cli.version_changes import counts_in_words, show_expired, show_versions
from asof.errors import DateError, UserError
from asof.facts import FactStore, find_entity, find_relation
from asof.facts.change_row import change_rows
from asof.facts.engines import open_engine
from asof.facts.known_day import beyond_known_day
from asof.facts.snapshots import STATUSES, changes_by_period, difference
from asof.facts.store import as_span
from asof.places import remote_address
from asof.timeline import Period, Span

_USUAL = tuple(status for status in STATUSES if status != "unchanged")


@click.command("diff")
@click.argument("earlier")
@click.argument("later")
@click.option("--relation", metavar="NAME", help="Only this relation.")
@click.option("--subject", metavar="NAME", help="Only this subject.")
@click.option(
    "--status",
    "statuses",
    multiple=True,
    type=click.Choice(STATUSES),
    help="Only this status (default: all but unchanged); may be repeated.",
)
@click.option("--surely", is_flag=True, help="Count only facts that surely hold in a period.")
@click.option("--each", is_flag=True, help="Compare each period from EARLIER to LATER with the one before it.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    help="With --each: write Parquet files to this folder, show nothing.",
)
@click.option(
    "--benchmark",
    type=FolderOrPlace(),
    help="Between two bases: which gold answers of this benchmark have expired.",
)
@engine_option
@limit_option
@base_option
@json_option
def command(
    earlier: str,
    later: str,
    relation: str | None,
    subject: str | None,
    statuses: tuple[str, ...],
    surely: bool,
    each: bool,
    folder: Path | None,
    benchmark: Path | None,
    engine: str,
    limit: int | None,
    base: str,
    as_json: bool,
) -> None:
    """Show what changed between two periods or versions.

    EARLIER and LATER are two periods (2021-Q1 2021-Q2) of one base, or the folders of two bases.

    Between periods, a subject and relation is updated (other objects), new (nothing held before), deleted (nothing
    holds any more) or unchanged. Between versions, a fact is new, ended (it got an end date), changed or gone; with
    --benchmark only the facts behind its items are shown, with the number of items whose answer has expired.
    """
    if folder and not each:
        raise UserError("--to goes with --each: the changes of many periods may be too many to show.")
    if _is_a_version(earlier) and _is_a_version(later):
        old, new = FactStore(earlier), FactStore(later)
        if benchmark:
            show_expired(benchmark, old, new, open_engine(engine), limit=limit, as_json=as_json)
        else:
            show_versions(old, new, open_engine(engine), limit=limit, as_json=as_json)
        return
    if benchmark:
        raise UserError(f"--benchmark compares two bases: {earlier} and {later} are not both folders of one.")
    store = open_base(base)
    only: dict[str, Any] = {
        "relation": find_relation(store, relation).id if relation else None,
        "subject": find_entity(store, subject).id if subject else None,
        "surely": surely,
    }
    if each:
        first, last = _period(earlier), _period(later)
        changes = changes_by_period(first, last, **only, statuses=statuses or _USUAL)
        if folder:
            rows_written = open_engine(engine).write_parts(changes, store, folder)
            talk(f"{folder} holds {counted(rows_written, 'change')}.")
            return
        table = open_engine(engine).table(changes, store)
        show(
            map(asdict, change_rows(store, table.slice(0, limit).to_pylist())),
            columns=["period", "status", "subject", "relation", "before", "after"],
            as_json=as_json,
        )
        talk(counts_in_words(Counter(table["status"].to_pylist()), statuses or _USUAL))
        _tell_known_day(store, last, surely=surely)
        return
    before, after = as_span(earlier), as_span(later)
    table = difference(store, before, after, **only, engine=open_engine(engine))
    counts = Counter(table["status"].to_pylist())
    chosen = [row for row in table.to_pylist() if row["status"] in (statuses or _USUAL)][:limit]
    shown = map(asdict, change_rows(store, chosen))
    show(shown, columns=["status", "subject", "relation", "before", "after"], as_json=as_json)
    talk(counts_in_words(counts, STATUSES))
    _tell_known_day(store, after, surely=surely)


def _tell_known_day(store: FactStore, later: Span, *, surely: bool) -> None:
    """Say that the later period reaches beyond what the base knows."""
    if not surely and (note := beyond_known_day(store, later)):
        talk(f"{note} Omit such facts with --surely.")


def _period(text: str) -> Period:
    try:
        return Period.parse(text)
    except DateError as error:
        raise UserError(f"--each goes from period to period. {error}") from error


def _is_a_version(location: str) -> bool:
    return remote_address(location) is not None or Path(location).is_dir()
