"""Where the training of a scorer stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import torch

from asof.training.checkpoint import Checkpoint, Tensors


@dataclass
class CompletionState:
    """All that changes while a scorer is trained.

    Args:
        phase: Which phase of the training, from 0.
        epoch: How many epochs of that phase are done.
        best_mrr: The best on valid so far, None before the first evaluation; ``best`` are its weights.
        worse: Evaluations since then.
        mean: The running mean of the weights, where the settings ask for one.
        random: The state of numpy's generator; that of torch is among the tensors.
    """

    weights: Tensors
    optimiser: Tensors = field(default_factory=dict)
    mean: Tensors = field(default_factory=dict)
    best: Tensors = field(default_factory=dict)
    torch_random: torch.Tensor = field(default_factory=torch.get_rng_state)
    random: dict[str, Any] = field(default_factory=dict)
    phase: int = 0
    epoch: int = 0
    best_mrr: float | None = None
    worse: int = 0


CompletionCheckpoint = Checkpoint[CompletionState]
