"""A run has a place in a report, which gives it its letter and its colour."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.reports.html import letter
from asof.runs import Run, read_run
from asof.runs.folder import different_names


@dataclass(frozen=True)
class NumberedRun:
    """A run of the report: its place in the order, its name, its benchmark."""

    position: int
    name: str
    run: Run
    benchmark: Benchmark
    seed: int

    @property
    def key(self) -> str:
        """The letter that stands for the run in charts."""
        return letter(self.position)

    def about(self) -> dict[str, str]:
        """What the card of a run says of its benchmark."""
        benchmark = self.benchmark
        return {
            "Probe": str(self.run.settings["probe"]),
            "Benchmark": f"{benchmark.name} in {benchmark.folder.name}, items {benchmark.items_sha256[:12]}",
            "Base": benchmark.base,
            "Skipped": "; ".join(f"{count:,}: {reason}" for reason, count in self.run.left_out().items()),
        }

    def refuse_empty(self) -> None:
        """Raise an error when the run has nothing to show."""
        if not self.run.predictions():
            raise UserError(f"{self.run.folder} has no predictions yet: resume the run.")


Numbered = TypeVar("Numbered", bound=NumberedRun)


def read_numbered(
    kind: type[Numbered], folders: Sequence[Path], *, seed: int, first_position: int = 0
) -> list[Numbered]:
    """Open runs, and see that each has something to show."""
    runs = [read_run(folder) for folder in folders]
    found = []
    _refuse_twice(runs)
    for position, (run, name) in enumerate(zip(runs, different_names(runs), strict=True), start=first_position):
        numbered = kind(position, name, run, run.benchmark(), seed)
        numbered.refuse_empty()
        found.append(numbered)
    return found


def _refuse_twice(runs: Sequence[Run]) -> None:
    folders = [run.folder.resolve() for run in runs]
    for folder in folders:
        if folders.count(folder) > 1:
            raise UserError(f"{folder} is given twice. Give each run once.")
