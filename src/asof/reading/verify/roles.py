"""What may stand at a place of a clause: names, and roles such as "the former prime minister of Italy"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from asof.facts import FactStore
from asof.reading.ask.evaluate import name_index
from asof.reading.ask.evaluate.kinds import singular, tables
from asof.reading.ask.lexicon import Group, Lexicon, LexiconLayer, Saying, Use, lexicon_of
from asof.reading.ask.lexicon.labels import plain_label
from asof.reading.ask.meanings import Meanings
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.naming import said_length
from asof.reading.ask.presence import Presence
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name
from asof.reading.ask.words import Word
from asof.reading.verify.vocabulary import vague_nouns, words

_KNOWN: WeakKeyDictionary[FactStore, tuple[Lexicon, Meanings, NameIndex, Presence]] = WeakKeyDictionary()
_LONGEST_UNKNOWN = 4  # words of a name that the base does not know
_ORDINALS = frozenset(("first", "second", "third", "fourth", "fifth", "last", "only", "current"))
_NOBODY = frozenset(
    (
        "the",
        "a",
        "an",
        "this",
        "that",
        "these",
        "those",
        "his",
        "her",
        "its",
        "their",
        "he",
        "she",
        "it",
        "they",
        "in",
        "on",
        "as",
        "at",
    )
)
_LOOSE = (LexiconLayer.ALIAS, LexiconLayer.SHORT)


def roles_of(store: FactStore) -> Roles:
    """Return what finds roles in the words of one text; the words of a base are put together once."""
    if store not in _KNOWN:
        lexicon, index = lexicon_of(store), name_index(store)
        _KNOWN[store] = lexicon, Meanings(lexicon), index, Presence(store, index)
    return Roles(*_KNOWN[store])


@dataclass(frozen=True, slots=True)
class Role:
    """A noun for one end of a relation, with what it belongs to."""

    groups: tuple[Group, ...]
    noun: str
    place: Name | None
    length: int
    former: bool = False
    current: bool = False
    then: bool = False
    definite: bool = False
    plural: bool = False
    says_more: bool = False
    loose: bool = False
    after_place: bool = False  # the place stands before the noun: "Italy's", "German", "Acme"

    @property
    def title(self) -> str | None:
        """The noun, where it is the title of an office that not every holder bears."""
        titles = tables()["titles"]
        return self.noun if self.noun in titles or singular(self.noun) in titles else None


@dataclass(frozen=True)
class Roles:
    """Finds names and roles in words.

    Args:
        earlier: The last names of those whom the text has named in full, and whom they mean.
    """

    lexicon: Lexicon
    meanings: Meanings
    index: NameIndex
    presence: Presence
    earlier: dict[str, Name | None] = field(default_factory=dict)

    def names(self, row: Sequence[Word], position: int, *, unknown: bool = False) -> Iterator[tuple[Name, int]]:
        """Walk over the names that begin at a place, the longest first, and how many words they take.

        Args:
            unknown: Also a row of capitals that the base does not know.
        """
        start = position
        if position < len(row) and row[position].text in words("determiners"):
            position += 1
        known = 0
        for name, length in sorted(self._known(row, position), key=lambda one: -one[1]):
            known = max(known, length)
            yield name, length + position - start
        if known == 0 and start == position:
            yield from self._behind_title(row, position)
        if start != position:  # "The Hague"
            yield from sorted(self._known(row, start), key=lambda one: -one[1])
        if known == 0 and (last := self._last_name(row, position)):
            yield last, 1 + position - start
        if unknown and start == position:
            yield from self._unknown(row, position, known)

    def _known(self, row: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        for length, text in self.index.names_from(row[position:]):
            taken = tuple(row[position : position + length])
            if any(word.time for word in taken) or (any(word.possessive for word in taken[:-1]) and "s" not in text):
                continue
            if not _is_written_as_name(taken):
                continue
            possessive = taken[-1].possessive and text.endswith(taken[-1].text)
            yield Name(taken, self.index.entities(text), possessive, meant=text), length

    def _behind_title(self, row: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        """Walk over the people behind a title: "Prime Minister Mario Draghi", "Dr Ann Lee"."""
        if position >= len(row) or not row[position].written[:1].isupper() or row[position].possessive:
            return
        lengths = {1} if row[position].text in words("honorifics") else set()
        for saying in self.lexicon.by_first_word.get(row[position].text, ()):
            if not saying.is_verb and all(
                word.written[:1].isupper() for word in row[position : position + len(saying.words)]
            ):
                lengths.add(said_length(saying.words, row, position))
        for title in sorted(lengths - {0}, reverse=True):
            for name, length in self._known(row, position + title):
                if length > 1 and row[position + title].written[:1].isupper():
                    yield name, title + length

    def _last_name(self, row: Sequence[Word], position: int) -> Name | None:
        """Return whom a last name means: somebody named before, or whoever has it in the base."""
        if position >= len(row) or row[position].time or not row[position].written[:1].isupper():
            return None
        word = row[position]
        if word.text in self.earlier:
            known = self.earlier[word.text]
            return Name((word,), known.entities, word.possessive, meant=known.said) if known else None
        people = self.index.people(word.text)
        return Name((word,), people, word.possessive, in_part=True) if people and len(word.text) > 2 else None

    def _unknown(self, row: Sequence[Word], position: int, known: int) -> Iterator[tuple[Name, int]]:
        length = 0
        while position + length < len(row) and length < _LONGEST_UNKNOWN and _is_capital(row[position + length]):
            length += 1
            if row[position + length - 1].possessive or row[position + length - 1].comma:
                break
        if length > known and length > 1 and row[position].text not in _NOBODY:
            taken = tuple(row[position : position + length])
            short = self.index.without_middle_names(" ".join(word.text for word in taken))
            yield Name(taken, short, taken[-1].possessive, in_part=bool(short)), length

    def demonym(self, row: Sequence[Word], position: int) -> tuple[Name, int] | None:
        """Return the country of "French" or "South Korean"."""
        for length in (2, 1):
            taken = tuple(row[position : position + length])
            said = " ".join(word.text for word in taken)
            country = self.lexicon.table["demonyms"].get(said)
            if realms := self.lexicon.table.get("realms", {}).get(said):
                named = {id: True for realm in realms for id in self.index.entities(realm)}
                if named and taken[0].written[:1].isupper() and not self.index.entities(said):
                    return Name(taken, named, possessive=True, together=True), length
            capital = bool(taken) and taken[0].written[:1].isupper() and not taken[-1].possessive
            if country and capital and (entities := self.index.entities(spoken(country))):
                return Name(taken, entities, possessive=True, meant=country), length
        return None

    def roles(self, row: Sequence[Word], position: int) -> Iterator[Role]:
        """Walk over the roles that begin at a place."""
        start, definite = position, False
        marks: set[str] = set()
        while position < len(row):
            text = row[position].text
            if text in ("the", "a", "an") and position == start:
                definite = text == "the"
            elif text in ("its", "their", "his", "her") and position == start:
                pass
            elif kind := next((one for one in ("former", "current", "then") if text in words(one)), None):
                marks.add(kind)
            elif text in _ORDINALS or row[position].order:
                for role in self._nouns(row, position, None):  # a "first violin" is one
                    yield _with(role, row, start, marks, definite=definite)
                marks.add("order")
            else:
                break
            position += 1
        for place, length in self._places_before(row, position):
            behind = position + length
            inner = set(marks)
            while behind < len(row) and (
                kind := next((one for one in ("former", "current", "then") if row[behind].text in words(one)), None)
            ):
                inner.add(kind)
                behind += 1
            for role in self._nouns(row, behind, place):
                yield _with(role, row, start, inner, definite=definite)
        for role in self._nouns(row, position, None):
            yield _with(role, row, start, marks, definite=definite)
        yield from self._offices(row, start, position, marks, definite=definite)

    def _places_before(self, row: Sequence[Word], position: int) -> Iterator[tuple[Name, int]]:
        if people := self.demonym(row, position):
            yield people
        for name, length in self.names(row, position):
            behind = position + length
            if behind < len(row) and not name.in_part and (name.possessive or row[position].written[:1].isupper()):
                yield name, length

    def _nouns(self, row: Sequence[Word], position: int, place: Name | None) -> Iterator[Role]:
        if position >= len(row):
            return
        for saying in self.lexicon.by_first_word.get(row[position].text, ()):
            length = 0 if saying.is_verb else said_length(saying.words, row, position)
            if not length or row[position + length - 1].possessive:
                continue
            groups = self._fitting(saying, place, row, position)
            if groups:
                yield from self._with_place(row, position + length, saying, groups, place)

    def _fitting(self, saying: Saying, place: Name | None, row: Sequence[Word], position: int) -> tuple[Group, ...]:
        """Leave out what a noun cannot mean: "the German coach" is of a people, not of a country's team."""
        groups = whole_groups(saying, self.lexicon)
        people = place is not None and (place.together or place.text.casefold() in self.lexicon.table["demonyms"])
        if not people:
            return groups
        governs = {id for name in ("states",) for id in self.meanings.flat(name)} | self._governing
        posts = self.meanings.flat("posts") | self.meanings.flat("offices")
        return tuple(
            group for group in groups if all(use.relation in governs or use.relation not in posts for use in group)
        )

    @property
    def _governing(self) -> frozenset[str]:
        return frozenset((*self.lexicon.related("head of government"), *self.lexicon.related("head of state")))

    def _with_place(
        self, row: Sequence[Word], behind: int, saying: Saying, groups: tuple[Group, ...], place: Name | None
    ) -> Iterator[Role]:
        noun = saying.text
        loose = not self._means_it(saying, groups)
        if place is None and behind + 1 < len(row) and row[behind].text in words("links"):
            for name, length in self.names(row, behind + 1, unknown=True):
                if not (name.possessive or name.in_part):
                    yield Role(groups, noun, name, behind + 1 + length, plural=saying.plural, loose=loose)
        yield Role(groups, noun, place, behind, plural=saying.plural, loose=loose, after_place=place is not None)

    def _means_it(self, saying: Saying, groups: tuple[Group, ...]) -> bool:
        """Tell whether a noun is a name of its first relation, not one of many words for whoever is at the head."""
        noun = singular_of(saying.text)
        if saying.layers[0] <= LexiconLayer.DERIVED:
            return True
        if saying.layers[0] in _LOOSE or noun in vague_nouns():
            return False
        nouns = self.lexicon.table["nouns"] | self.lexicon.table["subject_nouns"]
        first = nouns.get(noun, nouns.get(saying.text, "")).split("|")[0]
        meant = {id for one in first.split("+") for id, _ in self.lexicon.known.named(one.strip().lstrip("^~"))}
        return {use.relation for use in groups[0]} <= meant | self._governing

    def _offices(
        self, row: Sequence[Word], start: int, position: int, marks: set[str], *, definite: bool
    ) -> Iterator[Role]:
        """Walk over the offices that the base knows as things: "the Pope", "Chancellor of the Exchequer"."""
        held = self.meanings.groups("held")[:1] if self.meanings.lexicon.table["asking"].get("held") else ()
        uses = [(id, turned) for group in held for id, turned in group]
        if not uses or position >= len(row):
            return
        for name, length in self.names(row, position):
            if name.in_part or name.possessive or not self._is_office(name):
                continue
            groups = _held_groups(uses)
            role = Role(groups, name.spoken, name, position + length, after_place=True, loose=False)
            yield _with(role, row, start, marks, definite=definite)

    def _is_office(self, name: Name) -> bool:
        return self.presence.is_office(name)

    def full_name(self, name: Name) -> None:
        """Remember somebody who is named in full: later the last name is enough, unless two have it."""
        if len(name.words) < 2 or name.in_part or not name.entities:
            return
        last = name.words[-1].text
        known = self.earlier.get(last, name)
        same = known is not None and dict(known.entities) == dict(name.entities)
        self.earlier[last] = name if same else None


