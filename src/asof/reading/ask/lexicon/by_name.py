"""What a relation is by its name alone, where neither the base nor its facts have said it: a spouse, an office."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

from asof.facts import Relation
from asof.reading.ask.lexicon.inflection import DOERS, singular
from asof.reading.ask.lexicon.labels import LINKS, is_lesser, plain_label


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

    >>> [is_office(Relation(id="r", label=label)) for label in ("ward sister", "Head of Sales", "works at", "owner")]
    [True, True, False, False]
    """
    if relation.kind is not None:
        return relation.kind == "office"
    words = plain_label(relation.label)
    link = next((place for place, word in enumerate(words) if place and word in LINKS), len(words))
    last = words[link - 1] if words else ""  # of "vice rector for research"
    return bool({last, singular(last)} & set(_words()["offices"].split()))


def heads(relation: Relation) -> bool:
    """Tell whether its objects are at the head of something: "guild master", "raid leader", but not "vice rector".

    >>> [heads(Relation(id="r", label=label)) for label in ("guild master", "chief pilot", "vice rector", "owner")]
    [True, False, False, False]
    """
    words = plain_label(relation.label)
    return bool(words) and not is_lesser(words) and is_office(relation) and words[-1] in _words()["heads"].split()


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
