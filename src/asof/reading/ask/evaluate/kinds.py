"""A club is no city, and a national team no club: answers are held against the kind of thing that was asked for.

What a thing is, its kind in the base tells, and of a team its description: "men's national football team of Sweden".
One that says nothing of it is kept.
"""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.names import NameLookup
from asof.reading.ask.name_index import Thing
from asof.reading.ask.spoken import spoken

POSTS = frozenset(("position", "office", "post", "role", "job"))
_TEAM, _NATIONAL, _CLUB = "sports team", "national", "club"
_COUNTRIES = frozenset(("country", "nation"))
_STEM = 4  # letters that a people and its country have in common: Italian, Italy


def of_kind(found: Sequence[FoundFact], kind: str | None, names: NameLookup) -> list[FoundFact]:
    """Keep the facts whose answer can be of the kind that is asked for."""
    if kind is None or not found:
        return list(found)
    things = names.index.things({one.answer for one in found})
    words = [singular(word) for word in spoken(kind).split()]
    own = {thing.kind for thing in things.values() if thing.kind and spoken(thing.kind) == " ".join(words)}
    if own and words[-1] not in tables()["things"]:  # the base itself speaks of such things
        return [one for one in found if one.answer not in things or things[one.answer].kind in {*own, None}]
    fitting = [one for one in found if _fits(things.get(one.answer), words)]
    return fitting if any(thing.kind for thing in things.values()) else _called_so(fitting, words, names)


def _called_so(found: Sequence[FoundFact], words: Sequence[str], names: NameLookup) -> list[FoundFact]:
    """Keep, of several relations, those with such things in their place, where no thing has a kind.

    That one of them is the Lindenhof Theatre tells that what has artistic directors are theatres.
    """
    places = {(one.fact.relation, one.wanted) for one in found if one.wanted}
    if len(places) < 2 or not words:
        return list(found)
    called = {place for place in places if names.is_in_a_name(words[-1], *place)}
    return [one for one in found if (one.fact.relation, one.wanted) in called] if called else list(found)


def _fits(thing: Thing | None, words: Sequence[str]) -> bool:
    if thing is None or not thing.kind or not words:
        return True
    table, noun = tables(), words[-1]
    if noun in table["things"] and thing.kind in _known_kinds() - set(table["things"][noun]):
        return False
    described = table["described"].get(noun, "").split()
    if described and not set(described) & set(spoken(f"{thing.label} {thing.description}").split()):
        return False
    return thing.kind != _TEAM or not thing.description or _fits_team(spoken(thing.description).split(), words)


def _fits_team(told: Sequence[str], words: Sequence[str]) -> bool:
    sports: dict[str, str] = tables()["sports"]
    asked = [set(sports[word].split()) for word in words if word in sports]
    played = {word for accepted in sports.values() for word in accepted.split()}
    national = _NATIONAL in words or words[-1] in _COUNTRIES
    if (_CLUB in words and _NATIONAL in told) or (national and _NATIONAL not in told):
        return False
    if any(not accepted & set(told) and played & set(told) for accepted in asked):
        return False
    origins = [word for word in words[:-1] if word not in sports and word not in (_NATIONAL, _CLUB)]
    return all(any(one[:_STEM] == word[:_STEM] for one in told) for word in origins)


def singular(noun: str) -> str:
    """Return a noun without the ending of its plural.

    >>> [singular(noun) for noun in ("cities", "clubs", "boss", "people")]
    ['city', 'club', 'boss', 'person']
    """
    if noun == "people":
        return "person"
    if noun.endswith("ies"):
        return noun.removesuffix("ies") + "y"
    return noun.removesuffix("s") if not noun.endswith("ss") else noun


@cache
def tables() -> dict[str, Any]:
    """Return the words of this folder, read once."""
    return tomllib.loads((files(__package__) / "kinds.toml").read_text(encoding="utf-8"))


@cache
def _known_kinds() -> frozenset[str]:
    return frozenset(kind for kinds in tables()["things"].values() for kind in kinds)
