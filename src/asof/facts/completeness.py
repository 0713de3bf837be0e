"""Whether a timeline is complete: without that mark, its first fact is only the first that the base knows."""

from typing import NamedTuple


class Completeness(NamedTuple):
    """What a source promises of a timeline: nothing came before the first, after the last, or is missing between."""

    first: bool = False
    last: bool = False
    between: bool = False

    @property
    def whole(self) -> bool:
        """Whether nothing is missing at all."""
        return all(self)

    def settles(self, order: str | int | None) -> bool:
        """Tell whether the first, the last, the nth or, of anything else such as a count, all of it is surely there.

        >>> from_the_first = Completeness(first=True, between=True)
        >>> [from_the_first.settles(order) for order in ("first", "last", 3, "longest", None)]
        [True, False, True, False, False]
        """
        if order == "first":
            return self.first
        if order == "last":
            return self.last
        return self.first and self.between if isinstance(order, int) else self.whole
