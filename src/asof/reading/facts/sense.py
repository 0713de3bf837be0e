"""What a question asks of the facts: relations with their ends named, and what was said about time and order."""

from __future__ import annotations

from dataclasses import dataclass

from asof.reading.facts.items import Name
from asof.reading.facts.leaning import Side
from asof.reading.facts.phrases import Event, Order, Role
from asof.reading.facts.words import Word

# "Who replaced Ferguson at Manchester United": whichever of these Ferguson was there.
POSTS = ("P286", "P169", "P371", "P98", "P488", "P1037", "P3975", "P6", "P35")
_PRIZES = ("P166", "hasWonPrize")


@dataclass(frozen=True, slots=True)
class RelationQuery:
    """A relation with the names that the question gives to its ends."""

    relation: str
    subject: Name | None
    object: Name | None
    among: bool = False  # the object names several: which of them is asked for

    @property
    def wanted(self) -> Role | None:
        """The end that is asked for, None when both are named."""
        if self.subject and self.object:
            return "object" if self.among else None
        return "object" if self.subject else "subject"


@dataclass(frozen=True, slots=True)
class Sense:
    """What a covering says: groups of relations with their ends named, the names set apart, and the marks."""

    groups: tuple[tuple[RelationQuery, ...], ...]
    said: tuple[str, ...]
    neighbour: Name | None = None  # of "before Draghi"
    side: Side | None = None
    landing: Name | None = None  # of "from Seattle to Chicago", "when did Merkel succeed Schröder": what came after
    until: Name | None = None  # of "between Blair and Cameron", the second
    all_on_side: bool = False  # "the presidents before Lincoln", not only the last
    order: Order | None = None
    event: Event | None = None
    now: bool = False
    before_now: bool = False  # "the previous president"
    lacks_a_verb: bool = False  # "which band did he"
    in_present: bool = False  # "who heads the IMF"
    many: int = 0  # of "the first three"
    begins: bool = False  # "started", not "became"
    narrowed: bool = False  # "which physicist"
    at_first: bool = False  # "when did he first play"
    changes: bool = False  # "changed its name": not the first one
    returns: bool = False  # "returned to": where it was before

    @property
    def named(self) -> set[Word]:
        """The words that are names: the "National" of a league asks for no national team."""
        ends = (name for group in self.groups for asked in group for name in (asked.subject, asked.object))
        return {word for name in (*ends, self.neighbour, self.until) if name for word in name.words}

    @property
    def side_in_words(self) -> str:
        """Where the answer stands to what the question leans on."""
        side = self.side or "before"
        return side if self.until or self.all_on_side or self.many else f"right {side}"

    @property
    def leans_on(self) -> str:
        """The names beside or between which the answer stands."""
        return " and ".join(name.text for name in (self.neighbour, self.until) if name)

    @property
    def names_a_holder(self) -> bool:
        """Whether it tells of somebody under a title, but not where: "was Thatcher prime minister"."""
        posts = (*POSTS, "P1308")
        given = [asked for group in self.groups for asked in group]
        return bool(self.said) and all(one.relation in posts and one.object and not one.subject for one in given)

    @property
    def is_of_names(self) -> bool:
        """Whether it speaks of what things were called."""
        return all(asked.relation == "P1448" for group in self.groups for asked in group)

    @property
    def counts_prizes(self) -> bool:
        """Whether it speaks of prizes, which one can have many of."""
        return all(asked.relation in _PRIZES for group in self.groups for asked in group)
