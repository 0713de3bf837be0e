"""The running mean of weights while they are trained: in few epochs it ranks better than the last weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from asof.completion.scorers import Scorer
from asof.training.checkpoint import Tensors


class RunningMean:
    """Keeps a mean of the weights that are trained; what lies further back counts less.

    Args:
        keeps: The share of itself that the mean keeps in a step; 0 for no mean at all.
        saved: The mean of a training that goes on.
    """

    def __init__(self, scorer: Scorer, keeps: float, saved: Tensors) -> None:
        trained = {name: one for name, one in scorer.named_parameters() if one.requires_grad} if keeps else {}
        self._scorer, self._trained, self._keeps = scorer, trained, keeps
        begun = {name: saved[name].to(one.device) if saved else one.detach().clone() for name, one in trained.items()}
        self.weights: Tensors = begun

    @torch.no_grad()
    def after_step(self) -> None:
        """Take in what a step has made of the weights."""
        for name, one in self._trained.items():
            self.weights[name].lerp_(one, 1 - self._keeps)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Put the mean in the place of the weights for a while."""
        last = {name: one.detach().clone() for name, one in self._trained.items()}
        self.put()
        try:
            yield
        finally:
            self._copy(last)

    def put(self) -> None:
        """Put the mean in the place of the weights for good; where there is no mean they stay."""
        if self._trained:
            self._copy(self.weights)
            self._scorer.after_step()

    @torch.no_grad()
    def _copy(self, weights: Tensors) -> None:
        for name, one in self._trained.items():
            one.copy_(weights[name])
