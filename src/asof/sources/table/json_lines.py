"""Tables as JSON lines: one object a line, its keys are the columns."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.facts.rejects import Rejects
from asof.sources.table.chunk import ROWS_PER_CHUNK, Chunk, chunk_of
from asof.sources.table.content import opened

_LOOKED_AT = 200  # lines from which the columns are found; a key may be missing in the first


class JsonLinesFile:
    """A file of JSON objects, one a line."""

    notes: Sequence[str] = ()

    def __init__(self, path: Path) -> None:
        self.path = path

    @cached_property
    def header(self) -> list[str]:
        """The keys of the first objects."""
        names: dict[str, None] = {}
        with opened(self.path) as file:
            for raw in islice(file, _LOOKED_AT):
                try:
                    names |= dict.fromkeys(_row(raw) or ())
                except ValueError:
                    continue
        if not names:
            raise UserError(
                f"{self.path} has no whole JSON object in a line. Write one a line: jq -c . {self.path} > facts.jsonl"
            )
        return list(names)

    def chunks(self, wanted: Sequence[int], rejects: Rejects) -> Iterator[Chunk]:
        """Give the rows; a line that is no object goes to the rejects."""
        rows = self._rows([self.header[place] for place in wanted], rejects)
        while chunk := list(islice(rows, ROWS_PER_CHUNK)):
            yield chunk_of([line for line, _ in chunk], [cells for _, cells in chunk], wanted)

    def _rows(self, wanted: Sequence[str], rejects: Rejects) -> Iterator[tuple[int, list[str]]]:
        with opened(self.path) as file:
            for line, raw in enumerate(file, start=1):
                try:
                    row = _row(raw)
                    for name in wanted:
                        if row is not None and isinstance(row.get(name), dict | list):
                            raise ValueError(f"{name!r} is {_said(row[name])} and no text")
                except ValueError as error:
                    shown = raw.decode("utf-8", errors="backslashreplace").rstrip("\r\n")
                    reason = f"not read: {error}."
                    rejects.add(
                        file=self.path.name, line=line, reason=reason, row=shown, kind="it is no JSON object of texts"
                    )
                    continue
                if row is not None:
                    yield line, ["" if row.get(name) is None else str(row[name]) for name in self.header]


def _said(value: object) -> str:
    return "a list" if isinstance(value, list) else "an object"


def _row(raw: bytes) -> dict[str, Any] | None:
    if not raw.strip():
        return None
    row = json.loads(raw.removeprefix(b"\xef\xbb\xbf"))
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    return row
