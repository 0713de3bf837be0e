"""A claim: what a piece of a text says of two things, and of which time."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from asof.reading.ask.lexicon import End, Group
from asof.reading.ask.tags import Name
from asof.reading.verify.sentences import TextSentence
from asof.timeline.days import Days


class ClaimKind(StrEnum):
    """What is said of a fact: that it holds now, that it began, that it is over."""

    NOW = "holds now"
    EVER = "held at some time"
    DURING = "held in a time"
    SINCE = "has held since"
    UNTIL = "held until"
    SPAN = "held from, to"
    START = "began"
    END = "ended"
    FORMER = "is over"
    SUCCESSOR = "followed another"
    BESIDE = "held when something else happened"  # a title before a name: of which time, is not said surely


@dataclass(frozen=True, slots=True)
class SaidTime:
    """A time as a claim says it: the days, of a span when it begins and ends, of "early 2021" the whole of 2021."""

    text: str
    days: Days
    ends: tuple[Days, Days] | None = None
    whole: Days | None = None


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One claim.

    Args:
        said: The words of the text that say it.
        groups: The relations that the words may mean, and which of their ends is ``head``.
        head: Who or what the noun names, or what stands left of the verb.
        other: What that belongs to; None where it is not said ("Merkel was chancellor").
        title: The office as it is called.
        loose: The words fit other relations or other days, too: that a fact does not fit contradicts nothing.
        negated: It says that it is not so.
        says_more: The words say more than the facts tell: "the 44th president", "the second cellist".
        before: Of a successor, the one before.
        present: Of ``BESIDE``, whether the sentence speaks of today.
    """

    sentence: TextSentence
    said: str
    groups: tuple[Group, ...]
    head: Name
    other: Name | None
    kind: ClaimKind
    time: SaidTime | None = None
    title: str | None = None
    noun: str | None = None
    loose: bool = False
    negated: bool = False
    says_more: bool = False
    before: Name | None = None
    present: bool = False

    @property
    def days(self) -> Days | None:
        """The days of which it speaks."""
        return self.time.days if self.time else None

    def at(self, end: End, head: End) -> Name | None:
        """Return the name at an end of a fact whose ``head`` is this one."""
        return self.head if end == head else self.other


@dataclass(frozen=True, slots=True)
class UnreadSentence:
    """A sentence, or a part of it, that was left alone, and why."""

    sentence: TextSentence
    why: str
