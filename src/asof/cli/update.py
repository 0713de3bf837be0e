"""``asof update``: a newer table or dump, or changes of Wikidata, into a base."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asof.api.progress import BarUpdate, progress_bar
from asof.api.relation_settings import see_that_it_may_change
from asof.cli.failures import says_what_is_kept
from asof.cli.options import (
    Day,
    ShareOption,
    inverted_option,
    json_option,
    max_rejects_option,
    memory_option,
    source_option,
)
from asof.cli.output import counted, talk, write_json
from asof.cli.table_options import column_pairs, table_options
from asof.cli.wikidata_options import given, wikidata_options
from asof.facts import InversionPolicy
from asof.facts.losses import DataLossError, told_refused
from asof.facts.prune import prune_history
from asof.facts.update import BaseUpdate, update_base
from asof.places import remote_address
from asof.sources import open_source
from asof.sources.changes import WikibaseChanges, together
from asof.timeline import Date

_EXAMPLES = """\b
Examples:
  asof update staff staff-june.csv --known-by 2024-06-01
  asof update wikidata wikidatawiki-20240604-pages-meta-hist-incr.xml.bz2
  asof update wikidata https://www.wikidata.org/w/api.php
  asof update staff --forget-before 2023-01-01
"""


@click.command("update", epilog=_EXAMPLES)
@click.argument("folder", metavar="BASE", type=click.Path(path_type=Path))
@click.argument("locations", nargs=-1, metavar="SOURCE...")
@source_option
@click.option(
    "--known-by",
    type=Day(),
    help="The day of the new state, from which on the base says so (default: what the source states; else today).",
)
@click.option(
    "--replaces", metavar="NAME", help="Where BASE has several sources: the one of which SOURCE is a newer state."
)
@inverted_option
@max_rejects_option
@click.option(
    "--max-gone",
    type=ShareOption(),
    default="20%",
    show_default=True,
    help="The share of subjects that may be missing in a newer table or dump before nothing is written.",
)
@click.option("--forget-before", type=Day(), help="Drop from the history what was known only before this day.")
@memory_option
@table_options
@wikidata_options
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    folder: Path,
    locations: tuple[str, ...],
    kind: str | None,
    known_by: Date | None,
    replaces: str | None,
    inverted: str,
    max_rejects: float | None,
    max_gone: float,
    forget_before: Date | None,
    memory: int,
    columns: tuple[str, ...],
    separator: str | None,
    encoding: str | None,
    sheet: str | None,
    date_format: str | None,
    keep_spellings: bool,
    as_json: bool,
    **wikidata: Any,
) -> None:
    """Take a newer state into a base, and keep what it said before.

    A SOURCE is a newer table or a newer dump, which tell everything: facts that they do not have any more are closed.
    Or it is changes of Wikidata, which tell all about the entities that they name: entity JSON (files or a folder of
    Special:EntityData), daily adds-changes dumps (.xml.bz2, .xml.gz), or the address of the API of a Wikibase
    (https://www.wikidata.org/w/api.php), whose recent changes are followed from where the last update stopped.

    An older revision never replaces a newer one. Ask what the base said on a day with --as-known-on, and what has
    become known with 'asof diff BASE --known-from DAY'. Killed at any moment, the old base stands.

    Where too much is lost or missing, the command exits with 3 and nothing is written. It also exits with 3 where a
    server did not give some entities: what it gave is written, and the same command asks for the rest.
    """
    if not locations and not forget_before:
        raise click.UsageError("Give a SOURCE, or a day with --forget-before.")
    of_table: dict[str, Any] = {"separator": separator, "encoding": encoding, "sheet": sheet}
    of_table |= {"date_format": date_format, "keep_spellings": keep_spellings}
    of_table["columns"] = column_pairs(columns) if columns else None
    settings = given(of_table | wikidata)
    see_that_it_may_change(folder.resolve(), "facts")
    shown = remote_address(folder) or str(folder)
    is_complete = True
    for group in together(locations):
        began = time.monotonic()
        with says_what_is_kept(lambda: f"{shown} is unchanged by what was not finished."):
            source = open_source(group[0], kind=kind, **settings)
            if len(group) > 1:
                source = WikibaseChanges(group, **settings)
            try:
                with progress_bar("updating", unit="facts") as tell:
                    done = update_base(
                        folder, source, known_by=known_by, replaces=replaces, inverted=InversionPolicy(inverted),
                        max_rejects=max_rejects, max_gone=max_gone, memory=memory, on_progress=_counting(tell),
                    )  # fmt: skip
            except DataLossError as error:
                if as_json:
                    write_json({"base": shown, "source": source.name, "updated": False} | _lost(error))
                raise
        seconds = round(time.monotonic() - began, 2)
        _tell(shown, done, seconds, as_json=as_json)
        is_complete &= not bool(done.counts["pending"])
    if forget_before:
        manifest, forgotten = prune_history(folder, forget_before)
        talk(f"{shown} forgot {counted(forgotten, 'closed fact')}; its history begins on {manifest.known_since}.")
    if not is_complete:
        ctx.exit(3)


def _counting(tell: BarUpdate) -> Callable[[int], None]:
    facts = 0

    def more(rows: int) -> None:
        nonlocal facts
        facts += rows
        tell(facts, what="facts")

    return more


def _lost(error: DataLossError) -> dict[str, Any]:
    return {"losses": [one.as_json() for one in error.losses], "refused": [one.as_json() for one in error.refused]}


def _tell(base: str, done: BaseUpdate, seconds: float, *, as_json: bool) -> None:
    """Say what an update did."""
    refused = done.intake.rejects
    if as_json:
        write_json(
            {"base": base, "updated": True, **asdict(done.version), "older_revisions": done.older}
            | {"new_entities": done.new_entities, "renamed_entities": done.renamed, "rejected": refused.count}
            | {"refused": [one.as_json() for one in refused.by_kind()], "counts": dict(done.counts)}
            | {"notes": list(done.notes), "seconds": seconds}
        )
        return
    version = done.version
    seen = f"{counted(version.entities, 'entity', 'entities')} seen, " if version.entities else ""
    talk(
        f"{base} as of {version.day}: {seen}{counted(version.added, 'fact')} added, {version.closed:,} closed, "
        f"{version.unchanged:,} unchanged ({seconds} s)."
    )
    if done.new_entities or done.renamed:
        talk(f"{counted(done.new_entities, 'new entity', 'new entities')}, {done.renamed:,} renamed.")
    if told := _in_words(done.counts, done.older):
        talk(f"{told}.")
    for note in done.notes:
        talk(note)
    if refused.count:
        talk(f"Refused {counted(refused.count, 'row')}:")
        for line in told_refused(refused.by_kind()):
            talk(f"  {line}")


def _in_words(counts: Counter[str], older: int) -> str:
    """Count what became of entities."""
    words = ("changes", "deleted", "merged", "redirects", "repeated", "pending")
    told = [f"{counts[word]:,} {word}" for word in words if counts[word]]
    return ", ".join(told + ([f"{older:,} with a newer revision in the base"] if older else []))
