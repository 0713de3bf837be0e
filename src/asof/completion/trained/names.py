"""The names of entities and relations of a dataset: from what a user types to a number, and back."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import Any

from asof.completion.dataset import Dataset
from asof.errors import UserError
from asof.facts import FactStore
from asof.sources.tkbc import Tkbc

_SHOWN = 8
_NEARLY = 0.85  # alike as names that differ by a letter or two are


@dataclass(frozen=True)
class Names:
    """Ids and labels, in the order of the numbers.

    Args:
        kind: "entity" or "relation", for messages.
        where: The name of the dataset.
    """

    kind: str
    where: str
    ids: Sequence[str]
    labels: Sequence[str]

    def find(self, id: str, label: str | None = None) -> int | None:
        """Return the number of an id, or else of a name that only one has; None where there is none.

        >>> Names("entity", "toys", ["Q64", "Q90"], ["Berlin", "Paris"]).find("Q1", "paris")
        1
        """
        if id in self._by_id:
            return self._by_id[id]
        found = self._by_label.get(folded(label or id), [])
        return found[0] if len(found) == 1 else None

    def knows(self, name: str) -> bool:
        """Tell whether any has this id or label."""
        return name in self._by_id or folded(name) in self._by_label

    def typo_of(self, name: str) -> str | None:
        """Return the name that a misspelt one probably means; other digits mean another thing.

        >>> players = Names("entity", "toys", ["a", "b"], ["Player 04", "Player 05"])
        >>> players.typo_of("plyer 04"), players.typo_of("Player 77")
        ('Player 04', None)
        """
        near = get_close_matches(folded(name), self._by_label, n=1, cutoff=_NEARLY)
        if not near or _digits(near[0]) != _digits(name):
            return None
        return self.labels[self._by_label[near[0]][0]]

    def number(self, name: str) -> int:
        """Find the number of an id or a label; accents, capitals and ``_`` do not count.

        >>> Names("entity", "toys", ["Q64", "Q90"], ["Berlin", "Paris"]).number("paris")
        1
        """
        if name in self._by_id:
            return self._by_id[name]
        found = self._by_label.get(folded(name), [])
        if len(found) == 1:
            return found[0]
        if found:
            listed = "\n".join(f"  {self.ids[number]}  {self.labels[number]}" for number in found[:_SHOWN])
            raise UserError(f"{name!r} may be one of {len(found)}:\n{listed}\nGive the id of the one you mean.")
        near = get_close_matches(folded(name), self._by_label, n=1)
        hint = f" Did you mean {self.labels[self._by_label[near[0]][0]]!r}?" if near else ""
        few = f" It has: {', '.join(self.labels)}." if len(self.labels) <= 30 else ""
        raise UserError(
            f"{self.where} has no {self.kind} {name!r}.{hint}{few} A model knows only the names that it was trained on."
        )

    @cached_property
    def _by_id(self) -> dict[str, int]:
        return {id: number for number, id in enumerate(self.ids)}

    @cached_property
    def _by_label(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, label in enumerate(self.labels):
            found.setdefault(folded(label), []).append(number)
        return found


def _digits(name: str) -> str:
    return "".join(letter for letter in name if letter.isdigit())


def folded(name: str) -> str:
    """Write a name without what does not count when names are compared.

    >>> folded("Athletic_Park_(Vancouver)"), folded("  Élysée ")
    ('athletic park (vancouver)', 'elysee')
    """
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(plain.replace("_", " ").casefold().split())


def labelled(
    entities: Names, relations: Names, *, subject: int | None, relation: int, object: int | None, given: str | None
) -> dict[str, Any]:
    """Return the labels and ids of a fact by its numbers; an end without a number is called what was given."""
    ends = {"subject": subject, "object": object}
    labels = {end: given if number is None else entities.labels[number] for end, number in ends.items()}
    ids = {f"{end}_id": None if number is None else entities.ids[number] for end, number in ends.items()}
    return {**labels, **ids, "relation": relations.labels[relation], "relation_id": relations.ids[relation]}


def names_of(dataset: Dataset, location: str | Path) -> tuple[Names, Names]:
    """Return the names of entities and of relations, with the labels that a dataset folder or a base gives them."""
    plain: Callable[[str], str] = str
    if Tkbc.recognises(str(location)):
        plain = _spaced
        source = Tkbc(str(location))
        entities = {row["id"]: row["label"] for batch in source.entities() for row in batch.to_pylist()}
        relations = {row["id"]: row["label"] for batch in source.relations() for row in batch.to_pylist()}
    elif Path(location).is_file():
        entities, relations = {}, {}
    else:
        store = FactStore(Path(location))
        entities, relations = (
            {row["id"]: row["label"] for row in store.sql(f"SELECT id, label FROM {table}").to_pylist()}
            for table in ("entities", "relations")
        )
    return (
        Names("entity", dataset.name, dataset.entities, [entities.get(id) or plain(id) for id in dataset.entities]),
        Names("relation", dataset.name, dataset.relations, [relations.get(id) or id for id in dataset.relations]),
    )


def _spaced(id: str) -> str:
    return id.replace("_", " ")
