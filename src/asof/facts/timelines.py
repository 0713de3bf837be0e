"""The timeline of a subject and relation: in order, with what came before and after, gaps and overlaps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from asof.facts.fact import Fact
from asof.facts.store import FactStore
from asof.timeline import Bounds, Date


@dataclass(frozen=True)
class Stretch:
    """Days between two facts of a timeline in which nothing surely held (a gap) or both surely did (an overlap)."""

    first: int
    last: int
    before: Fact
    after: Fact

    def __str__(self) -> str:
        return f"{Date.from_day(self.first)}..{Date.from_day(self.last)}"


@dataclass(frozen=True)
class Timeline:
    """Facts of one subject and one relation (or of any other selection) in the order in which they began."""

    facts: Sequence[Fact]
    known_by: Date | None = None

    @cached_property
    def _bounds(self) -> dict[Fact, Bounds]:
        return {fact: fact.interval.bounds(known_by=self.known_by) for fact in self.facts}

    @property
    def first(self) -> list[Fact]:
        """The facts that began before all others; several when that cannot be told apart."""
        earliest = min((bounds.latest_start for bounds in self._bounds.values()), default=None)
        return [
            fact for fact, bounds in self._bounds.items() if earliest is not None and bounds.earliest_start <= earliest
        ]

    @property
    def last(self) -> list[Fact]:
        """The facts that ended after all others, or still go on."""
        latest = max((bounds.earliest_end for bounds in self._bounds.values()), default=None)
        return [fact for fact, bounds in self._bounds.items() if latest is not None and bounds.latest_end >= latest]

    def after(self, object: str) -> list[Fact]:
        """Return what followed an object when it ended for the last time."""
        ends = [bounds.earliest_end for fact, bounds in self._bounds.items() if fact.object == object]
        if not ends:
            return []
        later = {
            fact: bounds.earliest_start
            for fact, bounds in self._bounds.items()
            if fact.object != object and bounds.latest_start >= max(ends)
        }
        soonest = min(later.values(), default=None)
        return [fact for fact, start in later.items() if start == soonest]

    def before(self, object: str) -> list[Fact]:
        """Return what preceded an object when it began for the first time."""
        starts = [bounds.latest_start for fact, bounds in self._bounds.items() if fact.object == object]
        if not starts:
            return []
        earlier = {
            fact: bounds.latest_end
            for fact, bounds in self._bounds.items()
            if fact.object != object and bounds.earliest_end <= min(starts)
        }
        latest = max(earlier.values(), default=None)
        return [fact for fact, end in earlier.items() if end == latest]

    @property
    def gaps(self) -> list[Stretch]:
        """Return the stretches between facts in which surely none held."""
        found = []
        holder: Fact | None = None
        for fact in sorted(self.facts, key=lambda fact: self._bounds[fact].earliest_start):
            if holder is not None:
                first, last = self._bounds[holder].latest_end + 1, self._bounds[fact].earliest_start - 1
                if first <= last:
                    found.append(Stretch(first, last, holder, fact))
            if holder is None or self._bounds[fact].latest_end > self._bounds[holder].latest_end:
                holder = fact
        return found

    @property
    def overlaps(self) -> list[Stretch]:
        """Return the stretches in which two facts surely held, longer than the one day on which one hands over."""
        found = []
        holder: Fact | None = None
        for fact in sorted(self.facts, key=lambda fact: self._bounds[fact].latest_start):
            if holder is not None:
                one, other = self._bounds[holder], self._bounds[fact]
                first, last = other.latest_start, min(one.earliest_end, other.earliest_end)
                if first < last:
                    found.append(Stretch(first, last, holder, fact))
            if holder is None or self._bounds[fact].earliest_end > self._bounds[holder].earliest_end:
                holder = fact
        return found


def timeline(
    store: FactStore, *, subject: str | None = None, relation: str | None = None, object: str | None = None
) -> Timeline:
    """Return the timeline of a subject and relation; of an object and relation to see who held a position when."""
    found = store.facts(subject=subject, relation=relation, object=object)
    facts = sorted(found, key=lambda fact: _order(fact, store.known_by))
    return Timeline(facts, store.known_by)


def _order(fact: Fact, known_by: Date | None) -> tuple[int, int, str]:
    bounds = fact.interval.bounds(known_by=known_by)
    return bounds.earliest_start, bounds.latest_end, fact.object
