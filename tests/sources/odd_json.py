"""JSON as other programs write it: keys in any order, spaces anywhere, any sign escaped. It means the same."""

import json
from dataclasses import dataclass
from random import Random
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Oddities:
    """How odd a text is."""

    orders: float = 0.0  # how often the keys of an object are shuffled
    spaces: float = 0.0  # how often there is white space between two signs
    escapes: float = 0.0  # how often a sign of a key or a string is escaped
    ascii: bool = True  # whether all others but ASCII are


def odd_json(value: Any, random: Random, odd: Oddities) -> str:
    """Write a value as JSON on one line."""

    def space() -> str:
        return random.choice((" ", "\t", "  ")) if random.random() < odd.spaces else ""

    def sign(one: str) -> str:
        escaped = one < "\x7f" and random.random() < odd.escapes
        return f"\\u{ord(one):04x}" if escaped else json.dumps(one, ensure_ascii=odd.ascii)[1:-1]

    def text(string: str) -> str:
        return f'"{"".join(map(sign, string))}"' if odd.escapes else json.dumps(string, ensure_ascii=odd.ascii)

    def write(value: Any) -> str:
        if isinstance(value, dict):
            pairs = list(value.items())
            if random.random() < odd.orders:
                random.shuffle(pairs)
            inside = [f"{space()}{text(key)}{space()}:{space()}{write(one)}{space()}" for key, one in pairs]
            return "{" + ",".join(inside) + "}"
        if isinstance(value, list):
            return "[" + ",".join(f"{space()}{write(one)}{space()}" for one in value) + "]"
        return text(value) if isinstance(value, str) else json.dumps(value)

    return write(value)
