"""Prose that is neither facts nor downloaded: what asof says of itself in its files, or a text of the user's.

Every other passage is for staying close to the original while teaching, the rest for measuring what that did.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from asof.errors import UserError

_SHORTEST = 160  # letters
_MOST = 200  # passages


def passages(own: Path | None = None) -> list[str]:
    """Return passages of prose in a fixed order.

    Args:
        own: A text file of the user's, with empty lines between passages.
    """
    found = list(dict.fromkeys(_of_file(own) if own else _of_package()))
    if len(found) < 2:
        raise UserError(f"{own} has {len(found)} passages of {_SHORTEST} letters or more; it needs two.")
    return found[:: -(-len(found) // _MOST)]


def _of_file(path: Path) -> Iterator[str]:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path} could not be read as text: {error}.") from error
    yield from _long_ones(text)


def _of_package() -> Iterator[str]:
    """Take the paragraphs with which all files begin."""
    for file in _python_files(files("asof")):
        opened = re.match(r'r?"""(.*?)"""', file.read_text(encoding="utf-8"), re.DOTALL)
        yield from _long_ones(opened[1] if opened else "")


def _python_files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda one: one.name):
        if entry.is_dir():
            yield from _python_files(entry)
        elif entry.name.endswith(".py"):
            yield entry


def _long_ones(text: str) -> Iterator[str]:
    for paragraph in re.split(r"\n\s*\n", text):
        words = " ".join(paragraph.split())
        if len(words) >= _SHORTEST and ">>>" not in words and "→" not in words:
            yield words
