"""A newer state of a source, taken into a base: what it says still stays, the rest becomes history. All or nothing.

A table or a dump tells everything there is; changes of Wikidata tell all about the entities that they name. Files are
written beside those of the base, only where something changed, and count from the moment at which the manifest is
renamed: killed before, the old base stands.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from asof.errors import FailedCheckError, UserError
from asof.facts.entity_changes import EntityChanges, replaced_rows
from asof.facts.fact_changes import FactChanges, UpdateScope
from asof.facts.intake import Intake, InversionPolicy
from asof.facts.key_ranges import SortedRows, is_among
from asof.facts.losses import DataLossError, losses_of
from asof.facts.manifest import BaseVersion, Manifest, Part, read_manifest
from asof.facts.meanings import merged_relations, told_batch
from asof.facts.merge import MEMORY, sorted_tables, table_parts
from asof.facts.mirror import base_writer, writable_base
from asof.facts.rejects import Rejects
from asof.facts.revision_changes import RevisionChanges
from asof.facts.schema import ENTITIES, FACTS, HISTORY, KEYS, LABELS, OPTIONAL_TABLES, RELATIONS, REVISIONS
from asof.facts.store import FactStore
from asof.facts.write import (
    WORK,
    Source,
    rejects_part,
    remove_strangers,
    stage_facts,
    stage_optional,
    stage_table,
    staging_folder,
    writing_failed,
)
from asof.timeline import Date
from asof.whole_file import sync_folder

MOST_GONE = 0.2  # of the subjects of a base; a table in which more are missing is rather a part of one
_FEW_SUBJECTS = 10  # of which any number may be missing


@dataclass(frozen=True, kw_only=True)
class BaseUpdate:
    """What an update did."""

    manifest: Manifest
    intake: Intake
    version: BaseVersion
    older: int  # entities of which the base knew a newer revision
    new_entities: int
    renamed: int
    notes: tuple[str, ...] = ()
    counts: Counter[str] = field(default_factory=Counter)  # what the source counted: deleted, merged ...


def update_base(
    folder: Path,
    source: Source,
    *,
    known_by: Date | None = None,
    replaces: str | None = None,
    inverted: InversionPolicy = InversionPolicy.REJECT,
    max_rejects: float | None = None,
    max_gone: float = MOST_GONE,
    memory: int = MEMORY,
    on_progress: Callable[[int], None] = lambda rows: None,
    relations: Sequence[pa.RecordBatch] = (),
) -> BaseUpdate:
    """Take what a source says now into a base.

    Args:
        source: One that has ``covers = "subjects"`` tells all about the entities of its revisions, any other one about
            everything.
        known_by: The day of what it says; by default the source's own, else today. A base does not go back.
        replaces: The source of the base whose newer state this is, where the base has several.
        max_rejects: The share of rows, or of bytes, that may be lost; by default ``losses`` has one for each.
        max_gone: The share of subjects that may be missing in a source that tells everything.
        relations: What is said of relations, before what the source says.
    """
    folder = writable_base(folder)
    with _explained(folder), base_writer(folder), staging_folder(folder) as staging:
        manifest = read_manifest(folder)
        if hasattr(source, "resume"):
            source.resume(FactStore(folder))
        taking = _Taking(folder, staging, manifest, source, known_by)
        intake = taking.stage(inverted, on_progress, relations)
        taking.see_that_little_is_lost(intake, max_rejects)
        done = taking.changed(intake, replaces, max_gone, memory)
        for file in done.manifest.files:
            if (staging / file).exists():
                (staging / file).replace(folder / file)
        sync_folder(folder)
        done.manifest.put_in_place(folder)
        remove_strangers(folder, done.manifest)
        shutil.rmtree(folder / WORK, ignore_errors=True)
    return done


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        if not folder.is_dir():
            read_manifest(folder)  # says what is missing, before a lock makes the folder
        yield
    except (OSError, duckdb.Error) as error:
        raise writing_failed(folder, error) from error


class _Taking:
    """One source on its way into a base."""

    def __init__(self, folder: Path, staging: Path, manifest: Manifest, source: Any, known_by: Date | None) -> None:
        self.folder, self.staging, self.manifest, self.source = folder, staging, manifest, source
        self.in_part = getattr(source, "covers", "") == "subjects"
        self._given = known_by

    def stage(
        self, inverted: InversionPolicy, on_progress: Callable[[int], None], relations: Sequence[pa.RecordBatch]
    ) -> Intake:
        """Read the source."""
        rejects = Rejects(self.staging / "rejects.jsonl")
        intake = Intake(rejects=rejects, inverted=inverted, work=self.folder / WORK, unread=set())
        stage_facts(self.staging, [self.source], intake, on_progress)
        stage_table(self.staging, "entities", self.source.entities())
        self._relations = [*relations, *self.source.relations()]
        stage_table(self.staging, "relations", [merged_relations(self._relations)])
        for table in OPTIONAL_TABLES:
            stage_optional(self.staging, table, [self.source])
        rejects.close()
        return intake

    def see_that_little_is_lost(self, intake: Intake, most: float | None) -> None:
        """Refuse to take what was read badly, or what is older than the base."""
        self.rejects = rejects_part(self.staging, intake)
        kept = str(self.folder / self.rejects.path) if self.rejects else None
        large = [loss for loss in losses_of([self.source], intake, most=most, kept=kept) if loss.too_large]
        if large:
            if self.rejects:
                (self.staging / self.rejects.path).replace(self.folder / self.rejects.path)
            raise DataLossError(large, self.folder, intake.rejects.by_kind(), had_base=True)
        if self.in_part:
            return
        if any(getattr(self.source, name, None) for name in ("since", "until")):
            raise UserError(
                f"{self.source.name} is asked for a part of time, so nobody knows which other facts are gone. Update "
                "without --since and --until."
            )
        if not intake.taken:
            raise UserError(f"{self.source.name} gave no facts, so {self.folder} was not changed.")
        said, known = self._given or self.source.known_by, self.manifest.known_by_date
        if said and known and said.last < known.first:
            raise UserError(
                f"{self.source.name} is of {said}, and {self.folder} is current to {known}: what is older replaces "
                "nothing. If it is newer than it says, give its day with --known-by."
            )

    def changed(self, intake: Intake, replaces: str | None, max_gone: float, memory: int) -> BaseUpdate:
        """Write the files that change and return what is then the base."""
        tables = dict(self.manifest.tables)
        said = sorted_tables(self.staging, memory, tables=("facts", "entities"))
        day = self._day(anything=bool(intake.taken) or "revisions" in said)
        revisions = self._revisions(tables, said)
        scope = self._scope(revisions, replaces, intake)
        since = self.manifest.known_since
        facts = FactChanges(self.folder, self.staging, day.first, None if since is None else since.first, scope)
        tables["facts"] = facts.apply(tables["facts"], self._rows(self.staging, said, "facts", FACTS))
        self._see_that_few_are_gone(facts, tables, max_gone)
        self._keep_history(tables, facts)
        self.rated = self._is_rated()
        entities = EntityChanges(self.folder, self.staging, self.rated, revisions.without)
        tables["entities"] = entities.apply(tables["entities"], self._rows(self.staging, said, "entities", ENTITIES))
        tables["names"] = entities.apply_names(tables["names"])
        self._rename_in_languages(tables, said, revisions.without)
        self._describe_relations(tables, facts.relations)
        if "timelines" in said and not self.in_part:
            tables["timelines"] = said["timelines"]
        version = self._version(day, replaces, len(revisions.counting) + len(revisions.older), facts)
        manifest = self._manifest(tables, version)
        return BaseUpdate(
            manifest=manifest,
            intake=intake,
            version=replace(version, hash=manifest.hash),
            older=len(revisions.older),
            new_entities=entities.added,
            renamed=entities.renamed,
            notes=tuple(self._notes(day, entities.nameless, facts)),
            counts=Counter(getattr(self.source, "counts", {})),
        )

    def _rows(self, folder: Path, parts: dict[str, list[Part]], table: str, schema: pa.Schema) -> SortedRows:
        return SortedRows(folder, parts.get(table, ()), KEYS[table], schema)

    def _day(self, *, anything: bool) -> Date:
        """The day from which on the base says what is new: that of the source, and never before the last one.

        Args:
            anything: Whether the source says anything; a feed without changes does not move the day.
        """
        last = [Date.parse(version.day) for version in self.manifest.versions if version.day]
        before = last[-1] if last else self.manifest.known_by_date
        said = self._given or self.source.known_by or getattr(self.source, "latest", None)
        said = said or (before if not anything else None) or Date.parse(datetime.now(UTC).date().isoformat())
        return said if before is None or said.first >= before.first else before

    def _revisions(self, tables: dict[str, list[Part]], said: dict[str, list[Part]]) -> RevisionChanges:
        absent_since = None
        if not self.in_part and "revisions" in said:
            begun: Date | None = getattr(self.source, "begun", None) or self.source.known_by
            absent_since = begun.first if begun else None
        changes = RevisionChanges(self.folder, self.staging, absent_since)
        if "revisions" in said:
            rows = self._rows(self.staging, said, "revisions", REVISIONS)
            tables["revisions"] = changes.apply(tables.get("revisions", ()), rows)
        return changes

    def _scope(self, revisions: RevisionChanges, replaces: str | None, intake: Intake) -> UpdateScope:
        chosen = None if self.in_part else _given(self.source, "subject")
        return UpdateScope(
            subjects=pa.array(sorted(revisions.counting), pa.string()) if self.in_part else chosen,
            without=revisions.without,
            sources=self._replaced_sources(replaces),
            relations=_given(self.source, "relation"),
            without_relations=_given(self.source, "without_relation"),
            unread=intake.unread or frozenset(),
        )

    def _replaced_sources(self, replaces: str | None) -> pa.Array | None:
        """Return the sources whose facts are replaced: the one that is meant, and what has replaced it before."""
        known = self.manifest.sources
        only_one = len(known) < 2 and replaces in (None, *known)  # then all facts are its own, whatever brought them
        if only_one or getattr(self.source, "is_whole_base", False):
            return None
        named = replaces or (self.source.name if self.source.name in known else None)
        if named not in known:
            what = f"{named!r} is none of them" if named else f"say which of them {self.source.name} replaces"
            raise UserError(
                f"The facts of {self.folder} come from {', '.join(known)}: {what}. Give --replaces {known[0]!r}."
            )
        later = (version.source for version in self.manifest.versions if version.replaces == named)
        return pa.array(sorted({named, *later}), pa.string())

    def _see_that_few_are_gone(self, facts: FactChanges, tables: dict[str, list[Part]], most: float) -> None:
        if self.in_part or facts.gone <= _FEW_SUBJECTS:
            return
        query = "SELECT count(DISTINCT subject) AS n FROM facts"
        before = int(FactStore(self.folder).sql(query)["n"][0].as_py())
        if facts.gone > most * before:
            raise FailedCheckError(
                f"{self.source.name} says nothing of {facts.gone:,} of the {before:,} subjects of {self.folder}, so "
                "nothing was changed. Is it only a part? Then give it as entities or rows of all. If those subjects "
                f"are gone, allow it with --max-gone 100%."
            )

    def _keep_history(self, tables: dict[str, list[Part]], facts: FactChanges) -> None:
        closed = pq.read_table(facts.closed_rows)
        if closed.num_rows:
            nothing = HISTORY.empty_table()
            there = tables.get("history", [])
            tables["history"] = replaced_rows(
                self.folder, self.staging, "history", there, nothing, closed, on=("subject",)
            )

    def _undone(self, facts: FactChanges) -> int:
        """Count the closed facts that a person had accepted."""
        accepted = pa.array(self.manifest.accepted, pa.string())
        return int(pc.sum(pc.is_in(pq.read_table(facts.closed_rows)["source"], accepted)).as_py() or 0)

    def _is_rated(self) -> bool:
        """Tell whether a source rated popularity: else it is how often facts mention an entity."""
        store = FactStore(self.folder)
        total = store.sql("SELECT sum(popularity) AS n FROM entities")["n"][0].as_py()
        return total is not None and int(total) != 2 * self.manifest.rows("facts")

    def _rename_in_languages(
        self, tables: dict[str, list[Part]], said: dict[str, list[Part]], without: pa.Array
    ) -> None:
        if "labels" not in said:
            return
        new = pa.concat_tables(
            [LABELS.empty_table(), *(pq.read_table(self.staging / part.path) for part in said["labels"])]
        )
        known = {id for part in tables["entities"] for id in self._ids(part)}
        new = new.filter(is_among(new["id"], pa.array(sorted(known - set(without.to_pylist())), pa.string())))
        tables["labels"] = replaced_rows(
            self.folder, self.staging, "labels", tables.get("labels", []), new, new, on=("id",)
        )

    def _ids(self, part: Part) -> list[str]:
        there = self.staging if (self.staging / part.path).exists() else self.folder
        ids: list[str] = pq.read_table(there / part.path, columns=["id"])["id"].to_pylist()
        return ids

    def _describe_relations(self, tables: dict[str, list[Part]], added: set[str]) -> None:
        """Add relations that are new; what is known of the others stays."""
        before = pa.Table.from_pylist(FactStore(self.folder).sql("SELECT * FROM relations").to_pylist(), RELATIONS)
        known = set(before["id"].to_pylist())
        if added <= known:
            return
        nameless = [{"id": id, "label": id, "aliases": []} for id in sorted(added - known)]
        told = told_batch(self.manifest.told)
        batches = [told, *before.to_batches(), *self._relations, pa.RecordBatch.from_pylist(nameless, schema=RELATIONS)]
        rows = pa.Table.from_batches([merged_relations(batches)])
        rows = rows.filter(is_among(rows["id"], pa.array(sorted(known | added), pa.string())))
        tables["relations"] = table_parts(self.staging, "relations", iter([rows]))

    def _version(self, day: Date, replaces: str | None, entities: int, facts: FactChanges) -> BaseVersion:
        current = self._given or self.source.known_by
        before = self.manifest.known_by_date
        known = before if current is None or (before and current.last < before.last) else current
        return BaseVersion(
            day=str(day),
            known_by=str(known) if known else None,
            source=self.source.name,
            replaces=replaces or (self.source.name if self.source.name in self.manifest.sources else None),
            entities=entities,
            added=facts.added,
            closed=facts.closed,
            unchanged=facts.unchanged,
        )

    def _manifest(self, tables: dict[str, list[Part]], version: BaseVersion) -> Manifest:
        was = self.manifest
        first = BaseVersion(day=was.known_by, known_by=was.known_by, source=", ".join(was.sources), hash=was.hash)
        feeds = was.feeds | (self.source.position() if hasattr(self.source, "position") else {})
        rejects = self.rejects or was.rejects
        new = replace(was, known_by=version.known_by, tables=tables, rejects=rejects, feeds=feeds, rated=self.rated)
        return replace(new, versions=_and_then(was.versions or [first], replace(version, hash=new.hash)))

    def _notes(self, day: Date, nameless: int, facts: FactChanges) -> Iterator[str]:
        """Say what a person would not expect."""
        if hasattr(self.source, "notes"):
            yield from self.source.notes()
        since = self.manifest.known_since
        if since and day.first <= since.first and not self.manifest.versions:
            yield (
                f"{self.folder} and {self.source.name} are both of {since}, and within a day the last version counts: "
                "nothing of the earlier one is kept. Give the day of each with --known-by."
            )
        oldest: Date | None = getattr(self.source, "oldest", None)
        known = self.manifest.known_by_date
        if oldest and known and oldest.first > known.last + 2:
            yield (
                f"{self.folder} was current to {known}, and {self.source.name} begins with changes of {oldest}: "
                "what changed between them is missing."
            )
        if unread := facts.unread:
            yield (
                f"Kept as before: {unread:,} {'fact' if unread == 1 else 'facts'}, named in rows of {self.source.name} "
                "that could not be read. Correct those rows and run the same command again."
            )
        if undone := self._undone(facts):
            what = f"accepted {'fact' if undone == 1 else 'facts'} (of {', '.join(self.manifest.accepted)})"
            yield (
                f"{undone:,} {what} stood otherwise, or not, in {self.source.name}, so the base no longer says so. "
                f"To accept again: asof complete --accept FILE --base {self.folder} --to {self.folder}"
            )
        if nameless:
            yield f"{nameless:,} new entities have no name yet: their id stands for it until a source names them."


def _given(source: Any, setting: str) -> pa.Array | None:
    """Return what a source was told to keep to, as ``--relation`` does; None where it was told nothing."""
    said = getattr(source, setting, None) or ()
    values = [said] if isinstance(said, str) else list(said)
    return pa.array(sorted(values), pa.string()) if values else None


def _and_then(versions: list[BaseVersion], version: BaseVersion) -> list[BaseVersion]:
    """Add a version; what one source says within a day is one version, however often it is asked."""
    last = versions[-1]
    same = (last.day, last.source, last.replaces) == (version.day, version.source, version.replaces)
    if len(versions) == 1 or not same:
        return [*versions, version]
    counts = {name: getattr(last, name) + getattr(version, name) for name in ("entities", "added", "closed")}
    return [*versions[:-1], replace(version, **counts)]
