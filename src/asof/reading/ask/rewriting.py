"""A question in plainer words: without courtesy, with turns of phrase, feasts and eras said plainly."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

from asof.reading.ask.courtesy import without_courtesy
from asof.reading.ask.lexicon import Lexicon
from asof.reading.ask.lexicon.labels import names_of
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.turns import Turn, turned, turns_of
from asof.reading.ask.words import Word, words_of

_START = frozenset(("outbreak", "start", "beginning"))
_END = frozenset(("end", "close"))
_BEGAN, _ENDED = (("broke", "out"), ("began",), ("started",)), (("ended",), ("was", "over"))
_TOLD = frozenset(("fell", "down", "sank", "shot", "killed", "assassinated", "exploded", "signed", "collapsed"))
_WHILE = (("happened",), ("took", "place"), ("occurred",), ("was", "on"), ("was", "going", "on"))
_LONGEST = 6  # words of a name
_AT_A_TIME = frozenset(("open", "close", "start", "begin", "end", "depart", "leave", "arrive", "shut", "meet"))
_BEFORE, _AFTER = frozenset(("before",)), frozenset(("after", "following", "since"))
_DURING = frozenset(("during", "in", "throughout", "at", "of", "the", "time"))


@dataclass(frozen=True)
class Plainer:
    """A question in plainer words, and what was taken for what."""

    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Rewriting:
    """Puts questions in plainer words."""

    lexicon: Lexicon
    index: NameIndex
    _turns: list[Turn] = field(default_factory=list)

    def plainer(self, question: str) -> Plainer:
        """Return a question in plainer words."""
        courtesy = self.lexicon.table["courtesy"]
        text = without_courtesy(question, courtesy["leads"], courtesy["tails"])
        text, notes = self._eras(self._states(text))
        return Plainer(turned(self._titles(self._feasts(text)), self._all_turns), tuple(notes))

    @cached_property
    def _all_turns(self) -> list[Turn]:
        table = self.lexicon.table
        labels = (
            turn
            for one in self.lexicon.relations.values()
            for words in names_of(one)
            for turn in _of_label(words, partial(self.index.tells_numbers, one.id))
        )
        return turns_of({**table.get("own_turns", {}), **dict(labels), **table["turns"]}, table.get("macros", {}))

    def _eras(self, text: str) -> tuple[str, list[str]]:
        """Say by days what is said by the name of an era: "during WWII"."""
        table, others = self.lexicon.table["eras"], self.lexicon.table["other_eras"]
        notes = []
        for first, last, said in _longest(text, {**{era.casefold(): era for era in table}, **others}):
            era = others.get(said, next((name for name in table if name.casefold() == said), said))
            start, end = table[era]
            if _is_of_a_date(words_of(text), first, last, text):
                continue
            text = _EraInText(words_of(text), first, last, start, end).in_days(text)
            notes.append(f"The {era} is taken as {f'{start} to {end}' if start != end else start}.")
            break
        return text, notes

    def _feasts(self, text: str) -> str:
        """Say the day of a feast: "on Christmas Day 2008"."""
        feasts: dict[str, str] = self.lexicon.table["feasts"]
        for first, last, said in _longest(text, {"".join(key): key for key in feasts}):
            words = words_of(text)
            behind = words[last : last + 2]
            if behind and behind[0].text in ("of", "in"):
                behind = behind[1:]
            if behind and behind[0].text.isdigit():
                return f"{text[: words[first].start]}{feasts[said]} {behind[0].text}{text[behind[0].end :]}"
        return text

    def _states(self, text: str) -> str:
        """Name the state and the time that is meant by a name for a part of its time: "West Germany"."""
        states: Mapping[str, list[str]] = self.lexicon.table.get("states", {})
        for first, last, said in _longest(text, {name: name for name in states}):
            if not self.index.entities(said):
                state, start, end = states[said]
                words = words_of(text)
                owner = "'s" if words[last - 1].possessive else ""
                return (
                    f"{text[: words[first].start]}{state}{owner} between {start} and {end}{text[words[last - 1].end :]}"
                )
        return text

    def _titles(self, text: str) -> str:
        """Name the country of a title that only one has: "taoiseach in 2000"."""
        demonyms: dict[str, str] = self.lexicon.table["demonyms"]
        for title, country in self.lexicon.table.get("implied", {}).items():
            people = next(people for people, position in demonyms.items() if position == country)
            words = words_of(text)
            for position, word in enumerate(words):
                near = {
                    one.text for one in (*words[max(0, position - 1) : position], *words[position + 1 : position + 3])
                }
                if word.text == title and not near & {people, country.casefold(), "of"}:
                    return f"{text[: word.start]}{people} {text[word.start :]}"
        return text


def _of_label(words: tuple[str, ...], tells_numbers: Callable[[], bool]) -> Iterator[tuple[str, str]]:
    """Say by its name what a relation is asked for otherwise: "how many students", "when does it close".

    >>> dict(_of_label(("number", "of", "students"), lambda: True))
    {'how_many students': 'what number of students'}
    >>> list(dict(_of_label(("seats", "in", "parliament"), lambda: True)).values())
    ['what seats in parliament {X}', 'what seats in parliament']
    """
    label = " ".join(words)
    counted = words[2:] if words[:2] == ("number", "of") else words[:1] if words[0].endswith("s") else ()
    if counted and (len(words) > len(counted) or len(words) == 1) and tells_numbers():
        said = f"how_many {'_'.join(counted)}"
        if behind := () if len(counted) > 1 or words[0] == "number" else words[1:]:
            yield f"{said} {{X}} {'_'.join(behind)} $", f"what {label} {{X}}"
        yield said, f"what {label}"
    if len(words) == 2 and words[1] in ("at", "on") and (verb := words[0].removesuffix("s")) in _AT_A_TIME:
        for asked in ("when", "(at|on) what|which time|hour|day|days"):
            yield f"^ {asked} <do|does|did> {{X}} {verb} (at|on) $", f"what {{1}} {{X}} {verb} {words[1]}"


@lru_cache(16)
def _keys(names: tuple[str, ...]) -> dict[tuple[str, ...], str]:
    return {tuple(word.text for word in words_of(name)): name for name in names}


def _longest(text: str, names: Mapping[str, str]) -> Iterator[tuple[int, int, str]]:
    """Find the longest of some names in a text: its first word, the word behind it, and the name."""
    words = words_of(text)
    keys = _keys(tuple(names))
    for length in range(_LONGEST, 0, -1):
        for position in range(len(words) - length + 1):
            if name := keys.get(tuple(word.text for word in words[position : position + length])):
                yield position, position + length, name
                return


@dataclass(frozen=True)
class _EraInText:
    """Where a text names an era that has days: its words from the first to before the last, and these days."""

    words: list[Word]
    first: int
    last: int
    start: str
    end: str

    def in_days(self, text: str) -> str:
        """Return the text with days in place of the era and of the words around it that belong to it."""
        ways = (self._as_a_clause, self._as_an_edge, self._as_a_border)
        begin, stop, days = next((found for way in ways if (found := way())), None) or self._as_a_time()
        return f"{text[: self.words[begin].start]}{days}{text[self.words[stop - 1].end :]}"

    @property
    def _ahead(self) -> int:
        """The first word with the article."""
        return self.first - 1 if self.first and self.words[self.first - 1].text == "the" else self.first

    @property
    def _before(self) -> list[str]:
        return [word.text for word in self.words[max(0, self._ahead - 4) : self._ahead]]

    @property
    def _whole(self) -> str:
        return f"between {self.start} and {self.end}" if self.start != self.end else f"on {self.start}"

    def _as_a_clause(self) -> tuple[int, int, str] | None:
        """Read "when the war broke out"."""
        if self.words[self.first].text == "when":
            return self._ahead, self.last, self._whole
        if self._before[-1:] != ["when"]:
            return None
        behind = tuple(word.text for word in self.words[self.last :])
        if not behind or self.words[self.last - 1].text in _TOLD:
            return self._ahead - 1, self.last, self._whole
        days = {_WHILE: self._whole, _BEGAN: f"on {self.start}", _ENDED: f"on {self.end}"}
        said = ((form, day) for forms, day in days.items() for form in forms if behind[: len(form)] == form)
        return next(((self._ahead - 1, self.last + len(form), day) for form, day in said), None)

    def _as_an_edge(self) -> tuple[int, int, str] | None:
        """Read "at the outbreak of the war"."""
        before = self._before
        if before[-1:] != ["of"] or len(before) < 2 or before[-2] not in _START | _END:
            return None
        words = 4 if before[-3:-2] == ["the"] and len(before) > 3 else 2  # "at the outbreak of", "outbreak of"
        return self._ahead - words, self.last, f"on {self.start if before[-2] in _START else self.end}"

    def _as_a_border(self) -> tuple[int, int, str] | None:
        """Read "before the war" and "after the war"."""
        word = self._before[-1] if self._before else ""
        days = f"before {self.start}" if word in _BEFORE else f"after {self.end}" if word in _AFTER else ""
        return (self._ahead - 1, self.last, days) if days else None

    def _as_a_time(self) -> tuple[int, int, str]:
        """Read "during the war", and what stands alone."""
        begin = self._ahead
        while begin and self.words[begin - 1].text in _DURING and self._ahead - begin < 4:
            begin -= 1
        return begin, self.last, self._whole


def _is_of_a_date(words: list[Word], first: int, last: int, text: str) -> bool:
    """Tell "9/11" from the beginning of "9/11/2005"."""
    ahead, behind = text[: words[first].start][-1:], text[words[last - 1].end :][:1]
    return words[first].text.isdigit() and bool({ahead, behind} & {"/", "-", "."})
