"""Facts that somebody has accepted, written into a new version of a base: ends and starts filled in, facts added.

A missing end is filled in where the base has just one fact of the same subject, relation and object that lacks it and
whose other end fits; what does not fit is handed back with the reason. All else stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.errors import DateError
from asof.facts.columns import end_columns
from asof.facts.database import open_database
from asof.facts.intake import Intake
from asof.facts.manifest import Manifest
from asof.facts.rewrite import note_decisions
from asof.facts.schema import ENTITIES, FACTS, LABELS, RELATIONS, TIMELINES, Rank
from asof.facts.store import FACT_COLUMNS, FactStore
from asof.facts.update import update_base
from asof.facts.write import write_base
from asof.timeline import Date, parse_date

_ROWS_PER_BATCH = 100_000
_ENDS = ("start", "end")
_NO_DATE = ("unknown", "not stated")


@dataclass(frozen=True, kw_only=True)
class AcceptedFact:
    """A fact as a person accepts it, by ids; ``filled`` is the part that the base lacks."""

    subject: str
    relation: str
    object: str
    start: str
    end: str
    filled: str  # "start", "end" or "object"

    @property
    def id(self) -> str:
        """What tells a proposal from others, whichever model makes it."""
        return "|".join((self.subject, self.relation, self.object, self.start, self.end, self.filled))

    def __str__(self) -> str:
        return f"{self.subject} {self.relation} {self.object} {self.start or '?'}..{self.end or '?'}"


@dataclass(frozen=True)
class AcceptedVersion:
    """What became of the facts that were accepted."""

    manifest: Manifest
    added: int
    filled: int
    refused: list[tuple[AcceptedFact, str]]


def write_accepted(
    store: FactStore,
    facts: Sequence[AcceptedFact],
    folder: Path,
    *,
    source: str,
    rejected: Iterable[str] = (),
    dry_run: bool = False,
) -> AcceptedVersion:
    """Write a base with facts that were accepted, to a new folder or in the place of the old one.

    Args:
        source: What the new and the changed facts name as their source.
        rejected: The ids of proposals that are not to be made again.
        dry_run: Only tell what would become of them.
    """
    with_facts = _WithAccepted(store, source)
    for fact in facts:
        with_facts.take(fact)
    added = sum(row["old_start_precision"] is None for row in with_facts.rows)
    manifest = store.manifest
    noted = sorted({*manifest.rejected, *rejected})
    if (with_facts.rows or noted != manifest.rejected) and not dry_run:
        if manifest.versions and folder.resolve() == store.folder.resolve():
            manifest = _remembered(with_facts, folder, noted)
        else:
            sources = sorted({*manifest.accepted, source}) if with_facts.rows else manifest.accepted
            day, like = manifest.known_by_date, replace(manifest, rejected=noted, accepted=sources)
            manifest, _ = write_base(folder, [with_facts], name=manifest.name, known_by=day, like=like)
    return AcceptedVersion(manifest, added, len(with_facts.rows) - added, with_facts.refused)


def _remembered(with_facts: _WithAccepted, folder: Path, rejected: Sequence[str]) -> Manifest:
    """Take the facts into a base that remembers what it said: from today on it says them."""
    with_facts.latest = Date.parse(datetime.now(UTC).date().isoformat())
    if with_facts.rows:
        update_base(folder, with_facts)
    return note_decisions(folder, rejected=rejected, accepted=[with_facts.source] if with_facts.rows else [])


@dataclass
class _WithAccepted:
    """The facts of a base with those that were accepted, as a source for the writer of bases."""

    store: FactStore
    source: str
    rows: list[dict[str, Any]] = field(default_factory=list)  # new columns, and the old ends
    refused: list[tuple[AcceptedFact, str]] = field(default_factory=list)
    latest: Date | None = None  # from which day on the base says so, where it remembers such days
    is_whole_base: bool = field(default=True, init=False)

    @property
    def name(self) -> str:
        return ", ".join(dict.fromkeys([*self.store.manifest.sources, self.source]))

    @property
    def known_by(self) -> Date | None:
        return None if self.latest else self.store.manifest.known_by_date

    @property
    def language(self) -> str | None:
        return self.store.manifest.language

    def take(self, fact: AcceptedFact) -> None:
        """Note what a fact changes, or why it cannot be written."""
        try:
            ends = {end: _columns(getattr(fact, end)) for end in _ENDS}
        except DateError as error:
            self.refused.append((fact, str(error)))
            return
        there = self._there(fact)
        if fact.filled == "object":
            reason = "the base has it already" if _same(there, ends) else self._unknown(fact)
            old: dict[str, Any] | None = None
        else:
            fitting = [row for row in there if _fits(row, ends, fact.filled)]
            reason = "" if len(fitting) == 1 else f"{len(fitting)} facts of the base lack that {fact.filled} and fit"
            old = fitting[0] if len(fitting) == 1 else None
            if old:
                other = _ENDS[fact.filled == "start"]
                ends[other] = {part: old[f"{other}_{part}"] for part in ("first", "last", "precision")}
                reason = _taken(self.rows, old)
        if reason:
            self.refused.append((fact, reason))
            return
        row = {name: getattr(fact, name) for name in ("subject", "relation", "object")}
        row |= {f"{end}_{part}": value for end, parts in ends.items() for part, value in parts.items()}
        row |= {f"old_{name}": old and old[name] for name in _parts("")}
        self.rows.append(row)

    def _there(self, fact: AcceptedFact) -> list[dict[str, Any]]:
        rows = self.store.rows("facts", fact.subject).to_pylist()
        return [row for row in rows if (row["relation"], row["object"]) == (fact.relation, fact.object)]

    def _unknown(self, fact: AcceptedFact) -> str:
        for id in (fact.subject, fact.object):
            if not self.store.rows("entities", id, columns=["id"]).num_rows:
                return f"the base knows nothing with the id {id!r}"
        return (
            "" if fact.relation in self.store.relations else f"the base has no relation with the id {fact.relation!r}"
        )

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Give the facts of the base, some with an end filled in, and the new ones."""
        kinds = {name: pa.string() for name in ("subject", "relation", "object", "start_precision", "end_precision")}
        kinds |= {f"old_{end}_precision": pa.string() for end in _ENDS}
        columns = ("subject", "relation", "object", *_parts(""), *_parts("old_"))
        schema = pa.schema([(name, kinds.get(name, pa.int32())) for name in columns])
        accepted = pa.Table.from_pylist(self.rows, schema=schema)
        keys = " AND ".join(f"f.{name} = a.{name}" for name in ("subject", "relation", "object"))
        keys += "".join(f" AND f.{name} IS NOT DISTINCT FROM a.old_{name}" for name in _parts(""))
        new = ", ".join(f"CASE WHEN a.subject IS NULL THEN f.{name} ELSE a.{name} END AS {name}" for name in _parts(""))
        query = f"""
            SELECT f.* REPLACE ({new}, CASE WHEN a.subject IS NULL THEN f.source ELSE $source END AS source)
            FROM (SELECT {FACT_COLUMNS} FROM facts) f LEFT JOIN accepted a ON {keys}
            UNION ALL BY NAME
            SELECT subject, relation, object, {", ".join(_parts(""))}, '{Rank.NORMAL}' AS rank, $source AS source
            FROM accepted WHERE old_start_precision IS NULL
        """
        with open_database() as connection:
            connection.register("accepted", accepted)
            connection.execute(f"CREATE VIEW facts AS {self.store.table_sql('facts')}")
            for batch in connection.sql(query, params={"source": self.source}).to_arrow_reader(_ROWS_PER_BATCH):
                intake.taken += batch.num_rows
                yield from pa.Table.from_batches([batch]).select(FACTS.names).cast(FACTS).to_batches()

    def entities(self) -> Iterator[pa.RecordBatch]:
        yield from self.store.sql("SELECT * FROM entities").cast(ENTITIES).to_batches()

    def relations(self) -> Iterator[pa.RecordBatch]:
        yield from self.store.sql("SELECT * FROM relations").cast(RELATIONS).to_batches()

    def labels(self) -> Iterator[pa.RecordBatch]:
        yield from self.store.sql("SELECT * FROM labels").cast(LABELS).to_batches()

    def timelines(self) -> Iterator[pa.RecordBatch]:
        yield from self.store.sql("SELECT * FROM timelines").cast(TIMELINES).to_batches()


