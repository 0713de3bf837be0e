"""Every word of a question has a part to play, or the question is not understood.

A covering splits the words into names, phrases of relations, marks ("before", "first", "became") and small words. Words
that are none of these may be one unknown name; it is looked for later among the facts that the rest speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from asof.reading.facts.index import Index
from asof.reading.facts.items import Item, Mark, MarkKind, Name, PhraseMatch, SmallWord
from asof.reading.facts.kinds import origin
from asof.reading.facts.naming import Naming, said_length
from asof.reading.facts.phrases import ARTICLES, Phrases
from asof.reading.facts.words import Word

Names = list[list[tuple[Name, int]]]
Options = list[list[tuple[Item, int]]]  # at each place: what may stand there, and how many words it takes
_MOST = 400  # coverings that are looked at
_LONGEST_UNKNOWN = 4
_REMEMBERED = 16  # rows of words: one question reads few, each many times
_LONE_LAST = ("longest", "shortest")  # "who served longest", but not "the longest name"
_BEHIND_LONE = frozenset(("as", "in", "of", "at", "for", "on"))


@dataclass(frozen=True)
class Cover:
    """Finds the coverings of a row of words."""

    index: Index
    phrases: Phrases

    def coverings(self, words: Sequence[Word]) -> Iterator[tuple[Item, ...]]:
        """Walk over the coverings, those with the longest names and phrases first, unknown words last."""
        options: Options = self._read(words)[1]
        yield from islice(_walk(options, 0), _MOST)
        free = set(self.unexplained(words))
        options = [[*found, *self._unknown(words, index, free)] for index, found in enumerate(options)]
        yield from islice(_walk(options, 1), _MOST)
        pairs = zip(words, words[1:], words[2:], strict=False)
        joined = any(one in free and link.text == "and" and other in free for one, link, other in pairs)
        if joined or any(word.text == "between" for word in words):  # "Charles and Diana", "between Blair and Cameron"
            yield from islice(_walk(options, 2), _MOST)

    def names(self, words: Sequence[Word]) -> list[tuple[Name, int, int]]:
        """Return the names in a row of words with their place and length, the longest first."""
        found = [(item, index, length) for index, here in enumerate(self._read(words)[0]) for item, length in here]
        return sorted(found, key=lambda name: -name[2])

    def unexplained(self, words: Sequence[Word]) -> list[Word]:
        """Return the words that can play no part."""
        explained: set[int] = set()
        for index in range(len(words)):
            for item, length in self._read(words)[1][index]:
                explained |= set(range(index, index + length)) if item else set()
        return [word for index, word in enumerate(words) if index not in explained]

    def _read(self, words: Sequence[Word]) -> tuple[Names, Options]:
        """Return the names at each place, and all parts that words can play; the last rows of words are remembered."""
        key = tuple(words)
        read = self._seen.get(key)
        if read is None:
            names = [list(self._naming.at(words, index)) for index in range(len(words))]
            read = names, [self._options(words, index, here) for index, here in enumerate(names)]
            while len(self._seen) >= _REMEMBERED:
                self._seen.pop(next(iter(self._seen)), None)
            self._seen[key] = read
        return read

    @cached_property
    def _seen(self) -> dict[tuple[Word, ...], tuple[Names, Options]]:
        return {}

    def _options(self, words: Sequence[Word], index: int, names: Sequence[tuple[Name, int]]) -> list[tuple[Item, int]]:
        word = words[index]
        found: list[tuple[Item, int]] = [*self._said(words, index)]
        may_be_name = word.text not in self._small or _is_written_as_name(word, index)
        found += [(name, length) for name, length in names if length > 1 or may_be_name]
        mark = self._marks.get(word.text) or ("nth" if word.order else None)
        if mark:
            found.append((Mark(mark, word), 1))
        for text, kind in self._longer_marks.get(word.text, ()):
            length = said_length(text, words, index)
            lone = length == 1 and kind in _LONE_LAST
            if length and not (lone and index + 1 < len(words) and words[index + 1].text not in _BEHIND_LONE):
                found.append((Mark(kind, word), length))
        if origin(words, index, self.phrases):
            found.append((Mark("origin", word), 1))
        if word.text in self._small:
            found.append((SmallWord(word), 1))
        return sorted(found, key=lambda option: -option[1])

    def _said(self, words: Sequence[Word], index: int) -> Iterator[tuple[Item, int]]:
        said = self.phrases.by_first_word.get(words[index].text, ())
        if index and words[index - 1].text == "who":  # "who heads the IMF"
            said = tuple(sorted(said, key=lambda phrase: not phrase.is_verb))
        for phrase in said:
            length = said_length(phrase.words, words, index)
            if length:
                yield PhraseMatch(phrase, tuple(words[index : index + length])), length

    def _unknown(self, words: Sequence[Word], index: int, free: Collection[Word]) -> list[tuple[Item, int]]:
        found: list[tuple[Item, int]] = []
        for length in range(1, _LONGEST_UNKNOWN + 1):
            taken = tuple(words[index : index + length])
            if len(taken) < length or any(word not in free for word in taken):
                break
            people = self.index.people(" ".join(word.text for word in taken))
            found.append((Name(taken, people, taken[-1].possessive, in_part=True), length))
            if taken[-1].possessive:
                break
        return found[::-1]

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words that are no names."""
        said = (word for phrases in self.phrases.by_first_word.values() for one in phrases for word in one.words)
        return frozenset(said) | self._small | frozenset(self._marks)

    @cached_property
    def _small(self) -> frozenset[str]:
        return self.phrases.words("small") | self.phrases.words("kinds") | self.phrases.words("after_an_office")

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.index, self.phrases, self._small)

    @cached_property
    def _longer_marks(self) -> dict[str, list[tuple[tuple[str, ...], MarkKind]]]:
        """The marks of several words by their first word."""
        succession, extremes = self.phrases.table["succession"], self.phrases.table["extremes"]
        said: tuple[tuple[list[str], MarkKind], ...] = (
            (succession["take_over"], "follow"), (succession["before"], "before"),
            (extremes["longest"], "longest"), (extremes["shortest"], "shortest"),
            (extremes["most"], "most"), (extremes["most_of"], "most of"), (extremes["last"], "last"),
            (extremes["first"], "first"), (succession["after"], "after"),
            (succession["previous"], "previous"), (succession["give_up"], "end"),
        )  # fmt: skip
        marks: dict[str, list[tuple[tuple[str, ...], MarkKind]]] = {}
        for texts, kind in said:
            for text in texts:
                phrase = tuple(word for word in text.split() if word not in ARTICLES)
                marks.setdefault(phrase[0], []).append((phrase, kind))
        return marks

    @cached_property
    def _marks(self) -> dict[str, MarkKind]:
        marks: dict[str, MarkKind] = {
            "before": "before",
            "after": "after",
            "between": "between",
            "previous": "previous",
            "next": "next",
        }
        for kind in ("start", "end", "first", "last", "now", "former", "narrowing", "change"):
            marks |= dict.fromkeys(self.phrases.words(kind), kind)
        marks |= dict.fromkeys(self.phrases.words("numbers"), "number")
        for kind, name in (
            ("follow", "follow"), ("precede", "precede"),
            ("follow noun", "follow_nouns"), ("precede noun", "precede_nouns"),
        ):  # fmt: skip
            marks |= dict.fromkeys(self.phrases.table["succession"][name].split(), kind)
        return marks


def _walk(options: Sequence[Sequence[tuple[Item, int]]], unknown: int) -> Iterator[tuple[Item, ...]]:
    """Walk over the ways through the options that take just so many unknown names."""
    end = len(options)
    ways = {(end, 0)}  # places from which the end can be reached, with so many unknown names
    for index in reversed(range(end)):
        for item, length in options[index]:
            here = _is_unknown(item)
            ways |= {(index, left) for left in range(unknown + 1) if (index + length, left - here) in ways}

    def onward(index: int, left: int) -> Iterator[tuple[Item, ...]]:
        if index == end:
            yield ()
            return
        for item, length in options[index]:
            after = (index + length, left - _is_unknown(item))
            if after in ways:
                for rest in onward(*after):
                    yield (item, *rest)

    return onward(0, unknown) if (0, unknown) in ways else iter(())


def _is_unknown(item: Item) -> int:
    return int(isinstance(item, Name) and item.in_part)


def _is_written_as_name(word: Word, index: int) -> bool:
    """Tell "US" and "Time" from "us" and "time"; the first word of a question has a capital anyway."""
    if len(word.written) > 1 and word.written.isupper():
        return True
    return index > 0 and word.written[:1].isupper()
