"""What people say around a question and do not ask: "hey, do you happen to know ...", "... again, please"."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache

from asof.reading.ask.spoken import spoken
from asof.reading.ask.words import Word, words_of
from asof.timeline import Date
from asof.timeline.specifier import find_specifiers

_ASIDES = frozenset(("i", "im", "ive", "id", "my", "we", "were", "weve", "our"))
_ENDS = (" - ", " – ", " — ", ": ", "; ", ". ", "! ", "… ")
_ASKS = frozenset(
    [
        "who",
        "whom",
        "whose",
        "which",
        "what",
        "where",
        "when",
        "how",
        "was",
        "were",
        "is",
        "did",
        "name",
        "list",
        "tell",
    ]
)
_LEANING = frozenset(
    [
        "he",
        "she",
        "it",
        "they",
        "him",
        "her",
        "them",
        "his",
        "hers",
        "its",
        "their",
        "there",
        "then",
        "that",
        "those",
        "one",
    ]
)


def without_courtesy(text: str, leads: Iterable[str], tails: Iterable[str]) -> str:
    """Return a question without the words around it; all of them where nothing else would be left.

    >>> leads = ["okay", "could you", "please", "tell me"]
    >>> without_courtesy("Okay, could you please tell me who led Italy, please?", leads, ["please"])
    'who led Italy?'
    """
    asked = _without_aside(text)
    before, behind = _rows(tuple(leads)), _rows(tuple(tails))
    words = words_of(asked)
    first, last = 0, len(words)
    while taken := _at(words[first:last], before, first=True):
        first += taken
    while taken := _at(words[first:last], behind, first=False):
        last -= taken
    if first >= last:
        return text
    mark = "?" if asked.rstrip().endswith("?") and last < len(words) else ""
    return asked[words[first].start : words[last].start if last < len(words) else len(asked)].rstrip(" ,") + mark


def _at(words: Sequence[Word], rows: frozenset[tuple[str, ...]], *, first: bool) -> int:
    """Return how many words a saying takes at the beginning or the end, the longest first."""
    for length in range(min(len(words) - 1, 8), 0, -1):
        row = words[:length] if first else words[-length:]
        if tuple(word.text for word in row) in rows and not any(word.possessive and not first for word in row[-1:]):
            return length
    return 0


@lru_cache(8)
def _rows(sayings: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(word.text for word in words_of(saying)) for saying in sayings if spoken(saying))


def _without_aside(text: str) -> str:
    """Leave out what somebody says of themselves before a question that stands without it.

    >>> _without_aside("I'm reading about Rome - who was Roman emperor in 100?")
    'who was Roman emperor in 100?'
    >>> _without_aside("I like her. Who is she?")
    'I like her. Who is she?'
    """
    words = words_of(text)
    if not words or words[0].text not in _ASIDES:
        return text
    for position, word in enumerate(words[1:], start=1):
        gap = text[words[position - 1].end : word.start]
        if word.text in _ASKS and any(gap.startswith(end) for end in _ENDS):
            leans = _LEANING & {one.text for one in words[position:]}
            timed = find_specifiers(text[: word.start], today=Date.of(2000))
            return text if leans or timed else text[word.start :]
    return text
