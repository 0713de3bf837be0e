"""The words by which people ask for the relations of a base, in layers (``saying.Layer``).

What the base itself calls its relations comes first, then its own lexicon, then what follows from its labels, then
English. A word that names a relation of a higher layer still means those of lower ones, but only where the first
have no
fact about the thing named; nothing names a relation that the base does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from asof.facts import FactStore, Relation
from asof.reading.ask.lexicon.english import english, merge, own_english, sayings_in
from asof.reading.ask.lexicon.known import KnownRelations
from asof.reading.ask.lexicon.labels import sayings_of
from asof.reading.ask.lexicon.saying import End, Event, Group, LexiconLayer, Saying, Use

__all__ = ["End", "Event", "Group", "Lexicon", "LexiconLayer", "Saying", "Use", "lexicon_of"]


@dataclass(frozen=True)
class Lexicon:
    """All sayings of a base by their first word, and the small words and lists around them."""

    by_first_word: Mapping[str, tuple[Saying, ...]]
    table: Mapping[str, Any]
    relations: Mapping[str, Relation]
    known: KnownRelations
    _sets: dict[str, frozenset[str]] = field(default_factory=dict)

    def words(self, name: str) -> frozenset[str]:
        """Return one of the lists of small words."""
        if name not in self._sets:
            self._sets[name] = frozenset(self.table["words"].get(name, "").split())
        return self._sets[name]

    def related(self, name: str) -> tuple[str, ...]:
        """Return the relations that a plain name means."""
        return tuple(id for id, turned in self.known.named(name) if not turned)

    @cached_property
    def spelled(self) -> frozenset[str]:
        """The words of sayings that are surely words: "singe" is made of "singer" for want of a dictionary."""
        made = (LexiconLayer.DERIVED, LexiconLayer.SHORT)
        sayings = (one for row in self.by_first_word.values() for one in row if min(one.layers) not in made)
        return frozenset(word for one in sayings for word in one.words)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words of sayings."""
        return frozenset(word for row in self.by_first_word.values() for one in row for word in one.words)


def lexicon_of(store: FactStore) -> Lexicon:
    """Make the lexicon of a base."""
    own = own_english(store.folder)
    table: dict[str, Any] = {}
    merge(table, english())
    merge(table, {section: content for section, content in own.items() if section not in _OF_SAYINGS})
    table["own_turns"] = own.get("turns", {})  # they come before the others
    relations = store.relations
    known = KnownRelations(relations.values(), table.get("relations", {}))
    irregular = table["irregular"]
    sayings = [
        *sayings_in(own, known, LexiconLayer.BASE, irregular),
        *(saying for relation in relations.values() for saying in sayings_of(relation, irregular)),
        *sayings_in(english(), known, LexiconLayer.ENGLISH, irregular),
    ]
    return Lexicon(_by_first_word(sayings), table, relations, known)


_OF_SAYINGS = ("nouns", "subject_nouns", "verbs", "starts", "ends")


def _by_first_word(sayings: Iterable[Saying]) -> dict[str, tuple[Saying, ...]]:
    """Put sayings of the same words together: the groups of higher layers first, each relation once."""
    same: dict[tuple[Any, ...], list[Saying]] = {}
    for one in sayings:
        same.setdefault((one.words, one.is_verb, one.after_be, one.event), []).append(one)
    table: dict[str, list[Saying]] = {}
    for row in same.values():
        one = _joined(row)
        table.setdefault(one.words[0], []).append(one)
    return {word: tuple(sorted(row, key=lambda one: -len(one.words))) for word, row in table.items()}


def _joined(row: list[Saying]) -> Saying:
    pairs = [pair for one in row for pair in zip(one.groups, one.layers, strict=True)]
    groups: dict[Group, LexiconLayer] = {}
    if row[0].is_verb:
        pairs = _asked_together(pairs)
    for group, layer in sorted(pairs, key=lambda pair: pair[1]):
        if not any(set(group) <= set(other) for other in groups):
            groups[group] = layer
    first = row[0]
    return Saying(
        first.words, first.is_verb, tuple(groups), tuple(groups.values()), first.event, first.after_be,
        any(one.in_present for one in row), any(one.in_base_form for one in row), all(one.plural for one in row),
    )  # fmt: skip


def _asked_together(pairs: list[tuple[Group, LexiconLayer]]) -> list[tuple[Group, LexiconLayer]]:
    """Put relations together that a base itself calls alike: "live", of "lives at" and "lived in"."""
    own: dict[LexiconLayer, dict[Use, None]] = {}
    for group, layer in pairs:
        if layer in (LexiconLayer.LABEL, LexiconLayer.DERIVED):
            own.setdefault(layer, {}).update(dict.fromkeys(group))
    others = [(group, layer) for group, layer in pairs if layer not in own]
    return [*((tuple(sorted(uses, key=lambda use: use.relation)), layer) for layer, uses in own.items()), *others]
