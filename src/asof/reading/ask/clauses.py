"""A time that other facts tell: "when Merkel became chancellor", "during Reagan's presidency", "under Lincoln".

A question is cut into its main part and such a clause. The clause is read as a statement; what it looks up tells the
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from asof.reading.ask.query import Event, Moment
from asof.reading.ask.words import ARTICLES, Word

_LINKS: Mapping[tuple[str, ...], str] = {
    ("when",): "when", ("while",): "when", ("whilst",): "when", ("as", "soon", "as"): "when",
    ("at", "time", "when"): "when", ("at", "time", "that"): "when", ("at", "time"): "when",
    ("during", "time", "when"): "when", ("during", "time", "that"): "when", ("during", "time"): "when",
    ("year",): "when", ("year", "when"): "when", ("year", "that"): "when", ("in", "year", "in", "which"): "when",
    ("day",): "when", ("day", "when"): "when", ("day", "that"): "when", ("month",): "when",
    ("day", "before"): "day before", ("day", "after"): "day after", ("before",): "before", ("after",): "after",
}  # fmt: skip
_LEADS = frozenset(("on", "in", "right", "just", "immediately"))  # before a link
_ASKS = frozenset(("who", "whom", "which", "what", "where", "was", "were", "is", "how"))
_IN_A_POST = frozenset(("during", "under", "throughout", "in", "over", "of"))
_SPELLS = frozenset(("time", "years", "days", "tenure", "term", "terms", "spell", "stint", "period", "reign"))
_UNDER = frozenset(("under",))
_DAYS = frozenset(("day", "days", "time", "era"))
_PRONOUNS = frozenset(("he", "she", "they", "it"))
_MOMENTS: Mapping[tuple[str, Event | None], Moment] = {
    ("when", None): "whole", ("when", "start"): "start", ("when", "end"): "end", ("before", None): "before",
    ("before", "start"): "before", ("before", "end"): "before end", ("after", None): "after",
    ("after", "start"): "after start", ("after", "end"): "after", ("day before", None): "day before",
    ("day before", "start"): "day before", ("day after", None): "day after", ("day after", "end"): "day after",
}  # fmt: skip


@dataclass(frozen=True)
class Clause:
    """A clause of time: how it is linked, what it says, and of whom where only a name is given ("under Lincoln")."""

    link: str
    words: tuple[Word, ...]
    ruler: bool = False

    def moment(self, event: Event | None) -> Moment | None:
        """Return which moment of its facts is meant; None where that makes no sense."""
        return _MOMENTS.get((self.link, event))


def clauses(words: Sequence[Word], tenures: Mapping[str, str]) -> Iterator[tuple[tuple[Word, ...], Clause]]:
    """Walk over the ways to cut a question into a main part and a clause of time.

    Args:
        tenures: Nouns for the time in a post, such as presidency, and the post.
    """
    yield from _tenure(words, tenures)
    if len(words) > 3 and words[0].text == "who" and words[1].text in ("was", "were"):
        for position in range(2, len(words) - 1):
            if words[position].possessive:  # "who was Nixon's vice president": who was it under Nixon
                bare = replace(words[position], written=words[position].written[:-2], possessive=False)
                yield (*words[:2], *words[position + 1 :]), Clause("when", (*words[2:position], bare), ruler=True)
    for position, word in enumerate(words):
        if word.text in _UNDER and position + 1 < len(words):
            end = _end(words, position + 1)
            yield (*words[:position], *words[end:]), Clause("when", tuple(words[position + 1 : end]), ruler=True)
        if (
            word.text in _DAYS
            and position > 1
            and words[position - 1].possessive
            and (start := _in(words, position)) is not None
        ):
            end = _end(words, position + 1)
            if end == position + 1:
                last = words[position - 1]
                bare = replace(last, written=last.written[:-2], possessive=False)
                yield (
                    (*words[:start], *words[end:]),
                    Clause("when", (*words[start + 1 : position - 1], bare), ruler=True),
                )
    for position in range(len(words)):
        for link, length in _links_at(words, position):
            end = _end(words, position + length)
            first = position - 1 if position and words[position - 1].text in _LEADS else position
            first = first - 1 if first and words[first - 1].text in _LEADS | ARTICLES and first == position else first
            main = (*words[:first], *words[end:])
            said = tuple(words[position + length : end])
            ahead = first == 0 and end < len(words)
            if said and main and (first > 0 or ahead):
                yield main, Clause(link, said)


def told_of(clause: Clause, names: Sequence[Sequence[Word]]) -> Iterator[tuple[Word, ...]]:
    """Walk over what a clause may say, as far as it leans on the names in the rest of the question.

    "He" is somebody who is named there, and an office may belong to a place that is: "who was prime minister of Canada
    when Buchan was governor general".
    """
    first = clause.words[0].text
    if first in _PRONOUNS:
        for name in names:
            yield (*name, *clause.words[1:])
        return
    yield clause.words
    for name in names:
        yield (*clause.words, Word("of", "of"), *name)


def _in(words: Sequence[Word], position: int) -> int | None:
    """Return where "in" stands before "Nixon's day"."""
    return next((at for at in range(position - 2, max(-1, position - 5), -1) if words[at].text == "in"), None)


def _links_at(words: Sequence[Word], position: int) -> Iterator[tuple[str, int]]:
    """Find the links that begin at a place, the longest first, with the words that they take."""
    for length in (5, 4, 3, 2, 1):
        taken = [word.text for word in words[position : position + length]]
        if len(taken) == length and taken[0] not in ARTICLES:
            said = tuple(text for text in taken if text not in ARTICLES)
            if (link := _LINKS.get(said)) and taken[-1] not in ARTICLES:
                if position == 0 and said == ("when",) and not any(word.comma for word in words):
                    return
                yield link, length
                return


def _end(words: Sequence[Word], start: int) -> int:
    """Return where a clause ends: at a comma before a word that asks, or at the end."""
    for position in range(start, len(words) - 1):
        if words[position].comma and words[position + 1].text in _ASKS:
            return position + 1
    return len(words)


def _tenure(words: Sequence[Word], tenures: Mapping[str, str]) -> Iterator[tuple[tuple[Word, ...], Clause]]:
    """Find "during the presidency of Obama", "under Obama's presidency", "during his time as mayor"."""
    for position, word in enumerate(words):
        start = next(
            (at for at in range(position - 1, max(-1, position - 6), -1) if words[at].text in _IN_A_POST), None
        )
        if start is None:
            continue
        end = _end(words, position)
        before = [one for one in words[start + 1 : position] if one.text not in ARTICLES]
        behind = words[position + 1 : end]
        lead = 3 if [one.text for one in words[max(0, start - 3) : start]][-2:] == ["the", "time"] else 0
        main = (*words[: start - lead], *words[end:])
        post = tenures.get(word.text)
        who: Sequence[Word] = ()
        if word.text in _SPELLS and behind and behind[0].text == "as" and before:
            who, said = before, [one for one in behind[1:] if one.text not in ARTICLES]
        elif post and before and not behind:
            who, said = before, [Word(text, text) for text in post.split()]
        elif post and not before and len(behind) > 1 and behind[0].text == "of":
            who, said = behind[1:], [Word(text, text) for text in post.split()]
        if who and main:
            bare = [*who[:-1], Word(who[-1].text, who[-1].written.removesuffix("'s").removesuffix("’s"))]
            yield main, Clause("when", (*bare, Word("was", "was"), *said))
