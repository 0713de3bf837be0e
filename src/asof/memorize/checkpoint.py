"""Where a memorising stands, in one file: weights, optimisers, epoch and step. The rest follows from the seed."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import torch

from asof.completion.trained.whole_files import read_tensors, write_tensors
from asof.completion.training.checkpoint import refuse_other
from asof.errors import UserError
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
    phase: int = 0  # there is but one
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
        memory.load_state_dict(_within("weights", self.tensors))
        for number, optimiser in enumerate(optimisers):
            state: dict[int, dict[str, torch.Tensor]] = {}
            for name, tensor in _within(f"optimiser{number}", self.tensors).items():
                parameter, _, key = name.partition(".")
                # SparseAdam counts its steps in a plain number, Adam in a tensor.
                state.setdefault(int(parameter), {})[key] = int(tensor) if tensor.dtype == torch.int64 else tensor  # type: ignore[assignment]
            optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
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
        tensors = {f"weights/{name}": tensor for name, tensor in memory.state_dict().items()}
        for number, optimiser in enumerate(optimisers):
            for parameter, state in optimiser.state_dict()["state"].items():
                for key, value in state.items():
                    tensors[f"optimiser{number}/{parameter}.{key}"] = torch.as_tensor(value)
        numbers = {name: getattr(standing, name) for name in _NUMBERS}
        metadata = {"identity": json.dumps(dict(self.identity)), "standing": json.dumps(numbers)}
        write_tensors(self.path, tensors, metadata)
        self._saved = time.monotonic()

    def load(self) -> Standing | None:
        """Read the standing, None where there is none; one of another training is an error."""
        if not self.path.is_file():
            return None
        tensors, metadata = read_tensors(self.path)
        try:
            found, numbers = json.loads(metadata["identity"]), json.loads(metadata["standing"])
            standing = Standing(**numbers, tensors=tensors)
        except (KeyError, ValueError, TypeError) as error:
            raise UserError(
                f"{self.path} is no checkpoint of asof ({error!r}). Choose another folder with --to."
            ) from None
        refuse_other(self.path.parent, found, self.identity, "a training that was stopped")
        return standing


def _within(group: str, tensors: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    return {name.removeprefix(f"{group}/"): tensor for name, tensor in tensors.items() if name.startswith(f"{group}/")}
