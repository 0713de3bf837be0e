"""How another harness puts the items of a probe: what the class of a probe declares, and every export reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from asof.benchmarks import Item

HarnessRow = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class HarnessTask:
    """A task of another harness that needs nothing but its folder.

    Args:
        asks: What is wanted of a model: how likely ``answer`` is after ``prompt``, which of ``choices`` is likeliest
            there, or that it writes. Rows have these keys.
        file: A package and a file in it with ``process_results``: "toys/scores.py".
        scores: The names of its scores; each is the mean over items.
        of_some: Those of them that only some items have.
        how: A sentence that says what they are.
        stop: Where a text that is written ends.
        most_tokens: How long it may be.
    """

    asks: Literal["likelihood", "choice", "text"]
    file: str
    scores: tuple[str, ...]
    how: str
    of_some: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    most_tokens: int = 0


@runtime_checkable
class HarnessProbe(Protocol):
    """A probe whose items another harness can put, if it has these beside what a probe has."""

    name: ClassVar[str]

    def harness_task(self) -> HarnessTask:
        """Say what the task asks and how it is scored."""

    def harness_rows(self, items: Sequence[Item]) -> Iterable[HarnessRow | str]:
        """Put each item as the probe does; of one that cannot be put, say why."""
