"""The relations of a base by the plain names that a lexicon gives them: "head of government"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property, lru_cache

from asof.facts import Relation
from asof.facts.schema import WIKIDATA_ID
from asof.reading.ask.lexicon.by_name import is_office, is_somebody, is_symmetric
from asof.reading.ask.lexicon.labels import LINKS, belongs_to_a_class, is_lesser, names_of, plain_label

_MEMBER = frozenset(("member", "members"))
_WHOLES = frozenset(
    ("agency", "bank", "bureau", "club", "company", "department", "faculty", "firm", "foundation", "group", "institute")
)
_WHOLES |= frozenset(
    ("institution", "lab", "laboratory", "library", "museum", "office", "organisation", "organization", "school")
)
_WHOLES |= frozenset(
    ("station", "studio", "team", "theatre", "unit", "zoo", "observatory", "orchestra", "college", "house")
)
_OF_THINGS = frozenset(
    ("holder", "holders")
)  # a grant holder, a record holder: of what stands before, not of an office


OWN = "own relation"  # in a lexicon: all relations of a table, which have no other names than its own
OFFICES = "any office"  # all that are an office


class KnownRelations:
    """Finds a base's relations by plain names.

    >>> known = KnownRelations([Relation(id="r1", label="CEO"), Relation(id="r2", label="directorOf")],
    ...                        {"chief executive officer": "ceo", "director": "^director of"})
    >>> known.named("chief executive officer"), known.named("director"), known.named("anthem")
    ([('r1', False)], [('r2', True)], [])

    Args:
        synonyms: Further names of each plain name, separated by |; ^ before one that has subject and object turned.
    """

    def __init__(self, relations: Collection[Relation], synonyms: Mapping[str, str]) -> None:
        self._by_name: dict[tuple[str, ...], list[str]] = {}
        self._loosely: dict[tuple[str, ...], list[str]] = {}
        self._by_last: dict[tuple[str, ...], list[str]] = {}
        for relation in relations:
            for words, own in names_of(relation).items():
                (self._by_name if own else self._loosely).setdefault(words, []).append(relation.id)
                if (
                    len(words) > 1
                    and own
                    and not LINKS & set(words)
                    and is_somebody(words[-1])
                    and words[-1] not in _OF_THINGS
                    and not is_lesser(words)
                ):
                    self._by_last.setdefault(words[-1:], []).append(relation.id)  # "precinct captain"
            words = plain_label(relation.label)
            if len(words) > 1 and _MEMBER & {words[0], words[-1]} and not LINKS & set(words):
                self._by_name.setdefault(("member",), []).append(relation.id)  # "board member", "member state"
            for name in _also_called(relation.id, words):
                self._by_name.setdefault(name, []).append(relation.id)
        self._synonyms = synonyms
        of_tables = (one for one in relations if re.fullmatch(WIKIDATA_ID, one.id) is None and not is_symmetric(one))
        self._own = [(one.id, False) for one in of_tables]
        self._offices = [(relation.id, False) for relation in relations if is_office(relation)]
        self.named = lru_cache(1024)(self._named)

    def _named(self, name: str) -> list[tuple[str, bool]]:
        """Return the relations that a plain name means, and whether subject and object are turned round."""
        if name in (OWN, OFFICES):
            return self._own if name == OWN else self._offices
        names = [name, *(said for one in self._synonyms.get(name, "").split("|") if (said := one.strip()))]
        rows = ((self._by_name.get(plain_label(said.lstrip("^")), ()), said.startswith("^")) for said in names)
        if found := dict.fromkeys((id, turned) for ids, turned in rows for id in ids):
            return list(found)
        for said in names:  # a loose name of several words that only one relation has
            words = plain_label(said.lstrip("^"))
            ids = self._loosely.get(words, ())
            if len(ids) == 1 and len(words) > 1:
                return [(ids[0], said.startswith("^"))]
        last = (id for said in names if not said.startswith("^") for id in self._by_last.get(plain_label(said), ()))
        return [(id, False) for id in dict.fromkeys(last)]

    @cached_property
    def _plain(self) -> frozenset[tuple[str, ...]]:
        rows = (said for name, more in self._synonyms.items() for said in (name, *more.split("|")))
        return frozenset(plain_label(said) for said in rows)

    def is_plain(self, relation: Relation) -> bool:
        """Tell whether a relation has a name that English knows, not only one that ends so: "raid leader".

        >>> known = KnownRelations([], {"chief executive officer": "ceo"})
        >>> known.is_plain(Relation(id="r1", label="CEO")), known.is_plain(Relation(id="r2", label="raid leader"))
        (True, False)
        """
        one_word = any(len(plain_label(name)) == 1 for name in (relation.label, *relation.aliases))
        return one_word or any(words in self._plain for words in names_of(relation))


def _also_called(id: str, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Walk over the names that a label is a case of: "member of ensemble" of "member of", "driver at" of "works at"."""
    if belongs_to_a_class(id, words):
        yield words[:2]
    if len(words) == 3 and words[:2] == ("head", "of") and words[2] in _WHOLES:
        yield words[:1]  # "head of studio"
    if len(words) > 1 and words[-1] in ("at", "for") and is_somebody(words[-2]):
        yield ("works", "at")
