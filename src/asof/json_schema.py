"""The JSON Schema of a dataclass: what the rows of a result look like, for programs in any language.

Knows what results are made of: text, numbers, true or false, null, literals, lists, mappings and other dataclasses.
Every key is required and no other may come, so a key that is added, lost or renamed is another version.
"""

from __future__ import annotations

import inspect
from dataclasses import fields, is_dataclass
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", NoneType: "null"}


def json_schema(kind: type, name: str, version: int) -> dict[str, Any]:
    """Return the schema of a dataclass under a name and a version.

    >>> from dataclasses import make_dataclass
    >>> row = make_dataclass("Row", [("text", str), ("count", int | None)])
    >>> row.__doc__ = "A text."
    >>> made = json_schema(row, "row", 1)
    >>> made["$id"], made["properties"]
    ('urn:asof:row:1', {'text': {'type': 'string'}, 'count': {'type': ['integer', 'null']}})
    """
    parts: dict[str, Any] = {}
    whole = _object(kind, parts)
    about = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:asof:{name}:{version}"}
    return about | {"title": name, "version": version} | whole | ({"$defs": parts} if parts else {})


def _object(kind: type, parts: dict[str, Any]) -> dict[str, Any]:
    hints = get_type_hints(kind)
    properties = {}
    for field in fields(kind):
        said = {"description": field.metadata["description"]} if "description" in field.metadata else {}
        properties[field.name] = _schema(hints[field.name], parts) | said
    return {
        "description": inspect.cleandoc(kind.__doc__ or ""),
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _schema(hint: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of one type; dataclasses inside are written once, in ``parts``."""
    if hint is Any:
        return {}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if is_dataclass(hint) and isinstance(hint, type):
        if hint.__name__ not in parts:
            parts[hint.__name__] = {}  # so that it may contain itself
            parts[hint.__name__] = _object(hint, parts)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    origin, inside = get_origin(hint), get_args(hint)
    if origin is Literal:
        return {"enum": list(inside)}
    if origin in (list, tuple):  # a tuple of any length: tuple[str, ...]
        return {"type": "array", "items": _schema(inside[0], parts)}
    if origin is dict:
        return {"type": "object", "additionalProperties": _schema(inside[1], parts)}
    if origin in (Union, UnionType):
        return _one_of([_schema(one, parts) for one in inside])
    raise TypeError(f"{hint} has no JSON Schema here.")


def _one_of(choices: list[dict[str, Any]]) -> dict[str, Any]:
    if all(set(one) == {"type"} for one in choices):
        return {"type": [one["type"] for one in choices]}
    if all(set(one) <= {"enum"} or one == {"type": "null"} for one in choices):
        return {"enum": [value for one in choices for value in one.get("enum", [None])]}
    return {"anyOf": choices}
