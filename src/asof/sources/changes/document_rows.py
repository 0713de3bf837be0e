"""From documents to rows: the newest document of each entity counts, in whatever order they come, and however often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

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


class _NewestState(NamedTuple):
    """What the newest document of an entity says of it; of the document itself, nothing is kept."""

    revision: int
    is_now: bool
    state: str
    target: str | None
    day: Date | None


class DocumentRows:
    """Reads documents one by one; each is a line of a dump that nobody has written."""

    def __init__(self, wanted: MiningSettings) -> None:
        self.counts: Counter[str] = Counter()
        self.latest: Date | None = None
        self.oldest: Date | None = None
        self._scanner = Scanner(wanted)
        self._newest: dict[str, tuple[tuple[bool, int], int]] = {}  # revision (none is above all), number of document
        self._states: dict[str, _NewestState] = {}
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
        day = document.day
        is_now = document.is_now or not document.revision
        self._states[document.id] = _NewestState(document.revision, is_now, document.state, document.target, day)
        self._see_day(day)

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
        found = [(id, one) for id, one in self._states.items() if id.startswith("Q")]
        columns: dict[str, list[Any]] = {
            "id": [id for id, _ in found],
            "revision": [as_of_now(self._highest[id]) if one.is_now else self._highest[id] for id, one in found],
            "modified": [one.day.first if one.day else None for _, one in found],
            "state": [one.state for _, one in found],
            "target": [one.target for _, one in found],
        }
        return pa.RecordBatch.from_pydict(columns, schema=REVISIONS)

    def _read(self, document: EntityDocument) -> bool:
        """Take facts and names of a live entity; tell whether it could be read."""
        scanner = self._scanner
        broken, line = scanner.counts["broken"], scanner.line
        scanner.scan(document.raw + b"\n")
        self._where[scanner.line] = document.where, document.id
        if scanner.counts["broken"] > broken or scanner.line != line + 1:
            self._refuse(document, str(scanner.rejects.pop()["reason"]) if scanner.rejects else "it is not an entity")
            return False
        if not self._is_about(document):
            self._refuse(document, f"what it says is not of {document.id}")
            return False
        if len(scanner.facts.line) >= _ROWS_IN_A_BATCH or len(scanner.items.id) >= _ROWS_IN_A_BATCH:
            self._flush()
        return True

    def _is_about(self, document: EntityDocument) -> bool:
        """Tell whether what was read last is of the entity that the document names, as the title of a page does."""
        items = self._scanner.items
        read = f"Q{items.id[-1]}" if items.line and items.line[-1] == self._scanner.line else ""
        return read == document.id or not (read or document.id.startswith("Q"))

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
