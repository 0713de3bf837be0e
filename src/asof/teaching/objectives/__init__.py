"""What teaching aims at, by name: one file each. An objective draws from a fact what one step shows of it."""

from typing import Protocol

from asof.teaching.drill import Drill, FactDrawer

__all__ = ["Drill", "FactDrawer", "TeachingObjective"]


class TeachingObjective(Protocol):
    """Draws statements of a fact, and says which are to be likelier than others and which are to be written."""

    def drill(self, draw: FactDrawer, *, right: int, wrong: int) -> Drill:
        """Draw a step's statements.

        Args:
            right: About how many right dates to show.
            wrong: About how many wrong ones.
        """
