"""F1 of words: how much of the best fitting answer does a text have, and how little else? (Rajpurkar et al. 2016)."""

from collections import Counter
from collections.abc import Sequence

from asof.metrics import metric
from asof.wording.normalised import without_articles


@metric("token-f1", better="higher", lowest=0, highest=1)
def token_f1(text: str, answers: Sequence[str]) -> float:
    """Return the harmonic mean of precision and recall of words, for the answer that gives the most.

    >>> token_f1("Manchester City", ["Manchester United", "Man United"])      # 1 of 2 words, both ways
    0.5
    """
    return max((_f1(without_articles(text), without_articles(answer)) for answer in answers), default=0.0)


def _f1(words: list[str], wanted: list[str]) -> float:
    shared = sum((Counter(words) & Counter(wanted)).values())
    return 2 * shared / (len(words) + len(wanted)) if shared else 0.0
