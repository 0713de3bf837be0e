"""YAML without a package for it: plain keys, and values that every reader takes for what they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

_ESCAPED = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


class TaggedValue(str):
    """A value that is written as it stands, such as ``!function scores.items``."""


def yaml(content: Mapping[str, Any]) -> str:
    r"""Write a mapping as a block.

    >>> aggregation = TaggedValue("!function s.f")
    >>> print(yaml({"task": "a: {{b}}\n", "metric_list": [{"metric": "f1", "aggregation": aggregation}]}))
    task: "a: {{b}}\n"
    metric_list:
      - metric: "f1"
        aggregation: !function s.f
    <BLANKLINE>
    """
    return "".join(f"{line}\n" for line in _lines(content))


def _lines(content: Mapping[str, Any]) -> list[str]:
    found = []
    for key, value in content.items():
        if isinstance(value, Mapping) and value:
            found += [f"{key}:", *(f"  {line}" for line in _lines(value))]
        elif isinstance(value, Sequence) and not isinstance(value, str) and value:
            found.append(f"{key}:")
            for one in value:
                first, *rest = _lines(one) if isinstance(one, Mapping) else [scalar(one)]
                found += [f"  - {first}", *(f"    {line}" for line in rest)]
        else:
            found.append(f"{key}: {scalar(value)}")
    return found


def scalar(value: Any) -> str:
    r"""Write a text, a number, yes or no, nothing, or an empty list or mapping.

    Letters that some readers refuse or take for the end of a line are written as their numbers.

    >>> print(scalar("São\u2028{{x}}\x00\U0001f600"), scalar(True), scalar(None), scalar([]), scalar(0.5))
    "São\u2028{{x}}\x00😀" true null [] 0.5
    """
    if isinstance(value, TaggedValue):
        return str(value)
    if isinstance(value, str):
        return '"' + "".join(_letter(sign) for sign in value) + '"'
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int | float):
        return repr(value)
    return "{}" if isinstance(value, Mapping) else "[]"


def _letter(sign: str) -> str:
    if sign in _ESCAPED:
        return _ESCAPED[sign]
    if sign.isprintable():
        return sign
    number = ord(sign)
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
