"""``asof mine``: facts from a source into a base."""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from asof.api.progress import BarUpdate, progress_bar
from asof.cli.failures import says_what_is_kept
from asof.cli.mining_told import counts_of, rows_of_sources, tell_current_to, tell_result, tell_sources
from asof.cli.options import Day, inverted_option, json_option, max_rejects_option, memory_option, source_option
from asof.cli.output import talk, write_json
from asof.cli.table_options import column_pairs, table_options
from asof.cli.told_relations import tell_relations
from asof.cli.wikidata_options import given, wikidata_options
from asof.errors import UserError
from asof.facts import Intake, InversionPolicy, Source, write_base
from asof.facts.described import described_beside, read_described
from asof.facts.losses import DataLossError, Loss, losses_of
from asof.facts.mirror import writable_copy
from asof.facts.proposed import ProposalEvidence
from asof.facts.rejects import RefusedRows
from asof.facts.rewrite import propose
from asof.places import remote_address
from asof.sources import open_source
from asof.timeline import Date


@click.command("mine")
@click.argument("locations", nargs=-1, required=True, metavar="SOURCE...")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    required=True,
    help="The folder for the base, or a place: s3://bucket/base.",
)
@source_option
@table_options
@click.option(
    "--relations",
    "relations_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    help="A table that says what relations are (default: relations.csv or .tsv beside a table).",
)
@inverted_option
@click.option(
    "--known-by",
    type=Day(),
    help="The day up to which 'ongoing' is known to be true (default: what the source states; for a table, today).",
)
@max_rejects_option
@memory_option
@click.option("--dry-run", is_flag=True, help="Only read and count; write nothing.")
@wikidata_options
@click.option(
    "--engine",
    type=click.Choice(["processes", "spark"]),
    default="processes",
    show_default=True,
    help="Wikidata dump: the engine, processes on this machine or Spark on its machines.",
)
@json_option
@click.pass_context
def command(
    ctx: click.Context,
    /,
    locations: tuple[str, ...],
    folder: Path,
    columns: tuple[str, ...],
    separator: str | None,
    encoding: str | None,
    sheet: str | None,
    date_format: str | None,
    keep_spellings: bool,
    relations_file: Path | None,
    kind: str | None,
    inverted: str,
    known_by: Date | None,
    max_rejects: float | None,
    memory: int,
    dry_run: bool,
    engine: str,
    as_json: bool,
    **wikidata: Any,
) -> None:
    """Build a base of facts, a temporal knowledge graph.

    SOURCE and the base may lie elsewhere: s3://bucket/base, gs://, hdfs://, a file behind https:// (docs/places.md).

    A SOURCE is a table (.csv, .tsv, .jsonl, .parquet, .xlsx, also .gz) with the columns subject, relation, object,
    start, end, or others that --columns names; a JSON dump of Wikidata (latest-all.json.gz, also .bz2, .zst); the
    address of a SPARQL endpoint with Wikidata's statements (https://query.wikidata.org/sparql, with --relation); a
    dataset folder with train.txt, valid.txt and test.txt; or 'almanac'. Rows that cannot be taken are kept in a rejects
    file with the reason. The base that was in the folder stays until the new one is complete. Mining a
    dump can be stopped and is resumed by the same command.

    What relations are (one at a time, symmetric, an office ...) comes from the source, from a table such as
    relations.csv, and from what was set with 'asof relations'. What the facts suggest beyond that is proposed.

    Where more is lost than --max-rejects allows, the command exits with 3, and nothing is written.
    """
    of_table: dict[str, Any] = {
        "separator": separator, "encoding": encoding, "sheet": sheet, "date_format": date_format
    }  # fmt: skip
    of_table |= {"columns": column_pairs(columns) if columns else None, "keep_spellings": keep_spellings}
    settings = given(of_table | wikidata)
    shown = remote_address(folder) or str(folder)
    opened = [open_source(location, kind=kind, **settings) for location in locations]
    descriptions = [relations_file] if relations_file else described_beside(locations)
    described = [read_described(path) for path in descriptions]
    found: list[ProposalEvidence] = []
    if engine == "spark":
        _give_to_spark(opened, folder)
    began = time.monotonic()
    with says_what_is_kept(lambda: _kept(folder)), progress_bar("mining", unit="facts") as tell:
        more = _facts_or_bytes(opened, tell)
        if dry_run:
            intake, counts = _count(opened, InversionPolicy(inverted), more)
        else:
            settings = {"inverted": InversionPolicy(inverted), "known_by": known_by, "memory": memory}
            settings |= {"all_or_none": True, "relations": described}
            with _telling_what_is_lost(opened, shown, as_json=as_json):
                manifest, intake = write_base(folder, opened, max_rejects=max_rejects, on_progress=more, **settings)
            found = propose(folder)
            counts = counts_of(shown, manifest)
    losses = losses_of(opened, intake, most=max_rejects, kept=counts.get("rejects_file"))
    summary: dict[str, Any] = counts | {
        "rejected": intake.rejects.count,
        "dropped": intake.dropped,
        "swapped": intake.swapped,
        "seconds": round(time.monotonic() - began, 2),
    }
    if as_json:
        proposed = {"proposed": [asdict(proposal) | {"evidence": proposal.in_words} for proposal in found]}
        write_json({"base": shown} | summary | proposed | _lost_rows(losses, intake.rejects.by_kind(), opened))
    else:
        tell_sources(opened)
        tell_result(shown, summary, intake, dry_run=dry_run)
        if intake.ongoing and not (dry_run or known_by):
            tell_current_to(intake.ongoing, summary["known_by"])
        if not dry_run:
            tell_relations(folder, dict(zip(descriptions, described, strict=True)), found)
    large = [loss for loss in losses if loss.too_large]
    for loss in large:
        talk(f"Too much was lost: {loss}. Correct the source, or allow a larger share with --max-rejects.")
    if large:
        ctx.exit(3)


