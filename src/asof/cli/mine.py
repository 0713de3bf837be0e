"""``asof mine``: facts from a source into a base."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from asof.api.progress import Tell, progress_bar
from asof.cli.failures import says_what_is_kept
from asof.cli.options import Day, Memory, ShareOption, json_option
from asof.cli.output import counted, talk, write_json
from asof.cli.wikidata_options import given, wikidata_options
from asof.errors import UserError
from asof.facts import Intake, Inverted, Source, write_base
from asof.facts.losses import DataLossError, losses_of
from asof.facts.manifest import Manifest
from asof.sources import open_source
from asof.timeline import Date


@click.command("mine")
@click.argument("places", nargs=-1, required=True, metavar="SOURCE...")
@click.option("--to", "folder", type=click.Path(path_type=Path), required=True, help="The folder for the base.")
@click.option(
    "--columns", metavar="OURS=THEIRS,...", help="The columns of a table, as OURS=THEIRS: object=team,start=since."
)
@click.option(
    "--source", "kind", metavar="KIND", help="The kind of source, if it is not recognised: see asof list sources."
)
@click.option(
    "--inverted",
    type=click.Choice([str(choice) for choice in Inverted]),
    default=str(Inverted.REJECT),
    show_default=True,
    help="What to do with facts that end before they start.",
)
@click.option(
    "--known-by",
    type=Day(),
    help="The day up to which 'ongoing' is known to be true (default: what the source states; for a table, today).",
)
@click.option(
    "--most-lost",
    type=ShareOption(),
    help="The share that may be lost before mining fails (default: 5% of rows, 0.1% of the bytes of a dump).",
)
@click.option(
    "--memory",
    type=Memory(least=100_000_000),
    default="250MB",
    show_default=True,
    help="How much memory sorting may use; what does not fit goes to the disk of the base. More is faster.",
)
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
    places: tuple[str, ...],
    folder: Path,
    columns: str | None,
    kind: str | None,
    inverted: str,
    known_by: Date | None,
    most_lost: float | None,
    memory: int,
    dry_run: bool,
    engine: str,
    as_json: bool,
    **wikidata: Any,
) -> None:
    """Build a base of facts, a temporal knowledge graph.

    A SOURCE is a table (.csv, .tsv, .jsonl, .parquet, also .gz) with the columns subject, relation, object, start, end;
    a JSON dump of Wikidata (latest-all.json.gz, also .bz2, .zst); the address of a SPARQL endpoint with Wikidata's
    statements (https://query.wikidata.org/sparql, with --relation); a dataset folder with train.txt, valid.txt and
    test.txt; or 'almanac'. Rows that cannot be read are kept in a rejects file with the reason. The base that was in
    the folder stays until the new one is complete. Mining a dump can be stopped and is resumed by the same command.

    Where more is lost than --most-lost allows, the command exits with 3, and a base that is there is not replaced.
    """
    settings = ({"columns": _pairs(columns)} if columns else {}) | given(wikidata)
    opened = [open_source(place, kind=kind, **settings) for place in places]
    if engine == "spark":
        _give_to_spark(opened)
    began = time.monotonic()
    with says_what_is_kept(lambda: _kept(folder)), progress_bar("mining", unit="facts") as tell:
        more = _facts_or_bytes(opened, tell)
        try:
            if dry_run:
                intake, counts = _count(opened, Inverted(inverted), more)
            else:
                settings = {"inverted": Inverted(inverted), "known_by": known_by, "memory": memory}
                manifest, intake = write_base(folder, opened, most_lost=most_lost, progress=more, **settings)
                counts = _counts(folder, manifest)
        except DataLossError as error:
            if as_json:
                write_json({"base": str(folder), "replaced": False, "losses": [one.as_json() for one in error.losses]})
            raise
    losses = losses_of(opened, intake, most=most_lost, kept=counts.get("rejects_file"))
    summary: dict[str, Any] = counts | {
        "rejected": intake.rejects.count,
        "dropped": intake.dropped,
        "swapped": intake.swapped,
        "seconds": round(time.monotonic() - began, 2),
    }
    if as_json:
        told = {source.name: dict(source.counts) for source in opened if hasattr(source, "counts")}
        lost = {"losses": [loss.as_json() for loss in losses]}
        write_json({"base": str(folder)} | summary | lost | ({"counts": told} if told else {}))
    else:
        _tell(folder, summary, intake, dry_run=dry_run)
        if intake.ongoing and not (dry_run or known_by):
            talk(_current_to(intake.ongoing, summary["known_by"]))
        for source in opened:
            for note in source.notes() if hasattr(source, "notes") else ():
                talk(note)
    large = [loss for loss in losses if loss.too_large]
    for loss in large:
        talk(f"Too much was lost: {loss}. Correct the source, or allow a larger share with --most-lost.")
    if large:
        ctx.exit(3)


def _kept(folder: Path) -> str:
    """Say what is kept of a mining that was stopped."""
    before = f"The base that was in {folder} is unchanged. " if (folder / "manifest.json").is_file() else ""
    mined = any((folder / ".mining").rglob("*")) if (folder / ".mining").is_dir() else False
    return before + (f"What is mined of the dump is kept in {folder}." if mined else "Nothing of the new base is kept.")


def _facts_or_bytes(opened: list[Source], tell: Tell) -> Callable[[int], None]:
    """Let the bar show the facts that come in, and the bytes of a dump while it is mined."""
    facts = 0

    def more(rows: int) -> None:
        nonlocal facts
        facts += rows
        tell(facts, what="facts")

    for source in opened:
        if hasattr(source, "tell"):
            source.tell = lambda done, size, name=source.name: tell(done >> 20, size >> 20, what=name, note="MB")
    return more


def _give_to_spark(opened: list[Source]) -> None:
    """Let Spark mine the dumps; other sources are refused, because it could do nothing for them."""
    from asof.sources.wikidata_dump.on_spark import map_on_spark  # Spark is an extra

    for source in opened:
        if not hasattr(source, "mapper"):
            raise UserError(f"{source.name} is not a Wikidata dump, and Spark mines nothing else. Omit --engine.")
        source.mapper = map_on_spark


def _count(opened: list[Source], inverted: Inverted, progress: Callable[[int], None]) -> tuple[Intake, dict[str, Any]]:
    """Read the sources without writing a base."""
    intake = Intake(inverted=inverted)
    for source in opened:
        for batch in source.facts(intake):
            progress(batch.num_rows)
    return intake, {"facts": intake.taken}


def _counts(folder: Path, manifest: Manifest) -> dict[str, Any]:
    counts: dict[str, Any] = {name: manifest.rows(name) for name in ("facts", "entities", "relations")}
    counts["known_by"] = manifest.known_by
    if manifest.rejects:
        counts["rejects_file"] = str(folder / manifest.rejects.path)
    return counts


def _tell(folder: Path, summary: dict[str, Any], intake: Intake, *, dry_run: bool) -> None:
    words = {"facts": ("fact", "facts"), "entities": ("entity", "entities"), "relations": ("relation", "relations")}
    told = ", ".join(counted(int(summary[name]), *words[name]) for name in words if name in summary)
    talk(f"{folder} {'would hold' if dry_run else 'holds'} {told} ({summary['seconds']} s).")
    for word in ("dropped", "swapped"):
        if summary[word]:
            talk(f"{counted(int(summary[word]), 'fact')} with an end before the start: {word}.")
    if intake.rejects.count:
        kept = f", kept in {summary['rejects_file']}" if "rejects_file" in summary else ""
        talk(f"Could not read {counted(intake.rejects.count, 'row')}{kept}. The first:")
        for reason in intake.rejects.shown:
            talk(f"  {reason}")


def _current_to(ongoing: int, known_by: str | None) -> str:
    facts = f"{counted(ongoing, 'ongoing fact')} {'is' if ongoing == 1 else 'are'}"
    if known_by:
        return f"{facts} taken to hold up to {known_by}. Set another day with --known-by."
    return f"{facts} not confirmed for any day: the source states none. Set one with --known-by."


def _pairs(text: str) -> dict[str, str]:
    pairs = [pair.split("=", 1) for pair in text.split(",") if pair]
    wrong = next((pair for pair in pairs if len(pair) != 2), None)
    if wrong:
        raise UserError(f"--columns {text!r}: {wrong[0]!r} is not a pair. Write OURS=THEIRS, as in object=team.")
    return {ours.strip(): theirs.strip() for ours, theirs in pairs}
