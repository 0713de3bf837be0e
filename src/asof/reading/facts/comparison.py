"""Two things side by side: "Who reigned longer, Victoria or Elizabeth II?", "Was Trajan emperor before Hadrian?".

Such a question is cut into two sentences that differ in one name; each is read by itself, and their facts are compared.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

By = Literal["longer", "earlier", "later", "more often", "then"]

_WORDS: dict[str, By] = {
    "longer": "longer", "the longest": "longer", "longest": "longer", "for longer": "longer", "more years": "longer",
    "first": "earlier", "earlier": "earlier", "sooner": "earlier", "before": "earlier",
    "later": "later", "last": "later", "more recently": "later", "after": "later",
    "more often": "more often", "more times": "more often", "more": "more often",
}  # fmt: skip
_BY = "|".join(sorted((re.escape(word) for word in _WORDS), key=len, reverse=True))
_TWO = r"(?P<one>[^,?]+?),? or (?P<other>[^,?]+?)"
_ASKS = r"(?:who|which|what|whose)\b"
_CHOICES = tuple(
    re.compile(pattern + r"[\s?.!]*$", re.IGNORECASE)
    for pattern in (
        rf"(?P<main>{_ASKS}[^,:]+?)\s*[,:;–—-]+\s*(?:was it |is it )?{_TWO}",
        rf"(?P<main>{_ASKS}.+?\b(?:{_BY}))\s+{_TWO}",
        rf"{_TWO}\s*[,:;–—?-]+\s*(?P<main>{_ASKS}.+?)",
        rf"(?:between|of|out of|among) (?P<one>[^,?]+?) (?:and|or) (?P<other>[^,?]+?), (?P<main>{_ASKS}.+?)",
    )
)
_COMPARED = re.compile(rf"[\s,]+(?:for )?(?P<by>{_BY})(?: time)?(?=\W|$)", re.IGNORECASE)
_STAYED = re.compile(r"\b(?:lasted|stayed|remained)\b", re.IGNORECASE)
_OF_TWO = re.compile(r"^(?:which|who) of (?:the two|them|these)(?: two)?\b", re.IGNORECASE)
_MOVED = re.compile(rf"^{_ASKS}\s+(?:\w+\s+)??(?=(?:did|does|do)\s)", re.IGNORECASE)  # "which club did he play for"
_FRONT = re.compile(
    rf"^{_ASKS}(?:\s+(?:(?:one|man|woman|person)\b|\w+(?=\s+(?:was|is|were|has|had|served|held)\b)))?", re.IGNORECASE
)
_THAN = re.compile(
    rf"^(?:was|were|is|did|has|had|does)\s+(?P<main>.+?)\s+(?:for\s+)?"
    rf"(?:(?:a\s+)?(?P<by>{_BY})(?: time)?\s+than|(?P<when>before|after))"
    r"\s+(?P<other>[^,?]+?)(?:\s+(?:was|were|did|had been))?[\s?.!]*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences with the names in which they differ, and by what they are compared."""

    sentences: tuple[str, str]
    by: By
    yes_or_no: bool = False  # whether the first is ahead of the second


def choices(text: str) -> Iterator[SentencePair]:
    """Walk over the ways to read a question as a choice between two.

    >>> next(choices("Who was pope longer, Pius X or Pius XI?")).sentences
    ('Pius X was pope', 'Pius XI was pope')
    """
    for pattern in _CHOICES:
        if match := pattern.match(text):
            main, by = _compared(_OF_TWO.sub("who", match["main"]))
            one, other = (_sentence(main, match[name]) for name in ("one", "other"))
            yield SentencePair((one, other), by)


def than(text: str, names_of: Callable[[str], list[tuple[int, int]]]) -> Iterator[SentencePair]:
    """Walk over the ways to read a question as "was one so before, or longer than, the other".

    Args:
        names_of: Finds where names stand in a text; any may be what is compared.
    """
    match = _THAN.match(text)
    if match is None:
        return
    by = _WORDS[(match["by"] or match["when"]).casefold()]
    start, end = match.span("main")
    for first, last in sorted(names_of(text)):
        if start <= first and last <= end:
            other = text[start:first] + match["other"] + text[last:end]
            yield SentencePair((match["main"], other), by, yes_or_no=True)


def _compared(main: str) -> tuple[str, By]:
    main = _STAYED.sub("served", main)
    match = _COMPARED.search(main)
    if match is None:
        return main, "then"
    return main[: match.start()] + main[match.end() :], _WORDS[match["by"].casefold()]


def _sentence(main: str, name: str) -> str:
    if moved := _MOVED.match(main):
        return f"{main[moved.end() :].rstrip()} {name}"
    return _FRONT.sub(name.replace("\\", ""), main, count=1)