@contextmanager
def _telling_what_is_lost(opened: Sequence[Source], shown: str, *, as_json: bool) -> Iterator[None]:
    """Where too much is lost for a base to be written, tell what it was before the error does."""
    try:
        yield
    except DataLossError as error:
        if as_json:
            write_json({"base": shown, "replaced": False} | _lost_rows(error.losses, error.refused, opened))
        else:
            tell_sources(opened)
        raise


def _lost_rows(losses: Sequence[Loss], refused: Sequence[RefusedRows], opened: Sequence[Source]) -> dict[str, Any]:
    """Return what a mining lost, for JSON."""
    lost = {"losses": [loss.as_json() for loss in losses], "refused": [rows.as_json() for rows in refused]}
    return lost | rows_of_sources(opened)


def _kept(folder: Path) -> str:
    """Say what is kept of a mining that was stopped."""
    if address := remote_address(folder):
        copy = writable_copy(folder)
        mined = any((copy / ".mining").rglob("*")) if (copy / ".mining").is_dir() else False
        return f"{address} is unchanged. " + (f"What is mined of the dump is kept in {copy}." if mined else "")
    before = f"The base that was in {folder} is unchanged. " if (folder / "manifest.json").is_file() else ""
    mined = any((folder / ".mining").rglob("*")) if (folder / ".mining").is_dir() else False
    return before + (f"What is mined of the dump is kept in {folder}." if mined else "Nothing of the new base is kept.")


def _facts_or_bytes(opened: list[Source], on_progress: BarUpdate) -> Callable[[int], None]:
    """Let the bar show the facts that come in, and the bytes of a dump while it is mined."""
    facts = 0

    def more(rows: int) -> None:
        nonlocal facts
        facts += rows
        on_progress(facts, what="facts")

    for source in opened:
        if hasattr(source, "on_progress"):
            source.on_progress = lambda done, size, name=source.name: on_progress(
                done >> 20, size >> 20, what=name, note="MB"
            )
    return more


def _give_to_spark(opened: list[Source], folder: Path) -> None:
    """Let Spark mine the dumps; other sources are refused, because it could do nothing for them."""
    from asof.sources.wikidata_dump.on_spark import map_on_spark  # Spark is an extra
    from asof.sources.wikidata_dump.on_spark_at_places import SparkAtPlace

    address = remote_address(folder)

    for source in opened:
        if not hasattr(source, "mapper"):
            raise UserError(f"{source.name} is not a Wikidata dump, and Spark mines nothing else. Omit --engine.")
        source.mapper = map_on_spark if address is None else SparkAtPlace(address)


def _count(
    opened: list[Source], inverted: InversionPolicy, on_progress: Callable[[int], None]
) -> tuple[Intake, dict[str, Any]]:
    """Read the sources without writing a base."""
    intake = Intake(inverted=inverted)
    for source in opened:
        for batch in source.facts(intake):
            on_progress(batch.num_rows)
    return intake, {"facts": intake.taken}
