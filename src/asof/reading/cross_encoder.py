"""Whether a sentence speaks of what a question asks: a small cross-encoder (ms-marco-MiniLM-L-12, int8) on the CPU.

It reads question and sentence together, so it sees more than two vectors can tell, and costs more: only the sentences
that the vectors like best are shown to it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from asof.reading.encoder import Vectors, open_onnx, padded

_MOST_TOKENS = 96  # of question and sentence together
_AT_ONCE = 16


class CrossEncoder:
    """Scores texts for a question: about 5 where one answers it, -11 where it has nothing to do with it."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._session, self._tokenizer = open_onnx(folder, threads=threads, most_tokens=_MOST_TOKENS)

    def scores(self, question: str, texts: Sequence[str]) -> Vectors:
        """Score texts, in their order."""
        tokens = self._tokenizer.encode_batch([(question, text) for text in texts])
        found = np.zeros(len(texts), np.float32)
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place].ids))
        for first in range(0, len(order), _AT_ONCE):
            places = order[first : first + _AT_ONCE]
            given = padded([tokens[place] for place in places])
            found[places] = self._session.run(None, given)[0].reshape(len(places), -1)[:, 0]
        return found
