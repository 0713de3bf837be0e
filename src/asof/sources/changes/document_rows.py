"""From documents to rows: the newest document of each entity counts, in whatever order they come, and however often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from asof.facts import Intake
from asof.facts.revision_changes import RESTORED, as_of_now
from asof.facts.schema import REVISIONS
from asof.sources.changes.documents import BROKEN, LIVE, EntityDocument
from asof.sources.wikidata_dump.mining import FACT_ROWS, ITEM_ROWS
from asof.sources.wikidata_dump.scan import Scanner
from asof.sources.wikidata_dump.wanted import MiningSettings
from asof.timeline import Date

_ROWS_IN_A_BATCH = 50_000
_SHOWN_BYTES = 2_000


class DocumentRows:
    """Reads documents one by one; each is a line of a dump that nobody has written."""

    def __init__(self, wanted: MiningSettings) -> None:
        self.counts: Counter[str] = Counter()
        self.latest: Date | None = None
        self.oldest: Date | None = None
        self._scanner = Scanner(wanted)
        self._newest: dict[str, tuple[tuple[bool, int], int]] = {}  # revision (none is above all), number of document
        self._documents: dict[str, EntityDocument] = {}  # the newest ones, without their text
        self._highest: dict[str, int] = {}  # revision of which there was any document
        self._where: dict[int, tuple[str, str]] = {}
        self._broken: list[tuple[str, str, object]] = []
        self._facts: list[pa.RecordBatch] = []
        self._items: list[pa.RecordBatch] = []
        self._number = 0

    @property
    def relations(self) -> dict[str, dict[str, object]]:
        """The properties among the documents, by id."""
        return self._scanner.relations

    def add(self, document: EntityDocument) -> None:
        """Read a document, unless a newer one of its entity has come already."""
        self.counts["documents"] += 1
        if document.state == BROKEN:
            self._refuse(document, document.reason)
            return
        rank = (document.is_now or not document.revision, document.revision)
        self._highest[document.id] = max(document.revision, self._highest.get(document.id, 0))
        if document.id in self._newest and self._newest[document.id][0] > rank:
            self.counts["repeated"] += 1
            return
        if document.state in (LIVE, RESTORED) and not self._read(document):
            return
        self.counts["repeated"] += document.id in self._newest
        self._newest[document.id] = rank, self._scanner.line if document.state in (LIVE, RESTORED) else 0
        self._documents[document.id] = replace(document, raw=b"")
        self._see_day(document.day)

    def facts(self, intake: Intake, name: str) -> Iterator[pa.RecordBatch]:
        """Give the facts of the newest documents."""
        self._flush()
        lines = self._lines()
        for batch in self._facts:
            rows = batch.filter(pa.array(np.isin(batch["line"].to_numpy(), lines)))
            columns = dict(zip(rows.schema.names, rows.columns, strict=True))
            numbers = columns.pop("line").to_numpy()
            yield intake.batch(file=name, lines=numbers, source=name, **columns)

    def items(self) -> Iterator[pa.RecordBatch]:
        """Give the items of the newest documents."""
        self._flush()
        lines = self._lines()
        for batch in self._items:
            rows = batch.filter(pa.array(np.isin(batch["line"].to_numpy(), lines)))
            if rows.num_rows:
                yield rows

    def refused(self) -> Iterator[tuple[str, str, object]]:
        """Give what could not be taken of documents that count: where, why, and what it is."""
        yield from self._broken
        lines = set(self._lines().tolist())
        for reject in self._scanner.rejects:
            line = int(str(reject["line"]))
            if line in lines:
                yield self._where[line][0], f"{str(reject['reason']).rstrip('.')}.", reject["row"]

    def revisions(self) -> pa.RecordBatch:
        """Return which revision of each entity was read."""
        found = [one for one in self._documents.values() if one.id.startswith("Q")]
        columns: dict[str, list[Any]] = {
            "id": [one.id for one in found],
            "revision": [self._revision_of(one) for one in found],
            "modified": [day.first if (day := one.day) else None for one in found],
            "state": [one.state for one in found],
            "target": [one.target for one in found],
        }
        return pa.RecordBatch.from_pydict(columns, schema=REVISIONS)

    def _revision_of(self, document: EntityDocument) -> int:
        highest = self._highest[document.id]
        return as_of_now(highest) if document.is_now or not document.revision else highest

    def _read(self, document: EntityDocument) -> bool:
        """Take facts and names of a live entity; tell whether it could be read."""
        scanner = self._scanner
        broken, line = scanner.counts["broken"], scanner.line
        scanner.scan(document.raw + b"\n")
        self._where[scanner.line] = document.where, document.id
        if scanner.counts["broken"] > broken or scanner.line != line + 1:
            self._refuse(document, str(scanner.rejects.pop()["reason"]) if scanner.rejects else "it is not an entity")
            return False
        if len(scanner.facts.line) >= _ROWS_IN_A_BATCH or len(scanner.items.id) >= _ROWS_IN_A_BATCH:
            self._flush()
        return True

    def _refuse(self, document: EntityDocument, reason: str) -> None:
        self.counts["broken"] += 1
        shown = document.raw[:_SHOWN_BYTES].decode("utf-8", errors="backslashreplace")
        self._broken.append((document.where or document.id, f"{reason.rstrip('.')}.", shown))

    def _flush(self) -> None:
        both = ((self._facts, FACT_ROWS, self._scanner.facts), (self._items, ITEM_ROWS, self._scanner.items))
        for batches, schema, rows in both:
            columns = vars(rows)
            if any(columns.values()):
                arrays = [pa.array(columns[name], schema.field(name).type) for name in schema.names]
                batches.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
            for column in columns.values():
                column.clear()

    def _lines(self) -> np.ndarray:
        return np.array(sorted(line for _, line in self._newest.values()), np.int64)

    def _see_day(self, day: Date | None) -> None:
        if day:
            self.latest = day if self.latest is None or day.first > self.latest.first else self.latest
            self.oldest = day if self.oldest is None or day.first < self.oldest.first else self.oldest
