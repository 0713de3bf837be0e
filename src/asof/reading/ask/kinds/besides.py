"""Who else: "Who else owned Bolt besides Bo Ek?" asks for all but the one that is named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.ask.kinds import Kind, Split, kinds
from asof.reading.ask.query import Lookup, Query
from asof.reading.ask.query_of import Reading, replaced
from asof.reading.ask.words import Word

_BESIDES = (
    ("besides",), ("beside",), ("apart", "from"), ("aside", "from"), ("other", "than"), ("except", "for"), ("except",),
    ("in", "addition", "to"), ("together", "with"), ("along", "with"), ("alongside",), ("as", "well", "as"),
)  # fmt: skip
_ELSE = frozenset(("else", "other"))


@kinds.register("besides")
class WhoElse(Kind):
    """All but the one that is known already.

    >>> from asof.reading.ask.example import read
    >>> read("Who else owned Bolt besides Bo Ek?")
    "who or what was 'owner' of 'Bolt', besides 'Bo Ek'"
    >>> read("Apart from Bo Ek, who owned Bolt in 2015?")
    "who or what was 'owner' of 'Bolt', besides 'Bo Ek' in the time 'in 2015'"
    """

    def splits(self, words: Sequence[Word]) -> Iterator[Split]:
        """Take the one that is known out of a question."""
        texts = [word.text for word in words]
        for position in range(len(words)):
            for said in _BESIDES:
                if tuple(texts[position : position + len(said)]) == said:
                    yield from _split(words, position, position + len(said))


def _split(words: Sequence[Word], position: int, start: int) -> Iterator[Split]:
    end = start
    while end < len(words) and not words[end].time:
        end += 1
        if words[end - 1].comma:
            break
    known, rest = words[start:end], [*words[:position], *words[end:]]
    asked = tuple(word for word in rest if word.text not in _ELSE)
    if not known or not asked or (len(asked) == len(rest) and position > 0):
        return

    def join(readings: Sequence[Reading]) -> Query | None:
        query = readings[0].query
        said = " ".join(word.written for word in known)
        return replaced(query, besides=said) if isinstance(query, Lookup) else None

    yield Split((asked,), join, statements=False)
