"""What an epoch shows, and in which order: a function of the seed and the epoch's number alone.

So a training that was cut goes on with the very batches that were left. Statements of one kind and of like length share
a batch: hardly anything is padded, and a batch needs the softmax of its kind only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from asof.memorize.objectives import Objective
from asof.memorize.statements import Statements
from asof.memorize.words import Ints


@dataclass(frozen=True)
class EpochPrompts:
    """What is shown in an epoch: prompts, and where one answer is wanted, which."""

    prompts: Ints
    answer: Ints
    is_time: npt.NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.prompts)


def shown_in(
    statements: Statements, objective: Objective, *, time_masking: float, copies: int, epoch: int, seed: int
) -> EpochPrompts:
    """Choose the prompts of an epoch.

    Args:
        time_masking: The percentage of statements about a time whose other time is deleted.
        copies: So many different choices of them alternate from epoch to epoch (the paper has the data ten times); 0
            makes a new one each time.
    """
    random = np.random.default_rng([seed, 1, epoch % copies if copies else epoch])
    deleted = random.random(len(statements)) < time_masking / 100
    prompts = np.where(deleted, statements.shorter, statements.whole)
    if objective == "one":
        return EpochPrompts(prompts, statements.answer, statements.is_time)
    prompts, first = np.unique(prompts, return_index=True)
    return EpochPrompts(prompts, statements.answer[first], statements.is_time[first])


def batches_of(shown: EpochPrompts, lengths: Ints, *, size: int, epoch: int, seed: int) -> list[Ints]:
    """Cut what is shown into batches of one kind and of like length; return the rows of each."""
    random = np.random.default_rng([seed, 2, epoch])
    order = random.permutation(len(shown))
    order = order[np.lexsort((lengths[shown.prompts[order]], shown.is_time[order]))]
    border = int(len(shown) - shown.is_time.sum())
    found = [
        part[start : start + size] for part in (order[:border], order[border:]) for start in range(0, len(part), size)
    ]
    return [found[index] for index in random.permutation(len(found))]
