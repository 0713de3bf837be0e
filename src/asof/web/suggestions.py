"""Names that begin with what is typed: whole names, or a word inside them ("merk" finds Angela Merkel).

All names of a base, from each of their words on, stand in order in a file that is mapped into memory (as for questions,
see ``reading.ask.name_index``): a look-up is a binary search, however many names there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from asof.cache import cache_folder
from asof.facts import FactStore
from asof.reading.ask.name_index import NameIndex, SortedStrings, mapped
from asof.reading.ask.spoken import SPOKEN, spoken

LONGEST = 200  # characters of a query that count
_MOST_LETTERS, _MOST_WORDS = 200, 12  # of a name; what follows is not looked at
_LOOKED_AT = 200

# Weight: popularity where the base knows it; among equals the one with more facts.
_WORDS = f"""
    WITH said AS (
        SELECT string_split(left({SPOKEN.format("name")}, {_MOST_LETTERS}), ' ')[:{_MOST_WORDS}] AS words, entity
        FROM names
    ), facts_of AS (
        SELECT entity, count(*) AS count FROM (
            SELECT subject AS entity FROM facts UNION ALL SELECT object FROM facts
        ) GROUP BY entity
    ), parts AS (
        SELECT DISTINCT unnest(list_transform(range(1, len(words) + 1), lambda place: {{
            'name': array_to_string(words[place:], ' '), 'begins': place = 1
        }})) AS part, entity
        FROM said
    )
    SELECT part.name AS name, entity, part.begins AS begins,
        CASE WHEN kind = 'name' THEN 0 ELSE coalesce(popularity, 0) + ln(1 + coalesce(count, 0)) / 100 END AS weight
    FROM parts JOIN entities ON entities.id = entity LEFT JOIN facts_of USING (entity)
    WHERE part.name <> '' ORDER BY name, weight DESC, entity
"""


@dataclass(frozen=True)
class Suggestion:
    """An entity or a relation that a text may mean."""

    id: str
    label: str
    kind: str | None
    description: str | None
    is_relation: bool = False


class Suggestions:
    """The names of a base, ready to be completed; may be asked by several threads."""

    def __init__(self, store: FactStore) -> None:
        self._parts = mapped(store, cache_folder() / "serve", "names", _WORDS)
        self._index = NameIndex(store)
        self._relations = list(store.relations.values())

    @cached_property
    def _names(self) -> SortedStrings:
        return SortedStrings(self._parts["name"].chunk(0))

    @cached_property
    def _weights(self) -> npt.NDArray[np.float64]:
        return np.asarray(self._parts["weight"].chunk(0).to_numpy(zero_copy_only=False), np.float64)

    def of(self, text: str, *, limit: int) -> list[Suggestion]:
        """Return relations and entities with a name, or a word in it, that begins so; the weightiest first."""
        typed = spoken(text[:LONGEST])
        if not typed:
            return []
        relations = [
            Suggestion(one.id, one.label, "relation", None, True)
            for one in self._relations
            if text.strip() == one.id or any(spoken(name).startswith(typed) for name in (one.label, *one.aliases))
        ]
        relations.sort(key=lambda one: (not spoken(one.label).startswith(typed), one.label))
        return relations[:2] + self._entities(typed, limit)

    def _entities(self, typed: str, limit: int) -> list[Suggestion]:
        key = typed.encode()
        exact = self._names.positions(key)
        stop = self._names.first_at_or_after(key + b"\xff", exact.start)
        weights = self._weights[exact.start : stop]
        best = (np.argsort(-weights, kind="stable")[:_LOOKED_AT] + exact.start).tolist()
        ids: dict[str, None] = {}
        for row in sorted({*exact[:_LOOKED_AT], *best}, key=lambda row: self._rank(row, exact)):
            ids.setdefault(self._parts["entity"][row].as_py())
            if len(ids) == limit:
                break
        things = self._index.things(ids)
        return [Suggestion(id, *things[id]) for id in ids if id in things]

    def _rank(self, row: int, exact: range) -> tuple[bool, float]:
        """A whole name that is typed out comes first; else what weighs most."""
        whole = row in exact and self._parts["begins"][row].as_py()
        return not whole, -float(self._weights[row])
