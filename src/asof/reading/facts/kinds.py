"""A club is no city, and a national team no club: answers are held against the kind of thing that was asked for.

"Which city did Messi play for" asks for none that the facts have. What a thing is, its kind tells, and of a team its
description: "men's national football team of Sweden". One that says nothing of it is kept.
"""

from __future__ import annotations

from collections.abc import Sequence

from asof.reading.facts.index import Thing
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.phrases import Phrases
from asof.reading.facts.words import Word, spoken

_TEAM, _NATIONAL = "sports team", "national"
_CLUBS, _COUNTRIES = frozenset(("club", "clubs")), frozenset(("country", "countries", "nation", "nations"))
_TEAMS = frozenset((*_CLUBS, "team", "teams", "side", "sides"))
_ASKING = frozenset(("which", "what"))
_LONGEST = 4  # words: "which English football club"


def of_kind(matches: Sequence[FactMatch], words: Sequence[Word], lookup: Lookup, phrases: Phrases) -> list[FactMatch]:
    """Keep the facts whose answer can be of the kind that the words of a question say."""
    said = {word.text for word in words}
    sports: dict[str, str] = phrases.table["sports"]
    played = {word for accepted in sports.values() for word in accepted.split()}
    asked = [set(sports[word].split()) for word in said if word in sports]
    noun = _asked_noun(words, phrases)
    kinds = _other_kinds(noun, phrases)
    described_as = set(phrases.table["described"].get(noun, "").split())
    origins = [told for index in range(len(words)) if (told := origin(words, index, phrases))]
    clubs, national = bool(_CLUBS & said), _NATIONAL in said or noun in _COUNTRIES
    if not (asked or clubs or national or kinds or origins):
        return list(matches)
    things = lookup.index.things({one.answer for one in matches if one.wanted})

    def fits(thing: Thing | None) -> bool:
        if thing is None or not thing.kind:
            return not origins
        if thing.kind in kinds:
            return False
        if described_as and not described_as & set(spoken(f"{thing.label} {thing.description}").split()):
            return False
        if thing.kind != _TEAM or not thing.description:
            return not origins
        described = spoken(thing.description)
        told = set(described.split())
        if not all(any(f" {name} " in f" {described} " for name in names) for names in origins):
            return False
        if (clubs and _NATIONAL in told) or (national and _NATIONAL not in told):
            return False
        return all(told & accepted or not told & played for accepted in asked)

    return [one for one in matches if one.wanted is None or fits(things.get(one.answer))]


def origin(words: Sequence[Word], index: int, phrases: Phrases) -> tuple[str, ...]:
    """Return where a team that is asked for comes from: "which Italian club"; nothing where that is not said here."""
    people = words[index].text
    if people not in phrases.table["demonyms"] or (index and words[index - 1].text not in _ASKING):
        return ()
    behind = [word.text for word in words[index + 1 : index + _LONGEST]]
    sports = 0
    while sports < len(behind) and behind[sports] in phrases.table["sports"]:
        sports += 1
    if sports == len(behind) or behind[sports] not in _TEAMS:
        return ()
    return people, spoken(phrases.table["demonyms"][people])


def _other_kinds(noun: str, phrases: Phrases) -> set[str]:
    """Return the kinds that a noun does not mean, of those that are known here: a base may have kinds of its own."""
    table: dict[str, list[str]] = phrases.table["things"]
    return {kind for known in table.values() for kind in known} - set(table[noun]) if noun in table else set()


def _asked_noun(words: Sequence[Word], phrases: Phrases) -> str:
    """Return the noun right behind "which" that tells what kind of thing is asked for."""
    for index, word in enumerate(words):
        if word.text in _ASKING:
            for number, noun in enumerate(words[index + 1 : index + _LONGEST]):
                if noun.text in phrases.table["things"] and not _is_owned(words[index + 1 : index + 1 + number]):
                    return noun.text
                if noun.text not in phrases.words("kinds") and noun.text not in phrases.table["demonyms"]:
                    break
    return ""


def _is_owned(words: Sequence[Word]) -> bool:
    return any(word.possessive for word in words)
