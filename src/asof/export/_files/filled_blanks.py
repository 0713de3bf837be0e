"""Scores of written answers to a sentence with a blank. Written by ``asof export``.

Case, accents, signs and English articles do not count; the best fitting of all accepted answers does.
"""

import re
import unicodedata
from collections import Counter

from asof.wording.written_answer import answer_in, readings

_ARTICLES = ("a", "an", "the")


def scores(text: str, answers: list[str]) -> dict[str, float]:
    """Return exact match and F1 of the answer in a text."""
    found = [_words(reading) for reading in readings(answer_in(text))]
    wanted = [_words(answer) for answer in answers]
    f1 = max((_f1(reading, one) for reading in found for one in wanted), default=0.0)
    return {"exact_match": float(any(reading and reading in wanted for reading in found)), "f1": f1}


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    found = re.findall(r"[^\W_]+", "".join(sign for sign in plain if not unicodedata.combining(sign)))
    return [word for word in found if word not in _ARTICLES] or found


def _f1(words: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(words) & Counter(wanted)).values())
    return 2 * shared / (len(words) + len(wanted)) if shared else 0.0
