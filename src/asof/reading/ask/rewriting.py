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
            begin, stop, days = _around(words_of(text), first, last, start, end, text)
            text = f"{text[:begin]}{days}{text[stop:]}"
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


def _around(words: list[Word], first: int, last: int, start: str, end: str, text: str) -> tuple[int, int, str]:
    """Return the stretch of text that says a time by an era, and the days that it says."""
    ahead = first - 1 if first and words[first - 1].text == "the" else first
    before = [word.text for word in words[max(0, ahead - 4) : ahead]]
    behind = tuple(word.text for word in words[last : last + 2])
    begin, stop = words[ahead].start, words[last - 1].end
    whole = f"between {start} and {end}" if start != end else f"on {start}"
    if words[first].text == "when":
        return begin, stop, whole
    if before[-1:] == ["when"]:
        if not behind or words[last - 1].text in _TOLD:
            return words[ahead - 1].start, stop, whole
        for form in _WHILE:
            if tuple(word.text for word in words[last : last + len(form)]) == form:
                return words[ahead - 1].start, words[last + len(form) - 1].end, whole
        for forms, day in ((_BEGAN, start), (_ENDED, end)):
            for form in forms:
                if behind[: len(form)] == form:
                    return words[ahead - 1].start, words[last + len(form) - 1].end, f"on {day}"
    if before[-1:] == ["of"] and len(before) > 1:
        for nouns, day in ((_START, start), (_END, end)):
            if before[-2] in nouns:
                return (
                    words[ahead - (4 if before[-3:-2] == ["the"] and len(before) > 3 else 2)].start,
                    stop,
                    f"on {day}",
                )
    word = before[-1] if before else ""
    if word in _BEFORE:
        return words[ahead - 1].start, stop, f"before {start}"
    if word in _AFTER:
        return words[ahead - 1].start, stop, f"after {end}"
    taken = ahead
    while taken and words[taken - 1].text in _DURING and ahead - taken < 4:
        taken -= 1
    return words[taken].start if taken < ahead else begin, stop, whole


def _is_of_a_date(words: list[Word], first: int, last: int, text: str) -> bool:
    """Tell "9/11" from the beginning of "9/11/2005"."""
    ahead, behind = text[: words[first].start][-1:], text[words[last - 1].end :][:1]
    return words[first].text.isdigit() and bool({ahead, behind} & {"/", "-", "."})
