"""Where names stand in a row of words: as the base has them, without their apostrophe, in the plural, in short."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from asof.reading.ask.lexicon import Lexicon
from asof.reading.ask.lexicon.inflection import singular
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.offices import DividedOffice, divided_offices
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name
from asof.reading.ask.words import ARTICLES, TIME, Word

_OWNERS = ARTICLES | {"my", "our", "your"}
_HAS_PLURAL = ("award", "position")  # "two Ballon d'Ors"
_WORK = "work"
_WHERE = ("in", "of", "for")
_LONGEST_MAKER, _LONGEST_TITLE = 3, 3  # words: "van Gogh's", "lord high stewards of"
_MOST_BEGINNINGS = 20  # entities whose name begins so


@dataclass(frozen=True)
class Naming:
    """Finds the names of a base in words."""

    index: NameIndex
    lexicon: Lexicon
    small: frozenset[str]

    def at(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Walk over the names that begin at a place, and how many words they take."""
        for one in self._divided:
            yield from one.at(words, position, self.index)
        plain = [*self._short(words, position), *self._plain(words, position)]
        yield from self._with_maker(words, position)
        for name, length in plain:
            yield from self._with_country(words, position, name, length)
            yield from self._of_country(words, position, name, length)
            yield from self._with_its_kind(words, position, name, length)
        yield from plain
        yield from self._turned_round(words, position)
        yield from self._without_apostrophe(words, position)
        yield from self._plurals(words, position)
        yield from self._rows(words, position)

    def in_part(self, words: Sequence[Word]) -> dict[str, bool]:
        """Return the entities of whose names words are the end, or the beginning: "Merkel" for Angela Merkel."""
        said = " ".join(word.text for word in words)
        found = self.index.people(said)
        if found and self.index.has_kinds:
            return found
        begun: dict[str, bool] = {}
        for form in words[-1].forms:  # "St Mary's" of St Mary's Hospital
            begun |= self.index.called_from(" ".join([*(word.text for word in words[:-1]), form, ""]))
        found = found or self.index.without_middle_names(said)
        return found | (dict.fromkeys(begun, False) if len(begun) <= _MOST_BEGINNINGS else {})

    def _plain(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        for said, realms in self.lexicon.table.get("realms", {}).items():
            length = said_length(said.split(), words, position)
            entities = {id: True for realm in realms for id in self.index.entities(realm)} if length else {}
            if entities:
                taken = tuple(words[position : position + length])
                possessive = taken[-1].possessive or not self.index.entities(said)
                yield Name(taken, entities, possessive, together=True), length
        for length, name in self.index.names_from(words[position:]):
            taken = tuple(words[position : position + length])
            if not any(word.text == TIME for word in taken):
                name_only = Name(
                    taken, self.index.entities(name), taken[-1].possessive and name.endswith(taken[-1].text)
                )
                yield replace(name_only, meant="" if spoken(name_only.text) == name else name), length
        row = list(words[position : position + _LONGEST_MAKER + 2])
        if "and" in (texts := [word.text for word in row]) and (joint := texts.index("and")):  # "Kramer & Sons"
            for length, name in self.index.names_from([*row[:joint], *row[joint + 1 :]]):
                if length > joint:
                    taken = tuple(row[: length + 1])
                    yield Name(taken, self.index.entities(name), taken[-1].possessive, meant=name), length + 1
        for length in (2, 1):  # "South African", "French"
            taken = tuple(words[position : position + length])
            country = self.lexicon.table["demonyms"].get(" ".join(word.text for word in taken))
            if country and (entities := self.index.entities(spoken(country))):
                yield Name(taken, entities, possessive=True, meant=country), length

    def _without_apostrophe(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Find a name whose apostrophe was left out: "brad pitts first wife"."""
        for behind in range(position + 1, min(position + 4, len(words) - 1) + 1):
            last = words[behind - 1]
            if last.text.endswith("s") and not last.possessive and last.text not in self.small:
                bare = Word(last.text[:-1], last.written[:-1], last.start, last.end)
                row = [*words[position : behind - 1], bare]
                entities = self.index.entities(" ".join(word.text for word in row))
                if entities and (behind - position > 1 or len(bare.text) > 3):
                    yield Name(tuple(row), entities, possessive=True, mended=True), behind - position

    def _with_its_kind(
        self, words: Sequence[Word], position: int, name: Name, length: int
    ) -> Iterator[tuple[Name, int]]:
        """Find a name before the noun for what it names: "the Lund-Bergen route"; "the Acme store manager" is more."""
        row = words[position + length : position + length + 2]
        plain = bool(row) and row[0].text in self.lexicon.words("called_so") and not row[0].possessive
        ends = len(row) < 2 or row[1].text == TIME or row[1].text in self.small
        if plain and ends and not (name.possessive or self.index.has_kinds) and words[position - 1].text in ARTICLES:
            taken = tuple(words[position : position + length + 1])
            yield replace(name, words=taken, meant=name.said), length + 1

    def _turned_round(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Find a name whose last word was said first: "history department", "Aurora lounge"."""
        if self.index.has_kinds:
            return
        for length in (2, 3):
            taken = tuple(words[position : position + length])
            if len(taken) < length or any(word.time or word.possessive for word in taken[:-1]) or taken[-1].time:
                return
            *ahead, last = (word.text for word in taken)
            for said in (f"{last} of {' '.join(ahead)}", f"{last} {' '.join(ahead)}"):
                if entities := self.index.entities(said):
                    yield Name(taken, entities, possessive=taken[-1].possessive, meant=said), length

    def _short(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        for short, long in self._rewrites.get(words[position].text, ()):
            length = said_length(short, words, position)
            if length and (entities := self.index.entities(long)):
                taken = tuple(words[position : position + length])
                yield Name(taken, entities, taken[-1].possessive, meant=long), length

    def _plurals(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        plural = words[position].text
        if (
            self.index.has_kinds
            and plural not in self.small
            and (one := singular(plural))
            and (entities := self.index.entities(one))
        ):
            yield Name((words[position],), entities, plural=True, meant=one), 1  # "all popes"
        for length in range(2, len(words) - position + 1):
            taken = tuple(words[position : position + length])
            if taken[-1].text.endswith("s"):
                for said in _singulars(" ".join(word.text for word in taken)):
                    entities = self.index.entities(said)
                    kinds = {thing.kind for thing in self.index.things(entities).values()}
                    if kinds & set(_HAS_PLURAL) or (kinds and not self.index.has_kinds):  # "electric buses"
                        yield Name(taken, entities, plural=True, meant=said), length

    def _rows(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Find an office in the plural before "of": "great khans of the Mongol Empire"."""
        for number in range(position, min(position + _LONGEST_TITLE, len(words) - 1)):
            if words[number + 1].text == "of" and (one := singular(words[number].text)):
                row = [*words[position:number], replace(words[number], text=one), *words[number + 1 :]]
                for length, name in self.index.names_from(row):
                    entities = self.index.entities(name) if length > number - position + 1 else {}
                    if any(thing.kind in _HAS_PLURAL for thing in self.index.things(entities).values()):
                        yield (
                            Name(tuple(words[position : position + length]), entities, plural=True, meant=name),
                            length,
                        )

    def _with_maker(self, words: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Find a work behind the name of its maker: "Picasso's Guernica"."""
        for behind in range(position + 1, min(position + _LONGEST_MAKER, len(words) - 1) + 1):
            if words[behind - 1].possessive:
                maker = " ".join(word.text for word in words[position:behind])
                for work, length in self._plain(words, behind):
                    things = self.index.things(work.entities)
                    its = {
                        id: True
                        for id, thing in things.items()
                        if thing.kind == _WORK and f" {maker} " in f" {spoken(thing.description or '')} "
                    }
                    if its:
                        taken = tuple(words[position : behind + length])
                        yield (
                            Name(taken, its, work.possessive, meant=work.text, narrowed=tuple(its)),
                            behind - position + length,
                        )

    def _with_country(
        self, words: Sequence[Word], position: int, country: Name, length: int
    ) -> Iterator[tuple[Name, int]]:
        """Find an office behind the name of its country: "UK chancellor of the exchequer", "Egyptian pharaohs"."""
        behind = position + length
        if behind < len(words):
            for office, more in [
                *self._short(words, behind), *self._plain(words, behind), *self._plurals(words, behind)
            ]:  # fmt: skip
                if its := self._offices_of(country, office):
                    yield Name(tuple(words[position : behind + more]), its, narrowed=tuple(its)), length + more

    def _of_country(
        self, words: Sequence[Word], position: int, office: Name, length: int
    ) -> Iterator[tuple[Name, int]]:
        """Find an office before the name of its country: "leader of the opposition in the UK"."""
        behind = position + length
        if behind + 1 >= len(words) or words[behind].text not in _WHERE:
            return
        behind += 2 if words[behind + 1].text in ARTICLES else 1
        for country, more in self._plain(words, behind) if behind < len(words) else ():
            if not country.possessive and (its := self._offices_of(country, office)):
                yield Name(tuple(words[position : behind + more]), its, narrowed=tuple(its)), behind - position + more

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
        for short, long in self.lexicon.table.get("rewrites", {}).items():
            said = tuple(word for word in short.split() if word not in ARTICLES)
            forms.setdefault(said[0], []).append((said, long))
        return forms

    @cached_property
    def _divided(self) -> list[DividedOffice]:
        return divided_offices(self.lexicon)


def _singulars(plural: str) -> tuple[str, ...]:
    """Return what a plural may be of: "electric buses" of "electric bus"."""
    return (plural[:-1], plural[:-2]) if plural.endswith("es") else (plural[:-1],)


def said_length(said: Sequence[str], words: Sequence[Word], position: int) -> int:
    """Return how many words a saying takes at a place, articles between them included; 0 where it is not said there."""
    taken = 0
    for number, wanted in enumerate(said):
        while number and position + taken < len(words) and words[position + taken].text in _OWNERS:
            taken += 1
        if position + taken >= len(words) or words[position + taken].text != wanted:
            return 0
        if words[position + taken].possessive and number < len(said) - 1:
            return 0
        taken += 1
    return taken
