"""Cross-entropy over candidates; the softmax takes the place of the scores, which saves passes and memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor


class OneVersusAll(torch.autograd.Function):
    """The mean of -log softmax(query · candidates + stands_for)[answer]."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, candidates: Tensor, answer: Tensor, stands_for: Tensor | None) -> Tensor:
        """Score, exponentiate in place, and keep what backward needs."""
        scores = query @ candidates.T
        if stands_for is not None:
            scores += stands_for
        rows = torch.arange(len(query))
        gold = scores[rows, answer]
        highest = scores.amax(1)
        scores.sub_(highest[:, None]).exp_()
        total = scores.sum(1)
        loss = (total.log() + highest - gold).mean()
        ctx.save_for_backward(query, candidates, answer, scores.div_(total[:, None]))
        return loss

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The gradient of the scores is the softmax, less one at the answer."""
        query, candidates, answer, slope = ctx.saved_tensors
        slope[torch.arange(len(query)), answer] -= 1
        slope.mul_(grad_outputs[0] / len(query))
        return slope @ candidates, slope.T @ query, None, None


def one_versus_all(query: Tensor, candidates: Tensor, answer: Tensor, stands_for: Tensor | None = None) -> Tensor:
    """Return the cross-entropy of answers among candidates.

    Args:
        stands_for: For each candidate the logarithm of how many entities it stands for, where some were drawn.
    """
    loss: Tensor = OneVersusAll.apply(query, candidates, answer, stands_for)  # type: ignore[no-untyped-call]
    return loss


def drawn_candidates(
    answer: Tensor, entities: int, count: int, random: np.random.Generator
) -> tuple[Tensor, Tensor, Tensor]:
    """Take the answers of a batch, each once, and draw others that stand for all the rest.

    So the sum over all entities, which the softmax needs, is estimated without bias at a part of its price.

    Returns:
        The candidates, the place of each answer among them, and for each the logarithm of how many it stands for.
    """
    there, index = np.unique(answer.numpy(), return_inverse=True)
    rest = np.setdiff1d(np.arange(entities), there, assume_unique=True)
    drawn = random.choice(rest, min(count, len(rest)), replace=False)
    stands_for = np.zeros(len(there) + len(drawn), np.float32)
    stands_for[len(there) :] = np.log(len(rest) / max(1, len(drawn)))
    candidates = np.concatenate([there, drawn])
    return torch.from_numpy(candidates), torch.from_numpy(index), torch.from_numpy(stands_for)
