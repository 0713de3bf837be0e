"""F1 of words where a question may have no answer (Chen et al. 2021, section 4.2 and appendix A.2)."""

from collections import Counter
from collections.abc import Sequence

from asof.metrics import metric
from asof.wording.normalised import normalised


@metric("squad-f1", better="higher", lowest=0, highest=1)
def squad_f1(text: str, answers: Sequence[str]) -> float:
    """Return the F1 of words for the best fitting answer; 1 when there is neither text nor answer, 0 when only one is.

    >>> squad_f1("Oregon Correctional Center", ["Oregon Womens Correctional Center"])     # 3 of 3, 3 of 4
    0.8571428571428571
    >>> squad_f1("", []), squad_f1("", ["Emden"]), squad_f1("Emden", [])
    (1.0, 0.0, 0.0)
    """
    found = normalised(text).split()
    return max(_f1(found, normalised(answer).split()) for answer in (answers or [""]))


def _f1(words: list[str], wanted: list[str]) -> float:
    if not words or not wanted:
        return float(words == wanted)
    shared = sum((Counter(words) & Counter(wanted)).values())
    return 2 * shared / (len(words) + len(wanted))
