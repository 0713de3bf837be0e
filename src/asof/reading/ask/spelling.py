"""Misspelt words: the nearest word that asof knows, where only one is near."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from difflib import get_close_matches

from asof.reading.ask.words import Word

_LIKE, _SHORTEST = 0.84, 5  # how like a word a misspelt one must be, by difflib; letters of the shortest that is meant
_LETTERS = 4  # of a misspelt word that may be a short one: "wich"


def mended(text: str, words: Sequence[Word], unknown: Sequence[Word], vocabulary: Collection[str]) -> str:
    """Put words in the place of those that are misspelt; nothing where none is.

    >>> from asof.reading.ask.words import words_of
    >>> row = words_of("who preceeded Ann Lee")
    >>> mended("who preceeded Ann Lee", row, row[1:2], {"preceded", "succeeded"})
    'who preceded Ann Lee'
    """
    again = text
    for word in sorted(unknown, key=lambda word: -word.start):
        if word.time or len(word.text) < _LETTERS or not (word.written[:1].islower() or word == words[0]):
            continue  # a name
        shortest = _SHORTEST if len(word.text) > _LETTERS else _LETTERS
        meant = [one for one in vocabulary if one[0] == word.text[0] and len(one) >= shortest]
        swapped = [one for one in meant if len(word.text) > _LETTERS and _are_two_swapped(word.text, one)]
        if len(word.text) > _LETTERS and not swapped:
            swapped = one[:1] if len(one := [one for one in meant if _is_one_off(word.text, one)]) == 1 else []
        if near := swapped[:1] or get_close_matches(word.text, sorted(meant), n=1, cutoff=_LIKE):
            again = again[: word.start] + near[0] + again[word.end :]
    return again if again != text else ""


def _are_two_swapped(one: str, other: str) -> bool:
    """Tell whether two neighbouring letters have changed places: "cheif"."""
    apart = [place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b]
    return len(one) == len(other) and len(apart) == 2 and apart[1] == apart[0] + 1 and sorted(one) == sorted(other)


def _is_one_off(one: str, other: str) -> bool:
    """Tell whether one letter is another: "tought"."""
    return len(one) == len(other) and sum(a != b for a, b in zip(one, other, strict=True)) == 1
