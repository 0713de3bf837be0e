"""The scores of a run as rows: a measure, its value and its interval, for all facts or for each value of a tag."""

from typing import Any

from asof.metrics import Result
from asof.runs.measured import Scores


def score_rows(scores: Scores, by: str | None = None) -> list[dict[str, Any]]:
    """Return the measures of a run.

    Args:
        by: A tag, such as relation: the same measures for each of its values.
    """
    return [
        ({by: value} if by else {}) | {"metric": name, **result.figures()} | counts_of(result, scores.unit)
        for value, part in (scores.by(by) if by else {None: scores}).items()
        for name, result in part.results().items()
    ]


def counts_of(result: Result, unit: str) -> dict[str, int]:
    """Return how many items, or whatever else is scored, and how many facts a mean is over."""
    return {"facts": result.facts} if unit == "fact" else {f"{unit}s": result.n, "facts": result.facts}
