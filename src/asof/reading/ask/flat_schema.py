"""A query's JSON Schema in short: one object without references, for the tools of assistants and for small models."""

from __future__ import annotations

from functools import cache

from asof.facts import FactStore
from asof.reading.ask.query_schema import REF, Schema, query_schema, relation_names


def flat_schema(store: FactStore | None = None) -> Schema:
    """Return one object without references that has the keys of all kinds of query: what tools and small models read.

    It allows more than ``query_schema``: which keys go together is checked when a query is read.

    >>> schema = flat_schema()["properties"]
    >>> schema["subject"]["type"], sorted(schema["which"]["properties"])[:3]
    (['string', 'array'], ['all', 'count', 'most'])
    """
    defs = _plain()["$defs"]
    kinds = [defs[one["$ref"].removeprefix(REF)] for one in _plain()["anyOf"]]
    properties = _brief(_together(kinds)["properties"], defs, ())
    if store is not None:
        names = {"enum": relation_names(store.relations.values())}
        choices = [names, {"type": "array", "items": {"type": "string"}}]
        properties["relation"] = {"description": properties["relation"]["description"], "anyOf": choices}
    return {"type": "object", "properties": properties, "required": ["ask"], "additionalProperties": False}


@cache
def _plain() -> Schema:
    return query_schema()


def _together(kinds: list[Schema]) -> Schema:
    """Return one object with the keys of all; the first, which tells them apart, has the words of all."""
    properties: Schema = {}
    for kind in kinds:
        tag = next(iter(kind["properties"]))
        words = [*properties.get(tag, {"enum": []})["enum"], *kind["properties"][tag]["enum"]]
        properties |= kind["properties"] | {tag: {"enum": words}}
    return {"type": "object", "properties": properties, "required": [next(iter(properties))]}


def _brief(properties: Schema, defs: Schema, within: tuple[str, ...]) -> Schema:
    """Return properties with what they refer to written out, but nothing within itself, and that without words."""
    written = {key: _choice(value, defs, within) for key, value in properties.items()}
    return {key: value for key, value in written.items() if value is not None}


def _choice(node: Schema, defs: Schema, within: tuple[str, ...]) -> Schema | None:
    parts = [one for one in _parts(node, defs) if one.get("title") not in within]
    objects = [one for one in parts if "properties" in one]
    choices = [_plain_choice(one) for one in parts if "properties" not in one and one.get("type") != "null"]
    if objects and (whole := _object(objects, defs, within)):
        choices.append(whole)
    if not choices:
        return None
    said = (
        {"description": node["description"]} if "description" in node and not {"During", "Lookup"} & set(within) else {}
    )
    return said | (choices[0] if len(choices) == 1 else _merged(choices))


def _parts(node: Schema, defs: Schema) -> list[Schema]:
    """Return the choices that a type has, also those within a choice."""
    if "$ref" in node:
        return [defs[node["$ref"].removeprefix(REF)]]
    return [part for one in node["anyOf"] for part in _parts(one, defs)] if "anyOf" in node else [node]


def _object(objects: list[Schema], defs: Schema, within: tuple[str, ...]) -> Schema | None:
    """Return what is one object or another as one; None where it needs what may not stand within itself."""
    one = objects[0] if len(objects) == 1 else _together(objects)
    properties = _brief(one["properties"], defs, (*within, *(part["title"] for part in objects)))
    required = [key for key in one.get("required", []) if key != "ask"]  # inside of a query it can only be lookup
    if not properties.keys() >= set(required):
        return None
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _plain_choice(node: Schema) -> Schema:
    kept: Schema = {key: node[key] for key in ("enum", "type") if key in node}
    return kept | ({"items": {"type": "string"}} if node.get("type") == "array" else {})


def _merged(choices: list[Schema]) -> Schema:
    """Bring choices of plain types under one, so that text or a list of texts is one line."""
    if any("properties" in one or "enum" in one for one in choices):
        return {"anyOf": choices}
    return {"type": [one["type"] for one in choices], "items": {"type": "string"}}
