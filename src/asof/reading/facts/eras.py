"""Times that people call by a name: "during the Second World War", "when the Gulf War broke out"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from asof.reading.facts.phrases import phrases


def in_days(text: str) -> str:
    """Say by days what is said by the name of an era.

    >>> in_days("Who was pope during WWII?")
    'Who was pope between 1 September 1939 and 2 September 1945?'
    >>> in_days("Who led France when the First World War broke out?")
    'Who led France on 28 July 1914?'
    """
    for said, days in _sayings():
        text = said.sub(days, text)
    return text


def eras_in(text: str) -> Iterator[str]:
    """Tell for each era that a question names how it is read.

    >>> list(eras_in("Who was pope before ww2?"))
    ['The Second World War is taken as 1 September 1939 to 2 September 1945.']
    """
    for era, (first, last) in phrases().table["eras"].items():
        if re.search(rf"\b{_names(era)}", text, re.IGNORECASE):
            yield f"The {era} is taken as {first} to {last}."


@cache
def _sayings() -> list[tuple[re.Pattern[str], str]]:
    """Return what may stand around the name of an era, and the days that it means."""
    found = []
    for era, (first, last) in phrases().table["eras"].items():
        named = rf"(?:the )?{_names(era)}"
        for said, days in (
            (rf"(?:at|by|on) the (?:outbreak|start|beginning) of {named}", f"on {first}"),
            (rf"(?:at|by|on) the (?:end|close) of {named}", f"on {last}"),
            (rf"when {named} (?:broke out|began|started)\b", f"on {first}"),
            (rf"when {named} (?:ended|was over)\b", f"on {last}"),
            (rf"(?:before|prior to) {named}", f"before {first}"),
            (rf"(?:after|following|since) {named}", f"after {last}"),
            (rf"(?:during|in|throughout|at the time of) {named}", f"between {first} and {last}"),
        ):
            found.append((re.compile(rf"\b{said}", re.IGNORECASE), days))
    return found


def _names(era: str) -> str:
    others: dict[str, str] = phrases().table["other_eras"]
    names = [era, *(other for other, meant in others.items() if meant == era)]
    return rf"(?:{'|'.join(map(re.escape, names))})(?![\w-])"
