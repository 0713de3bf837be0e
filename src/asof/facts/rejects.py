"""Rows that could not be taken: counted, kept with file, line and reason, so that nothing is lost."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_SHOWN = 3
_MOST_KINDS = 50  # reasons of a strange source may all differ
_OTHER = "other reasons"
_VALUE = re.compile(r"'[^']*'|\"[^\"]*\"|\S*[0-9]\S*")


@dataclass
class RefusedRows:
    """The rows that were refused for one kind of reason: how many, and the first of them."""

    kind: str
    count: int = 0
    first: list[str] = field(default_factory=list)  # "facts.csv, line 3: ..."
    lines: list[int] = field(default_factory=list)

    def as_json(self) -> dict[str, object]:
        """Return what ``asof mine --json`` tells of it."""
        return {"reason": self.kind, "count": self.count, "lines": self.lines, "first": self.first}


@dataclass
class Rejects:
    """Collects rejected rows; they go to a file as they come, so any number of them fits.

    Args:
        path: Where to write them, one JSON object a line; without it they are only counted.
    """

    path: Path | None = None
    count: int = 0
    shown: list[str] = field(default_factory=list)  # the first few, for the message
    kinds: dict[str, RefusedRows] = field(default_factory=dict)
    _file: IO[str] | None = None

    def add(self, *, file: str, line: int, reason: str, row: object, kind: str = "") -> None:
        """Keep one row, as it was read, with the reason why it was not taken.

        Args:
            kind: What rows with this reason are counted as; by default the reason without its values.
        """
        self.count += 1
        self._count(kind or _VALUE.sub("…", reason), f"{file}, line {line}: {reason}", line)
        if len(self.shown) < _SHOWN:
            self.shown.append(f"{file}, line {line}: {reason}")
        if self.path:
            if self._file is None:
                self._file = self.path.open("w", encoding="utf-8")
            entry = {"file": file, "line": line, "reason": reason, "row": row}
            self._file.write(json.dumps(entry, ensure_ascii=False, default=str) + "\n")

    def by_kind(self) -> list[RefusedRows]:
        """Return what was refused, the most frequent reason first."""
        return sorted(self.kinds.values(), key=lambda refused: -refused.count)

    def _count(self, kind: str, shown: str, line: int) -> None:
        if kind not in self.kinds and len(self.kinds) >= _MOST_KINDS:
            kind = _OTHER
        refused = self.kinds.setdefault(kind, RefusedRows(kind))
        refused.count += 1
        if len(refused.first) < _SHOWN:
            refused.first.append(shown)
            refused.lines.append(line)

    def close(self) -> None:
        """Finish the file."""
        if self._file:
            self._file.close()
            self._file = None
