"""One office that a base knows as several: a state has senators of two classes, and representatives of districts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.reading.ask.lexicon import Lexicon
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word

_LONGEST_PLACE = 3  # words: "District of Columbia"
_MOST_DISTRICTS = 60
_SHORT, _LONGEST = 6, 7  # letters of "united" and "states"; words of an office with its place


@dataclass(frozen=True)
class DividedOffice:
    """An office, how it is said, and the names of its parts.

    In these, ``{}`` is the place, ``{n}`` a number such as 4th, and ``*`` at the end whatever follows.
    """

    said: tuple[tuple[str, ...], ...]
    parts: tuple[str, ...]

    @cached_property
    def _nouns(self) -> frozenset[str]:
        """The words without which it is not named: "senator"."""
        return frozenset(word for pattern in self.said for word in pattern if len(word) > _SHORT)

    def at(self, words: Sequence[Word], position: int, index: NameIndex) -> Iterator[tuple[Name, int]]:
        """Walk over the offices that are named at a place, with all their parts."""
        if self._nouns.isdisjoint(word.text for word in words[position : position + _LONGEST]):
            return
        for pattern in self.said:
            if "{}" not in pattern:
                taken = tuple(words[position : position + len(pattern)])
                if tuple(word.text for word in taken) == pattern and (entities := self._entities("", index)):
                    yield Name(taken, entities, together=True), len(pattern)
                continue
            slot = pattern.index("{}")
            for long in range(1, _LONGEST_PLACE + 1):
                length = len(pattern) - 1 + long
                taken = tuple(words[position : position + length])
                texts = [word.text for word in taken]
                said = [*texts[:slot], "{}", *texts[slot + long :]]
                if len(taken) == length and tuple(said) == pattern:
                    entities = self._entities(" ".join(texts[slot : slot + long]), index)
                    if entities:
                        yield Name(taken, entities, together=True), length

    def _entities(self, where: str, index: NameIndex) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for part in self.parts:
            if part.endswith("*"):
                found |= index.called_from(part.removesuffix("*"))
                continue
            numbers = [_nth(number) for number in range(1, _MOST_DISTRICTS + 1)] if "{n}" in part else [""]
            for number in numbers:
                found |= index.entities(part.replace("{n}", number).replace("{}", where))
        return found


def divided_offices(lexicon: Lexicon) -> list[DividedOffice]:
    """Read the offices from a lexicon."""
    return [
        DividedOffice(tuple(tuple(text.split()) for text in office["said"]), tuple(office["parts"]))
        for office in lexicon.table.get("divided_offices", ())
    ]


def _nth(number: int) -> str:
    """Write a number as it stands in a name.

    >>> [_nth(number) for number in (1, 2, 3, 11, 22)]
    ['1st', '2nd', '3rd', '11th', '22nd']
    """
    endings = {1: "st", 2: "nd", 3: "rd"}
    return f"{number}{'th' if number % 100 in (11, 12, 13) else endings.get(number % 10, 'th')}"
