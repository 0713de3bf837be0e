"""When a base said a fact, beside when the fact held: the second time of a base that is updated.

Each fact has a first day on which the base said so; what it says no longer lies in the table ``history`` and has a last
day, too. The day of a version is that to which its source is current, so a base that is updated again in the same
way says the same of each day. Within a day, the last version counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts.manifest import Manifest, Part
from asof.timeline import Span

KNOWN_COLUMNS = ("known_from", "known_until")


@dataclass(frozen=True)
class KnownTime:
    """Which facts of a base are asked for: those that it says now, or those that it said on a day.

    Args:
        current: The files of facts that it says.
        history: The files of those that it says no longer.
        since: The day of its first version.
        day: The day that is asked for; None: now.
    """

    current: tuple[Part, ...]
    history: tuple[Part, ...]
    since: int | None
    day: int | None = None

    @classmethod
    def of(cls, manifest: Manifest, known_on: Span | None) -> KnownTime:
        """Take it from the manifest."""
        since = manifest.known_since
        current, history = (tuple(manifest.tables.get(table, ())) for table in ("facts", "history"))
        day = None if known_on is None else known_on.last
        return cls(current, history, None if since is None else since.first, day)

    @property
    def asks_history(self) -> bool:
        """Whether facts that the base says no longer may be among those asked for."""
        return self.day is not None and bool(self.history)

    def selections(self) -> list[tuple[list[Part], str]]:
        """Return the files that hold the facts, and which of their rows count: a condition in SQL, or none."""
        plain = [part for part in self.current if not part.with_known_from]
        dated = [part for part in self.current if part.with_known_from]
        known = f"(known_from IS NULL OR known_from <= {self.day})"
        found = [(plain, ""), (dated, "" if self.day is None else known)]
        if self.asks_history:
            found.append((list(self.history), f"{known} AND known_until >= {self.day}"))
        return [(parts, condition) for parts, condition in found if parts]

    def facts_sql(self, paths: Callable[[Sequence[Part]], list[str]]) -> str:
        """Return SQL for the facts with the days on which the base said so.

        Args:
            paths: Gives the paths of files, in quotes.
        """
        first = "NULL" if self.since is None else str(self.since)
        # What was there in the first version has no day of its own, nor has what is older than what was pruned.
        replaced = f"* REPLACE (CAST(greatest(known_from, {first}) AS INTEGER) AS known_from)"
        tables = []
        for parts, condition in self.selections():
            files = f"read_parquet([{', '.join(paths(parts))}])"
            until = "" if parts == list(self.history) else ", CAST(NULL AS INTEGER) AS known_until"
            columns = (
                replaced if parts[0].with_known_from or not until else f"*, CAST({first} AS INTEGER) AS known_from"
            )
            tables.append(f"SELECT {columns}{until} FROM {files}" + (f" WHERE {condition}" if condition else ""))
        return " UNION ALL BY NAME ".join(tables)

    def rows(self, current: pa.Table, history: pa.Table | None) -> pa.Table:
        """Return rows of both tables as ``facts_sql`` does, in the order of their subjects."""
        found = _with_columns(current)
        if self.day is not None:
            found = found.filter(_is_at_most(found["known_from"], self.day))
        if history is not None and history.num_rows:
            gone = _with_columns(history)
            then = pc.and_(_is_at_most(gone["known_from"], self.day), pc.greater_equal(gone["known_until"], self.day))
            found = _together(found, gone.filter(then))
        if self.since is None:
            return found
        known = pc.max_element_wise(found["known_from"], pa.scalar(self.since, pa.int32()))
        return found.set_column(found.column_names.index("known_from"), "known_from", known)


def manifest_on(manifest: Manifest, known_on: Span) -> Manifest:
    """Return the manifest of a base as it was on a day: current to what was known then."""
    since = manifest.known_since
    if since is not None and known_on.last < since.first:
        raise UserError(
            f"{manifest.name} says nothing about what was known on {known_on}: its first version is of {since}. "
            f"Ask for {since} or later."
        )
    known = [one for one in manifest.versions if one.first_day is None or one.first_day <= known_on.last]
    if not known or known[-1] is manifest.versions[-1]:
        return manifest
    return replace(manifest, known_by=known[-1].known_by, hash_then=known[-1].hash)


def _with_columns(facts: pa.Table) -> pa.Table:
    for name in KNOWN_COLUMNS:
        if name not in facts.column_names:
            facts = facts.append_column(name, pa.nulls(facts.num_rows, pa.int32()))
    return facts


def _is_at_most(days: pa.ChunkedArray, day: int | None) -> pa.ChunkedArray:
    return pc.fill_null(pc.less_equal(days, pa.scalar(day, pa.int32())), True)


def _together(current: pa.Table, history: pa.Table) -> pa.Table:
    both = pa.concat_tables([current, history.select(current.column_names)])
    return both.take(pc.sort_indices(both["subject"])) if "subject" in both.column_names else both
