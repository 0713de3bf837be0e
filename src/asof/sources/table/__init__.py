"""Tables of facts as people keep them: text with any separator, JSON lines, Parquet, workbooks.

``content`` tells what a file is, ``separated``, ``json_lines``, ``typed_columns`` and ``workbook`` cut it into rows,
``header`` finds our columns among its own, ``dates`` reads what each column means, ``spellings`` makes one name of
several. Needed columns: subject, relation (or one for all rows), object, and start or end. Used when there: rank,
statement, source, subject_label, relation_label, object_label. Rows are read in chunks; a broken row is set aside and
the rest goes on.
"""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from asof.errors import UserError
from asof.facts import ENTITIES, RELATIONS, Intake
from asof.facts.rejects import Rejects
from asof.registry import sources
from asof.sources._day_of_mining import day_of_mining
from asof.sources.almanac.properties import known_relations
from asof.sources.table.chunk import Chunk, TableFile
from asof.sources.table.content import ENDINGS, Content, content_of, ending
from asof.sources.table.dates import DateColumn
from asof.sources.table.header import THINGS, TIMES, View, columns_given, is_header, views_of
from asof.sources.table.json_lines import JsonLinesFile
from asof.sources.table.names import clean_names
from asof.sources.table.separated import SeparatedFile
from asof.sources.table.spellings import Spellings
from asof.sources.table.typed_columns import ParquetFile
from asof.timeline import Date
from asof.timeline.column_format import ColumnFormat, GivenFormat
from asof.timeline.readings import read_cell

_FAR = 100  # years from now; a date beyond is told
_SHOWN = 5  # names that were merged, or may have to be

Columns = Mapping[str, str] | Sequence[Mapping[str, str]]


