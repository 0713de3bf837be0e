"""What the relations of a base are: as the base says itself, and as their plain names tell."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache

from asof.reading.ask.lexicon import Lexicon
from asof.reading.ask.lexicon.by_name import is_office, is_symmetric

_KINDS: Mapping[str, tuple[str, ...]] = {  # kinds of relation, as a base says them, for the lists of the lexicon
    "where": ("place",), "posts": ("office",), "succession": ("office",), "prizes": ("award",), "names": ("name",),
    "careers": (),
}  # fmt: skip

Meant = tuple[tuple[str, bool], ...]  # relations that are asked together, and whether subject and object are turned


class Meanings:
    """Tells which relations of a base are offices, places, names, and which hold both ways."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.groups = lru_cache(64)(self._groups)
        self.flat = lru_cache(64)(self._flat)

    def _groups(self, name: str) -> tuple[Meant, ...]:
        """Return the relations of a list of ``[asking]``: those that are asked together, in the order of trying."""
        rows: list[Meant] = []
        for group in self.lexicon.table["asking"][name].split("|"):
            row: dict[tuple[str, bool], None] = {}
            for one in group.split("+"):
                said = " ".join(one.split())
                for id, turned in self.lexicon.known.named(said.lstrip("^")):
                    row[id, turned != said.startswith("^")] = None
            rows.append(tuple(row))
        known = {id for row in rows for id, _ in row}
        kinds = _KINDS.get(name, ())
        told = (
            id
            for id, relation in self.lexicon.relations.items()
            if relation.kind in kinds or ("office" in kinds and is_office(relation))
        )
        more = tuple((id, False) for id in told if id not in known)
        return tuple(row for row in (*rows, more) if row)

    def _flat(self, name: str) -> frozenset[str]:
        return frozenset(id for row in self.groups(name) for id, _ in row)

    def symmetric(self, relation: str) -> bool:
        """Tell whether what one is to the other, the other is to the one."""
        known = self.lexicon.relations.get(relation)
        return known is not None and is_symmetric(known)

    @cached_property
    def titles(self) -> frozenset[str]:
        """Nouns that a holder must bear: "king", where a base says only head of state."""
        return frozenset(self.lexicon.table.get("titles", {}))
