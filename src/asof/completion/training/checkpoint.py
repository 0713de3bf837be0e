"""Where a training stands, in one file, so that it goes on as if it had never stopped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from asof.completion.training.checkpoint_file import Tensors, grouped, read_checkpoint, within, write_checkpoint


@dataclass
class Standing:
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


_NUMBERS = ("random", "phase", "epoch", "best_mrr", "worse")
_GROUPS = ("weights", "optimiser", "mean", "best")


@dataclass(frozen=True)
class Checkpoint:
    """The file of a standing, with what the training is: its dataset and settings."""

    path: Path
    identity: Mapping[str, Any]

    def of_part(self, number: int) -> Checkpoint:
        """Return the file of a training that is a part of this one."""
        return Checkpoint(self.path.with_stem(f"{self.path.stem}-{number}"), {**self.identity, "part": number})

    def parts(self) -> Iterator[tuple[int, Checkpoint]]:
        """Return the numbers and files of the parts that were begun."""
        for path in sorted(self.path.parent.glob(f"{self.path.stem}-*{self.path.suffix}")):
            number = int(path.stem.rpartition("-")[2])
            yield number, self.of_part(number)

    def remove(self) -> None:
        """Delete the file and those of the parts."""
        for file in (self, *(part for _, part in self.parts())):
            file.path.unlink(missing_ok=True)

    def save(self, standing: Standing) -> None:
        """Put a standing in the place of the one before."""
        tensors = {"torch_random": standing.torch_random}
        for group in _GROUPS:
            tensors |= grouped(group, getattr(standing, group))
        write_checkpoint(self.path, self.identity, tensors, {name: getattr(standing, name) for name in _NUMBERS})

    def load(self) -> Standing | None:
        """Read the standing, None where there is none; one of another training is an error."""
        found = read_checkpoint(self.path, self.identity)
        if found is None:
            return None
        tensors, numbers = found
        groups: dict[str, Any] = {group: within(group, tensors) for group in _GROUPS}
        kept = {name: value for name, value in numbers.items() if name in _NUMBERS}
        return Standing(torch_random=tensors["torch_random"], **groups, **kept)
