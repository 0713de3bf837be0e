"""What a candidate is worth for its subject, beside what it is worth for any: names differ in length and in fame.

Every sentence was scored with its own answers and with answers of other subjects. A score is the sum of what the
sentence gives to all, what the name brings along, and what the two have to do with each other. The second part is
estimated where a name is no answer of the sentence's subject, and taken off.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

_ROUNDS = 20  # of alternating means; the fit moves by less than 1e-3 long before
_NORMAL = 1.4826  # from the median distance to a standard deviation; few odd names do not move it
_NOTHING = 1e-6
_PRIOR = 1.0  # so many further observations at the mean: a name seen once is not believed wholly


@dataclass(frozen=True)
class Candidates:
    """Names and what each is worth in a sentence."""

    names: tuple[str, ...]
    worth: npt.NDArray[np.float64]


def in_contrast(
    scored: Mapping[str, Candidates], own: Mapping[str, Collection[str]], *, prior: float = _PRIOR
) -> dict[str, Candidates]:
    """Take off from each score what its name is worth on average in sentences of other subjects.

    What is left is given in standard deviations of what is left for wrong subjects.

    Args:
        scored: The candidates of each fact, all of one relation.
        own: The names that each fact had itself.

    >>> fair = in_contrast({
    ...     "Italy": Candidates(("Conte", "Merkel", "Scholz"), np.array([-4.0, -3.0, -5.0])),
    ...     "Germany": Candidates(("Merkel", "Scholz", "Conte"), np.array([-2.0, -2.5, -9.0])),
    ... }, {"Italy": {"Conte"}, "Germany": {"Merkel", "Scholz"}}, prior=0)
    >>> bool(fair["Germany"].worth[1] > fair["Germany"].worth[0])  # Scholz is less likely than Merkel anywhere
    True
    """
    numbers: dict[str, int] = {}
    sentences, names, values, foreign = [], [], [], []
    for index, (group, candidates) in enumerate(scored.items()):
        ours = set(own[group])
        for name, value in zip(candidates.names, candidates.worth, strict=True):
            sentences.append(index)
            names.append(numbers.setdefault(name, len(numbers)))
            values.append(float(value))
            foreign.append(name not in ours)
    table = _Scores(np.array(sentences), np.array(names), np.array(values), np.array(foreign))
    left = table.left_over(prior)
    ends = np.cumsum([len(candidates.names) for candidates in scored.values()])
    return {
        group: Candidates(candidates.names, left[end - len(candidates.names) : end])
        for (group, candidates), end in zip(scored.items(), ends, strict=True)
    }


@dataclass(frozen=True)
class _Scores:
    """One row for each sentence and name: their numbers, the score, and whether the name is a wrong subject's."""

    sentences: npt.NDArray[np.int64]
    names: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    foreign: npt.NDArray[np.bool_]

    def left_over(self, prior: float) -> npt.NDArray[np.float64]:
        """Fit value = sentence + name where the name is foreign, and return what is left of every value."""
        sentence_count, name_count = int(self.sentences.max()) + 1, int(self.names.max()) + 1
        rows, columns, found = self.sentences[self.foreign], self.names[self.foreign], self.values[self.foreign]
        per_row = np.maximum(np.bincount(rows, minlength=sentence_count), 1)
        per_column = np.maximum(np.bincount(columns, minlength=name_count) + prior, 1e-9)
        effects, levels = np.zeros(name_count), np.zeros(sentence_count)
        for _ in range(_ROUNDS):
            levels = np.bincount(rows, found - effects[columns], sentence_count) / per_row
            effects = np.bincount(columns, found - levels[rows], name_count) / per_column
        left = self.values - levels[self.sentences] - effects[self.names]
        spread = float(np.median(np.abs(left[self.foreign]))) * _NORMAL if self.foreign.any() else 0.0
        return left / spread if spread > _NOTHING else left
