"""A clause as words, with its times and small adverbs set aside: what shapes of claims are looked for in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from asof.reading.ask.words import Word
from asof.reading.verify.claim import SaidTime
from asof.reading.verify.times import form_of, said_time
from asof.reading.verify.vocabulary import words
from asof.timeline import Date
from asof.timeline.spoken import TODAY

_NOW = re.compile(rf"(?:as of )?{TODAY}", re.IGNORECASE)
# "then" is kept before a title: "the then president".
_KEPT = frozenset(("then",))


@dataclass(frozen=True, slots=True)
class PlacedTime:
    """A time in a clause: how it is said, and how many words stand before it."""

    time: SaidTime
    form: str
    after: int
    in_brackets: bool = False


@dataclass(frozen=True)
class ClaimClause:
    """A clause without its times and adverbs.

    Args:
        words: The words that must all have a part.
        times: The times.
        marks: The adverbs.
        strange: Whether a time stands where it belongs to some other word: "the 2014 champion".
    """

    words: tuple[Word, ...]
    times: tuple[PlacedTime, ...] = ()
    marks: frozenset[str] = frozenset()
    strange: bool = False

    def from_word(self, position: int) -> ClaimClause:
        """Return what stands from a word on."""
        times = tuple(
            PlacedTime(one.time, one.form, one.after - position, one.in_brackets)
            for one in self.times
            if one.after > position
        )
        return ClaimClause(self.words[position:], times, self.marks, self.strange)

    @property
    def says_now(self) -> bool:
        """Whether an adverb says that it speaks of today."""
        return bool(self.marks & words("present_marks"))

    @property
    def says_past(self) -> bool:
        """Whether an adverb says that it is over."""
        return bool(self.marks & {"formerly", "previously"})


def clause_of(row: Sequence[Word], text: str, today: Date) -> ClaimClause:
    """Set the times and adverbs of a row of words aside."""
    kept: list[Word] = []
    times: list[PlacedTime] = []
    marks: set[str] = set()
    strange = False
    for word in row:
        if word.time is not None and _NOW.fullmatch(word.time.text):
            marks.add("now")
        elif word.time is not None:
            in_brackets = text[word.start - 1 : word.start] == "("
            form = form_of(word.time, in_brackets=in_brackets)
            strange |= not form
            times.append(PlacedTime(said_time(word.time, today), form, len(kept), in_brackets))
        elif _is_adverb(word, bool(kept)):
            marks.add(word.text)
        else:
            kept.append(word)
    return ClaimClause(tuple(kept), tuple(times), frozenset(marks), strange)


def _is_adverb(word: Word, inside: bool) -> bool:
    free = word.text in words("free") | {"formerly"} and word.text not in _KEPT
    return free and (word.written[:1].islower() or not inside) and not word.possessive
