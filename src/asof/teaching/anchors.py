"""Staying close to the original: what it said of other facts and of prose, kept, so that it is never asked again.

Of each place the likeliest tokens are kept and the rest as one: the divergence over these is at most the divergence
over all, and the whole list takes a few megabytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from asof.models.statement_trees import Statement
from asof.teaching.answer_logits import AnswerLogits
from asof.teaching.learner import Learner

_LIKELIEST = 256
_AT_ONCE = 8


@dataclass(frozen=True)
class Anchors:
    """Statements, and of each place of their answers the likeliest tokens and their log-probabilities.

    Args:
        tokens: Places by tokens, for each statement.
        logprobs: The same; behind those of tokens that of all others together.
    """

    statements: Sequence[Statement]
    tokens: Sequence[torch.Tensor]
    logprobs: Sequence[torch.Tensor]

    @classmethod
    def of(cls, learner: Learner, statements: Sequence[Statement]) -> Anchors:
        """Ask the original, before it is taught."""
        tokens: list[torch.Tensor] = []
        logprobs: list[torch.Tensor] = []
        for start in range(0, len(statements), _AT_ONCE):
            batch = statements[start : start + _AT_ONCE]
            with torch.no_grad():  # not inference_mode: these are compared with what has gradients
                found = learner.answers(batch)
                spread = torch.log_softmax(found.logits, dim=-1)
                best, which = spread.topk(min(_LIKELIEST, spread.shape[-1] - 1), dim=-1)
                rest = torch.log1p(-best.exp().sum(-1).clamp(max=1 - 1e-6))
                full = torch.cat([best, rest[:, None]], dim=-1)
                for number in range(len(batch)):
                    places = found.place[found.owner == number]
                    tokens.append(which[places])
                    logprobs.append(full[places])
        return cls(list(statements), tokens, logprobs)

    def places(self, chosen: Sequence[int]) -> int:
        """Return how many places some of the statements have."""
        return sum(self.statements[number].answer for number in chosen)

    def divergence(self, found: AnswerLogits, chosen: Sequence[int], first: int) -> torch.Tensor:
        """Return KL(original | now), averaged over the places of some statements.

        Args:
            found: The logits of a pass in which these statements were read.
            chosen: Their numbers here.
            first: The number of the first of them in the pass; the others follow.
        """
        places = [found.place[found.owner == owner] for owner in range(first, first + len(chosen))]
        tokens = torch.cat([self.tokens[number] for number in chosen])
        each = torch.cat(places)[:, None].expand_as(tokens)
        now = found.logprobs_at(each.reshape(-1), tokens.reshape(-1)).view_as(tokens)
        rest = torch.log1p(-now.exp().sum(-1, keepdim=True).clamp(max=1 - 1e-6))
        before = torch.cat([self.logprobs[number] for number in chosen])
        return (before.exp() * (before - torch.cat([now, rest], dim=-1))).sum(-1).mean()
