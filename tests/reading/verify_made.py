"""Sentences made from the facts of a base by many templates, with what is right to say of each.

The gold comes from plain loops over the facts, not from what is tested: true, outdated, too early, wrong, about unknown
things, and no claims at all, a sixth of each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from asof.facts import Fact, FactStore
from asof.timeline import Date, Open

KINDS = ("true", "outdated", "too early", "wrong", "unknown", "no claim")
_LETTER = {"true": "H", "outdated": "O", "too early": "N", "wrong": "C", "unknown": "U", "no claim": "-"}

# {s} has {o} as its noun; {t} is a year, as {a} and {b} are.
_NOUNS = {
    "head of government": ("head of government",),
    "head of state": ("head of state",),
    "capital": ("capital", "capital city"),
    "currency": ("currency",),
    "head coach": ("head coach", "coach", "manager"),
    "chief executive officer": ("CEO", "chief executive officer"),
    "chairman": ("chairman",),
    "general secretary": ("secretary general",),
}
_NOW = """\
{o} is the {n} of {s}.
The {n} of {s} is {o}.
{o} is currently the {n} of {s}.
Today, {o} is the {n} of {s}.
The current {n} of {s} is {o}.
{s}'s {n} is {o}.
As of now, {o} is still the {n} of {s}.
{o} is {s}'s {n}.
{o}, who is the {n} of {s}, spoke first.
""".splitlines()
_PAST = """\
{o} was the {n} of {s} in {t}.
In {t}, the {n} of {s} was {o}.
In {t}, {o} was the {n} of {s}.
{s}'s {n} in {t} was {o}.
""".splitlines()
_SPAN = """\
{o} was the {n} of {s} from {a} to {b}.
From {a} to {b}, {o} was the {n} of {s}.
{o} was {n} of {s} ({a}–{b}).
{o}, who was the {n} of {s} from {a} until {b}, is remembered well.
""".splitlines()
_NO_CLAIM = """\
Is {o} the {n} of {s}?
{o} may be the {n} of {s}.
If {o} is the {n} of {s}, much will change.
Perhaps {o} was the {n} of {s} in {t}.
{o} will be the {n} of {s} one day.
I wish {o} were the {n} of {s}.
Some say that {o} is the {n} of {s}.
The headline read "{o} is the {n} of {s}" at the time.
{o} is the deputy {n} of {s}.
{o} is the acting {n} of {s}.
{o} wrote to the {n} of {s}.
The brother of {o} is the {n} of {s}.
{o} almost became {n} of {s} in {t}.
{o} admires the {n} of {s}.
In the novel, {o} is the {n} of {s}.
{o} is the {n} of {s}'s friend.
""".splitlines()


@dataclass(frozen=True)
class MadeSentence:
    """A sentence, the day on which it is judged, and what is right."""

    kind: str
    on: Date
    text: str
    gold: str


@dataclass
class SentenceMaker:
    """Makes sentences from the facts of some relations of a base."""

    store: FactStore
    chance: np.random.Generator

    def __post_init__(self) -> None:
        self._of: dict[tuple[str, str], list[Fact]] = defaultdict(list)
        labels = {relation.id: relation.label for relation in self.store.relations.values()}
        for id, label in labels.items():
            if label in _NOUNS:
                for fact in self.store.facts(relation=id):
                    self._of[fact.subject, id].append(fact)
        self._labels = labels
        self._plain = [
            fact for row in self._of.values() for fact in row if isinstance(fact.start, Date) and self._is_plain(fact)
        ]
        self._objects: dict[str, list[Fact]] = defaultdict(list)
        for fact in self._plain:
            self._objects[fact.relation].append(fact)

    def made(self, count: int) -> Iterator[MadeSentence]:
        """Walk over so many sentences, of each kind the same number."""
        for number in range(count):
            kind = KINDS[number % len(KINDS)]
            sentence = None
            while sentence is None:
                sentence = self._try(kind)
            yield sentence

    def _is_plain(self, fact: Fact) -> bool:
        """Leave out names that several things have, and years before 1500, which nobody writes as "in 44"."""
        year = fact.start.year if isinstance(fact.start, Date) else 0
        labels = (fact.subject_label or "", fact.object_label or "")
        bounds = fact.interval.bounds(known_by=self.store.known_by)
        sure = bounds.latest_start <= bounds.earliest_end and fact.end is not Open.UNKNOWN
        return sure and year > 1500 and all(len(self._named(label)) == 1 for label in labels)

    def _named(self, label: str) -> list[str]:
        if not hasattr(self, "_ids"):
            rows = self.store.sql("SELECT label, list(id) AS ids FROM entities GROUP BY label").to_pylist()
            self._ids = {row["label"]: row["ids"] for row in rows}
        return self._ids.get(label, [])

    def _try(self, kind: str) -> MadeSentence | None:
        fact = self._plain[self.chance.integers(len(self._plain))]
        noun = str(self.chance.choice(_NOUNS[self._labels[fact.relation]]))
        if noun == "manager" and self.chance.random() < 0.5:
            return None
        match kind:
            case "true":
                return self._true(fact, noun)
            case "outdated" | "too early":
                return self._at_another_time(fact, noun, kind)
            case "wrong":
                return self._wrong(fact, noun)
            case "unknown":
                return self._unknown(fact, noun)
            case _:
                return self._said(kind, self._day(fact), _NO_CLAIM, fact, noun, t=self._day(fact).year)

    def _true(self, fact: Fact, noun: str) -> MadeSentence | None:
        day = self._day(fact)
        way = self.chance.integers(3)
        if way == 0 or not isinstance(fact.end, Date):
            return self._said("true", day, _NOW, fact, noun)
        if way == 1:
            return (
                self._said("true", Date.parse("2024-06-01"), _PAST, fact, noun, t=day.year) if day.year < 2024 else None
            )
        same = [one for one in self._row(fact) if one.object == fact.object]
        if len(same) > 1 or fact.end.year > 2023 or not isinstance(fact.start, Date):
            return None
        return self._said("true", Date.parse("2024-06-01"), _SPAN, fact, noun, a=fact.start.year, b=fact.end.year)

    def _at_another_time(self, fact: Fact, noun: str, kind: str) -> MadeSentence | None:
        """Say it of a day on which it surely did not hold: after all of its terms, or before them."""
        same = [
            one.interval.bounds(known_by=self.store.known_by) for one in self._row(fact) if one.object == fact.object
        ]
        away = int(self.chance.integers(30, 6_000))
        if kind == "outdated":
            number = max(one.latest_end for one in same) + away
            if number > Date.parse("2024-12-01").last:
                return None
        else:
            number = min(one.earliest_start for one in same) - away
        day = Date.from_day(number)
        if self.chance.random() < 0.3 and not any(
            one.earliest_start <= Date.of(day.year).last and Date.of(day.year).first <= one.latest_end for one in same
        ):
            return self._said(kind, Date.parse("2024-12-01"), _PAST, fact, noun, t=day.year)
        return self._said(kind, day, _NOW, fact, noun)

    def _wrong(self, fact: Fact, noun: str) -> MadeSentence | None:
        """Put somebody else in the place, of whom the base knows no such fact, while the holder is surely there."""
        if not self.store.relations[fact.relation].one_at_a_time:
            return None
        others = self._objects[fact.relation]
        other = others[self.chance.integers(len(others))]
        if any(one.object == other.object for one in self._row(fact)):
            return None
        day = self._day(fact)
        wrong = replace(fact, object_label=other.object_label)
        if self.chance.random() < 0.5:
            return self._said("wrong", day, _NOW, wrong, noun)
        bounds = fact.interval.bounds(known_by=self.store.known_by)
        year = Date.of(day.year)
        if not (bounds.latest_start <= year.first and year.last <= bounds.earliest_end) or day.year > 2023:
            return None
        return self._said("wrong", Date.parse("2024-06-01"), _PAST, wrong, noun, t=day.year)

    def _unknown(self, fact: Fact, noun: str) -> MadeSentence | None:
        firsts, lasts = (
            ("Orla", "Tobin", "Maris", "Quentin", "Ilse"),
            ("Vantongeren", "Plimsworth", "Okwuosa", "Drabik"),
        )
        name = f"{self.chance.choice(firsts)} {self.chance.choice(lasts)}"
        return self._said("unknown", self._day(fact), (*_NOW, *_PAST), replace(fact, object_label=name), noun, t=1990)

    def _day(self, fact: Fact) -> Date:
        """Draw a day on which the fact surely holds."""
        bounds = fact.interval.bounds(known_by=self.store.known_by)
        first, last = bounds.latest_start, bounds.earliest_end
        return Date.from_day(int(self.chance.integers(first, last + 1)))

    def _row(self, fact: Fact) -> list[Fact]:
        return self._of[fact.subject, fact.relation]

    def _said(
        self, kind: str, on: Date, templates: Sequence[str], fact: Fact, noun: str, **values: int
    ) -> MadeSentence | None:
        template = str(self.chance.choice(templates))
        text = template.format(s=fact.subject_label, o=fact.object_label, n=noun, **values)
        return MadeSentence(kind, on, text, _LETTER[kind])
