"""From facts to items: one file per benchmark, the same folder of files for each."""

from collections.abc import Iterator
from typing import ClassVar, Protocol

from asof.benchmarks._folder import Benchmark, GivesAccount, TakesQuestions, build, read_benchmark
from asof.benchmarks._item import Account, Item
from asof.facts import FactStore
from asof.wording import Wording

__all__ = ["Account", "Benchmark", "BenchmarkKind", "GivesAccount", "Item", "TakesQuestions", "build", "read_benchmark"]


class BenchmarkKind(Protocol):
    """A frozen dataclass of settings that makes items."""

    name: ClassVar[str]
    paper: ClassVar[str]
    needs: ClassVar[str]  # what a model must offer: answer_logprob, write, fill

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make the items, in the same order every time."""
