"""Numbers as JSON has them: it knows no infinity, and nothing for a mean over no items."""

from __future__ import annotations

import math
from typing import Any


def json_numbers(row: dict[str, Any]) -> dict[str, Any]:
    """Put None for what JSON has no number for, however deep.

    >>> json_numbers({"share": float("nan"), "of": [{"right": 0.5}, float("inf")]})
    {'share': None, 'of': [{'right': 0.5}, None]}
    """
    return {name: _number(value) for name, value in row.items()}


def _number(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return json_numbers(value)
    return [_number(one) for one in value] if isinstance(value, list | tuple) else value
