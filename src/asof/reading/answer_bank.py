"""Questions that were answered before, with the vectors of their answers: what answers to like questions look like."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asof.reading.encoder import Vectors

_NEAREST = 50
_SHARPNESS = 20.0  # of the weights: cosines of like questions differ by about 0.1


@dataclass(frozen=True)
class AnswerBank:
    """Vectors of what questions ask and of their answers where they stand, with the page they are about.

    Answers are centred: less the mean of their document's candidates, so that they tell the kind and not the topic.
    """

    questions: Vectors
    answers: Vectors
    entities: Sequence[str]

    def like(self, question: Vectors, *, leave_out: str | None = None) -> tuple[Vectors, Vectors]:
        """Return the answers of the nearest questions with weights that sum to one.

        Args:
            leave_out: A page whose questions do not count: while training, that of the question itself.
        """
        likeness = self.questions @ question
        if leave_out is not None:
            likeness = np.where(np.array([entity == leave_out for entity in self.entities], bool), -1.0, likeness)
        nearest = np.argsort(-likeness, kind="stable")[:_NEAREST]
        weights = np.exp(_SHARPNESS * (likeness[nearest] - likeness[nearest].max())) if len(nearest) else likeness[:0]
        return self.answers[nearest], (weights / max(weights.sum(), 1e-9)).astype(np.float32)
