"""A king is no president: the holders of an office are held against the title that was asked for.

A base says "head of state"; people ask for the king or the president. Where the description of a person speaks of
ranks, but only of others than the one asked for, the fact does not answer the query. Nor does it where the place has no
such office: a city has no chancellor, a country no mayor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.kinds import singular, tables
from asof.reading.ask.evaluate.names import NameLookup
from asof.reading.ask.lexicon.by_name import is_office
from asof.reading.ask.name_index import Thing
from asof.reading.ask.spoken import spoken
from asof.timeline import Date

_LOCAL = frozenset(("mayor", "governor"))  # early steps of a career: descriptions often tell only the later ones
_NO_RANKS = frozenset(("head", "leader", "chair", "chairman", "dictator"))  # what anybody may be called
_ELECTED = frozenset(("president", "prime", "chancellor", "taoiseach"))
_POSITION = "position"  # the kind of a thing that is an office itself
_NO_END = 9999
_YEARS = re.compile(r"(?P<since>since )?\b(?P<first>[0-9]{4})(?:[-–](?P<last>[0-9]{4}))?\b")


@dataclass(frozen=True)
class Title:
    """The title that a query asks for, over the facts of one base; a title that is no rank fits everybody."""

    title: str | None
    names: NameLookup

    def borne(self, found: Sequence[FoundFact]) -> list[FoundFact]:
        """Keep the facts whose holder can bear it."""
        if not self._accepted:
            return list(found)
        things = self._things(found)
        return [one for one in found if not self._is_office(one) or not self._contradicts(one, things)]

    def surely_borne(self, found: Sequence[FoundFact]) -> bool:
        """Tell whether the description of each holder speaks of it."""
        ranked = [one for one in found if self._is_office(one)]
        if not self._accepted or not ranked:
            return True
        things = self._things(ranked)
        described = (spoken(_description(things.get(one.fact.object))) for one in ranked)
        return all(self._accepted & set(words.split()) for words in described)

    @cached_property
    def _accepted(self) -> frozenset[str]:
        titles: dict[str, str] = tables()["titles"]
        said = spoken(self.title or "")
        one = said if said in titles else singular(said)
        return frozenset(titles.get(one, "").split())

    @cached_property
    def _ranks(self) -> set[str]:
        """All words for ranks; the head of a government was no king."""
        ranks = {word for words in tables()["titles"].values() for word in words.split()} - _NO_RANKS
        return ranks if self._accepted & {*_ELECTED, *_LOCAL, "dictator"} else ranks | _NO_RANKS

    def _is_office(self, one: FoundFact) -> bool:
        return is_office(self.names.store.relations[one.fact.relation])

    def _things(self, found: Sequence[FoundFact]) -> dict[str, Thing]:
        return self.names.index.things({id for one in found for id in (one.fact.subject, one.fact.object)})

    def _contradicts(self, one: FoundFact, things: dict[str, Thing]) -> bool:
        position, holder = things.get(one.fact.subject), things.get(one.fact.object)
        if position and position.kind == _POSITION:  # an office says itself what its holders are: "Roman emperor"
            return not self._accepted & set(spoken(f"{position.label} {position.description}").split())
        if self._has_no_such_office(position):
            return True
        told = _description(holder)
        if self._accepted & _ELECTED and _is_of_other_years(told, one, self.names.store.known_by):
            return False
        described = spoken(told)
        ranks = set(described.split()) & self._ranks
        if not ranks or set(described.split()) & self._accepted:
            return False
        where = spoken(position.label if position else one.fact.subject)
        return not self._accepted & _LOCAL or f" {where} " in f" {described} "

    def _has_no_such_office(self, position: Thing | None) -> bool:
        """Tell whether the one who governs a place is never called so, by the kind of the place."""
        kind = position.kind if position else None
        if kind == "city":
            return bool(self._accepted & _ELECTED)
        return kind == "country" and self._accepted == {"mayor"}


def _description(thing: Thing | None) -> str:
    return (thing.description if thing else None) or ""


def _is_of_other_years(described: str, one: FoundFact, known_by: Date | None) -> bool:
    """Tell whether a description speaks only of years in which the fact did not hold: of an earlier or later post."""
    bounds = one.fact.interval.bounds(known_by=known_by)
    years = [
        (int(span["first"]), int(span["last"] or span["first"]) if not span["since"] else _NO_END)
        for span in _YEARS.finditer(described)
    ]
    first, last = (Date.from_day(day).year for day in (bounds.earliest_start, bounds.latest_end))
    return bool(years) and all(end < first or last < start for start, end in years)
