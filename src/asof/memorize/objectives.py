"""What a statement is trained on: the one answer that it hides, or all that are right in its place.

``one`` is the paper's: the cross-entropy of the hidden answer, so statements with the same text pull in several
directions. ``set`` shows each text once, with all its answers as one even distribution. ``each`` asks of every answer
by itself whether it is right: a sigmoid, no competition. The slopes take the place of the scores, which saves passes
and memory.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from asof.memorize.words import Ints

Objective = Literal["one", "set", "each"]


class Targets(NamedTuple):
    """Right answers of a batch: pairs of a statement and an answer, and the weight of each; a statement's make 1."""

    row: Tensor
    answer: Tensor
    weight: Tensor

    @classmethod
    def of_sets(cls, answers: Ints, begins: Ints, prompts: Ints) -> Targets:
        """Take the right answers of some prompts, each with an even share."""
        counts = begins[prompts + 1] - begins[prompts]
        row = np.repeat(np.arange(len(prompts)), counts)
        within = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
        found = answers[begins[prompts][row] + within]
        weight = (1.0 / counts)[row].astype(np.float32)
        return cls(torch.from_numpy(row), torch.from_numpy(found), torch.from_numpy(weight))

    @classmethod
    def of_one(cls, answers: Ints) -> Targets:
        """Take one answer for each statement."""
        return cls(torch.arange(len(answers)), torch.from_numpy(answers), torch.ones(len(answers)))


class _SetsVersusAll(torch.autograd.Function):
    """The mean of the cross-entropy between even targets and softmax(query · candidates + stands_for)."""

    @staticmethod
    def forward(
        ctx: Any, query: Tensor, candidates: Tensor, targets: Targets, stands_for: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        scores = query @ candidates.T
        if stands_for is not None:
            scores += stands_for
        gold = scores[targets.row, targets.answer] @ targets.weight
        highest, best = scores.max(1)
        scores.sub_(highest[:, None]).exp_()
        total = scores.sum(1)
        loss = ((total.log() + highest).sum() - gold) / len(query)
        ctx.save_for_backward(query, candidates, *targets, scores.div_(total[:, None]))
        ctx.mark_non_differentiable(best)
        return loss, best

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None, None]:
        query, candidates, row, answer, weight, slope = ctx.saved_tensors
        slope[row, answer] -= weight
        slope.mul_(grad_outputs[0] / len(query))
        return slope @ candidates, slope.T @ query, None, None


class _EachByItself(torch.autograd.Function):
    """The mean over statements of the sum over candidates of the cross-entropy of a sigmoid."""

    @staticmethod
    def forward(ctx: Any, query: Tensor, candidates: Tensor, targets: Targets) -> tuple[Tensor, Tensor]:
        scores = (query @ candidates.T).sub_(rarity(len(candidates)))
        gold = scores[targets.row, targets.answer].sum()
        best = scores.argmax(1)
        loss = (functional.softplus(scores).sum() - gold) / len(query)
        ctx.save_for_backward(query, candidates, targets.row, targets.answer, scores.sigmoid_())
        ctx.mark_non_differentiable(best)
        return loss, best

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Tensor) -> tuple[Tensor, Tensor, None]:
        query, candidates, row, answer, slope = ctx.saved_tensors
        slope[row, answer] -= 1
        slope.mul_(grad_outputs[0] / len(query))
        return slope @ candidates, slope.T @ query, None


def rarity(candidates: int) -> float:
    """Return what is taken from the scores of sigmoids, so that at first one answer in all is expected to be right."""
    return math.log(max(1, candidates))


def answer_loss(
    objective: Objective, query: Tensor, candidates: Tensor, targets: Targets, stands_for: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return the loss of statements, and the best candidate of each.

    Args:
        stands_for: For each candidate the logarithm of how many answers it stands for, where some were drawn.
    """
    found: tuple[Tensor, Tensor]
    if objective == "each":
        found = _EachByItself.apply(query, candidates, targets)  # type: ignore[no-untyped-call]
    else:
        found = _SetsVersusAll.apply(query, candidates, targets, stands_for)  # type: ignore[no-untyped-call]
    return found
