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
        rows = torch.arange(len(query), device=query.device)
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
        slope[torch.arange(len(query), device=query.device), answer] -= 1
        slope.mul_(grad_outputs[0] / len(query))
        return slope @ candidates, slope.T @ query, None, None


class HalfOneVersusAll(torch.autograd.Function):
    """The same with the products of matrices in bfloat16, which some processors multiply four times as fast.

    What the answer itself scores, and its part of the gradient, are not rounded: for an answer that is nearly sure they
    would vanish.
    """

    @staticmethod
    def forward(ctx: Any, query: Tensor, candidates: Tensor, answer: Tensor, stands_for: Tensor | None) -> Tensor:
        """Score in bfloat16, and turn the scores into shares."""
        query16, candidates16 = query.bfloat16(), candidates.bfloat16()
        scores = query16 @ candidates16.T
        gold = (query * candidates[answer]).sum(1)
        if stands_for is not None:
            scores += stands_for.bfloat16()
            gold = gold + stands_for[answer]
        rows = torch.arange(len(query), device=query.device)
        rounded = scores[rows, answer].float()
        shares = torch.softmax(scores, 1)
        total = rounded - shares[rows, answer].float().clamp_min(1e-38).log()  # the logarithm of the sum over all
        total = torch.logaddexp(total + _less(rounded - total), gold)
        shares[rows, answer] = 0
        ctx.save_for_backward(query, candidates, answer, query16, candidates16, shares, (gold - total).exp())
        return (total - gold).mean()

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """The gradient of the scores is the softmax, less one at the answer."""
        query, candidates, answer, query16, candidates16, shares, sure = ctx.saved_tensors
        of_gold = (sure - 1)[:, None]
        of_query = (shares @ candidates16).float().addcmul_(of_gold, candidates[answer])
        of_candidates = (shares.T @ query16).float().index_add_(0, answer, of_gold * query)
        each = grad_outputs[0] / len(query)
        return of_query.mul_(each), of_candidates.mul_(each), None, None


def _less(share: Tensor) -> Tensor:
    """Return the logarithm of one less a share, which is given as a logarithm; nearly nothing may be left."""
    return torch.log1p(-share.exp().clamp_max(1 - 1e-6))


def one_versus_all(
    query: Tensor, candidates: Tensor, answer: Tensor, stands_for: Tensor | None = None, *, half: bool = False
) -> Tensor:
    """Return the cross-entropy of answers among candidates.

    Args:
        stands_for: For each candidate the logarithm of how many entities it stands for, where some were drawn.
        half: Multiply in bfloat16.
    """
    kind = HalfOneVersusAll if half else OneVersusAll
    loss: Tensor = kind.apply(query, candidates, answer, stands_for)  # type: ignore[no-untyped-call]
    return loss


def halves_fast() -> bool:
    """Tell whether this processor multiplies bfloat16 by itself."""
    asked = getattr(torch.cpu, "_is_avx512_bf16_supported", None)
    return bool(asked and asked())


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
