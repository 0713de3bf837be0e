"""The names in a query: which entities each may mean; which of them it does mean is left to the facts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from weakref import WeakKeyDictionary

from asof.facts import Entity, FactStore
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.query import End, Texts
from asof.reading.ask.spoken import SPOKEN, spoken

NAME_KIND = "name"  # "Leningrad" means the city before it means that name of the city
_INDEXES: WeakKeyDictionary[FactStore, NameIndex] = WeakKeyDictionary()


class UnclearNameError(Exception):
    """A name that fits several entities, all of which have such facts."""

    def __init__(self, name: str, entities: list[Entity]) -> None:
        super().__init__(name)
        self.name = name
        self.entities = entities


@dataclass(frozen=True, slots=True)
class Mention:
    """One name, and the entities that it may mean (by id; True where it is the label)."""

    text: str
    entities: Mapping[str, bool] = field(default_factory=dict)
    in_part: bool = False  # a last name, by which the entities are not always called

    @property
    def spoken(self) -> str:
        """The name in the form in which names are compared."""
        return spoken(self.text)

    @property
    def is_one_word(self) -> bool:
        """Whether it may be a part of a longer name."""
        return " " not in self.spoken


Named = tuple[Mention, ...]  # any of them is meant


def name_index(store: FactStore) -> NameIndex:
    """Return the names of a base, made once for each that is open."""
    if store not in _INDEXES:
        _INDEXES[store] = NameIndex(store)
    return _INDEXES[store]


@dataclass
class NameLookup:
    """The names of a base, and what was decided about those of one query.

    Args:
        chosen: Ids that settle which of several entities a name means.
    """

    store: FactStore
    chosen: frozenset[str] = frozenset()
    notes: dict[str, None] = field(default_factory=dict)  # for the answer to tell
    namesakes: dict[str, list[str]] = field(default_factory=dict)  # the others that such a name may mean
    _known: dict[tuple[str, ...], dict[str, Entity]] = field(default_factory=dict)

    @cached_property
    def index(self) -> NameIndex:
        """The names of the base in order."""
        return name_index(self.store)

    def is_in_a_name(self, word: str, relation: str, end: End) -> bool:
        """Tell whether a word is in the name of something that stands at an end of a relation."""
        query = f"""
            SELECT 1 FROM facts f JOIN entities e ON e.id = f.{end} WHERE f.relation = $relation
            AND contains(' ' || {SPOKEN.format("e.label")} || ' ', $said) LIMIT 1
        """
        return bool(self.store.sql(query, {"relation": relation, "said": f" {word} "}).num_rows)

    def named(self, texts: Texts | None) -> Named:
        """Return what each of some names or ids may mean."""
        row = (texts,) if isinstance(texts, str) else texts or ()
        return tuple(self._mention(text) for text in row)

    def _mention(self, text: str) -> Mention:
        said = spoken(text)
        if text in self.index.things([text]):  # an id
            return Mention(text, {text: True})
        if found := self.index.entities(said):
            return Mention(text, found)
        found = self.index.people(said) or self.index.without_middle_names(said) or self.index.ending(said)
        return Mention(text, found, in_part=True)

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """Return entities by id; a query and its answer ask for the same."""
        key = tuple(ids)
        if key not in self._known:
            rows = self.store.rows("entities", *key).to_pylist()
            self._known[key] = {row["id"]: Entity(**row | {"aliases": tuple(row["aliases"])}) for row in rows}
        return self._known[key]

    def meant(self, mention: Mention) -> list[str]:
        """Return the ids that a name may mean; only the chosen ones where there are such."""
        return [id for id in mention.entities if id in self.chosen] or list(mention.entities)

    def called(self, ids: Collection[str], named: Named) -> set[str]:
        """Return those of some entities that names mean: by the index, or by a part of their name."""
        found: set[str] = set()
        for mention in named:
            known = set() if mention.in_part else set(ids) & set(self.meant(mention))
            found |= known or set(self.named_in_part(ids, mention))
        return found

    def named_in_part(self, ids: Collection[str], mention: Mention) -> list[str]:
        """Return the one of some entities whose name has these words in it; complain when several have."""
        said = f" {mention.spoken} "
        found = [
            entity
            for entity in self.entities(sorted(ids)).values()
            if entity.kind != NAME_KIND and any(said in f" {spoken(known)} " for known in entity.names)
        ]
        found = [entity for entity in found if said in f" {spoken(entity.label)} "] or found
        chosen = [entity for entity in found if entity.id in self.chosen]
        if len(found) > 1 and len(chosen) != 1:
            raise UnclearNameError(mention.text, found)
        return [entity.id for entity in chosen or found]

    def one_of(self, there: Collection[str], mention: Mention) -> list[str]:
        """Return the one that a name means of those which have such facts; a label goes before an alias."""
        chosen = [id for id in there if id in self.chosen]
        if len(there) <= 1 or len(chosen) == 1:
            return chosen or list(there)
        known = self.index.things(there)
        things = [id for id in there if id not in known or known[id].kind != NAME_KIND] or list(there)
        chosen = [id for id in things if mention.entities.get(id)] or things
        if len(chosen) > 1:
            raise UnclearNameError(mention.text, list(self.entities(chosen).values()))
        if others := [id for id in things if id not in chosen]:
            self._tell(mention.text, chosen[0], others)
        return chosen

    def _tell(self, text: str, taken: str, others: list[str]) -> None:
        thing = self.index.things([taken])[taken]
        which = f"{thing.label} ({taken}, {thing.description or thing.kind})"
        also = f"{len(others)} more {'is' if len(others) == 1 else 'are'} also called so"
        self.notes[f"{text!r} is taken for {which}; {also}."] = None
        self.namesakes[text] = others
