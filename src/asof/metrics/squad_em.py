"""Exact match where a question may have no answer (Chen et al. 2021, section 4.2 and appendix A.2)."""

from collections.abc import Sequence

from asof.metrics import metric
from asof.wording.normalised import normalised


@metric("squad-em", better="higher", lowest=0, highest=1)
def squad_em(text: str, answers: Sequence[str]) -> float:
    """Return 1 when a text is one of the answers, or when there is neither a text nor an answer.

    >>> squad_em("the Emden", ["Emden", "Karlsruhe"]), squad_em("", []), squad_em("", ["Emden"]), squad_em("Emden", [])
    (1.0, 1.0, 0.0, 0.0)
    """
    wanted = {normalised(answer) for answer in answers} or {""}
    return float(normalised(text) in wanted)
