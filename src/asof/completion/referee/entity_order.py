"""Whose number is whose: the lists of entities that other programs keep.

tkbc's ``ent_id`` and ``entity2id.txt`` have name and number, LibKGE's ``entity_ids.del`` number and name, PyKEEN's
``entity_to_id.tsv.gz`` a head line; a plain list has a name on each line.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from pathlib import Path

from asof.errors import UserError

_HEADS = {("id", "label"), ("label", "id")}


def read_entity_order(path: Path) -> list[str]:
    """Return the names in the order of their numbers."""
    try:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        lines = [line for line in raw.decode("utf-8-sig").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} cannot be read as a list of entities: {error}") from error
    rows = [line.split("\t") for line in lines]
    if rows and len(rows[0]) == 1 and rows[0][0].isdecimal() and len(rows) > 1 and len(rows[1]) > 1:
        rows = rows[1:]  # OpenKE's files begin with how many there are
    if not rows:
        raise UserError(f"{path} is empty. It should have an entity on each line.")
    if all(len(row) == 1 for row in rows):
        return [row[0] for row in rows]
    head = tuple(cell.casefold() for cell in rows[0])
    if head in _HEADS:
        return _by_number(path, rows[1:], head.index("id"))
    if any(len(row) != 2 for row in rows):
        raise UserError(f"{path}: a line of a list of entities is a name, or a name and a number with a tab between.")
    fitting = [column for column in (0, 1) if _counts_up([row[column] for row in rows])]
    if len(fitting) != 1:
        how = "both columns" if fitting else "neither column"
        raise UserError(
            f"{path}: {how} can be the numbers of entities (0 to {len(rows) - 1:,}, each once). Give a head line: "
            "id, label."
        )
    return _by_number(path, rows, fitting[0])


def _counts_up(cells: Sequence[str]) -> bool:
    return all(cell.isdecimal() for cell in cells) and sorted(map(int, cells)) == list(range(len(cells)))


def _by_number(path: Path, rows: Sequence[Sequence[str]], column: int) -> list[str]:
    if any(len(row) != 2 for row in rows) or not _counts_up([row[column] for row in rows]):
        raise UserError(f"{path}: the ids are not the numbers from 0 to {len(rows) - 1:,}, each once.")
    pairs = sorted((int(row[column]), row[1 - column]) for row in rows)
    return [name.removeprefix("<").removesuffix(">") for _, name in pairs]
