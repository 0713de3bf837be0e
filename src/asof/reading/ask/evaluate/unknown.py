"""What to say where a base has no such fact at all; a name that it does not know gets a guess."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from asof.errors import UserError
from asof.facts import Entity, FactStore, find_entity
from asof.facts.base_in_commands import base_option
from asof.facts.names import near_entities
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.names import Mention
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.query import Neighbour

_MOST = 12  # relations that are told


def nothing_known(choice: Choice) -> tuple[tuple[str, ...], str, list[Entity]]:
    """Return notes, the name that may be a mistake, and the entities that nearly bear it."""
    store, which = choice.lookup.store, choice.query.which
    named = [*choice.ends.subject, *choice.ends.object]
    if isinstance(which, Neighbour) and which.of:
        named += choice.lookup.names.named(which.of)
    guesses = [
        (mention, *_unknown_name(store, mention)) for mention in named if not mention.entities or mention.in_part
    ]
    notes = tuple(dict.fromkeys(note for _, note, _ in guesses))
    if not notes:
        labels = " or ".join(repr(store.relations[one.id].label) for one in choice.relations)
        known = " and ".join(repr(mention.text) for mention in named)
        about = f" about {known}" if known else ""
        ids = [next(iter(one.entities)) for one in named if len(one.entities) == 1]
        knows = [note for id in ids for note in known_of(store, choice.lookup.names.index, id)]
        notes = (f"{store.manifest.name} has no fact of {labels}{about}.", *knows)
    unclear, near = next(((mention.text, near) for mention, _, near in guesses if near), ("", []))
    return notes, unclear, near


def known_of(store: FactStore, index: NameIndex, id: str) -> Iterator[str]:
    """Say which relations a base knows of a thing; of one that is no subject, those of which it is the object."""
    own = store.rows("facts", id)["relation"].unique().to_pylist()
    others = dict.fromkeys(relation for relation, _ in index.pairs(id))
    label = index.things([id])[id].label
    ends: tuple[tuple[str, Iterable[str]], ...] = (("subject", own), ("object", others))
    for end, row in ends:
        if labels := sorted(store.relations[one].label for one in row)[:_MOST]:
            see = f"See: asof facts{base_option(store)} --{end} {label!r}"
            yield f"It has facts with {label!r} as {end} of: {', '.join(labels)}. {see}"
            return


def _unknown_name(store: FactStore, mention: Mention) -> tuple[str, list[Entity]]:
    """Say what is not known of a name, and what nearly bears it."""
    try:
        entity = find_entity(store, mention.text)
    except UserError as error:
        return str(error), near_entities(store, mention.text)
    return f"{store.manifest.name} has no matching fact about {entity}.", []
