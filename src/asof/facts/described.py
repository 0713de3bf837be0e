"""A table that says what relations are: one row a relation, as a person writes it beside their facts.

Columns: relation (or id), and any of label, aliases (with ``|`` between them) and the meanings. An empty cell says
nothing. The same values are typed at ``asof relations --set``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from asof.errors import UserError, did_you_mean
from asof.facts.meanings import FLAGS, KINDS, MEANINGS
from asof.facts.schema import RELATIONS

NAMES_BESIDE_FACTS = ("relations.csv", "relations.tsv")
SETTABLE = ("label", "aliases", *MEANINGS)
_FLAGS = {"yes": True, "no": False, "true": True, "false": False, "1": True, "0": False}


def read_described(path: Path) -> pa.RecordBatch:
    """Read what a file says of relations; an error names the line and the value."""
    rows: dict[str, dict[str, Any]] = {}
    for line, cells in _lines(path):
        id = cells.pop("relation")
        try:
            said = {name: read_meaning(name, text) for name, text in cells.items() if text}
            if not id:
                raise UserError("the relation has no name.")
            if id in rows:
                raise UserError(f"{id!r} stands in an earlier line, too.")
        except UserError as error:
            raise UserError(f"{path}, line {line}: {error}") from None
        rows[id] = {"id": id, "label": id, "aliases": []} | said
    ids = {row["label"]: id for id, row in rows.items()}
    for row in rows.values():
        if row.get("inverse"):
            row["inverse"] = ids.get(row["inverse"], row["inverse"])
    return pa.RecordBatch.from_pylist(list(rows.values()), schema=RELATIONS)


def described_beside(sources: Iterable[str]) -> list[Path]:
    """Return the files beside tables that say what relations are, but for those that are sources themselves."""
    given = [Path(source) for source in sources]
    folders = dict.fromkeys(path.parent for path in given if path.is_file())
    beside = [folder / name for folder in folders for name in NAMES_BESIDE_FACTS]
    return [path for path in beside if path.is_file() and path not in given]


def read_meaning(name: str, text: str) -> Any:
    """Read what somebody writes of a relation: yes, no, a kind, a relation, names.

    >>> read_meaning("one_at_a_time", "Yes"), read_meaning("kind", "office"), read_meaning("aliases", "boss|head of")
    (True, 'office', ['boss', 'head of'])
    """
    if name not in SETTABLE:
        known = ", ".join(SETTABLE)
        raise UserError(f"{name!r} is nothing that a relation has.{did_you_mean(name, SETTABLE)} It has: {known}.")
    text = text.strip()
    if name in FLAGS:
        if text.casefold() not in _FLAGS:
            raise UserError(f"{name} is {text!r}. Write yes or no, or leave it empty.")
        return _FLAGS[text.casefold()]
    if name == "kind" and text not in KINDS:
        raise UserError(f"kind is {text!r}.{did_you_mean(text, KINDS)} It can be: {', '.join(KINDS)}.")
    if name == "aliases":
        return [alias.strip() for alias in text.split("|") if alias.strip()]
    return text


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Walk over the lines of a table, each with its number and its cells by the names of columns."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            table = csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",")
            header = [_column(path, name) for name in next(table, [])]
            if "relation" not in header:
                raise UserError(f"{path} has no column 'relation'. It needs one, and may have: {', '.join(SETTABLE)}.")
            for cells in table:
                if any(cell.strip() for cell in cells):
                    if len(cells) != len(header):
                        wrong = f"{len(cells)} columns instead of {len(header)}"
                        raise UserError(f"{path}, line {table.line_num}: {wrong}. Put a text with commas in quotes.")
                    yield table.line_num, {name: cell.strip() for name, cell in zip(header, cells, strict=True)}
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"{path} could not be read: {error}.") from error


def _column(path: Path, name: str) -> str:
    plain = name.strip().casefold().replace(" ", "_")
    plain = {"id": "relation", "alias": "aliases"}.get(plain, plain)
    known = ("relation", *SETTABLE)
    if plain not in known:
        raise UserError(f"{path} has a column {name!r}.{did_you_mean(plain, known)} It may have: {', '.join(known)}.")
    return plain
