"""A king is no president: facts of a head of state are held against the title that was asked for.

A base says "head of state"; people ask for the king or the president. Where the description of a person speaks of
ranks, but only of others than the one asked for, the fact does not answer the question. Nor does it where the place
has no such office: a city has no chancellor, a country no mayor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.reading.facts.index import Thing
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.phrases import Phrases
from asof.reading.facts.words import spoken
from asof.timeline import Date

_LOCAL = frozenset(("mayor", "governor"))  # early steps of a career: descriptions often tell only the later ones
_RANKED = ("P6", "P35")
_OFFICE = "P1308"
_NO_RANKS = frozenset(("head", "leader", "chair", "chairman", "dictator"))  # what anybody may be called
_ELECTED = frozenset(("president", "prime", "chancellor", "taoiseach"))
_NO_END = 9999
_YEARS = re.compile(r"(?P<since>since )?\b(?P<first>[0-9]{4})(?:[-–](?P<last>[0-9]{4}))?\b")


def with_title(matches: Sequence[FactMatch], said: Sequence[str], lookup: Lookup, phrases: Phrases) -> list[FactMatch]:
    """Keep the facts whose holder can bear the title that was said."""
    titles = phrases.table["titles"]
    asked = [title for text in said if (title := title_of(text)) in titles]
    ranked = [one for one in matches if one.fact.relation in (*_RANKED, _OFFICE)]
    if not asked or not ranked:
        return list(matches)
    accepted = {word for title in asked for word in titles[title].split()}
    all_ranks = {word for words in titles.values() for word in words.split()} - _NO_RANKS
    if not accepted & {*_ELECTED, *_LOCAL, "dictator"}:  # the head of a government was no king
        all_ranks |= _NO_RANKS
    things = lookup.index.things({id for one in ranked for id in (one.fact.subject, one.fact.object)})

    def contradicts(match: FactMatch) -> bool:
        if match.fact.relation == _OFFICE:  # an office says itself what its holders are: "Roman emperor"
            office = things.get(match.fact.subject)
            return office is not None and not accepted & set(spoken(f"{office.label} {office.description}").split())
        if _has_no_such_office(things.get(match.fact.subject), accepted):
            return True
        told = (things[match.fact.object].description or "") if match.fact.object in things else ""
        if accepted & _ELECTED and _is_of_other_years(told, match, lookup.store.known_by):
            return False
        described = spoken(told)
        ranks = set(described.split()) & all_ranks
        if not ranks or set(described.split()) & accepted:
            return False
        place = spoken(things[match.fact.subject].label) if match.fact.subject in things else match.fact.subject
        return not accepted & _LOCAL or f" {place} " in f" {described} "

    return [one for one in matches if one not in ranked or not contradicts(one)]


def bear_title(matches: Sequence[FactMatch], said: Sequence[str], lookup: Lookup, phrases: Phrases) -> bool:
    """Tell whether the description of each holder, or the office itself, speaks of the title that was said."""
    titles = phrases.table["titles"]
    asked = [title for text in said if (title := title_of(text)) in titles]
    ranked = [one for one in matches if one.fact.relation in _RANKED]
    if not asked or not ranked:
        return True
    accepted = {word for title in asked for word in titles[title].split()}
    things = lookup.index.things({one.fact.object for one in ranked})
    described = (
        spoken(things[one.fact.object].description or "") if one.fact.object in things else "" for one in ranked
    )
    return all(accepted & set(words.split()) for words in described)


def _has_no_such_office(place: Thing | None, accepted: set[str]) -> bool:
    """Tell whether the one who governs a place is never called so, by the kind of the place."""
    kind = place.kind if place else None
    return (kind == "city" and bool(accepted & _ELECTED)) or (kind == "country" and accepted == {"mayor"})


def _is_of_other_years(described: str, match: FactMatch, known_by: Date | None) -> bool:
    """Tell whether a description speaks only of years in which the fact did not hold: of an earlier or later post."""
    bounds = match.fact.interval.bounds(known_by=known_by)
    years = [
        (int(span["first"]), int(span["last"] or span["first"]) if not span["since"] else _NO_END)
        for span in _YEARS.finditer(described)
    ]
    first, last = (Date.from_day(day).year for day in (bounds.earliest_start, bounds.latest_end))
    return bool(years) and all(end < first or last < start for start, end in years)


def title_of(text: str) -> str:
    """Return a noun without the ending of its plural."""
    return text.removesuffix("s") if not text.endswith("ss") else text
