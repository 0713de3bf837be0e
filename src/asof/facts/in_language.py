"""A base in another language: the same facts, with the names that its table ``labels`` has.

A fact of which a name is missing in that language is left out, unless it is to keep the name that it has: a question in
one language about a name in another measures neither. Nobody says in which language aliases are, so there are none. It
is written as a base of its own for the time that it is needed, so that every part reads it like any other.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from asof.facts.database import open_database
from asof.facts.fact import Fact, facts_of_table
from asof.facts.intake import Intake
from asof.facts.schema import ENTITIES, FACTS, RELATIONS, SORT_KEYS, WIKIDATA_ID
from asof.facts.store import FACT_COLUMNS, FactStore
from asof.facts.write import write_base
from asof.timeline import Date

_ROWS_PER_BATCH = 100_000


@dataclass(frozen=True)
class TranslatedBase:
    """A base in a language, how many facts have no name in it, one of them, and what else to say."""

    store: FactStore
    unnamed: int = 0
    example: Fact | None = None
    note: str = ""


@contextmanager
def in_language(store: FactStore, language: str, *, keep_unnamed: bool = False) -> Iterator[TranslatedBase]:
    """Give a base with names in a language, for as long as the context lasts.

    Args:
        keep_unnamed: Keep facts without a name in that language, with the name that they have.
    """
    own = store.manifest.language
    if own == language:
        yield TranslatedBase(store)
        return
    if own is None and not _has_names(store, language):
        note = f"{store.manifest.name} does not state the language of its names: they are used unchanged."
        yield TranslatedBase(store, note=note if language != "en" else "")
        return
    with tempfile.TemporaryDirectory(prefix="asof-") as temporary:
        source = _InLanguage(store, language, keep_unnamed)
        folder = Path(temporary) / "base"
        manifest, _ = write_base(folder, [source], name=store.manifest.name, known_by=store.known_by)
        unnamed = store.facts_count - manifest.rows("facts")
        yield TranslatedBase(FactStore(folder), unnamed, source.first_unnamed() if unnamed else None)


def _has_names(store: FactStore, language: str) -> bool:
    if "labels" not in store.manifest.tables:
        return False
    query = "SELECT count(*) AS names FROM labels WHERE language = $language"
    return bool(store.sql(query, {"language": language})["names"][0].as_py())


@dataclass(frozen=True)
class _InLanguage:
    """The facts and entities that have names in a language, as a source for the writer of bases."""

    store: FactStore
    language: str
    keep_unnamed: bool

    @property
    def name(self) -> str:
        return f"{self.store.manifest.name} in {self.language}"

    @property
    def known_by(self) -> Date | None:
        return self.store.known_by

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        for batch in self._batches(f"SELECT {FACT_COLUMNS} FROM facts WHERE {_NAMED}", FACTS):
            intake.taken += batch.num_rows
            yield batch

    def entities(self) -> Iterator[pa.RecordBatch]:
        query = """
            SELECT e.* REPLACE (n.label AS label, CASE WHEN own THEN e.aliases ELSE [] END AS aliases)
            FROM entities e JOIN named n USING (id)
        """
        return self._batches(query, ENTITIES)

    def relations(self) -> Iterator[pa.RecordBatch]:
        """Give the relations, by their names in the language where Wikidata has some."""
        query = """
            SELECT r.* REPLACE (coalesce(l.label, r.label) AS label) FROM relations r
            LEFT JOIN (SELECT * FROM labels WHERE language = $language) l USING (id)
        """
        return self._batches(query, RELATIONS)

    def first_unnamed(self) -> Fact:
        """Return the first fact without a name in the language, with the names that it has."""
        query = f"SELECT {FACT_COLUMNS} FROM facts WHERE NOT ({_NAMED}) ORDER BY {SORT_KEYS['facts']} LIMIT 1"
        found = pa.Table.from_batches(list(self._batches(query, FACTS)))
        labelled = self.store.with_labels(found, subject="entity", relation="relation", object="entity")
        return next(facts_of_table(labelled))

    def _batches(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        tables = ", ".join(
            f"{table} AS ({self.store.table_sql(table)})" for table in ("facts", "entities", "relations", "labels")
        )
        # A text or a number that stands for itself is the same in all languages.
        kept = f"OR (e.label = e.id AND NOT regexp_matches(e.id, '{WIKIDATA_ID}'))"
        named = f"""
            SELECT e.id, coalesce(l.label, e.label) AS label, l.label IS NULL AS own FROM entities e
            LEFT JOIN (SELECT * FROM labels WHERE language = $language) l USING (id)
            WHERE $keep OR l.label IS NOT NULL {kept}
        """
        with open_database() as connection:
            found = connection.sql(
                f"WITH {tables}, named AS ({named}), asked AS ({query}) SELECT * FROM asked WHERE $keep OR NOT $keep",
                params={"language": self.language, "keep": self.keep_unnamed},
            )
            for batch in found.to_arrow_reader(_ROWS_PER_BATCH):
                yield from pa.Table.from_batches([batch]).cast(schema).to_batches()


_NAMED = "subject IN (SELECT id FROM named) AND object IN (SELECT id FROM named)"
