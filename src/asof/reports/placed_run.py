"""A run has a place in a report, which gives it its letter and its colour."""

from dataclasses import dataclass

from asof.benchmarks import Benchmark
from asof.reports.html import letter
from asof.runs import Run


@dataclass(frozen=True)
class PlacedRun:
    """A run of the report: its place in the order, its name, its benchmark."""

    place: int
    name: str
    run: Run
    benchmark: Benchmark
    seed: int

    @property
    def key(self) -> str:
        """The letter that stands for the run in charts."""
        return letter(self.place)
