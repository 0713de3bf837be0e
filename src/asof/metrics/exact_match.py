"""Exact match: is a text one of the accepted answers, aliases included? (Rajpurkar et al. 2016)."""

from collections.abc import Sequence

from asof.metrics import metric
from asof.wording.normalised import without_articles


@metric("exact-match", better="higher", lowest=0, highest=1)
def exact_match(text: str, answers: Sequence[str]) -> float:
    """Return 1 when a text has the words of one of the answers, in their order; case, signs and articles do not count.

    >>> exact_match("juventus fc", ["Juventus F.C.", "Juventus FC"]), exact_match("Juventus", ["Juventus F.C."])
    (1.0, 0.0)
    """
    found = without_articles(text)
    return float(bool(found) and any(found == without_articles(answer) for answer in answers))
