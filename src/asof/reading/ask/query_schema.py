"""The JSON Schema of a query; with a base, its relations are the only ones that fit."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from asof.facts import FactStore, Relation
from asof.reading.ask.query import Query

VERSION = 2
_TITLE = "query"
REF = "#/$defs/"

Schema = dict[str, Any]


def query_schema(store: FactStore | None = None) -> Schema:
    """Return the JSON Schema of a query; of a base, with its relations by name as the only ones.

    >>> sorted(query_schema()["discriminator"]["mapping"])
    ['compare', 'count', 'duration', 'lookup', 'when', 'yes-no']
    """
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:asof:{_TITLE}:{VERSION}"}
    schema: Schema = about | {"title": _TITLE, "version": VERSION} | msgspec.json.schema(Query)
    if store is None:
        return schema
    names = relation_names(store.relations.values())
    schema["$defs"]["RelationName"] = {"enum": names + [f"^{name}" for name in names]}
    one = {"$ref": f"{REF}RelationName"}
    for part in schema["$defs"].values():
        if given := part.get("properties", {}).get("relation"):
            several = {"type": "array", "items": one, "minItems": 1}
            part["properties"]["relation"] = {"anyOf": [one, several], "description": given["description"]}
    return schema


def relation_names(relations: Iterable[Relation]) -> list[str]:
    """Return a name for each relation: its label, or its id where several have the same label."""
    row = list(relations)
    labels = [relation.label.casefold() for relation in row]
    return [one.label if labels.count(one.label.casefold()) == 1 else one.id for one in row]
