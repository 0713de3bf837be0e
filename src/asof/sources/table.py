"""Tables of facts: CSV, TSV, JSON lines or Parquet with named columns, plain or gzipped.

Needed columns: subject, relation, object, and start or end. Used when there: rank, statement, source, subject_label,
relation_label, object_label. Rows are read in chunks; a broken row is set aside and the rest goes on.
"""

from __future__ import annotations

import csv
import gzip
import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.parquet as pq

from asof.errors import UserError, did_you_mean
from asof.facts import ENTITIES, RELATIONS, Intake
from asof.registry import sources
from asof.sources._day_of_mining import day_of_mining
from asof.sources.almanac.properties import known_relations
from asof.timeline import Date

_ROWS_PER_CHUNK = 50_000
_MOST_LINES_PER_ROW = 100  # a quoted field that runs over more lines is a quote that somebody forgot to close
_ENDINGS = (".csv", ".tsv", ".jsonl", ".parquet")

_NEEDED = ("subject", "relation", "object")
_TIMES = ("start", "end")
_USED_IF_THERE = ("rank", "statement", "source", "subject_label", "relation_label", "object_label")


@dataclass(frozen=True)
class Chunk:
    """Some rows of a table: the line of each, and its columns."""

    lines: npt.NDArray[np.int64]
    columns: Mapping[str, pa.Array]


@sources.register("table")
@dataclass
class Table:
    """A CSV, TSV, JSON lines or Parquet file with the columns subject, relation, object, start, end.

    Args:
        location: The file.
        columns: Which column of the file stands for which of ours: ``{"object": "team"}``.
        known_by: The day up to which "ongoing" is known to be true; a table does not say, so by default the day on
            which it is read.
    """

    location: str
    columns: Mapping[str, str] = field(default_factory=dict)
    known_by: Date = field(default_factory=day_of_mining)
    _labels: list[pa.RecordBatch] = field(default_factory=list, repr=False)
    _relation_labels: dict[str, str] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        ours = (*_NEEDED, *_TIMES, *_USED_IF_THERE)
        for name in self.columns:
            if name not in ours:
                raise UserError(f"asof has no column {name!r}.{did_you_mean(name, ours)} It has: {', '.join(ours)}.")

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether a place looks like a table."""
        return _ending(location) in _ENDINGS

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.location).name

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Read the rows that are facts."""
        for chunk in self._chunks(intake):
            columns = chunk.columns
            not_stated = pa.repeat("", len(chunk.lines))
            self._remember_labels(columns)
            yield intake.batch(
                file=self.name,
                lines=chunk.lines,
                subject=columns["subject"],
                relation=columns["relation"],
                object=columns["object"],
                start=columns.get("start", not_stated),
                end=columns.get("end", not_stated),
                source=columns.get("source", self.name),
                rank=columns.get("rank"),
                statement=columns.get("statement"),
            )

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give the labels of subjects and objects, where the table has them."""
        return self._labels

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give the labels of relations: the table's own, or those of Wikidata's properties."""
        rows = [{"id": id, "label": label, "aliases": []} for id, label in self._relation_labels.items()]
        return [pa.RecordBatch.from_pylist(rows, schema=RELATIONS), known_relations()]

    def _chunks(self, intake: Intake) -> Iterator[Chunk]:
        path = Path(self.location)
        if not path.is_file():
            raise UserError(f"{path} does not exist.")
        try:
            if _ending(self.location) == ".parquet":
                yield from self._parquet_chunks(path)
            else:
                with _opened(path) as file:
                    rows = (
                        self._json_rows(file, intake)
                        if _ending(self.location) == ".jsonl"
                        else self._rows(file, intake)
                    )
                    yield from _chunks_of_rows(rows)
        except (pa.ArrowInvalid, gzip.BadGzipFile, EOFError) as error:
            raise UserError(f"{path} is broken or cut: {error}. Get the file again.") from error

    def _parquet_chunks(self, path: Path) -> Iterator[Chunk]:
        file = pq.ParquetFile(path)
        theirs = self._column_names(file.schema_arrow.names)
        row = 1
        for batch in file.iter_batches(_ROWS_PER_CHUNK, columns=sorted(set(theirs.values()))):
            columns = {ours: _decoded(batch.column(name)) for ours, name in theirs.items()}
            yield Chunk(np.arange(row, row + batch.num_rows, dtype=np.int64), columns)
            row += batch.num_rows

    def _json_rows(self, file: IO[bytes], intake: Intake) -> Iterator[tuple[int, dict[str, Any]]]:
        theirs: dict[str, str] | None = None
        for line, raw in enumerate(file, start=1):
            if not raw.strip():
                continue
            try:
                row = json.loads(raw)
                if not isinstance(row, dict):
                    raise ValueError("it is not a JSON object")
            except ValueError as error:
                intake.rejects.add(file=self.name, line=line, reason=f"not read: {error}.", row=_shown(raw))
                continue
            if theirs is None:
                theirs = self._column_names(list(row))
            yield line, {ours: None if row.get(name) is None else str(row[name]) for ours, name in theirs.items()}

    def _rows(self, file: IO[bytes], intake: Intake) -> Iterator[tuple[int, dict[str, Any]]]:
        records = _separated(file, "\t" if _ending(self.location) == ".tsv" else ",")
        header: list[str] | None = None
        indices: dict[str, int] = {}
        for line, cells, raw, reason in records:
            if header is None:
                if cells is None:
                    raise UserError(f"{self.location}, line {line}: {reason} The first line must name the columns.")
                header = [cell.strip() for cell in cells]
                indices = {ours: header.index(name) for ours, name in self._column_names(header).items()}
            elif cells is None or len(cells) != len(header):
                why = reason or f"{len(cells or [])} columns instead of {len(header)}."
                intake.rejects.add(file=self.name, line=line, reason=why, row=raw)
            else:
                yield line, {ours: cells[index] for ours, index in indices.items()}
        if header is None:
            raise UserError(f"{self.location} is empty: it has not even a line that names the columns.")

    def _column_names(self, there: list[str]) -> dict[str, str]:
        """Match our columns with those of the file, or say which one is missing."""
        theirs = {ours: self.columns.get(ours, ours) for ours in (*_NEEDED, *_TIMES, *_USED_IF_THERE)}
        found = {ours: name for ours, name in theirs.items() if name in there}
        missing = [ours for ours in theirs if ours not in found and (ours in _NEEDED or ours in self.columns)]
        if not missing and not any(time in found for time in _TIMES):
            missing = ["start"]
        if missing:
            wanted = theirs[missing[0]]
            raise UserError(
                f"{self.location} has no column {wanted!r}.{did_you_mean(wanted, there)} It has: {', '.join(there)}.\n"
                f"Say which one to take with: --columns {missing[0]}=NAME"
            )
        return found

    def _remember_labels(self, columns: Mapping[str, pa.Array]) -> None:
        for thing in ("subject", "object"):
            if f"{thing}_label" in columns:
                pairs = pa.table({"id": columns[thing].cast(pa.string()), "label": columns[f"{thing}_label"]})
                distinct = pairs.group_by(["id", "label"], use_threads=False).aggregate([]).drop_null()
                size = distinct.num_rows
                filled = [
                    distinct["id"].combine_chunks(),
                    distinct["label"].combine_chunks(),
                    pa.array([[]] * size, pa.list_(pa.string())),
                    *(pa.nulls(size, ENTITIES.field(name).type) for name in ("description", "kind", "popularity")),
                ]
                self._labels.append(pa.RecordBatch.from_arrays(filled, schema=ENTITIES))
        if "relation_label" in columns:
            pairs = pa.table({"id": columns["relation"], "label": columns["relation_label"]})
            for row in pairs.group_by(["id", "label"]).aggregate([]).drop_null().to_pylist():
                self._relation_labels.setdefault(row["id"], row["label"])