@sources.register("table")
@dataclass
class Table:
    """A CSV, TSV, JSON lines, Parquet or Excel file with the columns subject, relation, object, start, end.

    Args:
        path: The file.
        columns: Which column of the file stands for which of ours: ``{"object": "team"}``; of a wide table several.
        relation: The relation of all rows; of a wide table one for each of ``columns``.
        separator: The sign between cells; by default it is found.
        encoding: That of the text; by default it is found.
        sheet: Of a workbook; by default the first that has the columns.
        date_format: The order of day and month, such as dd/mm/yyyy; by default each column says it.
        keep_spellings: Keep names apart that differ in case or white space alone.
        known_by: The day up to which "ongoing" is known to be true; a table does not say, so by default the day on
            which it is read.
    """

    path: str
    columns: Columns = field(default_factory=dict)
    relation: Sequence[str] | str = ()
    separator: str | None = None
    encoding: str | None = None
    sheet: str | None = None
    date_format: str | None = None
    keep_spellings: bool = False
    known_by: Date = field(default_factory=day_of_mining)
    _labels: list[pa.RecordBatch] = field(default_factory=list, repr=False)
    _relation_labels: dict[str, str] = field(default_factory=dict, repr=False)
    _names: Spellings = field(default_factory=Spellings, repr=False)
    _relations: Spellings = field(default_factory=Spellings, repr=False)
    _far: dict[str, None] = field(default_factory=dict, repr=False)
    _without_object: int = 0

    def __post_init__(self) -> None:
        self._given = columns_given(self.columns)
        self._fixed = [self.relation] if isinstance(self.relation, str) else list(self.relation)
        self._format = GivenFormat.parse(self.date_format) if self.date_format else None

    @classmethod
    def recognises(cls, path: str) -> bool:
        """Tell whether a path looks like a table."""
        return ending(path) in ENDINGS

    @property
    def name(self) -> str:
        """The name of the file."""
        return Path(self.path).name

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Read the rows that are facts."""
        for chunk in self._chunks(self._wanted, intake.rejects):
            for view in self._views:
                yield self._batch(chunk, view, intake)

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give the labels of subjects and objects, where the table has them."""
        return self._labels

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give the labels of relations: the table's own, or those of Wikidata's properties."""
        rows = [{"id": id, "label": label, "aliases": []} for id, label in self._relation_labels.items()]
        return [pa.RecordBatch.from_pylist(rows, schema=RELATIONS), known_relations()]

    def notes(self) -> list[str]:
        """Say what was found, assumed and merged."""
        return [*self.assumed(), *self._said_of_names()]

    def assumed(self) -> list[str]:
        """Say what the table did not: its form, which columns were taken, how dates were read."""
        found = [f"{self.name}: {note}" for note in self._file.notes]
        columns = {ours: theirs for view in self._views for ours, theirs in view.assumed.items()}
        if columns:
            said = ", ".join(f"{theirs!r} as {ours}" for ours, theirs in columns.items())
            found.append(f"{self.name}: read {said}")
        found += [f"{self.name}, {note}" for column in self._dates.values() for note in column.assumed()]
        found += self._unread()
        if self._far:
            written = next(iter(self._far))
            found.append(
                f"{self.name}: {len(self._far)} dates lie more than {_FAR} years ahead, such as {written}; they were "
                "taken as they stand. An end that means 'still so' is 9999-12-31, 'present' or empty"
            )
        if self._without_object:
            found.append(f"{self._without_object:,} empty cells of the columns of objects gave no fact")
        return found

    def spellings(self) -> dict[str, dict[str, list[Any]]]:
        """Return the names that were merged, and those that may be the same."""
        return {
            "merged": {"relations": self._relations.same(), "names": self._names.same()},
            "alike": {
                "relations": self._relations.near(in_pairs=True),
                "names": self._names.near(in_pairs=False),
            },
        }

    def _batch(self, chunk: Chunk, view: View, intake: Intake) -> pa.RecordBatch:
        chunk = self._with_objects(chunk, view)
        columns = {ours: chunk.columns[place] for ours, place in view.places.items()}
        if view.relation is not None:
            columns["relation"] = pa.repeat(view.relation, len(chunk.lines))
        for thing in THINGS:
            if f"{thing}_label" in columns:  # else it is an id
                continue
            if self.keep_spellings:
                columns[thing] = clean_names(columns[thing])
            else:
                columns[thing] = (self._relations if thing == "relation" else self._names).merged(columns[thing])
        not_stated = pa.repeat("", len(chunk.lines))
        self._remember_labels(columns)
        facts = intake.batch(
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
            **{f"read_{time}": self._dates[view.places[time]] for time in TIMES if time in view.places},
        )
        self._remember_far_dates(facts)
        return facts

    def _with_objects(self, chunk: Chunk, view: View) -> Chunk:
        """Leave out the rows that say nothing: of a wide table those without an object, of any those without a word."""
        empty = _is_blank(chunk.columns[view.places["object"]])
        if not pc.any(empty).as_py():
            return chunk
        if len(self._views) == 1:
            for place in chunk.columns:
                empty = pc.and_(empty, _is_blank(chunk.columns[place]))
        else:
            self._without_object += pc.sum(empty).as_py()
        return chunk.filter(pc.invert(empty)) if pc.any(empty).as_py() else chunk

    @cached_property
    def _file(self) -> TableFile:
        path = Path(self.path)
        content = content_of(path)
        if self.sheet and content is not Content.WORKBOOK:
            raise UserError(f"{path} is {content.value} and has no sheets. Leave out --sheet.")
        if content is Content.WORKBOOK:
            from asof.sources.table.workbook import WorkbookFile  # only where there is one

            return WorkbookFile(path, is_header=self._is_header, sheet=self.sheet)
        if content is Content.SEPARATED:
            return SeparatedFile(path, is_header=self._is_header, separator=self.separator, encoding=self.encoding)
        if self.separator or self.encoding:
            raise UserError(f"{path} is {content.value}. Leave out --separator and --encoding.")
        return ParquetFile(path) if content is Content.PARQUET else JsonLinesFile(path)

    def _is_header(self, row: Sequence[str]) -> bool:
        return is_header(row, self._given, self._fixed)

    @cached_property
    def _views(self) -> list[View]:
        with _told_when_broken(self.path):
            return views_of(self._file.header, self._given, self._fixed, path=self.path)

    @property
    def _wanted(self) -> list[int]:
        return sorted({place for view in self._views for place in view.places.values()})

    @cached_property
    def _dates(self) -> dict[int, DateColumn]:
        places = sorted({view.places[time] for view in self._views for time in TIMES if time in view.places})
        header = self._file.header
        return {place: DateColumn(header[place], lambda: self._formats, self._format) for place in places}

    @cached_property
    def _formats(self) -> dict[str, ColumnFormat]:
        """Find the format of each column of dates by a look at all of its cells."""
        seen: dict[int, dict[str, None]] = {place: {} for place in self._dates}
        for chunk in self._chunks(list(seen), Rejects()):
            for place, texts in seen.items():
                texts |= dict.fromkeys(chunk.columns[place].unique().drop_null().to_pylist())
        found = {}
        for place, texts in seen.items():
            name = self._dates[place].name
            found[name] = ColumnFormat.found_in(_readable(texts), column=name)
        return {
            name: one.following(other for there, other in found.items() if there != name) for name, one in found.items()
        }

    def _chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        with _told_when_broken(self.path):
            yield from self._file.chunks(wanted, rejects)

    def _said_of_names(self) -> list[str]:
        said = []
        for kind, names in (("relations", self._relations), ("names", self._names)):
            if same := names.same():
                shown = "; ".join(
                    f"{kept!r} also as {', '.join(map(repr, others[:3]))}" for kept, others in same[:_SHOWN]
                )
                said.append(
                    f"Spellings of {kind} that were merged (--keep-spellings keeps them apart): {shown}{_more(same)}."
                )
        for kind, names in (("relations", self._relations), ("names", self._names)):
            if near := names.near(in_pairs=kind == "relations"):
                shown = "; ".join(" and ".join(map(repr, group)) for group in near[:_SHOWN])
                said.append(f"Nearly the same {kind}, not merged: {shown}{_more(near)}.")
        return said

    def _unread(self) -> list[str]:
        """Say which columns were not read, where a column of starts or of ends was not found."""
        missing = [time for time in TIMES if not any(time in view.places for view in self._views)]
        header = self._file.header
        unread = [repr(name) for place, name in enumerate(header) if name.strip() and place not in self._wanted]
        if not missing or not unread:
            return []
        shown = ", ".join(unread[:_SHOWN]) + _more(unread).replace(";", "", 1)
        return [f"{self.name}: no column is the {missing[0]}; not read: {shown}"]

    def _remember_far_dates(self, facts: pa.RecordBatch) -> None:
        """Note dates that are hardly meant: an end in 2999, a start in 2546, which another calendar counts."""
        limit = self.known_by.last + _FAR * 366
        for time in TIMES:
            far = facts[f"{time}_last"].filter(pc.fill_null(pc.greater(facts[f"{time}_last"], limit), False))
            self._far |= dict.fromkeys(str(Date.from_day(day)) for day in far.unique().to_pylist())

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


@contextmanager
def _told_when_broken(path: str) -> Iterator[None]:
    try:
        yield
    except (pa.ArrowInvalid, gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise UserError(f"{path} is broken or cut: {error}. Get the file again.") from error


def _readable(texts: Iterable[str]) -> Iterator[Any]:
    for text in texts:
        try:
            yield read_cell(text)
        except UserError:
            continue


def _is_blank(column: pa.Array) -> pa.Array:
    distinct = pc.fill_null(column.cast(pa.string()), "").dictionary_encode()
    return pc.equal(clean_names(distinct.dictionary), "").take(distinct.indices)


def _more(things: Sequence[object]) -> str:
    return f"; and {len(things) - _SHOWN} more" if len(things) > _SHOWN else ""
