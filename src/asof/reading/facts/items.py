"""The parts that words of a question can play: a name, a phrase of a relation, a mark, a small word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from asof.reading.facts.phrases import Phrase
from asof.reading.facts.words import Word

MarkKind = Literal[
    "before", "after", "follow", "precede", "follow noun", "precede noun", "first", "last", "now", "start", "end",
    "between", "previous", "next", "nth", "longest", "shortest", "most", "most of", "former", "narrowing", "number",
    "origin", "change",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A name in the question and the entities that it may mean (by id; True where it is the label)."""

    words: tuple[Word, ...]
    entities: Mapping[str, bool] = field(default_factory=dict)
    possessive: bool = False
    in_part: bool = False  # a last name, by which the entities are not always called
    together: bool = False  # all of the entities are meant, not one of them
    plural: bool = False  # "popes"

    @property
    def text(self) -> str:
        """The name as it is written in the question."""
        return " ".join(word.written for word in self.words[:-1]) + (" " if len(self.words) > 1 else "") + self._last

    @property
    def _last(self) -> str:
        word = self.words[-1]
        whole = not self.possessive or not word.possessive
        return word.written if whole else word.written[:-2]

    @property
    def spoken(self) -> str:
        """The name in the form in which names are compared."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that changes what is asked."""

    kind: MarkKind
    word: Word


@dataclass(frozen=True, slots=True)
class PhraseMatch:
    """A phrase where it stands in the question."""

    phrase: Phrase
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class SmallWord:
    """A word that changes nothing."""

    word: Word

    @property
    def text(self) -> str:
        """The word."""
        return self.word.text


Item = Name | Mark | PhraseMatch | SmallWord
