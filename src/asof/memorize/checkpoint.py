"""Where a memorising stands, in one file: weights, optimisers, epoch and step. The rest follows from the seed."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from asof.completion.training.checkpoint_file import (
    grouped,
    optimiser_tensors,
    read_checkpoint,
    restore_optimiser,
    within,
    write_checkpoint,
)
from asof.memorize.network import Memory


@dataclass
class Standing:
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
    tensors: dict[str, torch.Tensor] = field(default_factory=dict)

    def next_epoch(self, recited: tuple[float, float]) -> None:
        """Close an epoch."""
        self.last_right = self.right / max(1, self.shown)
        self.recited, self.recited_every = recited
        self.epoch += 1
        self.step = self.shown = self.right = 0
        self.loss = self.seconds = self.cpu_seconds = 0.0

    def restore(self, memory: Memory, optimisers: Sequence[torch.optim.Optimizer]) -> None:
        """Put weights and optimisers back to where they were; nothing to do at the beginning."""
        if not self.tensors:
            return
        memory.load_state_dict(within("weights", self.tensors))
        for number, optimiser in enumerate(optimisers):
            restore_optimiser(optimiser, within(f"optimiser{number}", self.tensors))
        self.tensors = {}


_NUMBERS = tuple(one.name for one in fields(Standing) if one.name != "tensors")


@dataclass
class Checkpoint:
    """The file of a standing, with what the training is: its benchmark and settings."""

    path: Path
    identity: Mapping[str, Any]
    every: float = 30.0  # seconds: what a crash may cost
    _saved: float = field(default_factory=time.monotonic)

    def is_due(self) -> bool:
        """Whether it is time to save again."""
        return time.monotonic() - self._saved >= self.every

    def save(self, standing: Standing, memory: Memory, optimisers: Sequence[torch.optim.Optimizer]) -> None:
        """Put a standing in the place of the one before."""
        tensors = grouped("weights", memory.state_dict())
        for number, optimiser in enumerate(optimisers):
            tensors |= grouped(f"optimiser{number}", optimiser_tensors(optimiser))
        write_checkpoint(self.path, self.identity, tensors, {name: getattr(standing, name) for name in _NUMBERS})
        self._saved = time.monotonic()

    def load(self) -> Standing | None:
        """Read the standing, None where there is none; one of another training is an error."""
        found = read_checkpoint(self.path, self.identity)
        if found is None:
            return None
        tensors, numbers = found
        return Standing(**{name: value for name, value in numbers.items() if name in _NUMBERS}, tensors=tensors)
