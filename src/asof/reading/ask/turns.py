"""Turns of phrase, put in plainer words before a question is read: "took Ballmer's place" is "succeeded Ballmer".

They stand in the lexicon, one a line, and a base may bring its own. On the left is what is said: words, with
alternatives behind |, several words of one alternative joined by _, a word that may be missing in brackets, ``{X}``
for one to six words (``{X?}`` for none as well), ``{X}'s`` for an owner, ``{#}`` for a number, ``{n}`` for a third or
3rd, ``{T}`` for what begins a date, ``^`` and ``$`` for the beginning and the end (a date may follow), ``!a|b`` for
what must not stand before, ``~a|b`` for what must not follow. ``<a|b>`` is kept as {1}, the next as {2}. On the right
is what is meant; the rest of the question stays.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from asof.reading.ask.words import ARTICLES, Word, words_of
from asof.timeline.date import MONTHS

_PUNCTUATION = re.compile(r"[:,]")
_MOST = 6  # words of a slot
_MONTHS = frozenset(month.casefold() for month in MONTHS)
_AHEAD = frozenset(
    ("in", "on", "at", "during", "between", "from", "since", "before", "after", "around", "as", "by", "until")
)
_FIGURES = {"first": "1st", "second": "2nd", "third": "3rd"}
_FIGURES |= {word: f"{number}th" for number, word in enumerate(("fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"), 4)}  # fmt: skip  # noqa: E501

Slots = dict[str, str]


@dataclass(frozen=True, slots=True)
class TurnPart:
    """One place of a turn."""

    kind: str  # words, slot, start, end, not, not ahead
    words: tuple[tuple[str, ...], ...] = ()
    name: str = ""
    may_be_missing: bool = False
    owner: bool = False


@dataclass(frozen=True)
class Turn:
    """A turn of phrase, and what is meant by it."""

    parts: tuple[TurnPart, ...]
    plainer: str
    first: frozenset[str]  # words with which it begins; empty: any

    def may_be_in(self, known: Collection[str]) -> bool:
        """Tell whether a text of these words may say it."""
        return all(
            any(all(word in known for word in said) for said in part.words)
            for part in self.parts
            if part.kind == "words" and not part.may_be_missing
        )

    def said_in(self, text: str, words: Sequence[Word]) -> str | None:
        """Return a text with the turn in plainer words; nothing where it is not said."""
        for position, word in enumerate(words):
            if self.first and word.forms[-1] not in self.first:
                continue
            for end, slots in _match(self.parts, words, position, text, {}):
                start = words[position].start
                stop = words[end - 1].end if end > position else start
                plain = re.sub(r"\{(\w+|#)\??\}", _filler(slots), self.plainer)
                return text[:start] + plain + text[stop:]
        return None


def _filler(slots: Slots) -> Callable[[re.Match[str]], str]:
    return lambda slot: slots.get(slot[1], "")


def turned(text: str, turns: Sequence[Turn]) -> str:
    """Put the turns of a text in plainer words.

    >>> turned("Who took Steve Ballmer's place?", turns_of({"take|took {X}'s place|seat": "succeeded {X}"}, {}))
    'Who succeeded Steve Ballmer?'
    >>> turned("Which club did he leave A for?", turns_of({"leave {X} for $": "join after {X}"}, {}))
    'Which club did he join after A?'
    """
    words = _words(text)
    known = _forms(words)
    for turn in turns:
        if turn.may_be_in(known) and (again := turn.said_in(text, words)) is not None:
            text = " ".join(again.split())
            words = _words(text)
            known = _forms(words)
    return text


def _forms(words: Sequence[Word]) -> set[str]:
    return {word.text + ("s" if word.possessive else "") for word in words}


def turns_of(table: Mapping[str, str], macros: Mapping[str, str]) -> list[Turn]:
    """Read the turns of a lexicon.

    Args:
        macros: Lists of words that turns name by ``$name``.
    """
    return [_turn(said, plainer, tuple(sorted(macros.items()))) for said, plainer in table.items()]


@lru_cache(2048)
def _turn(said: str, plainer: str, macros: tuple[tuple[str, str], ...]) -> Turn:
    for name, words in macros:
        said = said.replace(f"${name}", words)
    parts: list[TurnPart] = []
    kept = 0
    for text in said.split():
        name = ""
        if text.startswith("<"):
            kept, name = kept + 1, str(kept + 1)
        parts.append(_part(text, name))
    leading = next(
        (part for part in parts if part.kind not in ("start", "not", "not ahead") and not part.may_be_missing), parts[0]
    )
    ahead = parts[: parts.index(leading)]
    plain = leading.kind == "words" and not any(part.may_be_missing for part in ahead)
    return Turn(tuple(parts), plainer, frozenset(words[0] for words in leading.words) if plain else frozenset())


def _part(text: str, name: str) -> TurnPart:
    if text in ("^", "$"):
        return TurnPart("start" if text == "^" else "end")
    if text.startswith("!"):
        return TurnPart("not", _alternatives(text[1:]))
    if text.startswith("~"):
        return TurnPart("not ahead", _alternatives(text[1:]))
    if text.startswith("{"):
        slot = text[1 : text.index("}")]
        return TurnPart("slot", (), slot.removesuffix("?"), slot.endswith("?"), text.endswith("'s"))
    missing = text.startswith("(")
    return TurnPart("words", _alternatives(text.strip("()<>")), name, missing)


def _alternatives(text: str) -> tuple[tuple[str, ...], ...]:
    rows = (tuple(one.split("_")) for one in text.split("|"))
    return tuple(sorted(rows, key=lambda row: -len(row)))


def _words(text: str) -> list[Word]:
    signs = [Word(sign[0], sign[0], sign.start(), sign.end()) for sign in _PUNCTUATION.finditer(text)]
    return sorted([*words_of(text), *signs], key=lambda word: word.start) if signs else words_of(text)


def _match(
    parts: Sequence[TurnPart], words: Sequence[Word], position: int, text: str, slots: Slots
) -> Iterator[tuple[int, Slots]]:
    """Walk over the ways in which parts are said from a place on: where they end, and what stands in the slots."""
    if not parts:
        yield position, slots
        return
    part, rest = parts[0], parts[1:]
    if part.kind == "start":
        if position == 0:
            yield from _match(rest, words, position, text, slots)
    elif part.kind == "end":
        if position == len(words) or _begins_time(words, position):
            yield from _match(rest, words, position, text, slots)
    elif part.kind == "not":
        if position == 0 or (words[position - 1].text,) not in part.words:
            yield from _match(rest, words, position, text, slots)
    elif part.kind == "not ahead":
        if position == len(words) or (words[position].text,) not in part.words:
            yield from _match(rest, words, position, text, slots)
    elif part.kind == "words":
        for said in part.words:
            if (end := _said(said, words, position)) is not None:
                kept = {part.name: text[words[position].start : words[end - 1].end]} if part.name else {}
                yield from _match(rest, words, end, text, slots | kept)
        if part.may_be_missing:
            yield from _match(rest, words, position, text, slots)
    else:
        for end, filled in _slot(part, words, position, text):
            yield from _match(rest, words, end, text, slots | {part.name: filled})


def _said(said: Sequence[str], words: Sequence[Word], position: int) -> int | None:
    """Return where a row of words ends that is said from a place on, articles between them left out."""
    for number, wanted in enumerate(said):
        while number and position < len(words) and words[position].text in ARTICLES and wanted not in ARTICLES:
            position += 1
        if position >= len(words) or words[position].text + ("s" if words[position].possessive else "") != wanted:
            return None
        position += 1
    return position


def _slot(part: TurnPart, words: Sequence[Word], position: int, text: str) -> Iterator[tuple[int, str]]:
    if part.name in ("#", "n", "T"):
        if position < len(words) and (said := _special(part.name, words[position])):
            yield position + 1, said
        return
    if part.may_be_missing:
        yield position, ""
    for length in range(1, _MOST + 1):
        taken = words[position : position + length]
        if len(taken) < length or taken[-1].text in (":", ","):
            return
        said = text[taken[0].start : taken[-1].end]
        if not part.owner:
            yield position + length, said
        elif taken[-1].possessive:
            yield position + length, re.sub(r"['’]s?$", "", said)


def _special(name: str, word: Word) -> str:
    """Return a number as it stands, an ordinal in figures, or what begins a date; nothing where it is none."""
    if name == "#":
        return word.text if word.text.isdigit() else ""
    if name == "n":
        return _FIGURES.get(word.text, word.text if word.order else "")
    return word.written if word.text.isdigit() or word.text in _MONTHS or word.text in ARTICLES | _AHEAD else ""


def _begins_time(words: Sequence[Word], position: int) -> bool:
    row = [word.text for word in words[position : position + 3]]
    return any(text[:1].isdigit() or text in _MONTHS for text in row) and (
        row[0][:1].isdigit() or row[0] in _AHEAD | _MONTHS | {","}
    )
