"""Write a base: sources in, a folder of Parquet files and a manifest out. All or nothing.

Data go to a staging folder inside the base, are sorted there on disk (``merge``, so any size fits the memory), get
their hash as name, and count from the moment at which the manifest is renamed. A crash leaves the old base.
"""

import errno
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

from asof.errors import UserError
from asof.facts.intake import Intake, InversionPolicy
from asof.facts.labels import language_of
from asof.facts.losses import DataLossError, losses_of, told_refused
from asof.facts.manifest import MANIFEST, Manifest, Part, read_manifest, said_of_base
from asof.facts.meanings import merged_relations, told_batch
from asof.facts.merge import MEMORY, STAGED, mentions_in, named_by_hash, sorted_tables
from asof.facts.mirror import base_writer, writable_base
from asof.facts.rejects import Rejects
from asof.facts.schema import KEPT_TABLES, OPTIONAL_TABLES, TABLES
from asof.timeline import Date
from asof.whole_file import sync_folder

_STAGING = ".staging"
_LOCK = ".lock"
WORK = ".mining"  # what a source has finished; it stays when the writer is stopped and goes when the base is there


class Source(Protocol):
    """Where facts come from. Entities and relations are asked for after the last fact.

    A source that knows which of its timelines are complete also has ``timelines()``, one that knows names in further
    languages ``labels()``, one whose entities have revisions ``revisions()``: the rows of ``OPTIONAL_TABLES``.
    """

    @property
    def name(self) -> str:
        """A word for messages and the manifest."""

    @property
    def known_by(self) -> Date | None:
        """The day up to which "ongoing" is known to be true."""

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give the facts in batches that came through the intake."""

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give what is known of entities; those left out get their id as label."""

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give what is known of relations; those left out get their id as label."""


def write_base(
    folder: Path,
    sources: Sequence[Source],
    *,
    name: str | None = None,
    inverted: InversionPolicy = InversionPolicy.REJECT,
    known_by: Date | None = None,
    on_progress: Callable[[int], None] = lambda rows: None,
    selection: dict[str, Any] | None = None,
    memory: int = MEMORY,
    max_rejects: float | None = None,
    all_or_none: bool = False,
    relations: Sequence[pa.RecordBatch] = (),
    like: Manifest | None = None,
) -> tuple[Manifest, Intake]:
    """Write the facts of sources as a base in a folder, in the place of the base that is there.

    Args:
        folder: A folder, or a place such as s3://bucket/base: there the new base is put when it is whole.
        known_by: The day up to which the facts are known; by default the earliest that the sources state, because
            up to that day all that they call ongoing is known to be so.
        on_progress: Called with the number of rows of each batch that was read.
        selection: How the facts were selected from another base, for the manifest.
        memory: Bytes that sorting may use; what does not fit goes to the disk of the folder. The base is the same.
        max_rejects: The share of rows, or of bytes, whose loss does not keep a base from being replaced; by default
            ``losses`` has one for each.
        all_or_none: Refuse a large loss, or no facts at all, also where there is no base to be replaced.
        relations: What is said of relations and goes before what the sources say. Before that again goes what a person
            has said of the base that is there.
        like: Of another base, of which what people have said holds here, too.
    """
    folder = writable_base(folder)
    _see_that_nothing_is_overwritten(folder)
    had_base, is_new = (folder / MANIFEST).exists(), not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with base_writer(folder), staging_folder(folder) as staging:
            _see_that_no_history_is_lost(folder)
            intake = Intake(rejects=Rejects(staging / "rejects.jsonl"), inverted=inverted, work=folder / WORK)
            stage_facts(staging, sources, intake, on_progress)
            said = said_of_base(folder) if like is None else like.said
            _stage_what_is_known(staging, sources, [told_batch(said["told"]), *relations])
            intake.rejects.close()
            if not intake.taken:
                _see_that_nothing_is_lost(folder, intake, sources if all_or_none else ())
            rejects = rejects_part(staging, intake)
            kept = folder / rejects.path if rejects and had_base else None
            losses = losses_of(sources, intake, most=max_rejects, kept=str(kept) if kept else None)
            if (had_base or all_or_none) and (large := [loss for loss in losses if loss.too_large]):
                if kept:
                    (staging / kept.name).replace(kept)
                raise DataLossError(large, folder, intake.rejects.by_kind(), had_base=had_base)
            stated = [source.known_by for source in sources if source.known_by]
            believed = known_by or min(stated, key=lambda day: day.last, default=None)
            manifest = Manifest(
                name=name or folder.name,
                sources=[source.name for source in sources],
                known_by=str(believed) if believed else None,
                tables=sorted_tables(staging, memory),
                language=language_of(sources),
                rejects=rejects,
                selection=selection,
                mining=next((source.mining for source in sources if hasattr(source, "mining")), {}),
                **said,
            )
            _put_in_place(manifest, staging, folder)
    except (OSError, duckdb.Error) as error:
        raise writing_failed(folder, error) from error
    finally:
        if is_new and {path.name for path in folder.glob("*")} <= {_LOCK}:
            shutil.rmtree(folder, ignore_errors=True)
    return manifest, intake


def _stage_what_is_known(staging: Path, sources: Sequence[Source], meanings: Iterable[pa.RecordBatch]) -> None:
    """Stage all tables but the facts: what is said of relations goes before what the sources say."""
    stage_table(staging, "entities", (batch for source in sources for batch in source.entities()))
    described = (batch for source in sources for batch in source.relations())
    stage_table(staging, "relations", [merged_relations(chain(meanings, described))])
    for table in OPTIONAL_TABLES:
        stage_optional(staging, table, sources)


def _put_in_place(manifest: Manifest, staging: Path, folder: Path) -> None:
    """Let a base count that is staged: its files first, then its manifest by one rename."""
    for file in manifest.files:
        (staging / file).replace(folder / file)
    sync_folder(folder)
    manifest.put_in_place(folder)
    remove_strangers(folder, manifest)
    shutil.rmtree(folder / WORK, ignore_errors=True)


def stage_facts(staging: Path, sources: Sequence[Source], intake: Intake, on_progress: Callable[[int], None]) -> None:
    """Write the facts of sources as they come, and how often they mention entities."""
    with _staged(staging, "facts") as facts, _staged(staging, "mentions") as mentions:
        for source in sources:
            for batch in source.facts(intake):
                on_progress(batch.num_rows)
                facts.write_batch(batch)
                mentions.write_batch(mentions_in(batch))


def stage_table(staging: Path, table: str, batches: Iterable[pa.RecordBatch]) -> None:
    """Write the rows of a table as they come."""
    with _staged(staging, table) as writer:
        for batch in batches:
            writer.write_batch(batch)


def stage_optional(staging: Path, table: str, sources: Sequence[Source]) -> None:
    """Stage a table that few sources have, where any of them has rows of it."""
    given = (batch for source in sources if hasattr(source, table) for batch in getattr(source, table)())
    batches = (batch for batch in given if batch.num_rows)
    first = next(batches, None)
    if first is not None:
        stage_table(staging, table, chain([first], batches))


def _staged(staging: Path, table: str) -> pq.ParquetWriter:
    quickly: dict[str, Any] = {"compression": "lz4", "write_statistics": False, "use_dictionary": False}
    return pq.ParquetWriter(staging / f"{table}.parquet", (STAGED | OPTIONAL_TABLES)[table], **quickly)


def rejects_part(staging: Path, intake: Intake) -> Part | None:
    """Return the file of the rows that were not taken, where there are any."""
    return (
        named_by_hash(staging / "rejects.jsonl", "rejects", ".jsonl", intake.rejects.count)
        if intake.rejects.count
        else None
    )


@contextmanager
def staging_folder(folder: Path) -> Iterator[Path]:
    """Give a folder inside the base for what is not finished, for as long as the context lasts."""
    staging = folder / _STAGING
    shutil.rmtree(staging, ignore_errors=True)  # left by a writer that was killed
    staging.mkdir()
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def remove_strangers(folder: Path, manifest: Manifest) -> None:
    """Delete the data files of earlier versions."""
    ours = (*TABLES, *OPTIONAL_TABLES, *KEPT_TABLES, "rejects")
    for path in folder.iterdir():
        old = path.name.split("-")[0] in ours and path.suffix in (".parquet", ".jsonl")
        if old and path.name not in manifest.files:
            path.unlink()


def _see_that_nothing_is_overwritten(folder: Path) -> None:
    if folder.exists() and not folder.is_dir():
        raise UserError(f"{folder} is a file. Give a folder for the base.")
    if folder.is_dir() and any(folder.iterdir()) and not _is_base_or_leftover(folder):
        raise UserError(f"{folder} is not empty and is not a base. Give a new folder, so that nothing is overwritten.")


def _is_base_or_leftover(folder: Path) -> bool:
    return any((folder / name).exists() for name in (MANIFEST, ".lock", _STAGING, WORK))


def _see_that_nothing_is_lost(folder: Path, intake: Intake, needed: Sequence[Source]) -> None:
    """Refuse to write no facts where rows could not be taken, in the place of facts, or where some are needed."""
    if intake.rejects.count:
        reasons = "\n".join(f"  {reason}" for reason in told_refused(intake.rejects.by_kind()))
        raise UserError(f"None of {intake.rejects.count:,} rows could be read, so nothing was written:\n{reasons}")
    if not (folder / MANIFEST).exists():
        if needed:
            names = ", ".join(source.name for source in needed)
            raise UserError(
                f"{names} gave no facts, so nothing was written. "
                "A table needs rows below the line that names its columns."
            )
        return
    try:
        rows = read_manifest(folder).rows("facts")
        there = f"{rows:,} facts" if rows else ""
    except UserError:
        there = "a base that cannot be read"
    if there:
        raise UserError(
            f"The source gave no facts, and {folder} holds {there}, so it was not replaced. If the base is meant to "
            f"be empty, remove it first: rm -r {folder}"
        )


def _see_that_no_history_is_lost(folder: Path) -> None:
    """Refuse to replace a base that knows what it said on earlier days."""
    try:
        versions = read_manifest(folder).versions
    except UserError:
        return
    if versions:
        raise UserError(
            f"{folder} keeps what it said since {versions[0].day or 'its first version'}, in {len(versions)} versions; "
            f"a new base in its place would lose that. Take the newer state in with: asof update {folder} SOURCE. "
            f"Or choose another folder, or remove it first: rm -r {folder}"
        )


def writing_failed(folder: Path, error: Exception) -> UserError:
    """Say why a base could not be written, and what is there now."""
    kept = "The earlier base is unchanged." if (folder / MANIFEST).exists() else "No base was written."
    kept += " What is mined so far is kept: the same command resumes." if (folder / WORK).exists() else ""
    full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)
    if full:
        return UserError(f"The disk of {folder} is full. {kept} Free some space or choose another disk with --to.")
    if "Out of Memory" in str(error):
        return UserError(
            f"There was too little memory for sorting. {kept} Give more with --memory, as in --memory 1GB."
        )
    return UserError(f"Could not write {folder}: {error}. {kept}")
