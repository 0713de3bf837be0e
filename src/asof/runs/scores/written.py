"""What came back from a model that writes: the right answer, an outdated one, one too early, another name, or none.

Whether an answer was right at another time is told from the other items of its subject and relation. Nothing of it is
kept with the predictions, so that a run can be scored again after answers were corrected.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from asof.benchmarks import AnswerJudgement, AnswerTimes
from asof.metrics import Metric
from asof.probes import Probe, metrics_of
from asof.registry import scores
from asof.runs.folder import Run
from asof.runs.item_scores import ItemScores
from asof.wording.written_answer import readings

_ALL_ANSWERABLE = ("em answerable", "em unanswerable")  # say nothing new where every item has an answer
SHARES: dict[str, Metric] = {  # by verdict
    "right": Metric("right", "higher", 0, 1),
    "outdated": Metric("outdated", "lower", 0, 1),
    "too early": Metric("too early", "lower", 0, 1),
    "another candidate": Metric("another candidate", "lower", 0, 1),
    "refused": Metric("refused", "neither", 0, 1),
}


@dataclass(frozen=True)
class WrittenScores(ItemScores):
    """All items of a run with what their answers are worth."""


def judge_row(row: Mapping[str, Any], times: AnswerTimes) -> AnswerJudgement:
    """Judge the answer of a row, whether a language model wrote it or a reader found it."""
    texts = (row["text"],) if row.get("written") is None else readings(row["text"])
    return times.judge(texts, row["answers"], row)


def written_scores(table: pa.Table, probe: Probe, times: AnswerTimes) -> WrittenScores:
    """Score rows with texts, by the measures of the probe and by what the texts are."""
    every = all(table["answers"].to_pylist())

    def measures(row: Mapping[str, Any]) -> dict[str, float]:
        found = {name: value for name, value in probe.measures(row).items() if not (every and name in _ALL_ANSWERABLE)}
        verdict = judge_row(row, times).verdict
        shares = {name: float(verdict == name) for name in SHARES} | {"refused": float(not row["text"].strip())}
        return found | shares

    return WrittenScores(table, probe, measures, {**metrics_of(probe), **SHARES})


@scores.register("written")
class WrittenAnswers:
    """The scores of a run of ``write-answer``."""

    of_task = None

    @staticmethod
    def of_run(run: Run) -> WrittenScores:
        """Read what was right when from all items of the benchmark, also from those that were not asked."""
        return written_scores(run.table(), run.probe, AnswerTimes.of_rows(run.benchmark().table().to_pylist()))
