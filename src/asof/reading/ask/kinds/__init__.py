"""Kinds of question, one file each: which words open them, which marks they read, and the queries they make.

There are three sorts. A kind that **asks** says what is told of the facts: who or what, when, how long, how many,
yes or
no. A kind that **picks** says which of the facts count: the first, the longest, those before another. "How many
presidents were there before Lincoln" is asked by one and picked by another. A kind that **splits** cuts a question into
parts that are read by themselves: "who reigned longer, Victoria or Elizabeth II".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from asof.reading.ask.query import Event, Neighbour, Query, Which
from asof.reading.ask.tags import Mark, Name, Tag
from asof.reading.ask.words import Word
from asof.registry import kinds

if TYPE_CHECKING:
    from asof.reading.ask.frame import QuestionFrame
    from asof.reading.ask.query_of import Reading


@dataclass(frozen=True)
class Pick:
    """Which facts count, and the tags of the question that are left when that has been read.

    Args:
        beside: The name that the answer stands beside.
        until: And before which, of two.
    """

    rest: tuple[Tag, ...]
    which: Which | None = None
    beside: Name | None = None
    until: Name | None = None

    @property
    def landing(self) -> bool:
        """Whether it can be that one came in the place of another: "when did Merkel succeed Schröder"."""
        return isinstance(self.which, Neighbour) and self.which.side == "after" and self.until is None


@dataclass(frozen=True)
class Split:
    """Parts of a question that are read by themselves, and how their readings make one.

    Args:
        needs_all: Each part must have facts, not only one of them.
        statements: The parts are statements ("Gates was chief executive"), not questions.
    """

    parts: tuple[tuple[Word, ...], ...]
    join: Callable[[Sequence[Reading]], Query | None]
    statements: bool = True
    needs_all: bool = True


class Kind:
    """A kind of question: one that asks has ``queries``, one that picks ``picks``, one of two halves ``splits``.

    Args:
        openings: How such a question begins, with what it says of the facts' ends; alternatives in place are joined
        by /,
            and a word with ? may be missing: ``{"since when": "start", "in? which/what year/years": None}``.
        marks: The words of each mark, separated by |.
    """

    openings: ClassVar[Mapping[str, Event | None]] = {}
    marks: ClassVar[Mapping[str, str]] = {}

    def queries(self, frame: QuestionFrame) -> Iterator[Reading]:
        """Walk over the queries that a question of this kind may mean."""
        return iter(())

    def picks(self, tags: Sequence[Tag]) -> Iterator[Pick]:
        """Walk over the ways to read the marks of this kind; nothing where they make no sense."""
        return iter(())

    def splits(self, words: Sequence[Word]) -> Iterator[Split]:
        """Walk over the ways to cut a question into parts."""
        return iter(())


def without(tags: Sequence[Tag], *gone: Tag | None) -> tuple[Tag, ...]:
    """Return tags without some of them."""
    return tuple(tag for tag in tags if not any(tag is one for one in gone))


def marks_of(tags: Sequence[Tag], *kinds_of_mark: str) -> list[Mark]:
    """Return the marks of some kinds, from left to right."""
    return [tag for tag in tags if isinstance(tag, Mark) and tag.kind in kinds_of_mark]


def leads(tags: Sequence[Tag], one: Tag, other: Tag) -> bool:
    """Tell whether a tag stands left of another."""
    return tags.index(one) < tags.index(other)


__all__ = ["Kind", "Pick", "Split", "kinds", "leads", "marks_of", "without"]
