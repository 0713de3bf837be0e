"""Where a memorising stands: weights, optimisers, epoch and step. The rest follows from the seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import torch

from asof.memorize.network import Memory
from asof.training.checkpoint import Tensors, optimiser_tensors, restore_optimiser


@dataclass
class MemorizeState:
    """How far a training is.

    Args:
        epoch: How many epochs are done.
        step: How many steps of the next one are done; ``shown``, ``loss`` and ``right`` are its sums so far.
        last_right: The share that was right in the epoch before.
        recited: The share that was recited right after it, 0 where that was not tried; ``recited_every`` likewise.
    """

    epoch: int = 0
    step: int = 0
    shown: int = 0
    loss: float = 0.0
    right: int = 0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    last_right: float = 0.0
    recited: float = 0.0
    recited_every: float = 0.0
    weights: Tensors = field(default_factory=dict)
    optimiser0: Tensors = field(default_factory=dict)  # of weights that every step moves
    optimiser1: Tensors = field(default_factory=dict)  # of words and answers, which few batches have

    def next_epoch(self, recited: tuple[float, float]) -> None:
        """Close an epoch."""
        self.last_right = self.right / max(1, self.shown)
        self.recited, self.recited_every = recited
        self.epoch += 1
        self.step = self.shown = self.right = 0
        self.loss = self.seconds = self.cpu_seconds = 0.0

    def keep(self, memory: Memory, optimisers: Sequence[torch.optim.Optimizer]) -> MemorizeState:
        """Take in weights and optimisers as they are now."""
        self.weights = memory.state_dict()
        self.optimiser0, self.optimiser1 = (optimiser_tensors(one) for one in optimisers)
        return self

    def restore(self, memory: Memory, optimisers: Sequence[torch.optim.Optimizer]) -> None:
        """Put weights and optimisers back to where they were; nothing to do at the beginning."""
        if self.weights:
            memory.load_state_dict(self.weights)
            for optimiser, kept in zip(optimisers, (self.optimiser0, self.optimiser1), strict=True):
                restore_optimiser(optimiser, kept)
        self.weights, self.optimiser0, self.optimiser1 = {}, {}, {}  # they are in the network now
