"""What facts are told as: names, times, lengths, numbers, yes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from asof.facts import Fact
from asof.reading.ask.answer import AnswerItem, FactEvidence, Holds
from asof.reading.ask.evaluate.choice import Choice, FittingFact
from asof.reading.ask.evaluate.facts import FoundFact
from asof.reading.ask.evaluate.holding import surest
from asof.reading.ask.evaluate.lengths import OF_A_LEGISLATURE, TOUCHING, joined, length_in_words, without_breaks
from asof.reading.ask.evaluate.relations import in_careers, of_offices
from asof.reading.ask.query import Count, Duration, During, Event, When, YesNo
from asof.timeline import Days

_POSITION = "position"
Items = tuple[AnswerItem, ...]


@dataclass(frozen=True)
class Telling:
    """Tells the facts that answer a query, in the way that it asks for."""

    choice: Choice

    def items(self, kept: Sequence[FittingFact]) -> Items:
        """Return the answers."""
        query = self.choice.query
        if isinstance(query, YesNo):
            return self._yes(kept)
        if isinstance(query, When):
            return self._times(kept, query.event)
        if isinstance(query, Duration):
            return self._lengths(kept)
        if isinstance(query, Count):
            times = query.what == "times" or all(one.found.wanted is None for one in kept)
            return self._count_times(kept) if times else _counted(self._entities(kept))
        return self._entities(kept)

    def _entities(self, kept: Sequence[FittingFact]) -> Items:
        by_answer: dict[str, list[FittingFact]] = {}
        for one in kept:
            key = self._text(one.found) if self._is_post(one.found) else one.found.answer
            by_answer.setdefault(key, []).append(one)
        return tuple(
            AnswerItem(
                self._text(row[0].found), surest(one.evidence for one in row), _evidence(row), row[0].found.answer
            )
            for row in by_answer.values()
        )

    def _is_post(self, one: FoundFact) -> bool:
        if not self.choice.asks_for_posts or one.wanted != "subject":
            return False
        things = self.choice.lookup.names.index.things([one.answer])
        return one.answer not in things or things[one.answer].kind != _POSITION

    def _text(self, one: FoundFact) -> str:
        if self._is_post(one):
            return f"{one.fact.relation_label} of {one.fact.subject_label}"
        return one.answer_label

    def _yes(self, kept: Sequence[FittingFact]) -> Items:
        best = surest(one.evidence for one in kept)
        words = {Holds.PART: "yes, for a part of that time", Holds.POSSIBLY: "possibly"}
        when = self.choice.query.when
        if isinstance(when, During) and when.moment.startswith(("before", "after")):  # that is at any time before
            del words[Holds.PART]
        return (AnswerItem(words.get(best, "yes"), best, _evidence(kept)),)

    def _times(self, kept: Sequence[FittingFact], event: Event | None) -> Items:
        def text(fact: Fact) -> str:
            ends = {"start": fact.start, "end": fact.end}
            whole = fact.start if fact.start == fact.end else fact.interval  # 1971, not 1971..1971
            return str(ends[event] if event else whole)

        return self._said_once(kept, text, text)

    def _lengths(self, kept: Sequence[FittingFact]) -> Items:
        today = self.choice.today
        return self._said_once(kept, lambda fact: length_in_words(fact, today), lambda fact: f"{fact.start} {fact.end}")

    def _said_once(
        self, kept: Sequence[FittingFact], text: Callable[[Fact], str], same: Callable[[Fact], str]
    ) -> Items:
        """Say what facts tell, and of those that are the same, as of a queen of several realms, once."""
        items: dict[str, AnswerItem] = {}
        for row in self._runs(self._outermost(kept)):
            fact = joined([one.found.fact for one in row], self.choice.known_by)
            said = items.get(same(fact))
            evidence = (*(said.evidence if said else ()), *_evidence(row))
            holds = said.holds if said else row[0].evidence.holds
            items[same(fact)] = AnswerItem(text(fact), holds, evidence, row[0].found.answer)
        return tuple(items.values())

    def _runs(self, kept: Sequence[FittingFact]) -> list[list[FittingFact]]:
        """Put the terms of one and the same together where they follow each other."""
        by_ends: dict[tuple[str, str, str], dict[Fact, FittingFact]] = {}
        for one in kept:
            fact = one.found.fact
            pair = self._pair(one.found)
            by_ends.setdefault(pair, {})[fact] = one
        runs = []
        for (relation, _, _), row in by_ends.items():
            longest = self._longest_break(relation)
            facts = [[fact] for fact in row] if longest is None else without_breaks(row, longest, self.choice.known_by)
            runs += [[row[fact] for fact in run] for run in facts]
        positions = {one.found.fact: position for position, one in enumerate(kept)}
        return sorted(runs, key=lambda run: positions[run[0].found.fact])

    def _longest_break(self, relation: str) -> int | None:
        """Return the days that may lie between terms that are told as one; None where each is told by itself."""
        store = self.choice.lookup.store
        if in_careers(relation, store):
            return OF_A_LEGISLATURE
        is_award = store.relations[relation].kind == "award"
        return TOUCHING if isinstance(self.choice.query, Duration) and not is_award else None

    def _pair(self, one: FoundFact) -> tuple[str, str, str]:
        """Return what must be the same for terms to follow each other; seats that were named together are one."""
        fact = one.fact
        if one.wanted is None and in_careers(fact.relation, self.choice.lookup.store):
            return fact.relation, fact.subject, ""
        return fact.relation, fact.subject, fact.object

    def _outermost(self, kept: Sequence[FittingFact]) -> list[FittingFact]:
        """Leave out times in an office that lie within another: the terms of a senator, a queen's other realms."""
        store = self.choice.lookup.store
        bounds = [one.found.fact.interval.bounds(known_by=self.choice.known_by) for one in kept]

        def within(position: int) -> bool:
            its = bounds[position]
            whole = Days(its.earliest_start, its.latest_end)
            return any(other.covers(whole) and other != its for other in bounds)

        return [
            one
            for position, one in enumerate(kept)
            if not (of_offices(one.found.fact.relation, store) and within(position))
        ]

    def _count_times(self, kept: Sequence[FittingFact]) -> Items:
        times = {(one.found.fact.start, one.found.fact.end): one for one in reversed(self._outermost(kept))}
        return _counted([AnswerItem("", one.evidence.holds, (one.evidence,)) for one in reversed(times.values())])


def _counted(items: Sequence[AnswerItem]) -> Items:
    """Count what surely holds, then what possibly does, too."""
    sure = [item for item in items if item.holds is not Holds.POSSIBLY]
    counts = [(sure, Holds.ALWAYS)] if sure else []
    if len(sure) < len(items):
        counts.append((list(items), Holds.POSSIBLY))
    return tuple(
        AnswerItem(str(len(counted)), holds, tuple(evidence for item in counted for evidence in item.evidence))
        for counted, holds in counts
    )


def _evidence(row: Sequence[FittingFact]) -> tuple[FactEvidence, ...]:
    return tuple(one.evidence for one in row)
