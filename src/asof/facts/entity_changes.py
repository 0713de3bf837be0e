"""What an update changes in the entities of a base and in the tables that name them.

An entity is renamed where a source describes it; one that facts mention for the first time is added. None is removed:
facts that the base says no longer still mention it. Where no source rates popularity, it is counted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from asof.facts.database import open_database
from asof.facts.key_ranges import KeyRange, SortedRows, in_key_order, is_among, key_ranges, read_range
from asof.facts.manifest import Part, quoted
from asof.facts.merge import table_parts
from asof.facts.schema import (
    ENTITIES,
    FOLD_NAME,
    KEPT_TABLES,
    KEYS,
    NAMES,
    OPTIONAL_TABLES,
    SORT_KEYS,
    TABLES,
    WIKIDATA_ID,
)

_SCHEMAS = TABLES | OPTIONAL_TABLES | KEPT_TABLES
_SAYS_NOTHING = "(s.label = s.id AND s.description IS NULL AND len(s.aliases) = 0 AND s.kind IS NULL)"
# One row for each entity that is described or mentioned; what a source leaves open stays as it was.
_MERGED = f"""
    SELECT coalesce(o.id, s.id, m.id) AS id, o.id IS NULL AS is_new,
        coalesce(s.label, o.label, m.id) AS label,
        coalesce(s.aliases, o.aliases, []) AS aliases,
        coalesce(s.description, o.description) AS description,
        coalesce(s.kind, o.kind) AS kind,
        CASE WHEN $rated THEN coalesce(s.popularity, o.popularity)
            ELSE greatest(0, coalesce(o.popularity, 0) + coalesce(m.mentions, 0)) END AS popularity
    FROM old o
    FULL JOIN (SELECT * FROM said s WHERE NOT {_SAYS_NOTHING} OR ($rated AND popularity IS NOT NULL)) s USING (id)
    FULL JOIN mentioned m ON m.id = coalesce(o.id, s.id)
    WHERE o.id IS NOT NULL OR m.opened
"""
_DIFFERS = " OR ".join(f"n.{name} IS DISTINCT FROM o.{name}" for name in ENTITIES.names)
_NAMES_OF = f"""
    SELECT {FOLD_NAME.format("label")} AS name, id AS entity, true AS is_label FROM {{0}}
    UNION ALL
    SELECT name, entity, false FROM (
        SELECT unnest(list_distinct([{FOLD_NAME.format("alias")} for alias in aliases])) AS name, id AS entity,
            {FOLD_NAME.format("label")} AS label
        FROM {{0}}
    ) WHERE name <> label
