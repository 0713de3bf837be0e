"""From facts to items: one file per benchmark, the same folder of files for each."""

from collections.abc import Iterator
from typing import ClassVar, Protocol

from asof.benchmarks._account import Account, Omission
from asof.benchmarks._answer_times import AnswerJudgement, AnswerTimes, AnswerVerdict
from asof.benchmarks._declared import BenchmarkDeclaration, declared
from asof.benchmarks._documents import BenchmarkDocument, documents, documents_table
from asof.benchmarks._expired import expired_answers
from asof.benchmarks._folder import (
    Benchmark,
    BenchmarkTables,
    GivesAccount,
    MakesTables,
    TakesQuestions,
    build,
    read_benchmark,
    save,
    tables_of,
)
from asof.benchmarks._item import BLANK, Item, Tag
from asof.facts import FactStore
from asof.wording import Wording

__all__ = [
    "BLANK",
    "Account",
    "AnswerJudgement",
    "AnswerTimes",
    "AnswerVerdict",
    "Benchmark",
    "BenchmarkDeclaration",
    "BenchmarkDocument",
    "BenchmarkKind",
    "BenchmarkTables",
    "GivesAccount",
    "Item",
    "MakesTables",
    "Omission",
    "Tag",
    "TakesQuestions",
    "build",
    "declared",
    "documents",
    "documents_table",
    "expired_answers",
    "read_benchmark",
    "save",
    "tables_of",
]


class BenchmarkKind(Protocol):
    """A frozen dataclass of settings that makes items."""

    name: ClassVar[str]
    paper: ClassVar[str]
    probe: ClassVar[str]  # the way in which a model is asked about its items, unless the user names another
    # It may also have what ``BenchmarkDeclaration`` has: ``probes``, ``score_with``, ``report_with``.

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        """Make the items, in the same order every time."""
