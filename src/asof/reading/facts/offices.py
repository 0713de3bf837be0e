"""Who ruled a realm that has no heads of state in a base: the holders of its office, "Sultan of the Ottoman Empire"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.facts.index import Index
from asof.reading.facts.items import Name
from asof.reading.facts.phrases import Phrases
from asof.reading.facts.sense import RelationQuery, Sense
from asof.reading.facts.titles import title_of

_ANY_HEAD = ("head", "chief", "leader")
_HEAD_OF_STATE, _HOLDER = "P35", "P1308"


def offices(sense: Sense, index: Index, phrases: Phrases, *, besides: bool) -> list[RelationQuery]:
    """Return what to ask of the offices that are called by a title and by the realm that a question names.

    Args:
        besides: The realm has heads of state, too, so that only a title that the question says is looked for.
    """
    titles = [title for said in sense.said if (title := title_of(said)) in phrases.table["titles"]]
    if besides and not titles:
        return []
    if not besides and set(sense.said) & set(phrases.table["heads"]["said"]):
        return _heads(sense, index, phrases)
    return [
        RelationQuery(_HOLDER, Name(asked.subject.words, entities), asked.object)
        for group in sense.groups
        for asked in group
        if asked.relation == _HEAD_OF_STATE and asked.subject
        for name in _names(asked.subject.spoken, titles or list(phrases.table["titles"]), phrases)
        if (entities := index.entities(name))
    ]


def _heads(sense: Sense, index: Index, phrases: Phrases) -> list[RelationQuery]:
    """Return what to ask of the office that heads an organisation: "who ran NASA" is its administrator."""
    asked = next((asked for group in sense.groups for asked in group), None)
    if asked is None or asked.subject is None:
        return []
    realm = asked.subject.spoken
    titles = phrases.table["heads"]["offices"].split()
    said = [title for one in sense.said if (title := title_of(one)) in titles and title not in _ANY_HEAD]
    for title in said or titles:
        for name in (f"{title} of {realm}", f"{title} of the {realm}", f"{realm} {title}"):
            if entities := index.entities(name):
                return [RelationQuery(_HOLDER, Name(asked.subject.words, entities), asked.object)]
    return []


def _names(realm: str, titles: Sequence[str], phrases: Phrases) -> Iterator[str]:
    peoples = [people for people, place in phrases.table["demonyms"].items() if place.lower() == realm]
    for title in titles:
        yield f"{title} of {realm}"
        yield f"{title} of the {realm}"
        for people in peoples:
            yield f"{people} {title}"
