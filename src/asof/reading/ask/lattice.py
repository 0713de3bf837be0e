"""Every word of a question has a part to play, or the question is not understood.

A covering gives each word its part: of a name, of a saying, of a mark, of a time, or of none (``Small``). Words that
are
none of these may be one name that is known in part; it is looked for later among the facts that the rest speaks of.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from asof.reading.ask.lexicon import Lexicon, LexiconLayer
from asof.reading.ask.lexicon.by_name import is_somebody
from asof.reading.ask.lexicon.labels import LINKS
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.naming import Naming, said_length
from asof.reading.ask.tags import Mark, Name, RelationTag, Small, Tag, Timed
from asof.reading.ask.words import Word

Options = list[list[tuple[Tag, int]]]  # at each place: what may stand there, and how many words it takes
_MOST = 400  # coverings that are looked at
_LONGEST_PART = 4
_ASKING = frozenset(("which", "what"))
_REMEMBERED = 16  # rows of words: one question reads few, each many times


@dataclass(frozen=True)
class Lattice:
    """Finds the coverings of a row of words.

    Args:
        marks: The words of each mark, by the first of them.
    """

    index: NameIndex
    lexicon: Lexicon
    marks: Mapping[str, Sequence[tuple[tuple[str, ...], str]]]
    _seen: dict[tuple[Word, ...], Options] = field(default_factory=dict)

    def coverings(self, words: Sequence[Word]) -> Iterator[tuple[Tag, ...]]:
        """Walk over the coverings, those with the longest names and sayings first, names in part last."""
        options = self._options(words)
        longest = [max((length for tag, length in here if _is_whole(tag)), default=0) for here in options]
        labels = [max((length for tag, length in here if _is_label(tag)), default=0) for here in options]

        def whole(row: Sequence[Tag]) -> bool:
            return not (_cuts_a_name(row, longest) or _cuts_a_label(row, labels))

        yield from islice(filter(whole, _walk(options, 0)), _MOST)
        free = set(self.unexplained(words))
        parts = [self._parts(words, position, free) for position in range(len(words))]
        if any(parts):
            options = [[*found, *part] for found, part in zip(options, parts, strict=True)]
            for several in (1, 2) if sum(map(bool, parts)) > 1 else (1,):
                yield from islice(filter(whole, _walk(options, several)), _MOST)

    def names(self, words: Sequence[Word]) -> list[tuple[Name, int, int]]:
        """Return the names in a row of words with their place and length, the longest first."""
        found = [
            (tag, position, length)
            for position, here in enumerate(self._options(words))
            for tag, length in here
            if isinstance(tag, Name)
        ]
        return sorted(found, key=lambda name: -name[2])

    def in_part(self, word: Word) -> Mapping[str, bool]:
        """Return what has a name of which a word is the end, or the beginning."""
        return {} if word.time or word.text in self.small else self._naming.in_part([word])

    def unexplained(self, words: Sequence[Word]) -> list[Word]:
        """Return the words that can play no part."""
        explained: set[int] = set()
        for position, here in enumerate(self._options(words)):
            for _, length in here:
                explained |= set(range(position, position + length))
        return [word for position, word in enumerate(words) if position not in explained]

    def _options(self, words: Sequence[Word]) -> Options:
        """Return all parts that words can play; the last rows of words are remembered."""
        key = tuple(words)
        if key not in self._seen:
            while len(self._seen) >= _REMEMBERED:
                self._seen.pop(next(iter(self._seen)), None)
            self._seen[key] = [self._at(words, position) for position in range(len(words))]
        return self._seen[key]

    def _at(self, words: Sequence[Word], position: int) -> list[tuple[Tag, int]]:
        word = words[position]
        if word.time:
            return [(Timed(word.time), 1)]
        if self._says_something_else(words, position):
            return []
        found: list[tuple[Tag, int]] = [*self._said(words, position)]
        small = word.text in self.small
        named = not small or _is_written_as_name(word, position)
        found += [(name, length) for name, length in self._naming.at(words, position) if length > 1 or named]
        for text, kind in self.marks.get(word.text, ()):
            if length := said_length(text, words, position):
                found.append((Mark(kind, tuple(words[position : position + length])), length))
        if word.order:
            found.append((Mark("nth", (word,)), 1))
        if not small and self._may_be_class(words, position):
            found.append((Small(word, is_class=True), 1))
        if self._is_origin(words, position):
            found.append((Mark("origin", (word,)), 1))
        if small:
            found.append((Small(word), 1))
        return sorted(found, key=lambda option: -option[1])

    def _says_something_else(self, words: Sequence[Word], position: int) -> bool:
        """Tell "who ran for president" from "who ran the company"; not where a base has such a relation."""
        for said in self.lexicon.table["other_sayings"]["said"]:
            row = tuple(said.split())
            if said_length(row, words, position):
                own = self.lexicon.by_first_word.get(row[0], ())
                its_own = (one for one in own if one.layers[0] <= LexiconLayer.DERIVED)
                return not any(one.words[: len(row)] == row for one in its_own)
        return False

    def _is_origin(self, words: Sequence[Word], position: int) -> bool:
        """Tell whether a word says where a team comes from: "which Italian club"."""
        asked = position == 0 or words[position - 1].text in (*_ASKING, "many", "different")
        if not asked or words[position].text not in self.lexicon.table["demonyms"]:
            return False
        behind = [word.text for word in words[position + 1 : position + 4]]
        while behind and behind[0] in self.lexicon.words("sports"):
            behind.pop(0)
        return bool(behind) and behind[0] in self.lexicon.words("teams")

    def _may_be_class(self, words: Sequence[Word], position: int) -> bool:
        """Tell whether a word is the noun of "which painting", of a base that has no kinds to hold it against."""
        word = words[position]
        asked = word.counted or (position and words[position - 1].text in _ASKING)
        loosely = (LexiconLayer.CLASS,) if is_somebody(word.text) else (LexiconLayer.CLASS, LexiconLayer.ENGLISH)
        said = any(_is_more_than(loosely, tag) for tag, _ in self._said(words, position))
        return bool(asked) and word.written[:1].islower() and not (self.index.has_kinds or word.possessive or said)

    def _said(self, words: Sequence[Word], position: int) -> Iterator[tuple[Tag, int]]:
        sayings = self.lexicon.by_first_word.get(words[position].text, ())
        if position and words[position - 1].text == "who":  # "who heads the IMF"
            sayings = tuple(sorted(sayings, key=lambda saying: not saying.is_verb))
        if words[position].counted and any(not saying.is_verb for saying in sayings):
            sayings = tuple(saying for saying in sayings if not saying.is_verb)  # "how many hosts has it had"
        for saying in sayings:
            if length := said_length(saying.words, words, position):
                yield RelationTag(saying, tuple(words[position : position + length])), length

    def _parts(self, words: Sequence[Word], position: int, free: Collection[Word]) -> list[tuple[Tag, int]]:
        """Return the names in part that may begin at a place: of free words, or of any that a base's name has."""
        found: list[tuple[Tag, int]] = []
        for length in range(1, _LONGEST_PART + 1):
            taken = tuple(words[position : position + length])
            if len(taken) < length or any(word.time or word.text in self.small for word in taken):
                break
            entities = self._naming.in_part(taken)
            if entities or all(word in free for word in taken):
                found.append((Name(taken, entities, taken[-1].possessive, in_part=True), length))
            if taken[-1].possessive:
                break
        return found[::-1]

    @cached_property
    def small(self) -> frozenset[str]:
        """The words that change nothing."""
        lists = ("small", "kinds", "after_an_office", "in_an_office", "beside_a_noun")
        return frozenset().union(*map(self.lexicon.words, lists))

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """All words that are no names."""
        return self.lexicon.vocabulary | self.spelled

    @cached_property
    def spelled(self) -> frozenset[str]:
        """The words that a misspelt one may be."""
        marks = {word for row in self.marks.values() for text, _ in row for word in text}
        return self.lexicon.spelled | self.small | marks

    @cached_property
    def _naming(self) -> Naming:
        return Naming(self.index, self.lexicon, self.small)


