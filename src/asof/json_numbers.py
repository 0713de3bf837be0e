"""Numbers as JSON has them: it knows no infinity, and nothing for a mean over no items."""

from __future__ import annotations

import math
from typing import Any


def json_numbers(value: Any) -> Any:
    """Put None for what JSON has no number for, however deep.

    >>> json_numbers({"share": float("nan"), "of": [{"right": 0.5}, float("inf")]})
    {'share': None, 'of': [{'right': 0.5}, None]}
    """
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: json_numbers(one) for key, one in value.items()}
    return [json_numbers(one) for one in value] if isinstance(value, list | tuple) else value
