"""What people say around a question and do not ask: "hey, do you happen to know ...", "... again, please"."""

from __future__ import annotations

import re
from functools import cache

from asof.reading.facts.phrases import phrases


def without_courtesy(text: str) -> str:
    """Return a question without the words around it; all of them where nothing else would be left.

    >>> without_courtesy("Okay, could you please tell me who led Italy in 2010, by any chance?")
    'who led Italy in 2010'
    """
    asked = _leads().sub("", text)
    while (shorter := _tails().sub("", asked)) != asked:
        asked = shorter
    return asked if any(letter.isalnum() for letter in asked) else text


@cache
def _leads() -> re.Pattern[str]:
    return re.compile(rf"^(?:(?:{_any_of('leads')})(?!\w)[,:.!\s]*)+", re.IGNORECASE)


@cache
def _tails() -> re.Pattern[str]:
    return re.compile(rf"[,\s]+(?:{_any_of('tails')})[\s?.!]*$", re.IGNORECASE)


def _any_of(name: str) -> str:
    said: list[str] = phrases().table["courtesy"][name]
    return "|".join(re.escape(one).replace("'", "['’]") for one in sorted(said, key=len, reverse=True))