def _walk(options: Sequence[Sequence[tuple[Tag, int]]], parts: int) -> Iterator[tuple[Tag, ...]]:
    """Walk over the ways through the options that take just so many names in part."""
    end = len(options)
    ways = {(end, 0)}  # places from which the end can be reached, with so many names in part
    for position in reversed(range(end)):
        for tag, length in options[position]:
            here = _is_part(tag)
            ways |= {(position, left) for left in range(parts + 1) if (position + length, left - here) in ways}

    def onward(position: int, left: int) -> Iterator[tuple[Tag, ...]]:
        if position == end:
            yield ()
            return
        for tag, length in options[position]:
            after = (position + length, left - _is_part(tag))
            if after in ways:
                for rest in onward(*after):
                    yield (tag, *rest)

    return onward(0, parts) if (0, parts) in ways else iter(())


def _is_more_than(loosely: Collection[LexiconLayer], tag: Tag) -> bool:
    """Tell whether a saying is of the base itself, and more than a class: "estate" of "part of estate"."""
    if not isinstance(tag, RelationTag) or tag.saying.is_verb:
        return False
    rows = zip(tag.saying.groups, tag.saying.layers, strict=True)
    return any(layer not in loosely for group, layer in rows if not all(use.beside for use in group))


def _is_whole(tag: Tag) -> bool:
    return isinstance(tag, Name) and not (tag.in_part or tag.narrowed or tag.together)


