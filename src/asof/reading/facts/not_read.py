"""What to say when a question was not understood, or when the base has no such fact at all."""

from __future__ import annotations

from collections.abc import Sequence

from asof.errors import UserError
from asof.facts import Entity, FactStore, find_entity
from asof.facts.names import near_entities
from asof.reading.facts.answer import FactsAnswer, Status
from asof.reading.facts.items import Name
from asof.reading.facts.sense import Sense
from asof.reading.facts.words import Word

_CAN_ANSWER = (
    "asof answers who, which, what, where, when, how long, how many, and yes or no, about one relation of a thing, "
    'at a time: "Who was president of France in 1985?", "Which teams did LeBron James play for before 2010?". '
    "See: asof list relations"
)


def not_understood(question: str, unexplained: Sequence[Word]) -> FactsAnswer:
    """Say which words were not understood, and what can be asked."""
    if unexplained:
        return _words_not_understood(question, unexplained[:8])
    note = "asof knows the words, but not what they ask together: a relation or a name is missing, or is one too many."
    return FactsAnswer(question=question, status=Status.NOT_UNDERSTOOD, notes=(note, _CAN_ANSWER))


def _words_not_understood(question: str, words: Sequence[Word]) -> FactsAnswer:
    unread = tuple(word.written for word in words)
    note = f"asof does not understand these words: {', '.join(map(repr, unread))}."
    return FactsAnswer(
        question=question, status=Status.NOT_UNDERSTOOD, notes=(note, _CAN_ANSWER), not_understood=unread
    )


def nothing_known(question: str, sense: Sense, store: FactStore, unexplained: Sequence[Word]) -> FactsAnswer:
    """Say that the base has no such fact; a name that it does not know gets a guess."""
    asked = sense.groups[0][0]
    names = [name for name in (asked.subject, asked.object, sense.neighbour) if name]
    guesses = [(name, *_unknown_name(store, name)) for name in names if not name.entities or name.in_part]
    notes = [note for _, note, _ in guesses]
    stray = [word for word in unexplained if word.written[:1].islower()]
    if stray and notes:  # "vice prime minister": no name, but a word that changes the question
        return _words_not_understood(question, stray)
    if not notes:
        relation = store.relations.get(asked.relation)
        label = relation.label if relation else asked.relation
        known = " and ".join(repr(name.text) for name in names)
        notes = [f"{store.manifest.name} has no fact of {label!r} about {known}."]
    unclear, near = next(((name.text, near) for name, _, near in guesses if near), ("", []))
    return FactsAnswer(
        question=question, status=Status.UNKNOWN, notes=tuple(notes), unclear=unclear, candidates=tuple(near)
    )


def _unknown_name(store: FactStore, name: Name) -> tuple[str, list[Entity]]:
    """Say what is not known of a name, and what nearly bears it."""
    try:
        entity = find_entity(store, name.text)
    except UserError as error:
        return str(error), near_entities(store, name.text)
    return f"{store.manifest.name} has no matching fact about {entity}.", []
