"""Scores of written answers by the metrics of a benchmark. Written by ``asof export``.

Needs asof, and the package that the metrics come from.
"""

from typing import Any

from asof.registry import metrics
from asof.wording.written_answer import answer_in

_NAMES = "METRIC_NAMES"  # with spaces between


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, float]:
    """Return what a written text is worth by each metric."""
    text, answers = answer_in(str(results[0])), list(item["answers"])
    return {name.replace("-", "_"): float(metrics.get(name)(text, answers)) for name in _NAMES.split()}
