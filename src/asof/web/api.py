"""The list of all addresses for people, made of the OpenAPI description that programs read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Parameter:
    """What may be given with an address."""

    name: str
    location: str
    required: bool
    kind: str
    description: str


@dataclass(frozen=True)
class Field:
    """One value of a reply."""

    name: str
    kind: str


@dataclass(frozen=True)
class Shape:
    """A reply, or a part of one."""

    name: str
    description: str
    fields: list[Field]


@dataclass(frozen=True)
class Address:
    """One address: what it does, what it may be asked, what it gives."""

    method: str
    path: str
    summary: str
    description: str
    parameters: list[Parameter]
    gives: str


@dataclass(frozen=True)
class ApiPage:
    """All addresses, and the shapes of their replies."""

    addresses: list[Address]
    shapes: list[Shape]


def api_page(schema: dict[str, Any]) -> ApiPage:
    """Make the list."""
    addresses = [
        Address(
            method=method.upper(),
            path=path.replace(":path", ""),
            summary=said["summary"],
            description=_said(said),
            parameters=[_parameter(one) for one in said.get("parameters", [])],
            gives=_kind(said["responses"]["200"].get("content", {}).get("application/json", {}).get("schema", {})),
        )
        for path, methods in schema["paths"].items()
        for method, said in methods.items()
    ]
    shapes = [
        Shape(
            name,
            one.get("description", "").replace("``", ""),
            [Field(key, _kind(kind)) for key, kind in one["properties"].items()],
        )
        for name, one in sorted(schema["components"]["schemas"].items())
        if "properties" in one and not name.startswith(("HTTPValidation", "ValidationError"))
    ]
    return ApiPage(addresses, shapes)


def _said(operation: dict[str, Any]) -> str:
    return str(operation.get("description", "")).replace("``", "")


def _parameter(parameter: dict[str, Any]) -> Parameter:
    return Parameter(
        parameter["name"],
        parameter["in"],
        parameter["required"],
        _kind(parameter["schema"]),
        parameter.get("description", ""),
    )


def _kind(schema: dict[str, Any]) -> str:
    """Say a type of JSON Schema in a few words.

    >>> _kind({"anyOf": [{"type": "array", "items": {"$ref": "#/components/schemas/FactRow"}}, {"type": "null"}]})
    'list of FactRow, or null'
    >>> _kind({"enum": ["open", "all"], "type": "string"})
    '"open" or "all"'
    """
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return ", or ".join(_kind(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    kind = str(schema.get("type", "anything"))
    return {"integer": "whole number", "boolean": "true or false"}.get(kind, kind)
