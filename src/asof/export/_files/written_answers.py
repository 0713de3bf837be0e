"""Scores of written answers, where a question may have none. Written by ``asof export``.

Exact match and F1 of words as SQuAD and Chen et al. 2021 (arXiv:2108.06314, section 4.2) define them.
"""

import re
import string
from collections import Counter
from typing import Any

from asof.wording.written_answer import answer_in, readings

_PUNCTUATION = str.maketrans("", "", string.punctuation)


def process_results(item: dict[str, Any], results: list[Any]) -> dict[str, float]:
    """Return what a written text is worth; for an item with an answer also under ``em_answerable``."""
    return scores(str(results[0]), list(item["answers"]))


def scores(text: str, answers: list[str]) -> dict[str, float]:
    """Return exact match and F1 of the answer in a text."""
    found = [_plain(reading) for reading in readings(answer_in(text))]
    wanted = [_plain(answer) for answer in answers] or [""]
    em = float(any(reading in wanted for reading in found))
    f1 = max(_f1(reading.split(), answer.split()) for reading in found for answer in wanted)
    return {"em": em, "f1": f1, "em_answerable" if answers else "em_unanswerable": em}


def _plain(text: str) -> str:
    without_signs = text.lower().translate(_PUNCTUATION)
    return " ".join(re.sub(r"\b(?:a|an|the)\b", " ", without_signs).split())


def _f1(words: list[str], wanted: list[str]) -> float:
    if not words or not wanted:
        return float(words == wanted)
    return 2 * sum((Counter(words) & Counter(wanted)).values()) / (len(words) + len(wanted))
