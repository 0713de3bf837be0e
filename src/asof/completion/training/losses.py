"""Cross-entropy over all candidates; the softmax takes the place of the scores, which saves passes and memory."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


class OneVersusAll(torch.autograd.Function):
    """The mean of -log softmax(query · candidates)[answer]."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, candidates: Tensor, answer: Tensor) -> Tensor:
        """Score, exponentiate in place, and keep what backward needs."""
        scores = query @ candidates.T
        rows = torch.arange(len(query))
        gold = scores[rows, answer]
        highest = scores.amax(1)
        scores.sub_(highest[:, None]).exp_()
        total = scores.sum(1)
        loss = (total.log() + highest - gold).mean()
        ctx.save_for_backward(query, candidates, answer, scores.div_(total[:, None]))
        return loss

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None]:
        """The gradient of the scores is the softmax, less one at the answer."""
        query, candidates, answer, slope = ctx.saved_tensors
        slope[torch.arange(len(query)), answer] -= 1
        slope.mul_(grad_outputs[0] / len(query))
        return slope @ candidates, slope.T @ query, None


def one_versus_all(query: Tensor, candidates: Tensor, answer: Tensor) -> Tensor:
    """Return the cross-entropy of answers among all candidates."""
    loss: Tensor = OneVersusAll.apply(query, candidates, answer)  # type: ignore[no-untyped-call]
    return loss
