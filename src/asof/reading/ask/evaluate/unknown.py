"""What to say where a base has no such fact at all; a name that it does not know gets a guess."""

from __future__ import annotations

from asof.errors import UserError
from asof.facts import Entity, FactStore, find_entity
from asof.facts.names import near_entities
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.names import Mention
from asof.reading.ask.query import Neighbour


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
        notes = (f"{store.manifest.name} has no fact of {labels}{about}.",)
    unclear, near = next(((mention.text, near) for mention, _, near in guesses if near), ("", []))
    return notes, unclear, near


def _unknown_name(store: FactStore, mention: Mention) -> tuple[str, list[Entity]]:
    """Say what is not known of a name, and what nearly bears it."""
    try:
        entity = find_entity(store, mention.text)
    except UserError as error:
        return str(error), near_entities(store, mention.text)
    return f"{store.manifest.name} has no matching fact about {entity}.", []
