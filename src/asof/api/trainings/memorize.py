"""``asof train memorize``: a network that learns the statements of a benchmark by heart."""

from __future__ import annotations

from os import PathLike
from typing import Any, ClassVar

from asof.api.taught import TaughtModel, teach
from asof.registry import trainings


@trainings.register("memorize")
class StatementTeaching:
    """Teach the statements of a lama-tk benchmark to a network."""

    command: ClassVar[str] = "asof.cli.train_memorize:command"

    @staticmethod
    def train(base: Any, *, to: str | PathLike[str] | None, **settings: Any) -> TaughtModel:
        """Teach a benchmark, opened or by its folder."""
        return teach(base, to=to, **settings)
