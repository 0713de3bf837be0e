"""What was used last and may be used again, up to a bound that holds for the whole process."""

from collections import OrderedDict
from collections.abc import Hashable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")


class RecentlyUsed(Generic[Value]):
    """Keeps values by key; when they weigh more than the bound, those go that were used longest ago.

    >>> kept = RecentlyUsed[str](most=10)
    >>> for word in ("one", "three", "four"):
    ...     kept.put(word, word.upper(), len(word))
    >>> kept.get("one"), kept.get("four"), kept.weight
    (None, 'FOUR', 9)

    Args:
        most: The bound, in whatever values are weighed by.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.weight = 0
        self._kept: OrderedDict[Hashable, tuple[Value, int]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable) -> Value | None:
        """Return a value that is still there."""
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: Hashable, value: Value, weight: int) -> None:
        """Keep a value, unless it weighs more than all may together."""
        with self._lock:
            self.weight -= self._kept.pop(key, (None, 0))[1]
            if weight > self.most:
                return
            self._kept[key] = value, weight
            self.weight += weight
            while self.weight > self.most:
                self.weight -= self._kept.popitem(last=False)[1][1]