def _cuts_a_name(row: Sequence[Tag], longest: Sequence[int]) -> bool:
    """Tell whether a name is cut: "British" of the British Museum, "Ann" and "Lee" of Ann Lee."""
    position = 0
    for number, tag in enumerate(row):
        length = _length(tag)
        if isinstance(tag, Name) and longest[position] > length:
            left, parts = longest[position] - length, 0
            for one in row[number + 1 :]:
                said = isinstance(one, RelationTag) and tag.in_part  # "garden" of Ferndale Garden
                if not (said or isinstance(one, Small) or _is_part(one)) or left <= 0:
                    break
                left, parts = left - _length(one), parts + (said or _is_part(one))
            if left == 0 and (parts or not tag.in_part):  # but "Doctor" of Doctor Who may be the doctor
                return True
        if isinstance(tag, RelationTag) and longest[position] > length:  # "university" of University of Tarn
            left = longest[position] - length
            for one in row[number + 1 :]:
                if left <= 0 or not (isinstance(one, Small) or _is_part(one)):
                    break
                left -= _length(one)
                if left == 0 and _is_part(one):
                    return True
        position += length
    return False


def _is_label(tag: Tag) -> bool:
    """Tell whether a tag is a noun of several words that is the base's own name for a relation."""
    if not isinstance(tag, RelationTag) or tag.saying.is_verb or LINKS & set(tag.saying.words):
        return False
    return len(tag.saying.words) > 1 and LexiconLayer.LABEL in tag.saying.layers


def _cuts_a_label(row: Sequence[Tag], labels: Sequence[int]) -> bool:
    """Tell whether the base's own name of a relation is cut: "lead" and "actor" of "lead actor"."""
    position = 0
    for number, tag in enumerate(row):
        length = _length(tag)
        if not isinstance(tag, Name) and labels[position] > length:
            left = labels[position] - length
            for one in row[number + 1 :]:
                if isinstance(one, Name | Timed) or left <= 0:
                    break
                left -= _length(one)
            if left == 0:
                return True
        position += length
    return False


def _length(tag: Tag) -> int:
    """Return how many words a tag takes."""
    return 1 if isinstance(tag, Small | Timed) else len(tag.words)


def _is_part(tag: Tag) -> int:
    return int(isinstance(tag, Name) and tag.in_part)


def _is_written_as_name(word: Word, position: int) -> bool:
    """Tell "US" and "Time" from "us" and "time"; the first word of a question has a capital anyway."""
    if len(word.written) > 1 and word.written.isupper():
        return True
    return position > 0 and word.written[:1].isupper()
