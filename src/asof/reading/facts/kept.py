"""Which facts of a reading answer its question: those in the time asked for, the neighbours, the first, the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from asof.reading.facts.answer import FactEvidence, Holds
from asof.reading.facts.extremes import extreme
from asof.reading.facts.holding import in_order, judged, picked, row_of
from asof.reading.facts.items import Name
from asof.reading.facts.kinds import of_kind
from asof.reading.facts.lookup import FactMatch, Lookup
from asof.reading.facts.neighbours import all_after, all_before, between, right_after, right_before, with_gap
from asof.reading.facts.phrases import Order, Phrases
from asof.reading.facts.readings import Reading
from asof.reading.facts.titles import with_title
from asof.timeline import Date
from asof.timeline.specifier import Days

Pair = tuple[FactMatch, FactEvidence]
_PLACES = frozenset(("P17", "P131", "P276"))
_LEADERS = frozenset(("P35", "P6"))
_BREAK = 300  # days: terms ended in March, and the next could begin in December
_EMPTY = "nothing is known of the time between"
_TOO_CLOSE = "the dates do not tell which of them"


@dataclass(frozen=True)
class AnswerFacts:
    """The facts of a reading that answer, and those that would under another title."""

    reading: Reading
    lookup: Lookup
    phrases: Phrases
    today: Date

    @cached_property
    def pairs(self) -> list[Pair]:
        """The facts that answer, with labels, in the order of time."""
        return self._labelled([pair for pair in self._chosen if pair[0] in self._titled])

    @cached_property
    def others(self) -> list[Pair]:
        """The facts that would answer if they did not speak of another title."""
        return self._labelled([pair for pair in self._chosen if pair[0] not in self._titled])

    @cached_property
    def lies_ahead(self) -> bool:
        """Whether the time that is asked about has not come yet."""
        times = self.reading.times
        return bool(times) and all(days.first > self.today.last for days in times or ())

    @cached_property
    def known_by(self) -> Date | None:
        """The day up to which the base is known."""
        return self.lookup.store.known_by

    @cached_property
    def _titled(self) -> set[FactMatch]:
        found = [one for one, _ in self._chosen]
        return set(with_title(found, self.reading.sense.said, self.lookup, self.phrases))

    @cached_property
    def _chosen(self) -> list[Pair]:
        sense, times = self.reading.sense, self.reading.times
        words = [word for word in self.reading.question.words if word not in sense.named]
        found = of_kind(self.reading.found, words, self.lookup, self.phrases)
        doubtful: set[FactMatch] = set()
        if sense.neighbour or sense.before_now:
            found, doubtful = self._neighbours(found)
        if sense.landing:
            there = self.lookup.called({one.answer for one in found}, sense.landing)
            found = [one for one in found if one.answer in there]
        if sense.changes and len(found) > 1 and self.reading.question.kind in ("when", "how many times"):
            found = in_order(found, self.known_by)[1:]
        if sense.returns:
            found = _returned(in_order(found, self.known_by))
        gone = sense.event == "end" or self.reading.question.no_longer
        if times is None and gone:  # "who left the EU", "who used to own Chelsea": not who is still in it, or does
            found = [one for one in found if isinstance(one.fact.end, Date) and one.fact.end.first <= self.today.last]
        event = sense.event if times is not None and self.reading.question.kind != "when" else None
        judgements = {one: evidence for one in found if (evidence := judged(one.fact, times, event, self.known_by))}
        judgements |= {one: FactEvidence(one.fact, Holds.POSSIBLY, _EMPTY) for one in doubtful if one in judgements}
        if self.lies_ahead:  # that something goes on today does not say that it will then
            judgements = {
                one: evidence
                for one, evidence in judgements.items()
                if isinstance(one.fact.end, Date) and evidence.holds is not Holds.POSSIBLY
            }
        kept = [(one, judgements[one]) for one in in_order(judgements, self.known_by)]
        if sense.order:
            kept = self._in_order(kept, sense.order)
        return kept

    def _in_order(self, kept: list[Pair], order: Order) -> list[Pair]:
        """Keep the first, the last, the nth, or what held longest, shortest or most often."""
        fitting = with_title([one for one, _ in kept], self.reading.sense.said, self.lookup, self.phrases)
        if order == "longest" or order == "shortest" or order == "most":
            best, sure = extreme(fitting, order, self.today, self.known_by)
            chosen = [(one, evidence) for one, evidence in kept if one in fitting and one.answer in best]
            return chosen if sure else [(one, FactEvidence(one.fact, Holds.POSSIBLY, _TOO_CLOSE)) for one, _ in chosen]
        fits_order: set[FactMatch] = set()
        doubtful: set[FactMatch] = set()
        for row in _by_relation(fitting):
            many = self.reading.sense.many
            here = row_of(row, order, many, self.known_by) if many else picked(row, order, self.known_by)
            starts = {one.fact.interval.bounds(known_by=self.known_by)[:2] for one in here}
            if len({one.answer for one in here}) > 1 and any(earliest != latest for earliest, latest in starts):
                doubtful |= set(here)
            fits_order |= set(here)
        return [
            (one, FactEvidence(one.fact, Holds.POSSIBLY, _TOO_CLOSE) if one in doubtful else evidence)
            for one, evidence in kept
            if one in fits_order
        ]

    def _neighbours(self, matches: Sequence[FactMatch]) -> tuple[list[FactMatch], set[FactMatch]]:
        """Return what stands beside a name, and that of it which another may have stood nearer than."""
        rows: dict[tuple[str, str], list[FactMatch]] = {}
        for one in matches:
            given = one.fact.object if one.wanted == "subject" else one.fact.subject
            rows.setdefault((one.fact.relation, given), []).append(one)
        beside: list[FactMatch] = []
        doubtful: set[FactMatch] = set()
        sense = self.reading.sense
        for row in rows.values():
            anchors = self._anchors(row, sense.neighbour)
            beside += (chosen := self._beside(row, anchors))
            if not (sense.until or sense.all_on_side or sense.many):
                doubtful |= set(with_gap(chosen, row, anchors, self.known_by))
        return beside, doubtful

    def _beside(self, row: Sequence[FactMatch], anchors: set[str]) -> list[FactMatch]:
        """Return what stands on the side of a name that is asked for."""
        sense = self.reading.sense
        if sense.until:
            return between(row, anchors, self._anchors(row, sense.until), self.known_by)
        if sense.many or (sense.all_on_side and sense.neighbour):
            there = (all_after if sense.side == "after" else all_before)(row, anchors, self.known_by)
            end: Literal["first", "last"] = "first" if sense.side == "after" else "last"
            return row_of(there, end, sense.many, self.known_by) if sense.many else there
        return (right_after if sense.side == "after" else right_before)(row, anchors, self.known_by)

    def _anchors(self, row: Sequence[FactMatch], name: Name | None) -> set[str]:
        """Return the entities that "before" or "after" lean on: by name, or those of today."""
        if name is None:
            today = (Days(self.today.first, self.today.last),)
            return {one.answer for one in row if judged(one.fact, today, None, self.known_by)}
        return self.lookup.called({one.answer for one in row}, name)

    def _labelled(self, pairs: Sequence[Pair]) -> list[Pair]:
        labelled = self.lookup.labelled(one for one, _ in pairs)
        return [
            (one, FactEvidence(one.fact, evidence.holds, evidence.why))
            for one, (_, evidence) in zip(labelled, pairs, strict=True)
        ]


def _returned(matches: Sequence[FactMatch]) -> list[FactMatch]:
    """Leave out the first time of each: one returns where one has been. A place may return to the heir of its state."""
    pairs = [(one.fact.subject, one.fact.object) for one in matches]
    return [
        one
        for index, (one, pair) in enumerate(zip(matches, pairs, strict=True))
        if pair in pairs[:index] or (one.fact.relation in _PLACES and pairs.count(pair) == 1)
    ]


def _by_relation(matches: Sequence[FactMatch]) -> list[list[FactMatch]]:
    """Set heads of state and of government apart: each row of leaders has its own first and last."""
    if {one.fact.relation for one in matches} != _LEADERS:
        return [list(matches)]
    return [[one for one in matches if one.fact.relation == relation] for relation in sorted(_LEADERS)]


def without_breaks(kept: Sequence[Pair], known_by: Date | None) -> list[list[Pair]]:
    """Put terms together that follow each other: between two of a legislature less than a year may lie."""
    rows: list[list[Pair]] = []
    reached = 0
    for pair in sorted(kept, key=lambda pair: pair[0].fact.interval.bounds(known_by=known_by)[:2]):
        bounds = pair[0].fact.interval.bounds(known_by=known_by)
        if rows and bounds.earliest_start - reached <= _BREAK:
            rows[-1].append(pair)
        else:
            rows.append([pair])
        reached = bounds.latest_end
    return rows
