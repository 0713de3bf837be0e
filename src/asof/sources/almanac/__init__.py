"""The almanac: the base that ships with asof, so that everything works with no download.

``facts/`` and ``entities/`` are written by hand, as tables that a person can review; ``packages/`` holds larger parts
that ``scripts/almanac`` makes out of open data packages (US legislators, currencies, labels of properties).
"""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from asof.cache import cache_folder
from asof.errors import UserError
from asof.facts import ENTITIES, Intake, write_base
from asof.facts.labels import labels_batch
from asof.facts.manifest import FORMAT
from asof.facts.schema import TIMELINES
from asof.registry import sources
from asof.sources.almanac.french import french_labels, same_in_french
from asof.sources.almanac.properties import known_relations
from asof.timeline import Date

KNOWN_BY = Date.parse("2024-12-31")  # the tables are complete up to this day; later changes where they are sure
_LEXICON = "lexicon.en.toml"  # how people ask for its relations and names
_OWN_IDS = "asof:"  # before the name of an entity whose Wikidata id is not surely known


@sources.register("almanac")
@dataclass
class Almanac:
    """Famous facts of 4,000 years, written by hand, and all terms of US legislators; comes with asof."""

    location: str = "almanac"
    known_by: Date = KNOWN_BY
    name: str = field(default="almanac", init=False)
    language: str = field(default="en", init=False)
    _first_years: dict[str, int] = field(default_factory=dict, init=False, repr=False)  # in which facts name an entity

    @classmethod
    def recognises(cls, location: str) -> bool:
        """Tell whether the almanac is meant."""
        return location == "almanac"

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        """Read the hand-written tables, then the packages."""
        for table in _tables("facts"):
            relation = table.name.split("_")[0]
            lines, rows = _rows_of(table)
            subjects, objects, starts, ends = (pa.array([row[cell] for row in rows], pa.string()) for cell in range(4))
            subject, object = (self._ids(names, table.name, lines) for names in (subjects, objects))
            for ids in (subject, object):
                self._note_years(ids, starts)
            yield intake.batch(
                file=f"almanac/{table.name}",
                lines=lines,
                subject=subject,
                relation=pa.repeat(relation, len(lines)),
                object=object,
                start=starts,
                end=ends,
                source=f"almanac/{table.name}",
            )
        for package in ("us_legislators", "currencies"):
            terms = _package(f"{package}_facts")
            yield intake.batch(
                file=f"almanac/{package}",
                lines=np.arange(1, terms.num_rows + 1, dtype=np.int64),
                subject=self._same_as(terms["subject"]),
                relation=terms["relation"],
                object=self._same_as(terms["object"]),
                start=terms["start"],
                end=terms["end"],
                source=f"almanac/{package}",
            )

    def entities(self) -> Iterable[pa.RecordBatch]:
        """Give the hand-written entities, and those of the packages that they do not have."""
        yield pa.RecordBatch.from_pylist(list(self._written.values()), schema=ENTITIES)
        for package in ("us_legislators", "currencies"):
            rows = [row for row in _package(f"{package}_entities").to_pylist() if row["id"] not in self._merged]
            yield pa.RecordBatch.from_pylist(rows, schema=ENTITIES)

    def relations(self) -> Iterable[pa.RecordBatch]:
        """Give Wikidata's properties with their labels."""
        return [known_relations()]

    def timelines(self) -> Iterable[pa.RecordBatch]:
        """Give the timelines that are promised to be complete."""
        table = files(__package__) / "timelines.tsv"
        lines, rows = _rows_of(table)
        ids = self._ids(pa.array([row[2] for row in rows], pa.string()), table.name, lines).to_pylist()
        names = ("relation", "role", "entity", "first", "last", "between")
        marks = [
            dict(zip(names, (relation, role, id, *map(bool, promised)), strict=True))
            for (relation, role, _, *promised), id in zip(rows, ids, strict=True)
        ]
        return [pa.RecordBatch.from_pylist(marks, schema=TIMELINES)]

    def labels(self) -> Iterable[pa.RecordBatch]:
        """Give French names, as far as they are surely known."""
        written = {str(self._written[name]["id"]): label for name, label in french_labels().items()}
        people = {
            str(row["id"]): str(row["label"])
            for row in self._written.values()
            if same_in_french(row, self._first_years.get(str(row["id"])))
        }
        properties = {row["id"]: row["label"] for row in known_relations("fr").to_pylist()}
        return [labels_batch(list((properties | people | written).items()), "fr")]

    @cached_property
    def _written(self) -> dict[str, dict[str, object]]:
        """The hand-written entities by name.

        A name is unique: where Wikipedia's title has a bracket, as in "Georgia (country)", so has the name. The label
        goes without it, but for offices, where it says whose office it is.
        """
        written: dict[str, dict[str, object]] = {}
        for table in _tables("entities"):
            lines, rows = _rows_of(table)
            for line, (name, id, kind, fame, aliases, description) in zip(lines, rows, strict=True):
                if name in written:
                    raise UserError(f"almanac/{table.name}, line {line}: {name!r} stands in two tables of entities.")
                label = name if kind == "position" else re.sub(r" \([^()]*\)$", "", name)
                others = [name, *aliases.split("|")]
                written[name] = {
                    "id": id or _OWN_IDS + name.replace(" ", "_"),
                    "label": label,
                    "aliases": [alias for alias in others if alias and alias != label],
                    "description": description,
                    "kind": kind,
                    "popularity": float(fame),
                }
        return written

    @cached_property
    def _merged(self) -> dict[str, str]:
        """Entities of packages that the hand-written tables have too: package id to our id.

        A person is the same when the title of the page is, or when each of two goes by the name of the other too; an
        office or a territory when its name is. Presidents and vice presidents, who have no page title in the package,
        may also be known by an alias.
        """
        by_other_name = {
            name: row
            for row in self._written.values()
            for name in (str(row["label"]), *cast(list[str], row["aliases"]))
            if row["kind"] == "human"
        }
        merged = {}
        for package in ("us_legislators", "currencies"):
            for row in _package(f"{package}_entities").to_pylist():
                head = row["popularity"] > 1 and row["kind"] == "human"
                names = [row["label"], *(row["aliases"] if head else [])]
                same = next((self._written[name] for name in names if name in self._written), None)
                if not same:
                    others = (by_other_name[name] for name in names if name in by_other_name)
                    same = next((other for other in others if head or other["label"] in row["aliases"]), None)
                if same and (same["kind"] == row["kind"] or row["kind"] == "place"):
                    merged[row["id"]] = str(same["id"])
        return merged

    def _note_years(self, ids: pa.Array, starts: pa.Array) -> None:
        for id, start in zip(ids.to_pylist(), starts.to_pylist(), strict=True):
            found = re.match(r"-?\d{4}", start)
            if found:
                self._first_years[id] = min(int(found[0]), self._first_years.get(id, 9999))

    def _same_as(self, ids: pa.ChunkedArray) -> pa.Array:
        return pa.array([self._merged.get(id, id) for id in ids.to_pylist()], pa.string())

    def _ids(self, names: pa.Array, table: str, lines: np.ndarray) -> pa.Array:
        ids = []
        for line, name in zip(lines, names.to_pylist(), strict=True):
            if name not in self._written:
                raise UserError(f"almanac/{table}, line {line}: {name!r} stands in no table of entities.")
            ids.append(self._written[name]["id"])
        return pa.array(ids, pa.string())


