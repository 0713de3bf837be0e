"""Changes of Wikidata, or of any Wikibase: all about the entities that they name, and nothing about others.

``entity_files`` reads entity JSON as Special:EntityData gives it, ``page_export`` the daily adds-changes dumps,
``recent_changes`` follows the feed of a server. All of them give documents (``documents``), of which ``document_rows``
keeps the newest of each entity and makes facts of it as the reader of dumps does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.errors import UserError
from asof.facts import RELATIONS, FactStore, Intake
from asof.facts.labels import labels_batch
from asof.facts.losses import MOST_ROWS, Loss
from asof.registry import sources
from asof.sources.almanac.properties import known_relations
from asof.sources.changes.document_rows import DocumentRows
from asof.sources.changes.documents import DELETED, REDIRECT, EntityDocument
from asof.sources.changes.entity_files import entity_files, holds_entities, read_entities
from asof.sources.changes.page_export import is_page_export, read_pages
from asof.sources.wikidata_dump import entities_of
from asof.sources.wikidata_dump.items import label_in
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.timeline import Date

_API = re.compile(r"https?://\S+/api\.php/?$")
_DOCUMENTS = "documents that could not be read"


@sources.register("changes")
@dataclass
class WikibaseChanges:
    """Changes of Wikidata: entity JSON, daily adds-changes dumps (.xml), the API of a Wikibase (.../api.php).

    Args:
        location: A file, a folder, or the address of an API; or several files of entity JSON.
        languages: Of labels, descriptions and aliases; by default, as the rest of these, those of the base.
        relation: Take only these properties.
        without_relation: Leave these properties out.
        qualifiers: Properties of qualifiers to keep beside the dates.
        numbers: Keep numeric objects.
        accept_cut: Take a dump that ends too early for what it is.
        since: Of a feed: the time to begin at, where the base does not say where it stopped.
        timeout: Of a server: the seconds to wait for an answer.
        tries: How often a server is asked before it counts as failed.
        first_wait: Seconds before the second try; each wait is about twice the one before.
        longest_wait: Seconds to wait at most, if a server asks for it.
    """

    location: str | Sequence[str]
    languages: Sequence[str] = ()
    relation: Sequence[str] = ()
    without_relation: Sequence[str] = ()
    qualifiers: Sequence[str] = ()
    numbers: bool | None = None
    accept_cut: bool = False
    since: Any = None
    timeout: float = 30.0
    tries: int = 5
    first_wait: float = 1.0
    longest_wait: float = 120.0
    covers: str = field(default="subjects", init=False)
    counts: Counter[str] = field(default_factory=Counter, init=False)
    _base: FactStore | None = field(default=None, init=False, repr=False)
    _rows: DocumentRows = field(default_factory=lambda: DocumentRows(MiningSettings()), init=False, repr=False)
    _feed: Any = field(default=None, init=False, repr=False)

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether a place is entity JSON, a dump of changes, or the address of an API."""
        if _API.match(location):
            return True
        path = Path(location)
        return path.exists() and (holds_entities(path) or is_page_export(path))

    @property
    def name(self) -> str:
        """The name of the file or folder, or the address of the server."""
        if isinstance(self.location, str):
            return self.location if self._is_feed else Path(self.location).name
        first = Path(self.location[0]).name
        return first if len(self.location) == 1 else f"{first} and {len(self.location) - 1} more"

    @property
    def known_by(self) -> Date | None:
        """The day to which all changes are there: that of the latest one in a feed or a daily dump."""
        return None if self._are_files else self.latest

    @property
    def latest(self) -> Date | None:
        """The latest day on which one of the entities was modified."""
        return self._rows.latest

    @property
    def oldest(self) -> Date | None:
        """The first day of the changes; entity files are not expected to have all changes of a time."""
        return None if self._are_files or self._is_feed else self._rows.oldest

    def resume(self, base: FactStore) -> None:
        """Go on where the base stopped, and read as it was mined."""
        self._base = base

    def position(self) -> dict[str, dict[str, Any]]:
        """Return where a feed goes on, by its address."""
        return {self.name: self._feed.position} if self._feed else {}

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Read all documents, then give the facts of the newest of each entity."""
        self._rows = DocumentRows(self._wanted())
        for document in self._documents():
            self._rows.add(document)
        self.counts.update(self._rows.counts)
        for where, reason, row in self._rows.refused():
            intake.rejects.add(file=where, line=0, reason=reason, row=row)
        yield from self._rows.facts(intake, self.name)

    def entities(self) -> Iterator[pa.RecordBatch]:
        """Give names, descriptions and the number of sitelinks of the entities."""
        for items in self._rows.items():
            yield entities_of(items, None)

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give the properties among the entities, and what asof knows of others."""
        language = self._wanted().languages[0]
        rows = {row["id"]: row for row in known_relations(language).to_pylist()}
        for id, names in self._rows.relations.items():
            rows[id] = rows.get(id, {}) | {"id": id} | names
        return [pa.RecordBatch.from_pylist(list(rows.values()), schema=RELATIONS)]

    def labels(self) -> Iterator[pa.RecordBatch]:
        """Give the names of entities in the further languages."""
        for index, language in enumerate(self._wanted().languages):
            for items in self._rows.items() if index else ():
                columns = zip(items["id"].to_pylist(), items["labels"].to_pylist(), strict=True)
                named = [(f"Q{number}", text) for number, raw in columns if (text := label_in(raw, index))]
                if named:
                    yield labels_batch(named, language)

    def revisions(self) -> Iterator[pa.RecordBatch]:
        """Give which revision of each entity was read, and whether it is still there."""
        rows = self._rows.revisions()
        for row in rows.to_pylist():
            if row["state"] == DELETED:
                self.counts["deleted"] += 1
            elif row["state"] == REDIRECT:
                known = self._base is not None and self._base.rows("entities", row["id"]).num_rows
                self.counts["merged" if known else "redirects"] += 1
        yield rows

    @property
    def language(self) -> str:
        """The language of the names of entities."""
        return self._wanted().languages[0]

    def losses(self) -> list[Loss]:
        """Return the documents that could not be read."""
        read = self._rows.counts["documents"]
        return [Loss(what=_DOCUMENTS, count=self._rows.counts["broken"], of=read, most=MOST_ROWS)]

    def notes(self) -> list[str]:
        """Say what a feed has to say."""
        return list(self._feed.notes) if self._feed else []

    @property
    def _is_feed(self) -> bool:
        return isinstance(self.location, str) and bool(_API.match(self.location))

    @property
    def _are_files(self) -> bool:
        return not self._is_feed and not (isinstance(self.location, str) and is_page_export(Path(self.location)))

    def _documents(self) -> Iterator[EntityDocument]:
        if self._is_feed:
            yield from self._follow(str(self.location))
            return
        for location in [self.location] if isinstance(self.location, str) else self.location:
            path = Path(location)
            if not path.exists():
                raise UserError(f"{path} does not exist.")
            if path.is_file() and is_page_export(path):
                yield from read_pages(path, self.counts, accept_cut=self.accept_cut)
            else:
                for file in entity_files(path):
                    yield from read_entities(file)

    def _follow(self, address: str) -> Iterator[EntityDocument]:
        from asof.sources.changes.recent_changes import RecentChanges
        from asof.sources.changes.wikibase import Wikibase

        if self._base is None:
            raise UserError(f"{address} tells changes alone. Take them into a base with: asof update BASE {address}")
        patience: dict[str, Any] = {
            "tries": self.tries,
            "first_wait": self.first_wait,
            "longest_wait": self.longest_wait,
        }
        with Wikibase(address, timeout=self.timeout, **patience) as server:
            self._feed = RecentChanges(server, self._base, since=self.since, counts=self.counts)
            yield from self._feed.documents()

    def _wanted(self) -> MiningSettings:
        """What to take: as somebody says, else as the base was mined."""
        kept = dict(self._base.manifest.mining) if self._base and self._base.manifest.mining else {}
        settings: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()
        }
        said: dict[str, Any] = {
            "languages": tuple(self.languages), "relations": tuple(self.relation),
            "without_relations": tuple(self.without_relation), "qualifiers": tuple(self.qualifiers),
            "quantities": self.numbers,
        }  # fmt: skip
        return MiningSettings(**(settings | {"titles_of": ""} | {name: value for name, value in said.items() if value}))


def together(locations: Sequence[str]) -> list[list[str]]:
    """Group what is taken at once: files of entities are one source, everything else is taken one by one."""
    groups: list[list[str]] = []
    for location in locations:
        are_files = Path(location).is_file() and holds_entities(Path(location))
        if are_files and groups and holds_entities(Path(groups[-1][-1])):
            groups[-1].append(location)
        else:
            groups.append([location])
    return groups
