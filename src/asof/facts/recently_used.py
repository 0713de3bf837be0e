"""What was used last and may be used again: one bound for all that keep something, however many of them there are."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Protocol
from weakref import ReferenceType, ref


class Keeper(Protocol):
    """Keeps values by key, and forgets them when it is told to. When a keeper goes, what it keeps goes with it."""

    @property
    def number(self) -> int:
        """Tells a keeper from all others, also from those that are gone."""

    def forget(self, key: Hashable) -> None:
        """Keep a value no longer; it may be gone already."""


class RecentlyUsed:
    """Knows what keepers used last, and lets them forget what was used longest ago when all is more than the bound.

    Args:
        most: The bound, in whatever values are weighed by.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.weight = 0
        self._order: OrderedDict[tuple[int, Hashable], tuple[ReferenceType[Keeper], int]] = OrderedDict()
        self._lock = Lock()

    def use(self, keeper: Keeper, key: Hashable, weight: int) -> None:
        """Remember that a keeper has used a value just now; one that weighs more than all may is forgotten at once."""
        if weight > self.most:
            keeper.forget(key)
            return
        with self._lock:
            before = self._order.pop((keeper.number, key), None)
            self._order[keeper.number, key] = ref(keeper), weight
            self.weight += weight - (before[1] if before else 0)
            while self.weight > self.most:
                (_, oldest), (whose, less) = self._order.popitem(last=False)
                self.weight -= less
                if found := whose():
                    found.forget(oldest)
