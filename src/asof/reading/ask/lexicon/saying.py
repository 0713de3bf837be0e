"""A way of saying relations: "prime minister", "played for", and which end of the facts is meant by it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Literal

End = Literal["subject", "object"]
Event = Literal["start", "end"]


class LexiconLayer(IntEnum):
    """Where a saying comes from; one above is never shadowed by one below."""

    LABEL = 0  # a label or alias of the base
    BASE = 1  # the base's own lexicon
    DERIVED = 2  # a verb or a noun that follows from a label
    ENGLISH = 3  # the English of the package
    ALIAS = 4  # a further name that a large source has for its relation; those of a table are its own words
    SHORT = 5  # the last word of a label: "lead" for "project lead"
    CLASS = 6  # what a label says of its objects: "ensemble" for "member of ensemble"


@dataclass(frozen=True, slots=True)
class Use:
    """A relation that a saying may mean, and which of its ends is the noun, or stands left of the verb."""

    relation: str
    head: End
    beside: bool = False  # it counts only beside another saying that means it, too
    joining: bool = False  # it counts only where a fact joins the two that are named
    alone: bool = False  # it counts only where the other end is not named: "runs", of "runs from"


Group = tuple[Use, ...]  # asked together


@dataclass(frozen=True, slots=True)
class Saying:
    """One way of saying relations. Uses of one group are asked together, later groups when earlier have no facts.

    For a noun ("prime minister of Italy") the head is what the noun names; for a verb ("LeBron James plays for the
    Lakers") it is what stands left of it.
    """

    words: tuple[str, ...]
    is_verb: bool
    groups: tuple[Group, ...]
    layers: tuple[LexiconLayer, ...]  # of each group
    event: Event | None = None
    after_be: bool = False  # "was married to": only after a form of "be"
    in_present: bool = False  # "heads", "plays for"
    in_base_form: bool = False  # "use", which is no past as "quit" can be
    plural: bool = False  # "prime ministers"

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)

    @property
    def returns(self) -> bool:
        """Whether it says that something was so before: "returned to", "go back to"."""
        return self.is_verb and (self.words[0].startswith(("return", "rejoin")) or "back" in self.words)

    @property
    def changes(self) -> bool:
        """Whether it says that something else was there before: "was renamed"."""
        return self.is_verb and self.words[0].startswith(("rename", "change"))