"""


@dataclass
class EntityChanges:
    """Goes over the entities of a base and writes what changes; then over their names."""

    folder: Path
    staging: Path
    rated: bool  # whether a source rates popularity; else it is how often facts mention an entity
    without: pa.Array  # entities that the base knows by a newer revision
    added: int = 0
    renamed: int = 0
    nameless: int = 0  # of those added, with an id of Wikidata as their only name
    _old_names: list[pa.Table] = field(default_factory=list)
    _new_names: list[pa.Table] = field(default_factory=list)

    def apply(self, parts: Sequence[Part], said: SortedRows) -> list[Part]:
        """Return the files of the new version of the entities."""
        mentioned = self._mentioned()
        found: list[Part] = []
        for one in key_ranges(parts):
            rows = said.within(one)
            rows = rows.filter(pc.invert(is_among(rows["id"], self.without)))
            found += self._apply(one, rows, one.rows_of(mentioned, "id"))
        return [part for part in found if part.rows] or found[:1]

    def apply_names(self, parts: Sequence[Part]) -> list[Part]:
        """Return the files of the new version of the names."""
        empty = NAMES.empty_table()
        old, new = (pa.concat_tables([empty, *tables]) for tables in (self._old_names, self._new_names))
        return replaced_rows(self.folder, self.staging, "names", parts, old, new, on=("name", "entity"))

    def _mentioned(self) -> pa.Table:
        """Count how many facts more or fewer mention each entity."""
        query = """
            SELECT id, CAST(sum(mentions) AS BIGINT) AS mentions, bool_or(mentions > 0) AS opened FROM (
                SELECT id, mentions FROM read_parquet({0}) UNION ALL SELECT id, -mentions FROM read_parquet({1})
            ) GROUP BY id ORDER BY id
        """
        files = (quoted(self.staging / f"{name}.parquet") for name in ("opened", "gone"))
        with open_database() as connection:
            return connection.sql(query.format(*files)).to_arrow_table()

    def _apply(self, keys: KeyRange, said: pa.Table, mentioned: pa.Table) -> Sequence[Part]:
        if not said.num_rows and not mentioned.num_rows:
            return keys.parts
        rows = read_range(self.folder, keys, ENTITIES)
        touched = pa.chunked_array([*said["id"].chunks, *mentioned["id"].chunks]).unique()
        with open_database() as connection:
            connection.register("old", rows.filter(is_among(rows["id"], touched)))
            connection.register("said", said)
            connection.register("mentioned", mentioned)
            changed = self._changed(connection)
        if not changed.num_rows:
            return keys.parts
        stays = rows.filter(pc.invert(is_among(rows["id"], changed["id"].combine_chunks())))
        new = in_key_order(pa.concat_tables([stays, changed]), "id")
        return table_parts(self.staging, "entities", iter([new]))

    def _changed(self, connection: duckdb.DuckDBPyConnection) -> pa.Table:
        connection.execute(f"CREATE TEMP TABLE merged AS {_MERGED}", {"rated": self.rated})
        connection.execute(
            "CREATE TEMP TABLE changed AS SELECT n.* FROM merged n LEFT JOIN old o USING (id) "
            f"WHERE is_new OR {_DIFFERS}"
        )
        connection.execute(
            "CREATE TEMP VIEW renamed AS SELECT n.* FROM changed n LEFT JOIN old o USING (id) "
            "WHERE is_new OR n.label <> o.label OR n.aliases <> o.aliases"
        )
        before = "(SELECT o.* FROM old o SEMI JOIN renamed USING (id))"
        for names, of in ((self._old_names, before), (self._new_names, "renamed")):
            names.append(connection.sql(_NAMES_OF.format(of)).to_arrow_table().cast(NAMES))
        counted = (
            "SELECT count(*) FILTER (is_new), count(*) FILTER (NOT is_new), "
            f"count(*) FILTER (is_new AND label = id AND regexp_matches(id, '{WIKIDATA_ID}')) FROM renamed"
        )
        [(added, renamed, nameless)] = connection.sql(counted).fetchall()
        self.nameless += nameless
        self.added += added
        self.renamed += renamed
        return connection.sql("SELECT * EXCLUDE (is_new) FROM changed").to_arrow_table().cast(ENTITIES)


def replaced_rows(
    folder: Path,
    staging: Path,
    table: str,
    parts: Sequence[Part],
    old: pa.Table,
    new: pa.Table,
    *,
    on: Sequence[str],
) -> list[Part]:
    """Take rows out of a sorted table and put others in; only files that are touched are written again.

    Args:
        old: Rows that go: those that agree with one of these in the columns ``on``.
        new: Rows that come.
    """
    key, schema = KEYS[table], _SCHEMAS[table]
    old, new = (in_key_order(rows, key) for rows in (old, new))
    found: list[Part] = []
    for one in key_ranges(parts):
        going, coming = one.rows_of(old, key), one.rows_of(new, key)
        if not going.num_rows and not coming.num_rows:
            found += one.parts
            continue
        with open_database() as connection:
            connection.register("there", read_range(folder, one, schema))
            connection.register("going", going)
            connection.register("coming", coming)
            rows = connection.sql(
                f"SELECT * FROM (FROM there ANTI JOIN going USING ({', '.join(on)}) UNION ALL BY NAME FROM coming) "
                f"ORDER BY {SORT_KEYS[table]}"
            ).to_arrow_table()
        found += table_parts(staging, table, iter([rows.cast(schema)]))
    return [part for part in found if part.rows] or found[:1]
