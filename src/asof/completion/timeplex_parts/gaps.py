"""The time between two facts: from when it is counted, and how usual it is."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Ints

LEAST_VARIANCE = 0.01  # of the published program: a gap that never varies must not be a needle


def gap_times(start: Ints, end: Ints) -> Tensor:
    """Return the one time that stands for each fact: its start, or its end where no start is known.

    Facts without dates are infinitely long ago, so that no gap to them is usual.

    >>> gap_times(np.array([1990, BEFORE_ALL, BEFORE_ALL]), np.array([AFTER_ALL, 1995, AFTER_ALL])).tolist()
    [1990.0, 1995.0, -inf]
    """
    known = np.where(start > BEFORE_ALL, start, end).astype(np.float32)
    return torch.from_numpy(np.where((known > BEFORE_ALL) & (known < AFTER_ALL), known, np.float32(-np.inf)))


def bell(gaps: Tensor, mean: Tensor, variance: Tensor) -> Tensor:
    """Return how usual gaps are: a normal density without its factor, so one at the mean."""
    return torch.exp(-(gaps - mean).square() / (2 * variance))


def spread(first: Tensor, count: Tensor) -> tuple[Tensor, Tensor]:
    """Write out ranges: the number of the range, and the place, of each member.

    >>> spread(torch.tensor([5, 0, 2]), torch.tensor([2, 0, 1]))
    (tensor([0, 0, 2]), tensor([5, 6, 2]))
    """
    owner = torch.repeat_interleave(torch.arange(len(first), device=first.device), count)
    begin = count.cumsum(0) - count
    return owner, torch.arange(len(owner), device=first.device) - begin[owner] + first[owner]
