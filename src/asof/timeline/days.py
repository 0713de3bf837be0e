"""A stretch of days that is neither a date nor a period of the calendar: a summer, some years, all before a day."""

from __future__ import annotations

from dataclasses import dataclass

from asof.timeline.date import MAX_DAY, MIN_DAY, Date


@dataclass(frozen=True, slots=True)
class Days:
    """A stretch of days, both ends included; ``MIN_DAY`` and ``MAX_DAY`` are no ends at all.

    Args:
        inner: The days that a fact must cover to hold the whole time, where they are fewer. "From May 1981 to May 1995"
            is said of one that began in the one month and ended in the other.
    """

    first: int
    last: int
    inner: tuple[int, int] | None = None

    @property
    def whole(self) -> Days:
        """The days that a fact must cover to hold the whole time."""
        return Days(*self.inner) if self.inner else self

    def __str__(self) -> str:
        first, last = (Date.from_day(day) for day in (self.first, self.last))
        if self.first == MIN_DAY:
            return f"until {last}"
        if self.last == MAX_DAY:
            return f"from {first} on"
        return str(first) if first == last else f"{first}..{last}"
