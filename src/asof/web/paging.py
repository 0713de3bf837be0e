"""Long tables in pages of a hundred rows, and tables that are asked for again and again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from threading import Lock
from typing import TypeVar

PAGE = 100  # rows
LAST_PAGE = 100_000

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Pages:
    """Which rows of how many are shown; pages count from 1."""

    page: int
    rows: int
    size: int = PAGE

    @property
    def count(self) -> int:
        """How many pages there are, at least one.

        >>> Pages(1, 0).count, Pages(1, 100).count, Pages(1, 101).count
        (1, 1, 2)
        """
        return max(1, -(-self.rows // self.size))

    @property
    def first(self) -> int:
        """The place of the first row of this page, from 0."""
        return (self.page - 1) * self.size

    @property
    def is_there(self) -> bool:
        """Whether there is such a page."""
        return 1 <= self.page <= self.count


class Shelf:
    """Keeps what was made last, so that the next page of a table is not computed anew. Several threads may use it.

    Args:
        most: So many things are kept; then the one that nobody asked for longest is dropped.
    """

    def __init__(self, most: int = 8) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, object] = OrderedDict()
        self._being_made: dict[Hashable, Lock] = {}
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """Return what is kept under a key; when several ask for it at once, it is made once."""
        with self._lock:
            making = self._being_made.setdefault(key, Lock())
        with making:
            with self._lock:
                if key in self._kept:
                    self._kept.move_to_end(key)
                    return self._kept[key]  # type: ignore[return-value]
            try:
                made = make()
            except BaseException:
                with self._lock:
                    self._being_made.pop(key, None)  # what cannot be made leaves nothing behind
                raise
            with self._lock:
                self._kept[key] = made
                while len(self._kept) > self._most:
                    self._being_made.pop(self._kept.popitem(last=False)[0], None)
            return made
