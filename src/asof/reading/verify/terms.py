"""The terms of a fact: facts of the same two that follow each other without a break are one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.facts import Fact
from asof.timeline import Bounds, Date, End
from asof.timeline.days import Days


@dataclass(frozen=True, slots=True)
class Term:
    """A time without a break: its bounds, its ends as the base states them, and the facts that it is made of."""

    bounds: Bounds
    start: End
    end: End
    facts: tuple[Fact, ...]

    def starts_in(self, days: Days) -> bool | None:
        """Tell whether it began in some days; None where that is not sure."""
        return _lies_in(self.start, days)

    def ends_in(self, days: Days) -> bool | None:
        """Tell whether it ended in some days; None where that is not sure."""
        return _lies_in(self.end, days)


def _lies_in(end: End, days: Days) -> bool | None:
    if not isinstance(end, Date):
        return None
    if end.last < days.first or days.last < end.first:
        return False
    # A year that is said of a day is right; a day that is said of a year may be.
    return True if end.last - end.first <= days.last - days.first else None


def terms_of(facts: Sequence[Fact], known_by: Date | None) -> list[Term]:
    """Join facts to terms, in the order of time."""
    rows = [Term(fact.interval.bounds(known_by=known_by), fact.start, fact.end, (fact,)) for fact in facts]
    joined: list[Term] = []
    for term in sorted(rows, key=lambda one: (one.bounds.earliest_start, one.bounds.latest_end)):
        if (
            joined
            and term.bounds.earliest_start <= joined[-1].bounds.latest_end + 1
            and isinstance(joined[-1].end, Date)
        ):
            joined[-1] = _together(joined[-1], term)
        else:
            joined.append(term)
    return joined


def _together(term: Term, other: Term) -> Term:
    last = other if other.bounds.latest_end >= term.bounds.latest_end else term
    bounds = Bounds(
        term.bounds.earliest_start,
        term.bounds.latest_start,
        last.bounds.earliest_end,
        max(term.bounds.latest_end, last.bounds.latest_end),
    )
    return Term(bounds, term.start, last.end, (*term.facts, *other.facts))


def cover(facts: Sequence[Fact], days: Days, known_by: Date | None) -> list[Fact]:
    """Return the facts that together leave no day free; nothing where a day may be free.

    Where one may have ended on a day and the next may have begun on the day after, nothing lies between them.
    """
    rows = sorted(
        ((fact.interval.bounds(known_by=known_by), fact) for fact in facts), key=lambda row: row[0].earliest_start
    )
    chain: list[tuple[Bounds, Fact]] = []
    reach = 0
    for bounds, fact in rows:
        if bounds.latest_end < days.first or days.last < bounds.earliest_start:
            continue
        if not chain:
            if bounds.latest_start > days.first:
                return []
        elif bounds.earliest_start > reach + 1:
            return []
        reach = max(reach, bounds.latest_end) if chain else bounds.latest_end
        chain.append((bounds, fact))
    sure = bool(chain) and max(bounds.earliest_end for bounds, _ in chain) >= days.last
    return [fact for _, fact in chain] if sure else []
