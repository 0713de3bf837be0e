"""Scores of written answers to a sentence with a blank. Written by ``asof export``.

Case, accents, signs and English articles do not count; the best fitting of all accepted answers does.
"""

import re
import unicodedata
from collections import Counter

_ARTICLES = ("a", "an", "the")


def scores(text: str, answers: list[str]) -> dict[str, float]:
    """Return exact match and F1 of the first line of a text."""
    found = _words(text.split("\n")[0].strip())
    wanted = [_words(answer) for answer in answers]
    f1 = max((_f1(found, one) for one in wanted), default=0.0)
    return {"exact_match": float(bool(found) and found in wanted), "f1": f1}


def _words(text: str) -> list[str]:
    plain = unicodedata.normalize("NFKD", text.casefold())
    found = re.findall(r"[^\W_]+", "".join(sign for sign in plain if not unicodedata.combining(sign)))
    return [word for word in found if word not in _ARTICLES] or found


def _f1(found: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted)) if shared else 0.0
