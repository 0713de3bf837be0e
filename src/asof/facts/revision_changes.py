"""Which entities a source may speak of: none of which the base has read a newer revision.

A revision is a number that grows with every edit, so the order in which changes come does not matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from asof.facts.database import open_database
from asof.facts.key_ranges import KeyRange, SortedRows, key_ranges, read_range
from asof.facts.manifest import Part
from asof.facts.merge import table_parts
from asof.facts.schema import REVISIONS, SORT_KEYS

RESTORED = "restored"  # the state of an entity that was deleted, and is there again with its last revision


def as_of_now(revision: int) -> int:
    """Mark the last revision that a source knows of an entity: what it says is not of that one, but so now.

    So it is with what is deleted, which has no revision of its own. Before anything newer than that, it counts.

    >>> as_of_now(0), as_of_now(1050)
    (-1, -1051)
    """
    return -1 - revision


_JUDGED = f"""
    SELECT coalesce(s.id, o.id) AS id, s.id IS NULL AS is_absent, o.id IS NULL AS is_new,
        coalesce(s.revision < 0 OR o.id IS NULL OR s.revision > o.revision
            OR (s.revision = o.revision AND (o.state = 'live' OR s.state = '{RESTORED}')), false) AS counts,
        greatest(coalesce(o.revision, 0), coalesce(if(s.revision < 0, -1 - s.revision, s.revision), 0)) AS revision,
        CASE WHEN counts THEN coalesce(s.modified, o.modified) ELSE o.modified END AS modified,
        CASE WHEN counts THEN if(s.state = '{RESTORED}', 'live', s.state) ELSE o.state END AS state,
        CASE WHEN counts THEN s.target ELSE o.target END AS target,
        o.modified AS known_since
    FROM old o FULL JOIN said s USING (id)
"""


@dataclass
class RevisionChanges:
    """Goes over the revisions that a base has read, and those that a source has.

    Args:
        absent_since: Of an entity that the source does not have, the base knows more if it was modified on this day
            or later; None: the source is not expected to have all.
    """

    folder: Path
    staging: Path
    absent_since: int | None
    counting: list[str] = field(default_factory=list)  # entities of which the source is believed
    older: list[str] = field(default_factory=list)  # those of which it is not
    absent: list[str] = field(default_factory=list)  # that the source lacks, and the base has since

    def apply(self, parts: Sequence[Part], said: SortedRows) -> list[Part]:
        """Return the files of the new version of the revisions."""
        found: list[Part] = []
        for one in key_ranges(parts):
            found += self._apply(one, said.within(one))
        return [part for part in found if part.rows]

    @property
    def without(self) -> pa.Array:
        """The entities of which the base knows something newer."""
        return pa.array(sorted({*self.older, *self.absent}), pa.string())

    def _apply(self, keys: KeyRange, said: pa.Table) -> Sequence[Part]:
        if not said.num_rows and self.absent_since is None:
            return keys.parts
        with open_database() as connection:
            connection.register("old", read_range(self.folder, keys, REVISIONS))
            connection.register("said", said)
            connection.execute(f"CREATE TEMP TABLE judged AS {_JUDGED}")
            for ids, where in (
                (self.counting, "counts"),
                (self.older, "NOT counts AND NOT is_absent"),
                (self.absent, f"is_absent AND known_since >= {self.absent_since}" if self.absent_since else "false"),
            ):
                ids += [id for (id,) in connection.sql(f"SELECT id FROM judged WHERE {where}").fetchall()]
            columns = ", ".join(REVISIONS.names)
            rows = connection.sql(f"SELECT {columns} FROM judged ORDER BY {SORT_KEYS['revisions']}").to_arrow_table()
        return table_parts(self.staging, "revisions", iter([rows.cast(REVISIONS)]))
