"""What a question asks, without whom and when: "Who owned the Newton D. Baker House?" is about owning."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*|[^\w\s]")
_OPENERS_TEXT = "who what which where when whose whom how in on at the name tell during for from after before between"
_OPENERS = frozenset(_OPENERS_TEXT.split())  # with or without a capital letter, no names


def relation_of(rest: str, title: str) -> str:
    """Take names and the words of the page's title out of a question that has lost its time.

    >>> relation_of("Who owned the Newton D. Baker House in Washington DC?", "Newton D. Baker House")
    'who owned the in?'
    >>> relation_of("What football team did Sarri coach?", "Maurizio Sarri")
    'what football team did coach?'
    """
    named = {word.lower() for word in _WORD.findall(title)}
    kept = [
        word.lower()
        for word in _WORD.findall(rest)
        if word.lower() in _OPENERS or not (word[0].isupper() or word[0].isdigit() or word.lower() in named)
    ]
    return re.sub(r"\s+([?.,'])", r"\1", " ".join(word for word in kept if word not in ".,()"))
