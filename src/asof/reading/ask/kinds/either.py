"""One or the other, or both: "Was Ann Lee or Cy Day manager of Acme in 2014?", "Who managed Acme and Bolt in 2014?"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from asof.reading.ask.kinds import Kind, Split, kinds
from asof.reading.ask.query import Lookup, Query, YesNo
from asof.reading.ask.query_of import Reading, replaced
from asof.reading.ask.words import ARTICLES, Word

_LINKS = frozenset(("in", "at", "to", "for", "of")) | ARTICLES
_LONGEST = 5  # words of a name


@kinds.register("either")
class OneOrBoth(Kind):
    """Two names in one place of a question: which of them, or what is said of each.

    >>> from asof.reading.ask.example import read
    >>> read("Was Ann Lee or Cy Day manager of Acme in 2014?")
    "'Ann Lee' or 'Cy Day' was 'manager' of 'Acme' (which object of these) in the time 'in 2014'"
    >>> read("Who managed Acme and Bolt in 2014?")
    "who or what was 'manager' of 'Acme' or 'Bolt' in the time 'in 2014'"
    """

    def splits(self, words: Sequence[Word]) -> Iterator[Split]:
        """Ask of each of two names by itself."""
        for at, word in enumerate(words):
            if word.text not in ("or", "and") or not 0 < at < len(words) - 1:
                continue
            start = at + 1
            while start < len(words) and words[start].text in _LINKS:
                start += 1
            for first in range(max(0, at - _LONGEST), at):
                for last in range(start + 1, min(len(words), start + _LONGEST) + 1):
                    one = (*words[:at], *words[last:])
                    other = (*words[:first], *words[start:last], *words[last:])
                    if word.text == "or":
                        yield Split((one, other), _either, statements=False, needs_all=False)
                    else:
                        yield Split((one, other), _each, statements=False)


def _either(readings: Sequence[Reading]) -> Query | None:
    """Ask which of two, where each can be asked about by itself."""
    first, second = (reading.query for reading in readings)
    if not isinstance(first, YesNo) or not isinstance(second, YesNo) or not first.subject or not first.object:
        return None
    for end in ("subject", "object"):
        one, other = getattr(first, end), getattr(second, end)
        two = one != other and isinstance(one, str) and isinstance(other, str)
        if two and replaced(second, **{end: one}) == first:
            fields = {name: getattr(first, name) for name in first.__struct_fields__}
            return Lookup(**(fields | {end: (one, other), "wanted": end}))
    return None


def _each(readings: Sequence[Reading]) -> Query | None:
    """Ask of two things at once what one of each is at a time: who led France and Germany."""
    first, second = (reading.query for reading in readings)
    if not isinstance(first, Lookup) or not isinstance(second, Lookup) or not first.subject or first.which:
        return None
    one, other = first.subject, second.subject
    if isinstance(one, str) and isinstance(other, str) and one != other and replaced(second, subject=one) == first:
        joined: Query = replaced(first, subject=(one, other))
        return joined
    return None
