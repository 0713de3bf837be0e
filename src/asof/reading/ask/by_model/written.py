"""What a language model wrote as a query: taken out of its text, and held against the base and the question.

A model invents: a name, a year, an example that it has just seen. What stands in a query must stand in the question.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.ask.evaluate.relations import asked_relations
from asof.reading.ask.query import Compare, During, Neighbour, Pattern, Query, Texts
from asof.reading.ask.query_json import read_query
from asof.reading.ask.spoken import spoken

_NUMBER = re.compile(r"[0-9]+")
_TODAY = ("today", "now")


def written_query(text: str, question: str, store: FactStore) -> Query:
    """Return the query that a model wrote.

    Raises:
        UserError: It is none, names what the base does not have, or what the question does not say.
    """
    query = read_query(_first_object(text))
    for pattern in patterns_of(query):
        asked_relations(pattern.relation, store)
        _check_said(pattern, question)
    return query


def patterns_of(query: Query) -> Iterator[Pattern]:
    """Walk over a query and the queries within it."""
    if isinstance(query, Compare):
        yield from (*patterns_of(query.one), *patterns_of(query.other))
        return
    yield query
    if isinstance(query.when, During):
        yield from patterns_of(query.when.facts)


def _first_object(text: str) -> dict[str, Any]:
    position = text.find("{")
    if position < 0:
        raise UserError(f"There is no JSON in {text.strip()[:80]!r}.")
    try:
        found, _ = json.JSONDecoder().raw_decode(text[position:])
    except (ValueError, RecursionError) as error:
        raise UserError(f"{text[position:].strip()[:80]!r} is not JSON: {error}.") from error
    if not isinstance(found, dict):
        raise UserError(f"{text.strip()[:80]!r} is no query.")
    return found


def _check_said(pattern: Pattern, question: str) -> None:
    """Complain of names and times that the question does not say."""
    which = pattern.which
    beside = (which.of, which.until) if isinstance(which, Neighbour) else ()
    names = [*_texts(pattern.subject), *_texts(pattern.object), *_texts(pattern.besides), *filter(None, beside)]
    asked = f" {spoken(question)} "
    for name in names:
        said = spoken(name)
        if not said or f" {said}" not in asked:
            raise UserError(f"{name!r} does not stand in the question.")
    if not isinstance(pattern.when, During):
        _check_times(_texts(pattern.when), question)
    if not (pattern.subject or pattern.object or beside):
        raise UserError("Neither a subject nor an object is given.")


def _check_times(times: list[str], question: str) -> None:
    numbers = set(_NUMBER.findall(question))
    for when in times:
        if when.casefold() in _TODAY:
            continue
        words = set(spoken(when).split())
        invented = set(_NUMBER.findall(when)) - numbers
        if invented or not words & set(spoken(question).split()):
            raise UserError(f"The time {when!r} does not stand in the question.")


def _texts(texts: Texts | None) -> list[str]:
    return [texts] if isinstance(texts, str) else list(texts or ())
