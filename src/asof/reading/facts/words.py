"""A question as words: lower case, without accents and punctuation, each with its place in the text.

Names of a base are brought to the same form (``SPOKEN`` in SQL), so that "F.C." is "fc" and "O'Brien" is "obrien".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from asof.errors import UserError
from asof.facts.schema import FOLD_NAME

LONGEST_QUESTION = 1_000  # characters

# The same rule as ``spoken``, for all names of a base at once.
SPOKEN = (
    "trim(regexp_replace(regexp_replace("
    + FOLD_NAME.format("{}")
    + r", '[.''’ʻʼ`´]', '', 'g'), '[^\p{{L}}\p{{N}}]+', ' ', 'g'))"
)
_DROPPED = re.compile(r"[.'’ʻʼ`´]")
_BREAK = re.compile(r"[\W_]+")
_WORD = re.compile(r"[^\W_](?:[^\W_]|[.'’ʻʼ`´](?=[^\W_]))*")
_POSSESSIVE = re.compile(r"['’]s$", re.IGNORECASE)
_ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBERED = re.compile(r"([1-9][0-9]{0,2})(?:st|nd|rd|th)")


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a question: as compared, as written, and where it stands."""

    text: str
    written: str
    start: int
    end: int
    possessive: bool = False

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


def spoken(name: str) -> str:
    """Bring a name into the form in which names are compared.

    >>> spoken("Manchester United F.C."), spoken("Élisabeth Borne"), spoken("Conan O'Brien"), spoken("Spider-Man")
    ('manchester united fc', 'elisabeth borne', 'conan obrien', 'spider man')
    """
    return _BREAK.sub(" ", _DROPPED.sub("", _folded(name))).strip()


def words_of(text: str) -> list[Word]:
    """Split a text into words; "Italy's" is "italy", with a mark that it is a possessive."""
    found = []
    for match in _WORD.finditer(text):
        written = match[0]
        bare = _POSSESSIVE.sub("", written)
        parts = spoken(bare)
        if parts:
            found.append(Word(parts, written, match.start(), match.end(), bare != written))
    return found


def sentence(words: Sequence[Word], text: str) -> str:
    """Return the stretch of text in which words stand."""
    return text[words[0].start : words[-1].end] if words else ""


def _folded(text: str) -> str:
    plain = unicodedata.normalize("NFD", text.lower())
    return unicodedata.normalize("NFC", "".join(letter for letter in plain if not unicodedata.combining(letter)))
