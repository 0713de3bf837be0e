"""Two questions in one: "who was director and who was manager in 2012" is answered for neither of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from asof.reading.ask.words import Word

_ASKS = ("who", "whom", "whose", "which", "what", "where", "when", "how", "why")
_JOINS = frozenset(("and", "or", "but", "plus", "then", "also"))
_AGAIN = re.compile(rf"\?\W+((?:and|or|but)\W+)?(?:{'|'.join(_ASKS)}|was|were|is|did|does|has|had)\b", re.IGNORECASE)


def second_question(text: str, words: Sequence[Word]) -> str:
    """Return what a text asks besides its first question, from where that begins; nothing where it asks one thing.

    >>> from asof.reading.ask.words import words_of
    >>> texts = ("Who led Acme and who owned it?", "Who led Acme? Who owned it?", "Who or what was Acme?")
    >>> [second_question(text, words_of(text)) for text in texts]
    ['and who owned it?', 'Who owned it?', '']
    """
    if again := _AGAIN.search(text):
        return text[again.start() :].lstrip("? ")
    for number, word in enumerate(words[:-1]):
        behind = words[number + 1]
        either = word.text == "or" and words[number - 1].text in _ASKS  # "who or what"
        if number and word.text in _JOINS and behind.text in _ASKS and not either:
            return text[word.start :]
    return ""
