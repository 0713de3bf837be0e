"""The files that exports take along as they are, and the lines of their items."""

import json
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path
from typing import Any


def copy_source(name: str, target: Path, *, task_name: str = "") -> None:
    """Write one of our files (``_files/``) into an export.

    Args:
        task_name: What stands there instead of TASK_NAME: Inspect reads the name of a task without running its file.
    """
    text = files("asof.export").joinpath("_files", name).read_text(encoding="utf-8")
    target.write_text(text.replace("TASK_NAME", task_name), encoding="utf-8")


def write_rows(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write one JSON object per line; no value can end a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
