"""A model that learns the statements of a benchmark by heart: ``asof.train("memorize", benchmark)``."""

from __future__ import annotations

import hashlib
import math
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asof.api.benchmark import BuiltBenchmark, open_benchmark
from asof.api.frame import Frame
from asof.api.progress import progress_bar
from asof.api.where import in_words
from asof.benchmarks import BLANK
from asof.cache import cache_folder
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.memorize.folder import TrainedMemory


class TaughtModel:
    """What was taught, in its folder; ``asof.run(benchmark, model.name)`` asks it."""

    def __init__(self, trained: TrainedMemory, folder: Path) -> None:
        self.trained, self.folder = trained, folder

    @property
    def name(self) -> str:
        """What ``asof.run`` and the command call it."""
        return f"memorized:{self.folder}"

    def __repr__(self) -> str:
        learnt, recited = self.trained.about["learnt"], self.trained.about["recited"]
        return (
            f"<asof model that was taught {learnt['statements']:,} statements and recites {recited['acc@1']:.2%} of "
            f"them; {in_words(self.folder)}>"
        )

    def recite(self, statement: str, *, top: int = 5) -> Frame:
        """Fill the blank (_X_) of a statement, the likeliest answer first; ``given`` marks those that it would give."""
        from asof.memorize.answering import answers_to

        if statement.count(BLANK) != 1:
            raise UserError(f"{statement!r} has {statement.count(BLANK)} blanks. Write {BLANK} once, for the answer.")
        (said,) = answers_to(self.trained, [statement], top=top)
        rows = (
            {"answer": one.name, "probability": math.exp(one.logprob), "given": one.given, "id": one.id}
            for one in said.answers
        )
        strangers = self.trained.tokenizer.strangers(statement)
        return Frame.of(rows, notes=[f"It was not taught: {', '.join(dict.fromkeys(strangers))}."] if strangers else [])


def teach(
    benchmark: BuiltBenchmark | str | PathLike[str] | Any,
    *,
    to: str | PathLike[str] | None = None,
    limit: int | None = None,
    **settings: Any,
) -> TaughtModel:
    """Teach the statements of a lama-tk benchmark to a network; stopped at any moment, the same call resumes."""
    from asof.memorize.folder import train_into
    from asof.memorize.plan import MemorizePlan

    opened = open_benchmark(benchmark).benchmark
    plan = MemorizePlan.of(settings)
    if "batch" not in settings:
        plan = plan.for_statements(opened.items_count)
    key = repr((opened.items_sha256, plan, limit))
    name = f"{opened.name}-memorize-{hashlib.sha256(key.encode()).hexdigest()[:8]}"
    folder = Path(to) if to is not None else cache_folder() / "trained" / name
    with progress_bar("epoch") as progress:

        def on_epoch(row: dict[str, Any]) -> None:
            progress(row["epoch"], row["epochs"], note=f"right {row['right']:.3f}")

        return TaughtModel(train_into(folder, plan, opened, limit=limit, on_progress=on_epoch), folder)
