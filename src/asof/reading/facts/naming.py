"""Where names stand in a row of words: as the base has them, in the plural, in short, or behind their country."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from asof.reading.facts.divided_offices import DividedOffice, divided_offices
from asof.reading.facts.index import Index
from asof.reading.facts.items import Name
from asof.reading.facts.phrases import ARTICLES, Phrases
from asof.reading.facts.words import Word, spoken

_HAS_PLURAL = ("award", "position")  # "two Ballon d'Ors"
_WORK = "work"
_WHERE = ("in", "of", "for")
_LONGEST_MAKER, _LONGEST_TITLE = 3, 3  # words: "van Gogh's", "lord high stewards of"


@dataclass(frozen=True)
class Naming:
    """Finds the names of a base in words."""

    index: Index
    phrases: Phrases
    no_plurals: frozenset[str]  # small words that end in s

    def at(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        """Walk over the names that begin at a place, and how many words they take."""
        for one in self._divided:
            yield from one.at(words, index, self.index)
        plain = [*self._short(words, index), *self._plain(words, index)]
        yield from self._with_maker(words, index)
        for name, length in plain:
            yield from self._with_country(words, index, name, length)
            yield from self._of_country(words, index, name, length)
        yield from plain
        yield from self._plurals(words, index)
        yield from self._rows(words, index)

    def _plain(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        for said, realms in self.phrases.table["realms"].items():
            length = said_length(said.split(), words, index)
            entities = {id: True for realm in realms for id in self.index.entities(realm)} if length else {}
            if entities:
                taken = tuple(words[index : index + length])
                possessive = taken[-1].possessive or not self.index.entities(said)
                yield Name(taken, entities, possessive, together=True), length
        for length, name in self.index.names_from(words[index:]):
            taken = tuple(words[index : index + length])
            possessive = taken[-1].possessive and name.endswith(taken[-1].text)
            yield Name(taken, self.index.entities(name), possessive), length
        for length in (2, 1):  # "South African", "French"
            taken = tuple(words[index : index + length])
            country = self.phrases.table["demonyms"].get(" ".join(word.text for word in taken))
            if country and (entities := self.index.entities(spoken(country))):
                yield Name(taken, entities, possessive=True), length

    def _short(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        for short, long in self._rewrites.get(words[index].text, ()):
            length = said_length(short, words, index)
            if length and (entities := self.index.entities(long)):
                yield Name(tuple(words[index : index + length]), entities), length

    def _plurals(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        plural = words[index].text
        if plural.endswith("s") and plural not in self.no_plurals and (entities := self.index.entities(plural[:-1])):
            yield Name((words[index],), entities, plural=True), 1  # "all popes"
        if plural.endswith("ies") and (entities := self.index.entities(_singular(plural))):
            yield Name((words[index],), entities, plural=True), 1  # "monarchies"
        for length in range(2, len(words) - index + 1):
            taken = tuple(words[index : index + length])
            if taken[-1].text.endswith("s"):
                entities = self.index.entities(" ".join(word.text for word in taken)[:-1])
                if any(thing.kind in _HAS_PLURAL for thing in self.index.things(entities).values()):
                    yield Name(taken, entities, plural=True), length

    def _rows(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        """Find an office in the plural before "of": "great khans of the Mongol Empire"."""
        for number in range(index, min(index + _LONGEST_TITLE, len(words) - 1)):
            if words[number + 1].text == "of" and (one := _singular(words[number].text)):
                row = [*words[index:number], replace(words[number], text=one), *words[number + 1 :]]
                for length, name in self.index.names_from(row):
                    entities = self.index.entities(name) if length > number - index + 1 else {}
                    if any(thing.kind in _HAS_PLURAL for thing in self.index.things(entities).values()):
                        yield Name(tuple(words[index : index + length]), entities, plural=True), length

    def _with_maker(self, words: Sequence[Word], index: int) -> Iterator[tuple[Name, int]]:
        """Find a work behind the name of its maker: "Picasso's Guernica"."""
        for behind in range(index + 1, min(index + _LONGEST_MAKER, len(words) - 1) + 1):
            if words[behind - 1].possessive:
                maker = " ".join(word.text for word in words[index:behind])
                for work, length in self._plain(words, behind):
                    things = self.index.things(work.entities)
                    its = {
                        id: True
                        for id, thing in things.items()
                        if thing.kind == _WORK and f" {maker} " in f" {spoken(thing.description or '')} "
                    }
                    if its:
                        yield Name(tuple(words[index : behind + length]), its, work.possessive), behind - index + length

    def _with_country(
        self, words: Sequence[Word], index: int, country: Name, length: int
    ) -> Iterator[tuple[Name, int]]:
        """Find an office behind the name of its country: "UK chancellor of the exchequer", "Egyptian pharaohs"."""
        behind = index + length
        if behind >= len(words):
            return
        offices = [*self._short(words, behind), *self._plain(words, behind), *self._plurals(words, behind)]
        if not offices:
            return
        for office, more in offices:
            if its := self._offices_of(country, office):
                yield Name(tuple(words[index : behind + more]), its), length + more

    def _of_country(self, words: Sequence[Word], index: int, office: Name, length: int) -> Iterator[tuple[Name, int]]:
        """Find an office before the name of its country: "leader of the opposition in the UK"."""
        behind = index + length
        if behind + 1 >= len(words) or words[behind].text not in _WHERE:
            return
        behind += 2 if words[behind + 1].text in ARTICLES else 1
        for country, more in self._plain(words, behind) if behind < len(words) else ():
            if not country.possessive and (its := self._offices_of(country, office)):
                yield Name(tuple(words[index : behind + more]), its), behind - index + more

    def _offices_of(self, country: Name, office: Name) -> dict[str, bool]:
        """Return those of some offices that belong to a country."""
        its = {id: thing for id, thing in self.index.things(office.entities).items() if thing.kind == "position"}
        known = self.index.things(country.entities).values() if its else ()
        labels = [spoken(thing.label) for thing in known if thing.kind == "country"]
        return {
            id: office.entities[id]
            for id, thing in its.items()
            if any(f" {label} " in f" {spoken(f'{thing.label} {thing.description}')} " for label in labels)
        }

    @cached_property
    def _rewrites(self) -> dict[str, list[tuple[tuple[str, ...], str]]]:
        """The short forms by their first word."""
        forms: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for short, long in self.phrases.table["rewrites"].items():
            said = tuple(word for word in short.split() if word not in ARTICLES)
            forms.setdefault(said[0], []).append((said, long))
        return forms

    @cached_property
    def _divided(self) -> list[DividedOffice]:
        return divided_offices(self.phrases)


def _singular(plural: str) -> str:
    """Return the singular of a plural, nothing where it is none.

    >>> _singular("secretaries"), _singular("chairmen"), _singular("popes"), _singular("pope")
    ('secretary', 'chairman', 'pope', '')
    """
    for ending, one in (("ies", "y"), ("men", "man"), ("s", "")):
        if plural.endswith(ending):
            return plural.removesuffix(ending) + one
    return ""


def said_length(phrase: Sequence[str], words: Sequence[Word], index: int) -> int:
    """Return how many words a phrase takes at a place, articles between them included; 0 where it is not said there."""
    taken = 0
    for number, wanted in enumerate(phrase):
        while number and index + taken < len(words) and words[index + taken].text in ARTICLES:
            taken += 1
        if index + taken >= len(words) or words[index + taken].text != wanted:
            return 0
        if words[index + taken].possessive and number < len(phrase) - 1:
            return 0
        taken += 1
    return taken
