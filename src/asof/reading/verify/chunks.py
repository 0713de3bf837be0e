"""A sentence in chunks: what stands between commas, dashes, brackets and semicolons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.ask.words import Word

_PAUSE = re.compile(r"[,;:()\[\]]|\s[-–—]+\s|—|–(?=\s)|--")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some words, and the pauses before and behind them."""

    words: tuple[Word, ...]
    before: str
    behind: str
    whole: bool = False  # put together of a name and its verb

    @property
    def in_brackets(self) -> bool:
        """Whether it stands in brackets."""
        return "(" in self.before or "[" in self.before


def chunks_of(row: Sequence[Word], text: str) -> list[Chunk]:
    """Cut a row of words at the pauses of its text."""
    found: list[Chunk] = []
    current: list[Word] = []
    before = ""
    for number, word in enumerate(row):
        between = text[row[number - 1].end : word.start] if number else text[: word.start]
        pauses = "".join(_PAUSE.findall(between))
        if pauses and current:
            found.append(Chunk(tuple(current), before, pauses))
            current = []
        if pauses:
            before = pauses
        current.append(word)
    if current:
        found.append(Chunk(tuple(current), before, text[row[-1].end :].strip()))
    return found