def almanac_base() -> Path:
    """Return the folder of the almanac as a base; it is made in the user's cache the first time, in about a second."""
    made_by = b"".join((files(__package__) / name).read_bytes() for name in ("__init__.py", "french.py"))
    digest = hashlib.sha256(str(FORMAT).encode() + made_by)  # another way to put it together is another base
    for part in ("facts", "entities", "labels", "packages", "."):
        for file in sorted(_files(part), key=lambda file: file.name):
            digest.update(file.name.encode() + file.read_bytes())
    folder = cache_folder() / f"almanac-{digest.hexdigest()[:12]}"
    if not (folder / "manifest.json").is_file():
        with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
            made = Path(temporary) / folder.name
            write_base(made, [Almanac()], name="almanac")
            (made / _LEXICON).write_bytes((files(__package__) / _LEXICON).read_bytes())
            try:
                made.rename(folder)
            except OSError:
                if not (folder / "manifest.json").is_file():  # else somebody else made it meanwhile
                    raise
    return folder


def _tables(folder: str) -> list[Traversable]:
    return sorted((file for file in _files(folder) if file.name.endswith(".tsv")), key=lambda file: file.name)


def _files(folder: str) -> Iterator[Traversable]:
    root = files(__package__) if folder == "." else files(__package__) / folder
    return (file for file in root.iterdir() if file.is_file() and not file.name.endswith((".py", ".pyc")))


def _rows_of(table: Traversable) -> tuple[np.ndarray, list[list[str]]]:
    lines, rows = [], []
    for line, text in enumerate(table.read_text(encoding="utf-8").split("\n"), start=1):
        if line > 1 and text and not text.startswith("# "):
            lines.append(line)
            rows.append(text.split("\t"))
    return np.array(lines, dtype=np.int64), rows


def _package(name: str) -> pa.Table:
    return pq.read_table(pa.BufferReader((files(__package__) / "packages" / f"{name}.parquet").read_bytes()))
