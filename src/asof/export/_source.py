"""The files that exports take along as they are, and the lines of their items."""

import json
from collections.abc import Iterable
from importlib.resources import files
from inspect import getsource
from pathlib import Path
from typing import Any

from asof.wording import written_answer

_SHARED = {"from asof.wording.written_answer import answer_in, readings\n": written_answer}


def copy_source(name: str, target: Path, *, package: str = "asof.export", **words: str) -> None:
    """Write one of our files (``_files/``) into an export, with the source of what it shares with asof in it.

    Args:
        name: The file; of another package its path there.
        words: What stands there in the place of words in capitals: Inspect reads the name of a task without running
            its file.
    """
    text = files(package).joinpath(*name.split("/")).read_text(encoding="utf-8")
    for line, module in _SHARED.items():
        text = text.replace(line, _body(getsource(module)))
    for word, meant in words.items():
        text = text.replace(word.upper(), meant)
    target.write_text(text, encoding="utf-8")


def _body(source: str) -> str:
    """Return a module without its docstring, for the middle of another one."""
    return source.split('"""', 2)[2].strip() + "\n"


def write_rows(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write one JSON object per line; no value can end a line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
