"""The parts that words of a question can play: a name, a saying of relations, a mark, a time, a small word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from asof.reading.ask.lexicon import Saying
from asof.reading.ask.words import Word
from asof.timeline.specifier import Specifier


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """A name in the question and the entities that it may mean (by id; True where it is the label)."""

    words: tuple[Word, ...]
    entities: Mapping[str, bool] = field(default_factory=dict)
    possessive: bool = False
    in_part: bool = False  # a last name, by which the entities are not always called
    together: bool = False  # all of the entities are meant, not one of them
    plural: bool = False  # "popes"
    meant: str = ""  # what is meant, where that is said otherwise: "France" for "French"
    mended: bool = False  # an apostrophe was missing
    narrowed: tuple[
        str, ...
    ] = ()  # ids, where the words around it say which are meant: "UK chancellor of the exchequer"

    @property
    def text(self) -> str:
        """The name as it is written in the question."""
        *before, last = self.words
        bare = last.written[: -2 if last.written[-2:-1] in ("'", "’") else -1]
        return " ".join(
            [*(word.written for word in before), bare if self.possessive and last.possessive else last.written]
        )

    @property
    def said(self) -> str:
        """The name as a query says it."""
        return self.narrowed[0] if len(self.narrowed) == 1 else self.meant or self.text

    @property
    def spoken(self) -> str:
        """The name in the form in which names are compared."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True, eq=False)
class Mark:
    """A word that changes what is asked; a kind of question says which words do."""

    kind: str
    words: tuple[Word, ...]

    @property
    def word(self) -> Word:
        """Its first word."""
        return self.words[0]


@dataclass(frozen=True, slots=True, eq=False)
class RelationTag:
    """A saying where it stands in the question."""

    saying: Saying
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Timed:
    """A time where it stands in the question."""

    time: Specifier


@dataclass(frozen=True, slots=True, eq=False)
class Small:
    """A word that changes nothing by itself."""

    word: Word
    is_class: bool = False  # the noun of "which painting", of a base that does not say of what kind things are

    @property
    def text(self) -> str:
        """The word."""
        return self.word.text


Tag = Name | Mark | RelationTag | Timed | Small
