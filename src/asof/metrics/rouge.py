"""ROUGE: words, or the longest run of words in order, that a text shares with an answer (Lin 2004).

Written here because the package for it brings three others along; a test holds both together.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Literal

from asof.metrics import metric
from asof.wording.normalised import words


@metric("rouge", better="higher", lowest=0, highest=1)
def rouge(text: str, answers: Sequence[str], *, of: Literal["1", "L"] = "1") -> float:
    """Return the F-measure of ROUGE-1 or ROUGE-L, for the answer that gives the most.

    >>> rouge("University of Oxford", ["Oxford University"])
    0.8
    >>> rouge("University of Oxford", ["Oxford University"], of="L")      # one word stands in order, not two
    0.4
    """
    return max((_f_measure(words(text), words(answer), in_order=of == "L") for answer in answers), default=0.0)


def _f_measure(words: list[str], wanted: list[str], *, in_order: bool) -> float:
    shared = _in_order(words, wanted) if in_order else _in_any_order(words, wanted)
    return 2 * shared / (len(words) + len(wanted)) if shared else 0.0


def _in_any_order(words: list[str], wanted: list[str]) -> int:
    return sum((Counter(words) & Counter(wanted)).values())


def _in_order(words: list[str], wanted: list[str]) -> int:
    """Return the length of the longest common subsequence.

    >>> _in_order(["a", "b", "c", "d"], ["b", "d", "a"])
    2
    """
    row = [0] * (len(wanted) + 1)
    for one in words:
        before = row
        row = [0]
        for index, other in enumerate(wanted):
            row.append(before[index] + 1 if one == other else max(row[index], before[index + 1]))
    return row[-1]
