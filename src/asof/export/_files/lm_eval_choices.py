"""Scores of answers that are compared in their sentence. Written by ``asof export``.

A wrong answer as likely as the best right one stands before it: a model that tells nothing gains nothing.
"""

from typing import Any


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, float]:
    """Return accuracy, the reciprocal rank of the best right answer, and the share of wrong ones that it beats."""
    logprobs = [float(logprob) for logprob, _ in results]
    best = max(logprob for logprob, right in zip(logprobs, item["right"], strict=True) if right)
    wrong = [logprob for logprob, right in zip(logprobs, item["right"], strict=True) if not right]
    before = sum(logprob >= best for logprob in wrong)
    return {"accuracy": float(before == 0), "mrr": 1 / (before + 1), "win_rate": 1 - before / len(wrong)}