Record = tuple[int, list[str] | None, str, str]  # line, cells (None when broken), the text itself, the reason


def _separated(file: IO[bytes], delimiter: str) -> Iterator[Record]:
    """Cut a file into rows. A quote that is never closed costs one row, not the rest of the file."""
    lines = enumerate(file, start=1)
    waiting: deque[tuple[int, bytes]] = deque()
    while True:
        line, raw = waiting.popleft() if waiting else next(lines, (0, b""))
        if line == 0:
            return
        text, reason = _decode(raw, first=line == 1)
        if reason:
            yield line, None, _shown(raw), reason
        elif not text:
            continue
        elif delimiter == "\t":  # tab separated files know no quotes
            yield line, text.split("\t"), text, ""
        elif '"' not in text:
            yield line, text.split(","), text, ""
        else:
            taken = [text]
            following: list[tuple[int, bytes]] = []
            while sum(part.count('"') for part in taken) % 2 and len(taken) < _MOST_LINES_PER_ROW:
                further = waiting.popleft() if waiting else next(lines, (0, b""))
                if further[0] == 0:
                    break
                following.append(further)
                taken.append(_decode(further[1], first=False)[0])
            whole = "\n".join(taken)
            try:
                if whole.count('"') % 2:
                    raise csv.Error("a quote is opened and not closed")
                yield line, next(csv.reader(whole.splitlines(keepends=True), strict=True)), whole, ""
            except csv.Error as error:
                waiting.extendleft(reversed(following))
                yield line, None, text, f"{error}."


def _chunks_of_rows(rows: Iterator[tuple[int, dict[str, Any]]]) -> Iterator[Chunk]:
    while chunk := [row for row, _ in zip(rows, range(_ROWS_PER_CHUNK), strict=False)]:
        columns = {name: pa.array([cells[name] for _, cells in chunk], pa.string()) for name in chunk[0][1]}
        yield Chunk(np.array([line for line, _ in chunk], dtype=np.int64), columns)


def _decode(raw: bytes, *, first: bool) -> tuple[str, str]:
    try:
        text = raw.decode("utf-8-sig" if first else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        return "", f"byte {error.start + 1} ({raw[error.start]:#04x}) is not UTF-8."
    return text, ""


def _decoded(column: pa.Array) -> pa.Array:
    return column.dictionary_decode() if pa.types.is_dictionary(column.type) else column


def _opened(path: Path) -> IO[bytes]:
    return cast(IO[bytes], gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def _ending(location: str) -> str:
    return Path(location.lower().removesuffix(".gz")).suffix


def _shown(raw: bytes) -> str:
    return raw.decode("utf-8", errors="backslashreplace").rstrip("\r\n")
