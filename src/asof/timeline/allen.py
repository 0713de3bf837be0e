"""Allen's thirteen relations between two stretches of time (Allen 1983).

Days are whole: a stretch *meets* the next when its last day is the day before the other's first.
"""

from collections.abc import Sequence
from enum import Enum

from asof.timeline.date import MAX_DAY, MIN_DAY, Date, Span
from asof.timeline.interval import Interval


class Allen(Enum):
    """How one stretch of time lies to another."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished by"
    CONTAINS = "contains"
    STARTED_BY = "started by"
    OVERLAPPED_BY = "overlapped by"
    MET_BY = "met by"
    AFTER = "after"

    @property
    def inverse(self) -> "Allen":
        """The relation seen from the other side."""
        members = list(Allen)
        return members[len(members) - 1 - members.index(self)]

    def __str__(self) -> str:
        return self.value


# For each relation, the order of the four borders: a, A are the first day of the one and the day after its last,
# b, B those of the other. Borders in one group fall together.
_BORDER_ORDER: dict[Allen, str] = {
    Allen.BEFORE: "a A b B",
    Allen.MEETS: "a Ab B",
    Allen.OVERLAPS: "a b A B",
    Allen.STARTS: "ab A B",
    Allen.DURING: "b a A B",
    Allen.FINISHES: "b a AB",
    Allen.EQUALS: "ab AB",
    Allen.FINISHED_BY: "a b AB",
    Allen.CONTAINS: "a b B A",
    Allen.STARTED_BY: "ab B A",
    Allen.OVERLAPPED_BY: "b a B A",
    Allen.MET_BY: "b aB A",
    Allen.AFTER: "b B a A",
}
_RELATION_OF_ORDER = {order: relation for relation, order in _BORDER_ORDER.items()}


def allen(first: Span, second: Span) -> Allen:
    """Return the one relation that holds between two stretches of days.

    >>> str(allen(Date.parse("2011-03"), Date.parse("2011")))
    'during'
    >>> str(allen(Date.parse("2010"), Date.parse("2011")))
    'meets'
    """
    borders = {"a": first.first, "b": second.first, "A": first.last + 1, "B": second.last + 1}
    groups: dict[int, str] = {}
    for name, day in sorted(borders.items(), key=lambda item: (item[1], "aAbB".index(item[0]))):
        groups[day] = groups.get(day, "") + name
    return _RELATION_OF_ORDER[" ".join(groups.values())]


def possible_allen(first: Interval, second: Interval, *, known_by: Date | None = None) -> frozenset[Allen]:
    """Return every relation that two intervals with imprecise or open ends can have.

    >>> sorted(map(str, possible_allen(Interval.parse("2001", "2005"), Interval.parse("2005", "2009"))))
    ['before', 'meets', 'overlaps']
    """
    a, b = first.bounds(known_by=known_by), second.bounds(known_by=known_by)
    ranges = {
        "a": (a.earliest_start, a.latest_start),
        "A": (a.earliest_end + 1, a.latest_end + 1),
        "b": (b.earliest_start, b.latest_start),
        "B": (b.earliest_end + 1, b.latest_end + 1),
    }
    return frozenset(relation for relation, order in _BORDER_ORDER.items() if _can_be(order.split(), ranges))


def _can_be(groups: Sequence[str], ranges: dict[str, tuple[int, int]]) -> bool:
    """Tell whether days can be chosen, group after group, each later than the one before."""
    day = MIN_DAY - 1
    for group in groups:
        day = max(day + 1, *(ranges[border][0] for border in group))
        if day > min(MAX_DAY + 1, *(ranges[border][1] for border in group)):
            return False
    return True
