"""Names for a state in a part of its time, for bases with the whole: West Germany is Germany from 1949 to 1990."""

from __future__ import annotations

import re
from functools import cache

from asof.reading.facts.index import Index
from asof.reading.facts.phrases import phrases


def in_their_time(text: str, index: Index) -> str:
    """Put the name of the state and the time that is meant in the place of such names.

    Args:
        index: The names of the base; one that it knows itself is left as it is.
    """

    def named(match: re.Match[str]) -> str:
        name = match["name"].casefold()
        state, first, last = phrases().table["states"][name]
        return match[0] if index.entities(name) else f"{state}{match['owner']} between {first} and {last}"

    return _states().sub(named, text)


@cache
def _states() -> re.Pattern[str]:
    names = "|".join(sorted(map(re.escape, phrases().table["states"]), key=len, reverse=True))
    return re.compile(rf"\b(?P<name>{names})\b(?P<owner>(?:['’]s)?)", re.IGNORECASE)
