"""Which of two: "Who managed Acme longer, Ann Lee or Cy Day?", "Was Ann Lee manager of Acme before Cy Day?"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from asof.reading.ask.kinds import Kind, Split, kinds
from asof.reading.ask.query import By, Compare, Lookup, Query
from asof.reading.ask.query_of import Reading
from asof.reading.ask.words import ARTICLES, Word

_BY: Mapping[tuple[str, ...], By] = {
    ("for", "longer"): "longer", ("longer",): "longer", ("longest",): "longer", ("more", "years"): "longer",
    ("first",): "earlier", ("earlier",): "earlier", ("sooner",): "earlier", ("before",): "earlier",
    ("later",): "later", ("last",): "later", ("more", "recently"): "later", ("after",): "later",
    ("more", "often"): "more often", ("more", "times"): "more often", ("shorter",): "shorter",
}  # fmt: skip
_ASKS = frozenset(("who", "which", "what", "whose"))
_BE = frozenset(("was", "were", "is", "did", "has", "had", "does", "held", "served"))
_STAYED = frozenset(("lasted", "stayed", "remained"))
_OF_TWO = frozenset(("of", "two", "them", "these"))
_WAS = Word("was", "was")
_BETWEEN = frozenset(("between", "of", "among"))


@kinds.register("compare")
class WhichOfTwo(Kind):
    """Two things side by side: whose facts held longer, began earlier, or held more often.

    >>> from asof.reading.ask.example import read
    >>> read("Who managed Acme longer, Ann Lee or Cy Day?")
    "which of two longer: 'Ann Lee' was 'manager' of 'Acme'; or 'Cy Day' was 'manager' of 'Acme'"
    >>> read("Was Ann Lee manager of Acme before Cy Day?")
    "whether earlier: 'Ann Lee' was 'manager' of 'Acme'; or 'Cy Day' was 'manager' of 'Acme'"
    """

    def splits(self, words: Sequence[Word]) -> Iterator[Split]:
        """Cut a question into two statements that differ in one name."""
        texts = [word.text for word in words]
        for position, text in enumerate(texts):
            if text in ("or", "and") and 0 < position < len(words) - 1:
                yield from _choice(list(words), position)
        if texts and texts[0] in _BE:
            yield from _than(list(words))


def _choice(words: list[Word], at: int) -> Iterator[Split]:
    """Read "who ..., A or B", "A or B, who ...", "between A and B, who ..."."""
    for start in range(at - 1, max(-1, at - 6), -1):
        one = words[start:at]
        ends = list(range(at + 2, min(len(words), at + 6) + 1))
        for end in ends:
            other, before, behind = words[at + 1 : end], words[:start], words[end:]
            if behind and not (words[end - 1].comma and behind[0].text in _ASKS):
                continue
            if before and before[0].text in _ASKS and not behind and words[at].text == "or":
                main = before
            elif behind and (not before or {word.text for word in before} <= _BETWEEN | {"out"}):
                main = behind
            else:
                continue
            if parted := _without_by(main):
                rest, by = parted
                yield _split(_stated(rest, one), _stated(rest, other), by)


def _than(words: list[Word]) -> Iterator[Split]:
    """Read "was A so longer than B", "was A so before B"; any name of the first part may be what B stands for."""
    for position in range(2, len(words) - 1):
        text = words[position].text
        if text == "than":
            parted = _without_by(words[1:position])
            if not parted or len(parted[0]) == position - 1:
                continue
            main, by = parted
        elif text in ("before", "after"):
            main, by = words[1:position], _BY[(text,)]
        else:
            continue
        other = words[position + 1 :]
        while other and other[-1].text in ("was", "were", "did", "had", "been"):
            other = other[:-1]
        for first in range(len(main)):
            for last in range(first + 1, min(len(main), first + 4) + 1):
                named = main[first:last]
                if other and named[0].text not in ARTICLES:
                    yield _split((*main, _WAS), (*main[:first], *other, *main[last:], _WAS), by, yes_no=True)


def _without_by(main: Sequence[Word]) -> tuple[list[Word], By] | None:
    """Take the word by which two are compared out of a sentence."""
    for length in (2, 1):
        for position in range(len(main) - length, 0, -1):
            said = tuple(word.text for word in main[position : position + length])
            if by := _BY.get(said):
                start = position - 1 if main[position - 1].text in ("for", "the") else position
                return [*main[:start], *main[position + length :]], by
    return None


def _stated(main: Sequence[Word], name: Sequence[Word]) -> tuple[Word, ...]:
    """Make a statement of a question by putting a name where it asks."""
    rest = list(main[1:])
    while rest and rest[0].text in _OF_TWO | ARTICLES:
        rest.pop(0)
    texts = [word.text for word in rest[:3]]
    served = [Word("served", "served") if word.text in _STAYED else word for word in rest]
    if "did" in texts:  # "which club did he play for"
        return (*served[texts.index("did") + 1 :], *name)
    if (len(texts) > 1 and texts[0] not in _BE and texts[1] in _BE) or (
        len(texts) > 1 and texts[0] in ("country", "club", "team", "person", "man", "woman", "one", "company")
    ):  # "which man was"
        served = served[1:]
    return (*name, *served)


def _split(one: tuple[Word, ...], other: tuple[Word, ...], by: By, *, yes_no: bool = False) -> Split:
    def join(readings: Sequence[Reading]) -> Query | None:
        first, second = (reading.query for reading in readings)
        if not isinstance(first, Lookup) or not isinstance(second, Lookup) or first == second:
            return None
        if first.relation != second.relation or first.which or second.which:
            return None
        return Compare(one=first, other=second, by=by, yes_no=yes_no)

    return Split((one, other), join)
