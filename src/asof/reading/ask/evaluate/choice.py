"""Which facts of a query answer it: those in the time asked for, those beside another, the first, the longest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from asof.reading.ask.answer import FactEvidence, Holds
from asof.reading.ask.evaluate.facts import FactLookup, FoundFact, NamedEnds
from asof.reading.ask.evaluate.holding import beside_each_other, in_order, judged
from asof.reading.ask.evaluate.kinds import POSTS, of_kind
from asof.reading.ask.evaluate.names import Named
from asof.reading.ask.evaluate.neighbours import all_after, all_before, between, right_after, right_before, with_gap
from asof.reading.ask.evaluate.order import extreme, in_place
from asof.reading.ask.evaluate.relations import AskedRelation, asked_relations, is_filled
from asof.reading.ask.evaluate.times import Times, meant, told_days, written_days
from asof.reading.ask.evaluate.titles import Title
from asof.reading.ask.lexicon.by_name import is_office
from asof.reading.ask.query import During, End, Extreme, Neighbour, Ordered, Pattern, When, YesNo
from asof.reading.ask.spoken import spoken
from asof.timeline import Date, Days

_EMPTY = "nothing is known of the time between"
_OFFICES = "the question does not say beside which of several offices"
_ACTING = "an acting holder, whom some do not count"
_FOR_ANOTHER = frozenset(("acting", "interim", "caretaker", "provisional"))
_TOO_CLOSE = "the dates do not tell which of them"


class FittingFact(NamedTuple):
    """A fact, and how it fits."""

    found: FoundFact
    evidence: FactEvidence


@dataclass(frozen=True)
class Choice:
    """The facts that a query is about, and those of them that answer it."""

    query: Pattern
    lookup: FactLookup
    today: Date

    @cached_property
    def kept(self) -> list[FittingFact]:
        """The facts that answer, in the order of time."""
        return [one for one in self._chosen if one.found in self._titled]

    @cached_property
    def others(self) -> list[FittingFact]:
        """The facts that would answer if they did not speak of another title."""
        return [one for one in self._chosen if one.found not in self._titled]

    @cached_property
    def found(self) -> list[FoundFact]:
        """The facts of the relations with the ends that are named, whenever they hold."""
        ends = self.ends
        if self.row_end:
            ends = ends.without(self.row_end)
        if ends.subject or ends.object:
            return self.lookup.facts(self.relations, ends)
        which, wanted = self.query.which, self.query.wanted or "object"
        if isinstance(which, Neighbour) and which.of:
            return self._timelines(self.lookup.names.named(which.of))
        return self.lookup.anywhere(self.relations, wanted, self.times)

    @cached_property
    def times(self) -> Times | None:
        """The days that are asked about; None: any."""
        when = self.query.when
        if when is None:
            return None
        return self._told(when) if isinstance(when, During) else written_days(when, self.today)

    @cached_property
    def relations(self) -> list[AskedRelation]:
        """The relations that are asked about."""
        return asked_relations(self.query.relation, self.lookup.store)

    @cached_property
    def ends(self) -> NamedEnds:
        """The names at each end, and the end that is wanted."""
        names, query = self.lookup.names, self.query
        subject, object = names.named(query.subject), names.named(query.object)
        wanted: End | None = query.wanted
        if bool(subject) != bool(object):
            wanted = "object" if subject else "subject"
        return NamedEnds(subject, object, wanted)

    @property
    def row_end(self) -> End | None:
        """The end of which one is named but all are needed, to tell the first or who came next."""
        query = self.query
        if query.which is None or not (query.subject and query.object):
            return None
        among_all = isinstance(query.which, Neighbour) or isinstance(query, YesNo)
        return query.wanted or ("object" if among_all else None)

    @cached_property
    def lies_ahead(self) -> bool:
        """Whether the time that is asked about has not come yet."""
        return bool(self.times) and all(days.first > self.today.last for days in self.times or ())

    @cached_property
    def title(self) -> Title:
        """The title that is asked for."""
        return Title(self.query.title, self.lookup.names)

    @property
    def known_by(self) -> Date | None:
        """The day up to which the base is known."""
        return self.lookup.store.known_by

    @property
    def asks_for_posts(self) -> bool:
        """Whether an answer is an office: "head of government of Italy", where Italy stands in the fact."""
        return self.query.kind in POSTS

    def _timelines(self, named: Named) -> list[FoundFact]:
        ways: tuple[End, ...] = (self.query.wanted,) if self.query.wanted else ("object", "subject")
        return next((rows for end in ways if (rows := self.lookup.timelines_with(self.relations, named, end))), [])

    def _told(self, during: During) -> Times | None:
        told = Choice(during.facts, self.lookup, self.today)
        named = {id for end in (self.ends.subject, self.ends.object) for one in end for id in one.entities}
        found = meant([one.found for one in told.kept], during.moment, named, self.known_by)
        return told_days(found, during.moment, told.times, self.known_by)

    @cached_property
    def _titled(self) -> set[FoundFact]:
        return set(self.title.borne([one.found for one in self._chosen]))

    @cached_property
    def _chosen(self) -> list[FittingFact]:
        if self.row_end is None:
            return self.row
        there = set(self._named_at(self.row_end, [one.found for one in self.row]))
        return [one for one in self.row if one.found in there]

    @cached_property
    def row(self) -> list[FittingFact]:
        """The facts in the time and the place that are asked for, also of others than the one who is named."""
        if isinstance(self.query.when, During) and self.times is None:
            return []
        found, doubtful = self._beside_another(self._of_kind())
        row = [one if one.found not in doubtful else _unsure(one, doubtful[one.found]) for one in self._in_time(found)]
        which = self.query.which
        if isinstance(which, Ordered | Extreme):
            row = self._in_place(row, which)
        picked = isinstance(which, Ordered) or (isinstance(which, Neighbour) and not (which.all or which.until))
        acting = picked and bool(row) and all(self._is_acting(one.found) for one in row)
        return [_unsure(one, _ACTING) for one in row] if acting else row

    def _is_acting(self, one: FoundFact) -> bool:
        """Tell whether somebody held an office for another, whom not all count: "acting president of Egypt"."""
        if one.wanted != "object" or not is_office(self.lookup.store.relations[one.fact.relation]):
            return False
        thing = self.lookup.names.index.things([one.answer]).get(one.answer)
        return thing is not None and bool(_FOR_ANOTHER & set(spoken(thing.description or "").split()))

    def _of_kind(self) -> list[FoundFact]:
        found = self.found
        if any(one.wanted is None for one in found) or self.asks_for_posts:
            return self._besides(found)
        return self._besides(of_kind(found, self.query.kind, self.lookup.names))

    def _besides(self, found: Sequence[FoundFact]) -> list[FoundFact]:
        known = self.lookup.names.named(self.query.besides)
        gone = self.lookup.names.called({one.answer for one in found}, known) if known else set()
        return [one for one in found if one.answer not in gone]

    def _named_at(self, end: End, found: Sequence[FoundFact]) -> list[FoundFact]:
        there = self.lookup.names.called({one.answer for one in found}, self.ends.named(end))
        return [one for one in found if one.answer in there]

    def _in_time(self, found: Sequence[FoundFact]) -> list[FittingFact]:
        """Judge facts by the time that is asked for; those that do not fit are left out."""
        event, asks_when = self.query.event, isinstance(self.query, When)
        if self.times is None and event == "end":  # "who left the EU": not who is still in it
            found = [one for one in found if self._is_over(one)]
        judgements = {one: judged(one.fact, self.times, None if asks_when else event, self.known_by) for one in found}
        row = [FittingFact(one, its) for one in in_order(found, self.known_by) if (its := judgements[one])]
        if self.query.throughout and beside_each_other([one.found for one in row], self.known_by):
            row = [one for one in row if self._lasts(one)]
        if self.lies_ahead:  # that something goes on today does not say that it will then
            row = [one for one in row if isinstance(one.evidence.fact.end, Date) and _is_sure(one)]
        return row

    def _lasts(self, one: FittingFact) -> bool:
        """Tell whether a fact was there when the time asked began, as its date tells, and still is at its end."""
        bounds = one.found.fact.interval.bounds(known_by=self.known_by)
        return any(
            bounds.earliest_start <= days.whole.first and bounds.latest_end >= min(days.last, self.today.last)
            for days in self.times or ()
        )

    def _is_over(self, one: FoundFact) -> bool:
        return isinstance(one.fact.end, Date) and one.fact.end.first <= self.today.last

    def _in_place(self, row: Sequence[FittingFact], which: Ordered | Extreme) -> list[FittingFact]:
        """Keep the first, the last, the nth, or what held longest, shortest or most often."""
        fitting = self.title.borne([one.found for one in row])
        if isinstance(which, Extreme):
            best, sure = extreme(fitting, which.most, self.today, self.known_by)
            chosen = {one for one in fitting if one.answer in best}
            return [one if sure else _unsure(one, _TOO_CLOSE) for one in row if one.found in chosen]
        positions: set[FoundFact] = set()
        doubtful: set[FoundFact] = set()
        for timeline in self._by_office(fitting):
            here = in_place(timeline, which, self.known_by)
            starts = {one.fact.interval.bounds(known_by=self.known_by)[:2] for one in here}
            if which.count == 1 and len({one.answer for one in here}) > 1 and any(a != b for a, b in starts):
                doubtful |= set(here)
            positions |= set(here)
        return [_unsure(one, _TOO_CLOSE) if one.found in doubtful else one for one in row if one.found in positions]

    def _by_office(self, found: Sequence[FoundFact]) -> list[list[FoundFact]]:
        """Set offices apart: heads of state and of government have each their own first and last."""
        relations = sorted({one.fact.relation for one in found})
        if not all(is_office(self.lookup.store.relations[id]) for id in relations):
            return [list(found)]
        return [[one for one in found if one.fact.relation == id] for id in relations]

    def _beside_another(self, found: list[FoundFact]) -> tuple[list[FoundFact], dict[FoundFact, str]]:
        """Return what stands beside a name, and of it what may not be meant, with the reason."""
        which = self.query.which
        if not isinstance(which, Neighbour):
            return found, {}
        timelines: dict[tuple[str, str], list[FoundFact]] = {}
        for one in found:
            timelines.setdefault((one.fact.relation, one.given), []).append(one)
        beside: list[FoundFact] = []
        doubtful: dict[FoundFact, str] = {}
        of_each: dict[tuple[str, str], tuple[set[str], list[FoundFact]]] = {}
        for (relation, given), row in timelines.items():
            anchors = self._anchors(row, which.of)
            beside += (chosen := self._beside(row, anchors, which))
            of_each[relation, given] = anchors, chosen
            if not (which.until or which.all or which.count > 1) and is_filled(self.lookup.store.relations[relation]):
                doubtful |= dict.fromkeys(with_gap(chosen, row, anchors, self.known_by), _EMPTY)
        doubtful |= dict.fromkeys(self._of_several_offices(of_each, which), _OFFICES)
        return beside, doubtful

    def _of_several_offices(
        self, beside: Mapping[tuple[str, str], tuple[set[str], list[FoundFact]]], which: Neighbour
    ) -> list[FoundFact]:
        """Return what stands beside somebody who had two offices in one place, where others stood beside in each."""
        if which.all or which.until or which.of is None:
            return []
        held: dict[str, list[list[FoundFact]]] = {}
        for (relation, given), (anchors, chosen) in beside.items():
            if anchors and is_office(self.lookup.store.relations[relation]):
                held.setdefault(given, []).append(chosen)
        several = (rows for rows in held.values() if len({frozenset(one.answer for one in row) for row in rows}) > 1)
        return [one for rows in several for row in rows for one in row]

    def _beside(self, row: Sequence[FoundFact], anchors: set[str], which: Neighbour) -> list[FoundFact]:
        """Return what stands on the side of a name that is asked for."""
        if which.until:
            return between(row, anchors, self._anchors(row, which.until), self.known_by)
        if which.all or which.count > 1:
            there = (all_after if which.side == "after" else all_before)(row, anchors, self.known_by)
            if which.all:
                return there
            order = Ordered(order=1 if which.side == "after" else -1, count=which.count)
            return in_place(there, order, self.known_by)
        return (right_after if which.side == "after" else right_before)(row, anchors, self.known_by)

    def _anchors(self, row: Sequence[FoundFact], name: str | None) -> set[str]:
        """Return the entities that "before" or "after" lean on: by name, or those of today."""
        if name is None:
            today = (Days(self.today.first, self.today.last),)
            return {one.answer for one in row if judged(one.fact, today, None, self.known_by)}
        names = self.lookup.names
        return names.called({one.answer for one in row}, names.named(name))


def _is_sure(one: FittingFact) -> bool:
    return one.evidence.holds is not Holds.POSSIBLY


def _unsure(one: FittingFact, why: str) -> FittingFact:
    return FittingFact(one.found, FactEvidence(one.found.fact, Holds.POSSIBLY, why))
