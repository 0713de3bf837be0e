"""One evaluator for every query: the facts of the base that fit it, and what they say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from asof.facts import FactStore
from asof.reading.ask.answer import FactsAnswer, Status
from asof.reading.ask.evaluate.choice import Choice
from asof.reading.ask.evaluate.compared import FactsComparison
from asof.reading.ask.evaluate.conclusion import Conclusion
from asof.reading.ask.evaluate.facts import FactLookup
from asof.reading.ask.evaluate.names import NameLookup, UnclearNameError, name_index
from asof.reading.ask.query import Compare, Query
from asof.reading.ask.query_json import query_row
from asof.reading.ask.query_words import in_words
from asof.timeline import Date

__all__ = ["Choice", "FactLookup", "NameLookup", "evaluate", "fact_lookup", "name_index"]


def evaluate(
    query: Query,
    store: FactStore,
    *,
    today: Date | None = None,
    entities: Collection[str] = (),
    lookup: FactLookup | None = None,
) -> FactsAnswer:
    """Answer a query from the facts of a base.

    Args:
        today: What "today" means; by default the day of the clock.
        entities: Ids that settle which of several entities a name means.
        lookup: Facts that were read before, of the same base: queries of one question read the same ones.

    Raises:
        UserError: The base has no such relation, or a time is none.
    """
    lookup = lookup or fact_lookup(store, entities)
    day = today or Date.today()
    try:
        if isinstance(query, Compare):
            answer = FactsComparison(query, lookup, day).answer()
        else:
            answer = Conclusion(Choice(query, lookup, day)).answer()
    except UnclearNameError as unclear:
        answer = _ambiguous(unclear)
    words = in_words(query)
    return replace(
        answer,
        question=words,
        base=store.manifest.name,
        known_to=store.known_by,
        entities=tuple(entities),
        query=query_row(query),
        read_as=answer.read_as | {"words": words},
    )


def fact_lookup(store: FactStore, entities: Collection[str] = ()) -> FactLookup:
    """Return what reads the facts of one question."""
    return FactLookup(store, NameLookup(store, frozenset(entities)))


def _ambiguous(unclear: UnclearNameError) -> FactsAnswer:
    return FactsAnswer(
        question="",
        status=Status.AMBIGUOUS,
        not_understood=(unclear.name,),
        candidates=tuple(unclear.entities),
        unclear=unclear.name,
        notes=(f"{unclear.name!r} is ambiguous; it may be one of {len(unclear.entities)}.",),
    )
