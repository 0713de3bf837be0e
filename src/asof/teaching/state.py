"""Where a teaching stands: what was trained, the optimiser, the step, and how hard each year was last."""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from asof.teaching.learner import Learner
from asof.training.checkpoint import Tensors, optimiser_tensors, restore_optimiser


@dataclass
class TeachingState:
    """How far a teaching is.

    Args:
        epoch: How many epochs are done.
        step: How many steps of the next one are done; ``sums`` are its figures so far.
        hardness: Of each fact, year and precision, how likely the answer was at a wrong date, less than at right ones.
    """

    epoch: int = 0
    step: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    hardness: torch.Tensor = field(default_factory=lambda: torch.empty(0))
    weights: Tensors = field(default_factory=dict)
    optimiser: Tensors = field(default_factory=dict)

    def add(self, figures: dict[str, float]) -> None:
        """Add the figures of a step."""
        for name, value in figures.items():
            self.sums[name] = self.sums.get(name, 0.0) + value

    def means(self) -> dict[str, float]:
        """Return the mean figures of the epoch so far."""
        return {name: value / max(1, self.step) for name, value in self.sums.items()}

    def next_epoch(self) -> None:
        """Close an epoch."""
        self.epoch += 1
        self.step, self.sums = 0, {}
        self.seconds = self.cpu_seconds = 0.0

    def keep(self, learner: Learner, optimiser: torch.optim.Optimizer) -> TeachingState:
        """Take in weights and optimiser as they are now."""
        self.weights = {name: one.detach() for name, one in learner.trained.items()}
        self.optimiser = optimiser_tensors(optimiser)
        return self

    def restore(self, learner: Learner, optimiser: torch.optim.Optimizer) -> None:
        """Put weights and optimiser back to where they were; nothing to do at the beginning."""
        with torch.no_grad():
            for name, tensor in self.weights.items():
                learner.trained[name].copy_(tensor)
        restore_optimiser(optimiser, self.optimiser)
        self.weights, self.optimiser = {}, {}
