"""Which relations have facts about a name at all: what decides between readings before any fact is read."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property, lru_cache

from asof.cache import cache_folder
from asof.facts import FactStore
from asof.reading.ask.lexicon import End
from asof.reading.ask.name_index import NameIndex, SortedStrings, mapped
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name

_OF_SUBJECTS = "SELECT DISTINCT subject AS name, relation FROM facts ORDER BY name, relation"
_OFFICE = "position"  # the kind of a thing that is an office
_MOST_TOGETHER = 50  # as many names as a query may have at an end
_KINGDOM = "kingdom of "
_MOST = 200  # entities of one name that are looked at


class Presence:
    """Looks up the relations of entities, as subjects and as objects."""

    def __init__(self, store: FactStore, index: NameIndex) -> None:
        self._store, self._index = store, index
        self._of_subjects = mapped(store, cache_folder() / "ask", "subjects", _OF_SUBJECTS)
        self._of = lru_cache(4096)(self._relations)
        self._numbers = lru_cache(256)(index.tells_numbers)
        self._only = lru_cache(64)(self._only_one)

    @cached_property
    def _subjects(self) -> SortedStrings:
        return SortedStrings(self._of_subjects["name"].chunk(0))

    def relations(self, name: Name, end: End) -> frozenset[str]:
        """Return the relations that have facts with a name at this end."""
        return self.of_ids(name.entities, end)

    def of_ids(self, ids: Iterable[str], end: End) -> frozenset[str]:
        """Return the relations that have facts with one of some entities at this end."""
        return frozenset().union(*(self._of(id, end) for id in list(ids)[:_MOST]))

    def joins(self, relation: str, subject: Name | None, object: Name | None) -> bool:
        """Tell whether a fact of a relation joins two named things."""
        if subject is None or object is None:
            return False
        subjects = set(list(subject.entities)[:_MOST])
        pairs = (pair for id in list(object.entities)[:_MOST] for pair in self._index.pairs(id))
        return any(known == relation and id in subjects for known, id in pairs)

    def only(self, relation: str, end: End) -> str | None:
        """Return the only entity that has facts of a relation at this end; None where there are several."""
        return self._only(relation, end)

    def tells_numbers(self, relations: Iterable[str]) -> bool:
        """Tell whether the objects of relations are numbers, of which one is told where another is counted."""
        return all(self._numbers(id) for id in relations)

    def having(self, name: Name, end: End, relations: Iterable[str]) -> list[str]:
        """Return the entities of a name that have facts of some relations at this end."""
        wanted = frozenset(relations)
        return [id for id in list(name.entities)[:_MOST] if self._of(id, end) & wanted]

    def is_office(self, name: Name) -> bool:
        """Tell whether a name is that of an office."""
        things = self._index.things(name.entities).values()
        return any(thing.kind == _OFFICE for thing in things)

    def together(self, name: Name, other: Name | None) -> tuple[str, ...]:
        """Return the entities of a name that stands for all of them; of a named other end, those that it has."""
        ids = list(name.entities)
        if other is not None and other.entities:
            known = set(other.entities)
            ids = [id for id in ids if any(subject in known for _, subject in self._index.pairs(id))] or ids
        return tuple(ids)[:_MOST_TOGETHER]

    def belonging(self, holder: Name, relations: Iterable[str], named: Iterable[str]) -> tuple[str, ...] | None:
        """Return of the places that somebody had, where there are several, those of which a named thing speaks.

        None where what is named is an office of another place.

        A vice president of the United States served under none who ruled elsewhere.
        """
        wanted = frozenset(relations)
        pairs = (pair for id in holder.entities for pair in self._index.pairs(id))
        positions = dict.fromkeys(subject for relation, subject in pairs if relation in wanted)
        ids = list(named)
        told = [f" {spoken(f'{thing.label} {thing.description}')} " for thing in self._index.things(ids).values()]
        things = self._index.things(positions)
        fitting = [
            id
            for id in positions
            if id in ids or any(f" {spoken(things[id].label).removeprefix(_KINGDOM)} " in one for one in told)
        ]
        if any(thing.kind == _OFFICE for thing in self._index.things(ids).values()) and not fitting:
            return None  # an office of another place
        return tuple(fitting)[:_MOST_TOGETHER] if len(positions) > 1 else ()

    def label(self, id: str) -> str:
        """Return the label of an entity; its id where another is called so, too."""
        label = self._index.things([id])[id].label
        return label if len(self._index.entities(spoken(label))) == 1 else id

    def subjects_of_both(self, one: Name, other: Name) -> dict[str, dict[str, bool]]:
        """Return by relation the subjects that had both as objects: the office that one took over from the other."""
        pairs = [{pair for id in name.entities for pair in self._index.pairs(id)} for name in (one, other)]
        found: dict[str, dict[str, bool]] = {}
        for relation, subject in sorted(pairs[0] & pairs[1]):
            found.setdefault(relation, {})[subject] = True
        return found

    def _only_one(self, relation: str, end: End) -> str | None:
        query = f"SELECT DISTINCT {end} AS id FROM facts WHERE relation = $relation LIMIT 2"
        rows = self._store.sql(query, {"relation": relation})["id"].to_pylist()
        return rows[0] if len(rows) == 1 else None

    def _relations(self, id: str, end: End) -> frozenset[str]:
        if end == "object":
            return frozenset(relation for relation, _ in self._index.pairs(id))
        positions = self._subjects.positions(id.encode())
        return frozenset(self._of_subjects.slice(positions.start, len(positions))["relation"].to_pylist())
