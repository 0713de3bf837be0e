"""What people say around a question and do not ask: "hey, do you happen to know ...", "... again, please"."""

from __future__ import annotations

import re
from functools import cache

from asof.reading.facts.phrases import phrases
from asof.timeline import Date
from asof.timeline.specifier import find_specifiers

_ASIDE = re.compile(
    r"^(?P<said>(?:i|i['’](?:m|ve|d)|my|we|we['’](?:re|ve)|our)\b[^?]*?)(?:\s[-–—]+\s|[:;.!…]+\s)\s*"
    r"(?P<asked>(?:who|whom|whose|which|what|where|when|how|was|were|is|did|name|list|tell)\b.*)$",
    re.IGNORECASE,
)
_LEANS = re.compile(r"\b(?:he|she|it|they|him|her|them|his|hers|its|their|there|then|that|those|one)\b", re.IGNORECASE)


def without_courtesy(text: str) -> str:
    """Return a question without the words around it; all of them where nothing else would be left.

    >>> without_courtesy("Okay, could you please tell me who led Italy in 2010, by any chance?")
    'who led Italy in 2010'
    """
    asked = _leads().sub("", _without_aside(text))
    while (shorter := _tails().sub("", asked)) != asked:
        asked = shorter
    return asked if any(letter.isalnum() for letter in asked) else text


def _without_aside(text: str) -> str:
    """Leave out what somebody says of themselves before a question that stands without it.

    >>> _without_aside("I'm reading about Rome - who was Roman emperor in 100?")
    'who was Roman emperor in 100?'
    >>> _without_aside("I like her. Who is she?")
    'I like her. Who is she?'
    """
    aside = _ASIDE.match(text)
    if aside is None or _LEANS.search(aside["asked"]) or find_specifiers(aside["said"], today=Date.of(2000)):
        return text
    return aside["asked"]


@cache
def _leads() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{_any_of('leads')})(?!\w)[,:.!\s]*)+", re.IGNORECASE)


@cache
def _tails() -> re.Pattern[str]:
    return re.compile(rf"[,\s]+(?:{_any_of('tails')})[\s?.!]*$", re.IGNORECASE)


def _any_of(name: str) -> str:
    said: list[str] = phrases().table["courtesy"][name]
    return "|".join(re.escape(one).replace("'", "['’]") for one in sorted(said, key=len, reverse=True))
