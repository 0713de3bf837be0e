"""A question as words: lower case, without accents and punctuation, each with its place; a time is one word."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from asof.errors import UserError
from asof.reading.ask.spoken import spoken
from asof.timeline import Date
from asof.timeline.specifier import Specifier, find_specifiers

LONGEST_QUESTION = 1_000  # characters
ARTICLES = frozenset(("a", "an", "the"))
TIME = "\x00"  # the text of a word that is a time: nobody types it

_PAUSES = (",", ";", ":", "–", "—", "-", "?")
_WORD = re.compile(r"[^\W_](?:[^\W_]|[.'’ʻʼ`´](?=[^\W_]))*")
_POSSESSIVE = re.compile(r"['’]s$|(?<=s)['’](?=\s|$)", re.IGNORECASE)
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERED = re.compile(r"([1-9][0-9]{0,2})(?:st|nd|rd|th)")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question: as compared, as written, and where it stands; ``time`` where it is one."""

    text: str
    written: str
    start: int = 0
    end: int = 0
    possessive: bool = False
    time: Specifier | None = None
    comma: bool = False  # stands behind it
    counted: bool = False  # stands behind "how many"

    @property
    def forms(self) -> tuple[str, ...]:
        """How it may stand in a name: "McDonald's" is "mcdonald" and possessive, or "mcdonalds"."""
        return (self.text, self.text + "s") if self.possessive else (self.text,)

    @property
    def number(self) -> int:
        """The number that "two" or "ten" say, 0 for other words."""
        return _NUMBERS.index(self.text) + 2 if self.text in _NUMBERS else 0

    @property
    def order(self) -> int:
        """The number that "second" or "22nd" say, 0 for other words.

        >>> [word.order for word in words_of("the third or 22nd wife")]
        [0, 3, 0, 22, 0]
        """
        if self.text in _ORDINALS:
            return _ORDINALS.index(self.text) + 2
        number = _NUMBERED.fullmatch(self.text)
        return int(number[1]) if number else 0


def cleaned(question: str) -> str:
    r"""Bring a question into one line of plain text, or say why it is none.

    >>> cleaned("Who  led\tItaly\x00 in 2010")
    'Who led Italy in 2010'
    """
    if len(question) > LONGEST_QUESTION:
        raise UserError(
            f"The question has {len(question):,} characters; asof reads questions of up to {LONGEST_QUESTION:,}. "
            "Ask one thing at a time."
        )
    composed = unicodedata.normalize("NFC", question)
    shown = "".join(" " if unicodedata.category(letter).startswith("C") else letter for letter in composed)
    text = " ".join(shown.split())
    if not any(letter.isalnum() for letter in text):
        raise UserError('The question is empty. Ask, for example: asof ask "Who was president of France in 1985?"')
    return text


def words_of(text: str) -> list[Word]:
    """Split a text into words; "Italy's" is "italy", with a mark that it is a possessive."""
    found = []
    for match in _WORD.finditer(text):
        written = match[0]
        bare = _POSSESSIVE.sub("", written)
        owns = bare != written or (written.endswith("s") and text[match.end() : match.end() + 2] in ("' ", "’ "))
        if parts := spoken(bare):
            pause = text[match.end() : match.end() + 2].strip()[:1]
            found.append(Word(parts, written, match.start(), match.end(), owns, comma=pause in _PAUSES and pause != ""))
    return found


def words_with_times(text: str, *, today: Date) -> list[Word]:
    """Split a text into words of which each time is one.

    >>> [word.written for word in words_with_times("Who led Italy in March 2021?", today=Date.of(2024))]
    ['Who', 'led', 'Italy', 'in March 2021']
    >>> [word.time for word in words_with_times("all 2,098,460 of them", today=Date.of(2024))]
    [None, None, None, None]
    """
    numbers = [match.span() for match in _THOUSANDS.finditer(text)]
    times = [
        time
        for time in find_specifiers(text, today=today)
        if not any(first < time.end and time.start < last for first, last in numbers)
    ]
    words = [
        word for word in words_of(text) if not any(time.start < word.end and word.start < time.end for time in times)
    ]
    said = [
        Word(TIME, time.text, time.start, time.end, time=time, comma=text[time.end : time.end + 1] == ",")
        for time in times
    ]
    return sorted([*_joined(words, numbers, text), *said], key=lambda word: word.start)


def sentence(words: Sequence[Word], text: str) -> str:
    """Return the stretch of text in which words stand."""
    return text[words[0].start : words[-1].end] if words else ""


def _joined(words: list[Word], numbers: list[tuple[int, int]], text: str) -> list[Word]:
    """Make one word of the parts of a number: "2,098,460"."""
    if not numbers:
        return words
    kept = [word for word in words if not any(first <= word.start < last for first, last in numbers)]
    return kept + [Word(text[first:last], text[first:last], first, last) for first, last in numbers]
