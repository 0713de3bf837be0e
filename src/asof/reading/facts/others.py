"""Who else: "Who else ran Oracle besides Safra Catz in 2016?" asks for all but the one that is named."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from asof.reading.facts.answer import FactsAnswer, Status

_BESIDES = (
    r"(?:besides|beside|apart from|aside from|other than|except(?: for)?|in addition to|together with|along with"
    r"|alongside|as well as)"
)
_TIME = r"(?: (?:in|on|between|from|during|before|after|at|around|as of) [^?]*[0-9][^?]*)"
_KNOWN = rf"{_BESIDES} (?P<known>[^,?]+?)"
_FORMS = (
    re.compile(rf"^(?P<asks>.*?\b)(?:else|other)\b(?P<rest>.*?),? {_KNOWN}(?P<time>{_TIME})?[?.!\s]*$", re.IGNORECASE),
    re.compile(rf"^{_KNOWN}, (?P<asks>[^?]*?\b)(?:else|other)\b(?P<rest>[^?]*)[?.!\s]*$", re.IGNORECASE),
    re.compile(rf"^{_KNOWN}, (?P<asks>[^?]*)[?.!\s]*$", re.IGNORECASE),
)


@dataclass(frozen=True)
class OthersQuestion:
    """A question for all, and the name of the one that is known already."""

    all: str
    known: str


def besides(text: str) -> Iterator[OthersQuestion]:
    """Take a question for others apart; nothing where it asks for none.

    >>> list(besides("Who else ran Oracle besides Safra Catz in 2016?"))
    [OthersQuestion(all='Who ran Oracle in 2016?', known='Safra Catz')]
    >>> list(besides("Which other clubs did Messi play for besides Barcelona?"))
    [OthersQuestion(all='Which clubs did Messi play for?', known='Barcelona')]
    >>> list(besides("Apart from Ringo Starr, who was in the Beatles in 1965?"))
    [OthersQuestion(all='who was in the Beatles in 1965?', known='Ringo Starr')]
    """
    for form in _FORMS:
        if match := form.match(text):
            parts = match.groupdict(default="")
            asked = " ".join("".join(parts.get(part, "") for part in ("asks", "rest", "time")).split())
            yield OthersQuestion(f"{asked}?", match["known"].strip())


def without(answer: FactsAnswer, known: Collection[str]) -> FactsAnswer | None:
    """Leave those out who are known; nothing where none of them is among the answers."""
    others = tuple(item for item in answer.items if item.id not in known)
    if answer.status is not Status.ANSWERED or len(others) == len(answer.items):
        return None
    if others:
        return replace(answer, items=others)
    near = tuple(one for item in answer.items for one in item.evidence)
    return replace(answer, items=(), status=Status.UNKNOWN, near=near, notes=("Nobody and nothing else is known.",))