def _parts(before: str) -> list[str]:
    return [f"{before}{end}_{part}" for end in _ENDS for part in ("first", "last", "precision")]


def _columns(text: str) -> dict[str, Any]:
    """Read an end as its three columns; nothing at all is not stated."""
    if text:
        parse_date(text)  # says what is wrong
    columns = end_columns(pa.array([text]), may_be_ongoing=False)
    return {part: getattr(columns, part)[0].as_py() for part in ("first", "last", "precision")}


def _fits(row: dict[str, Any], ends: dict[str, dict[str, Any]], filled: str) -> bool:
    """Tell whether a fact of the base lacks an end and has the other, as precise as it is said or more."""
    other = _ENDS[filled == "start"]
    said = ends[other]
    if row[f"{filled}_precision"] not in _NO_DATE:
        return False
    if said["first"] is None or row[f"{other}_first"] is None:
        return bool(said["first"] is row[f"{other}_first"])
    return bool(said["first"] <= row[f"{other}_last"] and row[f"{other}_first"] <= said["last"])


def _same(there: list[dict[str, Any]], ends: dict[str, dict[str, Any]]) -> bool:
    return any(
        all(row[f"{end}_{part}"] == value for end in _ENDS for part, value in ends[end].items()) for row in there
    )


def _taken(rows: list[dict[str, Any]], old: dict[str, Any]) -> str:
    """Say that a fact of the base is filled in by an earlier line, if it is."""
    keys = ("subject", "relation", "object")
    known = [
        row
        for row in rows
        if all(row[key] == old[key] for key in keys) and all(row[f"old_{name}"] == old[name] for name in _parts(""))
    ]
    return "an earlier line fills in the same fact" if known else ""
