"""A national team is no club, and a baseball team not of the NBA: teams are held against the kind that was asked for.

What a team is, its description tells: "men's national football team of Sweden". One that says nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from asof.reading.facts.lookup import Found, Lookup
from asof.reading.facts.phrases import Phrases
from asof.reading.facts.words import spoken

_TEAM, _NATIONAL = "sports team", "national"
_CLUBS = frozenset(("club", "clubs"))


def of_kind(found: Sequence[Found], words: Collection[str], lookup: Lookup, phrases: Phrases) -> list[Found]:
    """Keep the facts whose answer can be a team of the kind that the words of a question say."""
    sports: dict[str, str] = phrases.table["sports"]
    asked = [set(sports[word].split()) for word in words if word in sports]
    clubs, national = bool(_CLUBS & set(words)), _NATIONAL in words
    if not (asked or clubs or national):
        return list(found)
    played = {word for accepted in sports.values() for word in accepted.split()}
    things = lookup.index.things({one.answer for one in found if one.wanted})

    def fits(one: Found) -> bool:
        team = things.get(one.answer)
        if team is None or team.kind != _TEAM or not team.description:
            return True
        told = set(spoken(team.description).split())
        if (clubs and _NATIONAL in told) or (national and _NATIONAL not in told):
            return False
        return all(told & accepted or not told & played for accepted in asked)

    return [one for one in found if fits(one)]
