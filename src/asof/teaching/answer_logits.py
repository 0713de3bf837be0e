"""The logits from which answers follow, and log-probabilities of a few of their tokens, with a cheap gradient.

The output layer has some ten thousand columns, of which a step needs a few. Left to autograd, each selection and each
normaliser writes zeros or a copy as large as all logits; here the gradient is one pass over them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch


@dataclass(frozen=True)
class AnswerLogits:
    """The logits from which the tokens of answers follow.

    Args:
        logits: Of each distinct place.
        place: Of each token of each answer, in their order, its place among them.
        token: Of each token of each answer, the token.
        owner: Of each token of each answer, the number of its statement.
    """

    logits: torch.Tensor
    place: torch.Tensor
    token: torch.Tensor
    owner: torch.Tensor

    def logprobs(self) -> torch.Tensor:
        """Return the log-probability of each token."""
        return self.logprobs_at(self.place, self.token)

    def logprobs_at(self, places: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
        """Return the log-probabilities of any tokens at any places."""
        chosen: torch.Tensor = _ChosenLogprobs.apply(self.logits, self._normaliser, places, tokens)  # type: ignore[no-untyped-call]
        return chosen

    @cached_property
    def _normaliser(self) -> torch.Tensor:
        with torch.no_grad():
            return torch.logsumexp(self.logits, dim=-1)

    def of_answers(self, statements: int) -> torch.Tensor:
        """Return log P(answer | prompt) of each statement."""
        tokens = self.logprobs()
        return torch.zeros(statements, device=tokens.device).index_add(0, self.owner, tokens)

    def written(self, statements: int) -> torch.Tensor:
        """Tell of each statement whether each token of its answer is the likeliest: what greedy decoding writes."""
        wrong = (self.logits.argmax(-1)[self.place] != self.token).float()
        return torch.zeros(statements, device=wrong.device).index_add(0, self.owner, wrong) == 0


class _ChosenLogprobs(torch.autograd.Function):
    """Log-probabilities of chosen tokens; the gradient of a row is what was asked of it less its sum spread by P."""

    @staticmethod
    def forward(
        ctx: Any, logits: torch.Tensor, normaliser: torch.Tensor, places: torch.Tensor, tokens: torch.Tensor
    ) -> torch.Tensor:
        ctx.save_for_backward(logits, normaliser, places, tokens)
        return logits[places, tokens] - normaliser[places]

    @staticmethod
    def backward(ctx: Any, *wanted: torch.Tensor) -> tuple[torch.Tensor | None, ...]:
        logits, normaliser, places, tokens = ctx.saved_tensors
        (of_chosen,) = wanted
        of_row = torch.zeros_like(normaliser).index_add_(0, places, of_chosen)
        gradient = torch.sub(logits, normaliser[:, None]).exp_().mul_(-of_row[:, None])
        gradient.index_put_((places, tokens), of_chosen, accumulate=True)
        return gradient, None, None, None
