"""Which texts have which words, as arrays: a question's words are weighed in all texts at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt


class WordTable:
    """The different words of each of many texts.

    >>> table = WordTable([["the", "club", "the"], ["club", "manag"]])
    >>> table.weigh({"club": 1.0, "manag": 2.0, "none": 5.0}).tolist(), table.lengths.tolist()
    ([1.0, 3.0], [2, 2])
    """

    def __init__(self, texts: Sequence[Sequence[str]]) -> None:
        different = [set(words) for words in texts]
        self._ids: dict[str, int] = {}
        ids = [self._ids.setdefault(word, len(self._ids)) for words in different for word in words]
        self.lengths = np.array([len(words) for words in different], dtype=np.int64)
        self._text = np.repeat(np.arange(len(texts)), self.lengths)
        self._word = np.array(ids, dtype=np.int64)
        self._counts = np.bincount(self._word, minlength=len(self._ids))

    def rarity(self, word: str) -> float:
        """Return how much it tells that a text has a word: more when few texts have it."""
        index = self._ids.get(word)
        return math.log(1 + len(self.lengths) / (self._counts[index] if index is not None else 1))

    def weigh(self, weights: Mapping[str, float]) -> npt.NDArray[np.float32]:
        """Return for each text the sum of the weights of the words it has."""
        known = np.zeros(len(self._ids) + 1)
        for word, weight in weights.items():
            if word in self._ids:
                known[self._ids[word]] = weight
        return np.bincount(self._text, weights=known[self._word], minlength=len(self.lengths)).astype(np.float32)
