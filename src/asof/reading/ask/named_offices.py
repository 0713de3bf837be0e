"""Offices that a base knows by name only: "Sultan of the Ottoman Empire", "Administrator of NASA", a national team.

Who ruled a realm that has no heads of state in a base, or ran an organisation, is told by the holders of its office;
the
coach of a country is that of its team.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from asof.reading.ask.ends import Ends, Groups
from asof.reading.ask.evaluate.kinds import singular, tables
from asof.reading.ask.lexicon import Lexicon
from asof.reading.ask.meanings import Meanings
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.spoken import spoken
from asof.reading.ask.tags import Name

_ANY_HEAD = ("head", "chief", "leader")


@dataclass(frozen=True)
class Offices:
    """Finds the offices and teams that go by the name of a place or an organisation."""

    lexicon: Lexicon
    meanings: Meanings
    index: NameIndex

    def groups(self, groups: Groups, said: Sequence[str]) -> Groups:
        """Return further groups of relations, for when those that are said have no facts."""
        found = []
        for ends in {one.subject: one for group in groups for one in group if one.subject}.values():
            related = {one.relation for group in groups for one in group if one.subject is ends.subject}
            if ends.subject is not None:
                found += [self._held(name, ends) for name in self._offices(ends.subject, said, related)]
                found += [self._coached(name, ends) for name in self._teams(ends.subject, related)]
        return tuple(group for group in found if group)

    def _held(self, office: Name, ends: Ends) -> tuple[Ends, ...]:
        return tuple(Ends(id, office, ends.object) for id in sorted(self.meanings.flat("holders")))

    def _coached(self, team: Name, ends: Ends) -> tuple[Ends, ...]:
        return tuple(Ends(id, team, ends.object) for id in sorted(self.meanings.flat("coaches")))

    def _offices(self, position: Name, said: Sequence[str], related: set[str]) -> Iterator[Name]:
        """Walk over the offices of a realm, by the title that is said or by any; or over that of an organisation."""
        if not self.meanings.flat("holders"):
            return
        known = tables()["titles"]
        titles = [one for text in said if (one := text if text in known else singular(text)) in known]
        if related & self.meanings.flat("states"):
            yield from self._first(position, _of_realm(position.spoken, titles or list(known), self._peoples(position)))
        heads = self.lexicon.table["heads"]
        if set(said) & set(heads["said"]):
            named = [
                one for text in said if (one := singular(text)) in heads["offices"].split() and one not in _ANY_HEAD
            ]
            yield from self._first(position, _of_body(position.spoken, named or heads["offices"].split()))

    def _teams(self, position: Name, related: set[str]) -> Iterator[Name]:
        if not related & self.meanings.flat("coaches"):
            return
        called = dict.fromkeys(
            (position.spoken, *(spoken(one.label) for one in self.index.things(position.entities).values()))
        )
        forms = self.lexicon.table.get("national_teams", {}).get("names", ())
        yield from self._first(position, (form.format(name) for name in called for form in forms))

    def _first(self, position: Name, names: Iterator[str]) -> Iterator[Name]:
        for name in names:
            if entities := self.index.entities(name):
                yield Name(position.words, entities, position.possessive, meant=name)
                return

    def _peoples(self, position: Name) -> list[str]:
        labels = {position.spoken, *(spoken(one.label) for one in self.index.things(position.entities).values())}
        return [people for people, country in self.lexicon.table["demonyms"].items() if spoken(country) in labels]


def _of_realm(realm: str, titles: Sequence[str], peoples: Sequence[str]) -> Iterator[str]:
    for title in titles:
        yield f"{title} of {realm}"
        yield f"{title} of the {realm}"
        yield from (f"{people} {title}" for people in peoples)


def _of_body(body: str, titles: Sequence[str]) -> Iterator[str]:
    for title in titles:
        yield from (f"{title} of {body}", f"{title} of the {body}", f"{body} {title}")
