"""Times that people call by a name: "during the Second World War", "when the Gulf War broke out"."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

from asof.reading.facts.phrases import phrases


def in_days(text: str) -> str:
    """Say by days what is said by the name of an era.

    >>> in_days("Who was pope during WWII?")
    'Who was pope between 1 September 1939 and 2 September 1945?'
    >>> in_days("Who led France when the First World War broke out?")
    'Who led France on 28 July 1914?'
    """
    for era in _named(text):
        for said, days in _sayings(era):
            text = said.sub(days, text)
    return text


def eras_in(text: str) -> Iterator[str]:
    """Tell for each era that a question names how it is read.

    >>> list(eras_in("Who was pope before ww2?"))
    ['The Second World War is taken as 1 September 1939 to 2 September 1945.']
    """
    for era in _named(text):
        first, last = phrases().table["eras"][era]
        yield f"The {era} is taken as {first} to {last}."


def _named(text: str) -> list[str]:
    """Return the eras that a text names, each once."""
    return list(dict.fromkeys(_names()[name[0].casefold()] for name in _any_name().finditer(text)))


@cache
def _names() -> dict[str, str]:
    """Return the era that each name means, in small letters."""
    eras, others = phrases().table["eras"], phrases().table["other_eras"]
    return {**{era.casefold(): era for era in eras}, **others}


@cache
def _any_name() -> re.Pattern[str]:
    return re.compile(rf"\b{_one_of(_names())}", re.IGNORECASE)


@cache
def _sayings(era: str) -> list[tuple[re.Pattern[str], str]]:
    """Return what may stand around the name of an era, and the days that it means."""
    first, last = phrases().table["eras"][era]
    named = rf"(?:the )?{_one_of(name for name, meant in _names().items() if meant == era)}"
    return [
        (re.compile(rf"\b{said}", re.IGNORECASE), days)
        for said, days in (
            (rf"(?:at|by|on) the (?:outbreak|start|beginning) of {named}", f"on {first}"),
            (rf"(?:at|by|on) the (?:end|close) of {named}", f"on {last}"),
            (rf"when {named} (?:broke out|began|started)\b", f"on {first}"),
            (rf"when {named} (?:ended|was over)\b", f"on {last}"),
            (rf"(?:before|prior to) {named}", f"before {first}"),
            (rf"(?:after|following|since) {named}", f"after {last}"),
            (rf"(?:during|in|throughout|at the time of) {named}", f"between {first} and {last}"),
        )
    ]


def _one_of(names: Iterable[str]) -> str:
    return rf"(?:{'|'.join(map(re.escape, names))})(?![\w-])"
