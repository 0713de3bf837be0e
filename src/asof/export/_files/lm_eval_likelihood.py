"""The log-probability of the answer. Written by ``asof export``."""

from typing import Any


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, float]:
    """Return the log-probability of the first answer after the prompt."""
    return {"logprob": float(results[0][0])}
