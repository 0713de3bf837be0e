"""The different answers that a fact had at several times, told from their aliases by when each text was right."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from asof.wording.normalised import plain


def names_of_answers(answers: Sequence[Iterable[str]]) -> list[str]:
    """Choose one name for each answer that a fact had, from the texts that were right at several times.

    Texts that were right at the same times are one answer. One that was right exactly when some of the others were is
    an alias which these share.

    >>> names_of_answers([["George H. W. Bush", "Bush"], ["Bill Clinton"], ["George W. Bush", "Bush"]])
    ['George H. W. Bush', 'Bill Clinton', 'George W. Bush']
    >>> names_of_answers([["Juventus", "Portugal"], ["Manchester United", "Portugal"]])
    ['Juventus', 'Manchester United']
    """
    times: dict[str, set[int]] = defaultdict(set)
    written: dict[str, str] = {}
    for time, texts in enumerate(answers):
        for text in texts:
            times[plain(text)].add(time)
            written.setdefault(plain(text), text)
    first = {frozenset(right): text for text, right in reversed(times.items())}
    kept = []
    for text, right in times.items():
        inside = [other for other in first if other < right]
        shared = bool(inside) and frozenset().union(*inside) == right
        if first[frozenset(right)] == text and not shared:
            kept.append(written[text])
    return kept
