"""The words by which people ask for relations: ``en.toml``, made ready for matching."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Literal

from asof.facts import Relation
from asof.reading.facts.words import spoken

Role = Literal["subject", "object"]
Event = Literal["start", "end"]
Extreme = Literal["longest", "shortest", "most"]
EXTREMES: tuple[Extreme, ...] = ("longest", "shortest", "most")
Order = Literal["first", "last"] | Extreme | int
ARTICLES = frozenset(("a", "an", "the"))
BOTH_WAYS = frozenset(("P26", "P451", "P3373", "isMarriedTo"))  # what one is to the other, the other is to the one
_LINKS = ("of", "at", "by", "in", "for", "to", "from", "after", "with")


@dataclass(frozen=True, slots=True)
class Use:
    """A relation that a phrase may mean, and which of its ends is the noun, or stands left of the verb."""

    relation: str
    head: Role
    beside: bool = False  # it counts only beside another phrase that means it, too


@dataclass(frozen=True, slots=True)
class Phrase:
    """One way of saying relations. Uses of one group are asked together, later groups when earlier have no facts.

    For a noun ("prime minister of Italy") the head is what the noun names; for a verb ("LeBron James plays for the
    Lakers") it is what stands left of it.
    """

    words: tuple[str, ...]
    is_verb: bool
    groups: tuple[tuple[Use, ...], ...]
    event: Event | None = None
    after_be: bool = False  # "was married to": only after a form of "be"
    in_present: bool = False  # "heads", "plays for"
    in_base_form: bool = False  # "use", which is no past as "quit" can be
    plural: bool = False  # "prime ministers"

    @property
    def returns(self) -> bool:
        """Whether it says that something was so before: "returned to", "go back to"."""
        return self.is_verb and (self.words[0].startswith(("return", "rejoin")) or "back" in self.words)

    @property
    def changes(self) -> bool:
        """Whether it says that something else was there before: "was renamed"."""
        return self.is_verb and self.words[0].startswith(("rename", "change"))

    @property
    def text(self) -> str:
        """The words as one text."""
        return " ".join(self.words)


@dataclass(frozen=True)
class Phrases:
    """All phrases of a language by their first word, and the small words around them."""

    by_first_word: Mapping[str, tuple[Phrase, ...]]
    table: Mapping[str, Any]

    def words(self, name: str) -> frozenset[str]:
        """Return one of the lists of small words."""
        return _small_words(name)

    def with_relations(self, relations: Iterable[Relation]) -> Phrases:
        """Add the labels and aliases of a base's relations, where the file does not have them."""
        mine = [phrase for relation in relations for phrase in _phrases_of(relation)]
        known = {phrase.text for phrases in self.by_first_word.values() for phrase in phrases}
        return Phrases(
            _by_first_word(
                [
                    *(phrase for phrases in self.by_first_word.values() for phrase in phrases),
                    *(phrase for phrase in mine if phrase.text not in known),
                ]
            ),
            self.table,
        )


@cache
def phrases() -> Phrases:
    """Read the phrases of English."""
    table = _table()
    found: list[Phrase] = []
    for text, value in table["nouns"].items():
        found += _noun(text, _groups(value, "object"))
    for text, value in table["subject_nouns"].items():
        found += _noun(text, _groups(value, "subject"))
    events: tuple[tuple[str, Event | None], ...] = (("verbs", None), ("starts", "start"), ("ends", "end"))
    for section, event in events:
        for text, value in table[section].items():
            found += _verb(text, value, event, table["irregular"])
    return Phrases(_by_first_word(found), table)


@cache
def _table() -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "en.toml").read_text(encoding="utf-8"))


@cache
def _small_words(name: str) -> frozenset[str]:
    return frozenset(_table()["words"][name].split())


def _by_first_word(phrases: Iterable[Phrase]) -> dict[str, tuple[Phrase, ...]]:
    table: dict[str, list[Phrase]] = {}
    for phrase in phrases:
        table.setdefault(phrase.words[0], []).append(phrase)
    return {word: tuple(sorted(same, key=lambda phrase: -len(phrase.words))) for word, same in table.items()}


def _groups(value: str, head: Role) -> tuple[tuple[Use, ...], ...]:
    other: Role = "subject" if head == "object" else "object"
    return tuple(
        tuple(
            Use(name.lstrip("^~"), other if name.startswith("^") else head, beside=name.startswith("~"))
            for name in group.split("+")
        )
        for group in value.split()
    )


def _noun(text: str, groups: tuple[tuple[Use, ...], ...]) -> list[Phrase]:
    bare = _bare(text)
    return [Phrase(words, False, groups, plural=words != bare) for words in _plurals(bare)]


def _verb(text: str, value: str, event: Event | None, irregular: Mapping[str, str]) -> Iterator[Phrase]:
    """Make the forms of a verb, and its passive: "O coach S" is also "S was coached by O"."""
    heads: dict[str, Role] = {"S": "subject", "O": "object"}
    parts = text.split()
    head = heads[parts[0]]
    said = [word for word in parts[1:] if word not in heads and word not in ARTICLES]
    if said[0] == "be":
        yield Phrase(tuple(said[1:]), True, _groups(value, head), event, after_be=True)
        return
    for form in _forms(said[0], irregular):
        in_present = form in (said[0] + "s", said[0] + "es")
        base = form == said[0] and form not in irregular.get(form, "").split()
        words = (form, *said[1:])
        yield Phrase(words, True, _groups(value, head), event, in_present=in_present, in_base_form=base)
        if len(said) == 1 and parts[-1] in heads and form.endswith(("ed", "t", "n", "ld", "run", "led")):
            yield Phrase((form, "by"), True, _groups(value, "subject" if head == "object" else "object"), event, True)


def _forms(verb: str, irregular: Mapping[str, str]) -> set[str]:
    """Return the forms of a verb.

    >>> sorted(_forms("coach", {})), sorted(_forms("use", {}))
    (['coach', 'coached', 'coaches', 'coaching'], ['use', 'used', 'uses', 'using'])
    """
    ends_in_e = verb.endswith("e")
    plural = verb + ("es" if verb.endswith(("s", "sh", "ch", "x")) else "s")
    forms = {verb, plural, (verb[:-1] if ends_in_e else verb) + "ing"}
    if verb not in irregular:
        return forms | {verb + ("d" if ends_in_e else "ed")}
    return forms | set(irregular[verb].split())


def _plurals(words: tuple[str, ...]) -> set[tuple[str, ...]]:
    """Return a noun with its plurals: "heads of state", "prime ministers"."""
    first, last = (*_plural(words[0]), *words[1:]), (*words[:-1], *_plural(words[-1]))
    return {words, first, last}


def _plural(word: str) -> tuple[str]:
    if word.endswith("y") and word[-2:] not in ("ay", "ey", "oy"):
        return (word[:-1] + "ies",)
    if word.endswith("man"):
        return (word[:-3] + "men",)
    if word == "wife":
        return ("wives",)
    return (word + ("es" if word.endswith(("s", "ch", "x")) else "s"),)


def _bare(text: str) -> tuple[str, ...]:
    return tuple(word for word in spoken(text).split() if word not in ARTICLES)


def _phrases_of(relation: Relation) -> Iterator[Phrase]:
    for name in (relation.label, relation.id, *relation.aliases):
        words = _bare(name)
        if not words:
            continue
        head: Role = "subject" if words[-1] in _LINKS else "object"
        yield Phrase(words, words[-1] in _LINKS, ((Use(relation.id, head),),))
