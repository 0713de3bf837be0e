"""The JSON Schema of a query; with a base, its relations are the only ones that fit."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from asof.facts import FactStore, Relation
from asof.reading.ask.query import Query

VERSION = 1
_TITLE = "query"


@cache
def plain_schema() -> dict[str, Any]:
    """Return the JSON Schema of a query to any base; do not change it, it is made once.

    >>> sorted(plain_schema()["discriminator"]["mapping"])
    ['compare', 'count', 'duration', 'lookup', 'when', 'yes-no']
    """
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:asof:{_TITLE}:{VERSION}"}
    return about | {"title": _TITLE, "version": VERSION} | msgspec.json.schema(Query)


def query_schema(store: FactStore | None = None) -> dict[str, Any]:
    """Return the JSON Schema of a query; of a base, with its relations by name as the only ones."""
    schema: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(plain_schema()))
    if store is None:
        return schema
    names = relation_names(store.relations.values())
    schema["$defs"]["RelationName"] = {"enum": names + [f"^{name}" for name in names]}
    one = {"$ref": "#/$defs/RelationName"}
    for part in schema["$defs"].values():
        given = part.get("properties", {}).get("relation")
        if given:
            several = {"type": "array", "items": one, "minItems": 1}
            part["properties"]["relation"] = {"anyOf": [one, several], "description": given["description"]}
    return schema


def relation_names(relations: Iterable[Relation]) -> list[str]:
    """Return a name for each relation: its label, or its id where several have the same label."""
    row = list(relations)
    labels = [relation.label for relation in row]
    return [one.label if labels.count(one.label) == 1 else one.id for one in row]
