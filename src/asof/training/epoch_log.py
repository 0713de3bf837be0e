"""A line of JSON for each epoch of a training."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from asof.whole_file import write_text


def open_log(
    path: Path, reached: tuple[int, int], on_progress: Callable[[dict[str, Any]], None]
) -> Callable[[dict[str, Any]], None]:
    """Go on with the lines of the epochs that are done; those after them are trained again.

    Args:
        reached: The phase, from 1, and its last epoch that is done; (0, 0) before the first.
    """
    rows = [row for row in read_log(path) if (row["phase"], row["epoch"]) <= reached]
    write_text(path, "".join(json.dumps(row) + "\n" for row in rows))
    for row in rows:
        on_progress(row)

    def keep(row: dict[str, Any]) -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")
        on_progress(row)

    return keep


def read_log(path: Path) -> list[dict[str, Any]]:
    """Read the lines of all epochs; a last line that was cut in writing does not count."""
    if not path.is_file():
        return []
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    return [json.loads(line) for line in lines if line.endswith("\n")]
