"""Rows that could not be taken: counted, kept with file, line and reason, so that nothing is lost."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

_SHOWN = 3


@dataclass
class Rejects:
    """Collects rejected rows; they go to a file as they come, so any number of them fits.

    Args:
        path: Where to write them, one JSON object a line; without it they are only counted.
    """

    path: Path | None = None
    count: int = 0
    shown: list[str] = field(default_factory=list)  # the first few, for the message
    _file: IO[str] | None = None

    def add(self, *, file: str, line: int, reason: str, row: object) -> None:
        """Keep one row, as it was read, with the reason why it was not taken."""
        self.count += 1
        if len(self.shown) < _SHOWN:
            self.shown.append(f"{file}, line {line}: {reason}")
        if self.path:
            if self._file is None:
                self._file = self.path.open("w", encoding="utf-8")
            entry = {"file": file, "line": line, "reason": reason, "row": row}
            self._file.write(json.dumps(entry, ensure_ascii=False, default=str) + "\n")

    def close(self) -> None:
        """Finish the file."""
        if self._file:
            self._file.close()
            self._file = None
