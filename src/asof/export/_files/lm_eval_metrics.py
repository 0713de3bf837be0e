"""Scores of written answers by the metrics of a benchmark. Written by ``asof export``.

Needs asof, and the package that the metrics come from.
"""

from typing import Any

from asof.registry import metrics
from asof.wording.written_answer import answer_in

_NAMES = "METRIC_NAMES"  # with spaces between


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, float]:
    """Return what a written text is worth by each metric."""
    return scores(str(results[0]), list(item["answers"]))


def scores(text: str, answers: list[str]) -> dict[str, float]:
    """Return what the answer in a text is worth by each metric."""
    found = answer_in(text)
    return {name.replace("-", "_"): float(metrics.get(name)(found, answers)) for name in _NAMES.split()}
