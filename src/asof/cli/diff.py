"""``asof diff``: what changed between two periods, or between two versions of a base."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asof.cli.options import (
    Day,
    FolderOrPlace,
    base_option,
    engine_option,
    json_option,
    known_on_option,
    limit_option,
    open_base,
)
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
from asof.timeline import Date, Period, Span

_USUAL = tuple(status for status in STATUSES if status != "unchanged")


@click.command("diff")
@click.argument("earlier", required=False)
@click.argument("later", required=False)
@click.option("--known-from", type=Day(), help="What has become known since this day: EARLIER is the base.")
@click.option("--known-until", type=Day(), help="With --known-from: what was known until this day (default: now).")
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
@known_on_option
@json_option
def command(
    earlier: str | None,
    later: str | None,
    known_from: Date | None,
    known_until: Date | None,
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
    known_on: Date | None,
    as_json: bool,
) -> None:
    """Show what changed between two periods or versions.

    EARLIER and LATER are two periods (2021-Q1 2021-Q2) of one base, or the folders of two bases.

    Between periods, a subject and relation is updated (other objects), new (nothing held before), deleted (nothing
    holds any more) or unchanged. Between versions, a fact is new, ended (it got an end date), changed or gone; with
    --benchmark only the facts behind its items are shown, with the number of items whose answer has expired.

    What became true and what became known are two questions. For the second one, give an updated BASE and a day:
    asof diff BASE --known-from 2024-05-01 --known-until 2024-06-01 compares what it said on the one day and the other.
    """
    if known_from or known_until:
        _show_what_became_known(
            earlier, later, base, known_from, known_until, benchmark, engine, limit=limit, as_json=as_json
        )
        return
    if earlier is None or later is None:
        raise click.UsageError("Give two periods or two bases, or a base with --known-from.")
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
    store = open_base(base, known_on)
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


def _show_what_became_known(
    folder: str | None,
    later: str | None,
    base: str,
    known_from: Date | None,
    known_until: Date | None,
    benchmark: Path | None,
    engine: str,
    *,
    limit: int | None,
    as_json: bool,
) -> None:
    """Compare what one base said on two days."""
    if later is not None:
        raise click.UsageError(f"With --known-from, give one base and no second argument ({later}).")
    if known_from is None:
        raise click.UsageError("--known-until needs --known-from: what became known from when until when?")
    location = folder or base
    now = open_base(location)
    since = now.manifest.known_since
    if not now.manifest.versions:
        raise UserError(
            f"{location} has one version{f', of {since}' if since else ''}: nothing has become known since. Take newer "
            f"states in with: asof update {location} SOURCE"
        )
    if known_until and known_until.last < known_from.first:
        raise UserError(f"{known_from} comes after {known_until}: give the earlier day as --known-from.")
    old, new = now.as_known_on(known_from), now.as_known_on(known_until) if known_until else now
    if benchmark:
        show_expired(benchmark, old, new, open_engine(engine), limit=limit, as_json=as_json)
    else:
        show_versions(old, new, open_engine(engine), limit=limit, as_json=as_json)


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
