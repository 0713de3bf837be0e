"""What asking costs: calls, tokens in and out, and what a server said of an answer beside its text.

Whoever asks opens a tally; every call that is answered meanwhile is entered there, from whatever thread asked on its
behalf. So an item knows what was spent for it, whichever probe asked how often.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from threading import Lock
from typing import Any


@dataclass(frozen=True, slots=True)
class Usage:
    """Calls that were answered, and their tokens as the server counts them.

    >>> Usage(1, 20, 3) + Usage(1, 10, 0)
    Usage(calls=2, tokens_in=30, tokens_out=3)
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(self.calls + other.calls, self.tokens_in + other.tokens_in, self.tokens_out + other.tokens_out)

    def times(self, number: int) -> "Usage":
        """Return what so many like it would be."""
        return Usage(self.calls * number, self.tokens_in * number, self.tokens_out * number)

    def shared(self, parts: int) -> list["Usage"]:
        """Share it out evenly, in whole numbers that add up to it.

        >>> Usage(1, 20, 3).shared(2)
        [Usage(calls=1, tokens_in=10, tokens_out=2), Usage(calls=0, tokens_in=10, tokens_out=1)]
        """
        columns = (self.calls, self.tokens_in, self.tokens_out)
        shares = [[total // parts + (part < total % parts) for part in range(parts)] for total in columns]
        return [Usage(*share) for share in zip(*shares, strict=True)]


@dataclass(slots=True)
class Tally:
    """What was spent, and what is remarkable about the answers, each said once."""

    usage: Usage = Usage()
    remarks: dict[str, str] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def as_row(self) -> dict[str, Any]:
        """Return the columns that a prediction keeps; none where no server was asked.

        >>> Tally(Usage(1, 20, 3), {"declined": "content filter"}).as_row()
        {'calls': 1, 'tokens_in': 20, 'tokens_out': 3, 'declined': 'content filter'}
        >>> Tally().as_row()
        {}
        """
        return self.share(self.usage) | self.remarks

    def taken(self) -> dict[str, Any]:
        """Return the columns, and begin anew."""
        with self.lock:
            row = self.as_row()
            self.usage, self.remarks = Usage(), {}
        return row

    @staticmethod
    def share(usage: Usage) -> dict[str, Any]:
        """Return the columns of one of several predictions that were asked for together."""
        counts = {"calls": usage.calls, "tokens_in": usage.tokens_in, "tokens_out": usage.tokens_out}
        return counts if any(counts.values()) else {}


_open: ContextVar[Tally | None] = ContextVar("tally", default=None)


@contextmanager
def tallied() -> Iterator[Tally]:
    """Count what is asked meanwhile.

    >>> with tallied() as tally:
    ...     spent(20, 3)
    ...     spent(10, 1)
    >>> tally.usage
    Usage(calls=2, tokens_in=30, tokens_out=4)
    """
    tally = Tally()
    token = _open.set(tally)
    try:
        yield tally
    finally:
        _open.reset(token)


def spent(tokens_in: int, tokens_out: int) -> None:
    """Enter an answered call."""
    tally = _open.get()
    if tally is not None:
        with tally.lock:
            tally.usage += Usage(1, tokens_in, tokens_out)


def remark(name: str, text: str) -> None:
    """Enter something that is remarkable about an answer; only the first of a name counts."""
    tally = _open.get()
    if tally is not None:
        with tally.lock:
            tally.remarks.setdefault(name, text)
