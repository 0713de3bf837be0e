"""A sentence in chunks: what stands between commas, dashes, brackets and semicolons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.words import Word

_PAUSE = re.compile(r"[,;:()\[\]]|\s[-–—]+\s|—|–(?=\s)|--")


@dataclass(frozen=True, slots=True)
class SentenceChunk:
    """Some words, and the pauses before and behind them."""

    words: tuple[Word, ...]
    before: str
    behind: str

    @property
    def in_brackets(self) -> bool:
        """Whether it stands in brackets."""
        return "(" in self.before or "[" in self.before


def _inside_names(row: Sequence[Word], index: NameIndex) -> Iterator[int]:
    """Walk over the places of words that a name goes on with behind a comma."""
    for position, word in enumerate(row):
        if word.time or not word.written[:1].isupper() or not any(one.comma for one in row[position : position + 6]):
            continue
        for length, _ in index.names_from(row[position : position + 12]):
            taken = row[position : position + length]
            if any(one.comma for one in taken[:-1]) and not any(one.time for one in taken):
                yield from range(position + 1, position + length)


def chunks_of(row: Sequence[Word], text: str, index: NameIndex) -> list[SentenceChunk]:
    """Cut a row of words at the pauses of its text, but not inside names: "Leopold I, Holy Roman Emperor"."""
    inside = set(_inside_names(row, index))
    found: list[SentenceChunk] = []
    current: list[Word] = []
    before = ""
    for number, word in enumerate(row):
        between = text[row[number - 1].end : word.start] if number else text[: word.start]
        pauses = "".join(_PAUSE.findall(between))
        pauses = "" if number in inside else pauses
        if pauses and current:
            found.append(SentenceChunk(tuple(current), before, pauses))
            current = []
        if pauses:
            before = pauses
        current.append(word)
    if current:
        found.append(SentenceChunk(tuple(current), before, text[row[-1].end :].strip()))
    return found
