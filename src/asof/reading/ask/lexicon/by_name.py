"""What a relation is by its name alone, where neither the base nor its facts have said it: a spouse, an office."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from asof.facts import Relation
from asof.reading.ask.lexicon.inflection import DOERS, singular
from asof.reading.ask.lexicon.labels import plain_label


def is_symmetric(relation: Relation) -> bool:
    """Tell whether what one is to the other, the other is to the one: as the base says, else by its name.

    >>> [is_symmetric(Relation(id="r", label=label)) for label in ("married to", "owner")]
    [True, False]
    """
    if relation.symmetric is not None:
        return relation.symmetric
    return " ".join(plain_label(relation.label)) in _words()["symmetric"]


def is_office(relation: Relation) -> bool:
    """Tell whether its objects hold a post: as the base says, else by its name.

    >>> [is_office(Relation(id="r", label=label)) for label in ("ward sister", "Director of Sales", "owner")]
    [True, True, False]
    """
    if relation.kind is not None:
        return relation.kind == "office"
    words = plain_label(relation.label)
    last = words[words.index("of") - 1] if "of" in words[1:-1] else words[-1] if words else ""
    return bool({last, singular(last)} & set(_words()["offices"].split()))


def is_somebody(noun: str) -> bool:
    """Tell whether a noun says what somebody does: "driver", "nurse", "pianist".

    >>> [is_somebody(noun) for noun in ("driver", "nurse", "pianist", "works", "terminus")]
    [True, True, True, False, False]
    """
    one = singular(noun) or noun
    return (
        one in _words()["offices"].split()
        or one in DOERS
        or (len(one) > 4 and one.endswith(("er", "or", "ist", "ian", "man")))
    )


@cache
def _words() -> dict[str, Any]:
    table = tomllib.loads((files(__package__) / "en" / "by_name.toml").read_text(encoding="utf-8"))
    words: dict[str, Any] = table["by_name"]
    return words
