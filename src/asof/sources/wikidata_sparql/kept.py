"""Answers that are kept, so that mining that was stopped goes on without asking for them again."""

import hashlib
import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof.whole_file import whole_file

_HOURS = 24  # an endpoint changes by the minute; answers of different days do not belong together


@dataclass(frozen=True)
class KeptAnswers:
    """A folder of answers, each under the hash of its question; without a folder nothing is kept."""

    folder: Path | None
    address: str

    def find(self, query: str) -> list[dict[str, Any]] | None:
        """Return the kept answer to a question, None when there is none that is whole and fresh."""
        path = self._path(query)
        if path is None or not path.is_file() or time.time() - path.stat().st_mtime > _HOURS * 3600:
            return None
        try:
            rows: list[dict[str, Any]] = json.loads(path.read_bytes())
        except ValueError:
            return None
        return rows

    def keep(self, query: str, rows: list[dict[str, Any]]) -> None:
        """Keep an answer; a stop in the middle leaves nothing that looks like one."""
        path = self._path(query)
        if path is None:
            return
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as temporary:
            temporary.write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")

    def _path(self, query: str) -> Path | None:
        name = hashlib.sha256(f"{self.address}\n{query}".encode()).hexdigest()[:32]
        return self.folder / "answers" / f"{name}.json" if self.folder else None