def _held_groups(uses: Sequence[tuple[str, bool]]) -> tuple[Group, ...]:
    return (tuple(Use(id, "subject" if turned else "object") for id, turned in uses),)


def _with(role: Role, row: Sequence[Word], start: int, marks: set[str], *, definite: bool) -> Role:
    return Role(
        role.groups, role.noun, role.place, role.length - start, "former" in marks, "current" in marks, "then" in marks,
        definite, role.plural, "order" in marks, role.loose, role.after_place,
    )  # fmt: skip


def whole_groups(saying: Saying, lexicon: Lexicon) -> tuple[Group, ...]:
    """Return what a saying surely means: not by the last word of a name, as a chancellor is no vice-chancellor."""
    kept = []
    for group, layer in zip(saying.groups, saying.layers, strict=True):
        if layer is LexiconLayer.SHORT and not any(_is_initials(saying.text, lexicon, use) for use in group):
            continue
        if uses := tuple(use for use in group if not (use.beside or use.joining)):
            kept.append(uses)
    return tuple(kept)


def _is_initials(said: str, lexicon: Lexicon, use: Use) -> bool:
    label = plain_label(lexicon.relations[use.relation].label)
    return said.rstrip("s") == "".join(word[0] for word in label) and len(label) > 1


def singular_of(noun: str) -> str:
    """Return a noun in the singular."""
    return singular(noun) or noun


def _is_written_as_name(taken: Sequence[Word]) -> bool:
    """Tell a name from a word that only looks like one: it has a capital, a number, or is long and plain."""
    if any(word.written[:1].isupper() or word.written[:1].isdigit() for word in taken):
        return taken[0].written[:1].isupper() or taken[0].written[:1].isdigit() or len(taken) > 1
    return len(taken) > 1 or len(taken[0].text) > 3


def _is_capital(word: Word) -> bool:
    return word.written[:1].isupper() and not word.time
