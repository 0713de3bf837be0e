"""Where a training stands, in one file, so that it goes on as if it had never stopped."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

from asof.completion.trained.whole_files import read_tensors, write_tensors
from asof.errors import UserError

Tensors = dict[str, torch.Tensor]


@dataclass
class Standing:
    """All that changes while a scorer is trained.

    Args:
        phase: Which phase of the training, from 0.
        epoch: How many epochs of that phase are done.
        best_mrr: The best on valid so far, None before the first evaluation; ``best`` are its weights.
        worse: Evaluations since then.
        random: The state of numpy's generator; that of torch is among the tensors.
    """

    weights: Tensors
    optimiser: Tensors = field(default_factory=dict)
    best: Tensors = field(default_factory=dict)
    torch_random: torch.Tensor = field(default_factory=torch.get_rng_state)
    random: dict[str, Any] = field(default_factory=dict)
    phase: int = 0
    epoch: int = 0
    best_mrr: float | None = None
    best_epoch: int = 0
    worse: int = 0


_NUMBERS = ("random", "phase", "epoch", "best_mrr", "best_epoch", "worse")
_GROUPS = ("weights", "optimiser", "best")


@dataclass(frozen=True)
class Checkpoint:
    """The file of a standing, with what the training is: its dataset and settings."""

    path: Path
    identity: Mapping[str, Any]

    def save(self, standing: Standing) -> None:
        """Put a standing in the place of the one before."""
        tensors = {f"{group}/{name}": tensor for group in _GROUPS for name, tensor in getattr(standing, group).items()}
        numbers = {name: getattr(standing, name) for name in _NUMBERS}
        metadata = {"identity": json.dumps(dict(self.identity)), "standing": json.dumps(numbers)}
        write_tensors(self.path, tensors | {"torch_random": standing.torch_random}, metadata)

    def load(self) -> Standing | None:
        """Read the standing, None where there is none; one of another training is an error."""
        if not self.path.is_file():
            return None
        tensors, metadata = read_tensors(self.path)
        try:
            found, numbers = json.loads(metadata["identity"]), json.loads(metadata["standing"])
        except (KeyError, ValueError) as error:
            raise UserError(
                f"{self.path} is no checkpoint of asof ({error!r}). Choose another folder with --to."
            ) from None
        refuse_other(self.path.parent, found, self.identity, "a training that was stopped")
        groups: dict[str, Any] = {
            group: {
                name.removeprefix(f"{group}/"): tensor
                for name, tensor in tensors.items()
                if name.startswith(f"{group}/")
            }
            for group in _GROUPS
        }
        return Standing(torch_random=tensors["torch_random"], **groups, **numbers)


def refuse_other(folder: Path, found: Mapping[str, Any], wanted: Mapping[str, Any], what: str) -> None:
    """Raise an error when a folder holds a training with another dataset or other settings."""
    names = [name for name in {**wanted, **found} if found.get(name) != wanted.get(name)]
    if not names:
        return
    if names == ["facts"]:
        differs = f"the facts of {wanted['dataset']} have changed since"
    else:
        differs = ", ".join(
            f"{name} {_told(found.get(name))} instead of {_told(wanted.get(name))}" for name in names if name != "facts"
        )
    raise UserError(
        f"{folder} holds {what}, but not this one: {differs}. Choose another folder with --to, or delete this one."
    )


def _told(value: Any) -> str:
    return "(none)" if value is None else str(value)
