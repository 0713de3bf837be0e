"""Queries as JSON: written short, and read with errors that name the key, the value and what is possible."""

from __future__ import annotations

import re
from typing import Any, get_args

import msgspec

from asof.errors import UserError, did_you_mean
from asof.reading.ask.query import During, Lookup, Neighbour, Query, Which

LONGEST_QUERY = 100_000  # characters
_EXAMPLE = '{"ask": "lookup", "relation": "manager", "subject": "Acme", "when": "2014"}'
_ASKS: dict[str, type[msgspec.Struct]] = {kind.__struct_config__.tag: kind for kind in get_args(Query)}
_PICKS: dict[str, type[msgspec.Struct]] = {kind.__struct_config__.tag: kind for kind in get_args(Which)}


def query_json(query: Query) -> str:
    """Return a query as JSON, without what it does not say.

    >>> query_json(Lookup(relation="manager", subject="Acme", when="2014"))
    '{"ask":"lookup","relation":"manager","subject":"Acme","when":"2014"}'
    """
    return msgspec.json.encode(query).decode()


def query_row(query: Query) -> dict[str, Any]:
    """Return a query as plain values, without what it does not say."""
    row: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(query))
    return row


def read_query(given: str | bytes | dict[str, Any] | Query) -> Query:
    """Read a query from JSON, or from plain values; what is one already is checked.

    >>> read_query('{"ask": "count", "relation": "manager", "subject": "Acme"}').what
    'answers'
    >>> read_query('{"ask": "lookup", "relaton": "manager"}')  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    asof.errors.UserError: The query has a key 'relaton', which is none of a query. Did you mean 'relation'? ...

    Raises:
        UserError: It is no JSON, or no query; the message names the key, the value, and what is possible.
    """
    if isinstance(given, msgspec.Struct):
        given = query_row(given)
    try:
        values = msgspec.json.decode(_of_a_size(given)) if isinstance(given, str | bytes) else given
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise UserError(f"The query is no JSON: {error}. Write, for example: {_EXAMPLE}") from error
    except RecursionError as error:
        raise UserError("The query is nested too deep.") from error
    try:
        query: Query = msgspec.convert(values, Query)
    except msgspec.ValidationError as error:
        raise UserError(f"{_in_words(str(error), values)} See: asof schema query") from error
    except RecursionError as error:
        raise UserError("The query is nested too deep.") from error
    return query


def _of_a_size(text: str | bytes) -> str | bytes:
    if len(text) > LONGEST_QUERY:
        raise UserError(f"The query has {len(text):,} characters; asof reads queries of up to {LONGEST_QUERY:,}.")
    return text


def _in_words(message: str, values: Any) -> str:
    """Say where a mistake is: msgspec writes "Expected `str`, got `int` - at `$.when.facts.relation`"."""
    told, _, position = message.partition(" - at `$")
    steps = [step for step in re.split(r"[.\[\]]+", position.rstrip("`")) if step]
    if not isinstance(values, dict):
        return f"A query is an object such as {_EXAMPLE}; this is {_kind_of(values)}."
    if "unknown field" in told:
        return _unknown_key(told.split("`")[1], steps, values)
    if "required field" in told:
        return _missing_key(told.split("`")[1], steps)
    where = ".".join(steps)
    return _wrong_value(told, where, steps, _at(values, steps))


def _unknown_key(key: str, steps: list[str], values: Any) -> str:
    where = f"{'.'.join(steps)} has" if steps else "The query has"
    inside = _at(values, steps)
    kind = _struct(steps, inside if isinstance(inside, dict) else {})
    tag = kind.__struct_config__
    known = [*([tag.tag_field] if tag.tag_field else []), *kind.__struct_fields__]
    part = f"{tag.tag!r}" if tag.tag else "such a time"
    what = "none of a query" if not steps else "unknown there"
    return f"{where} a key {key!r}, which is {what}.{did_you_mean(key, known)} {part} has: {', '.join(known)}."


def _missing_key(key: str, steps: list[str]) -> str:
    where = f"{'.'.join(steps)} needs" if steps else "The query needs"
    choices = {"ask": _ASKS, "pick": _PICKS}.get(key)
    advice = f", one of {', '.join(choices)}" if choices else ""
    return f"{where} a key {key!r}{advice}. For example: {_EXAMPLE}."


def _wrong_value(told: str, where: str, steps: list[str], value: Any) -> str:
    last = steps[-1] if steps else "ask"
    asks = ["lookup"] if where.count(".") or last != "ask" else list(_ASKS)  # inside of a query only what it looks up
    choices = {"ask": asks, "pick": list(_PICKS)}.get(last, [])
    if not choices and "enum value" in told:
        choices = _choices(steps[-1])
    if choices:
        guess = did_you_mean(value, choices) if isinstance(value, str) else ""
        return f"The query's {where or 'ask'!r} is {value!r}.{guess} Possible: {', '.join(choices)}."
    return f"The query's {where!r} is {_kind_of(value)}: {told.replace('`', '')}."


def _choices(key: str) -> list[str]:
    """Return the words that may stand under a key."""
    from asof.reading.ask.query_schema import query_schema

    for part in query_schema()["$defs"].values():
        for choice in (part["properties"].get(key, {}), *part["properties"].get(key, {}).get("anyOf", ())):
            if "enum" in choice:
                return [str(one) for one in choice["enum"] if one is not None]
    return []


def _struct(steps: list[str], inside: dict[str, Any]) -> type[msgspec.Struct]:
    """Return the type that stands at a place: of a query, of which of its facts, or of a time."""
    if steps and steps[-1] == "which":
        return _PICKS.get(str(inside.get("pick")), Neighbour)
    if steps and steps[-1] == "when":
        return During
    return Lookup if steps else _ASKS.get(str(inside.get("ask")), Lookup)


def _at(values: Any, steps: list[str]) -> Any:
    for step in steps:
        if isinstance(values, dict):
            values = values.get(step)
        elif isinstance(values, list) and step.isdigit() and int(step) < len(values):
            values = values[int(step)]
    return values


def _kind_of(value: Any) -> str:
    names = {type(None): "null", bool: "true or false", dict: "an object", list: "a list"}
    return names.get(type(value)) or repr(value)[:80]
