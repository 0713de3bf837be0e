"""The words that the reader of claims goes by (``en.toml``)."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from asof.reading.ask.words import Word

# What a sentence is, whose cautions are found in it.
_REASONS = {
    "hedge": "it is not sure of what it says", "condition": "it speaks of what may be, not of what is",
    "plan": "it speaks of what is to come", "invention": "it may tell of something invented",
    "denial": "it denies something, or tells of a mistake", "opinion": "it is an opinion",
    "about_words": "it is about words",
}  # fmt: skip


@cache
def table() -> dict[str, Any]:
    """Read the file."""
    return tomllib.loads(files(__package__).joinpath("en.toml").read_text(encoding="utf-8"))


@cache
def words(name: str) -> frozenset[str]:
    """Return one of the lists of small words."""
    return frozenset(table()["words"][name].replace("'", "").split())


@cache
def vague_nouns() -> frozenset[str]:
    """Return the nouns that anything's head may be called."""
    return frozenset(table()["vague_nouns"]["words"].split())


@cache
def attributions() -> frozenset[str]:
    """Return the words behind which somebody's words stand."""
    return frozenset(table()["attribution"]["words"].split())


@cache
def _cautions() -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Return the sayings that make a sentence no plain claim, by their first word, with the reason."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for kind, reason in _REASONS.items():
        for saying in table()["cautions"][kind].split("|"):
            row = tuple(saying.replace("'", "").replace("-", " ").split())
            found.setdefault(row[0], []).append((row, reason))
    return found


def caution(row: Sequence[Word]) -> str:
    """Say why a sentence is no plain claim; empty where it may be one. A capital makes a name: "Will", "May"."""
    texts = [word.text for word in row]
    for position, word in enumerate(row):
        if word.time or (position and word.written[:1].isupper()):
            continue
        for said, reason in _cautions().get(word.text, ()):
            if tuple(texts[position : position + len(said)]) == said and not _is_no_longer(texts, position):
                return f"{reason} ({' '.join(said)!r})"
    return ""


def _is_no_longer(texts: Sequence[str], position: int) -> bool:
    return texts[position : position + 2] == ["no", "longer"]
