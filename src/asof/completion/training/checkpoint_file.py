"""The file of a training that can be stopped: tensors and numbers, with what the training is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch

from asof.completion.trained.tensors import read_tensors, write_tensors
from asof.errors import UserError

Tensors = dict[str, torch.Tensor]


def write_checkpoint(path: Path, identity: Mapping[str, Any], tensors: Tensors, numbers: Mapping[str, Any]) -> None:
    """Put a checkpoint in the place of the one before.

    Args:
        identity: What the training is: its data and settings.
    """
    write_tensors(path, tensors, {"identity": json.dumps(dict(identity)), "standing": json.dumps(dict(numbers))})


def read_checkpoint(path: Path, identity: Mapping[str, Any]) -> tuple[Tensors, dict[str, Any]] | None:
    """Read tensors and numbers, None where there is no checkpoint; one of another training is an error."""
    if not path.is_file():
        return None
    tensors, metadata = read_tensors(path)
    try:
        found, numbers = json.loads(metadata["identity"]), json.loads(metadata["standing"])
    except (KeyError, ValueError) as error:
        raise UserError(f"{path} is no checkpoint of asof ({error!r}). Choose another folder with --to.") from None
    refuse_other(path.parent, found, identity, "a training that was stopped")
    return tensors, numbers


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


def grouped(group: str, tensors: Tensors) -> Tensors:
    """Name tensors as those of a group.

    >>> grouped("best", {"words": 0})
    {'best/words': 0}
    """
    return {f"{group}/{name}": tensor for name, tensor in tensors.items()}


def within(group: str, tensors: Tensors) -> Tensors:
    """Return the tensors of a group by their own names.

    >>> within("best", {"best/words": 0, "last/words": 1})
    {'words': 0}
    """
    return {name.removeprefix(f"{group}/"): tensor for name, tensor in tensors.items() if name.startswith(f"{group}/")}


def optimiser_tensors(optimiser: torch.optim.Optimizer) -> Tensors:
    """Name the tensors of an optimiser: the number of the parameter, a dot, what it is."""
    state = optimiser.state_dict()["state"]
    return {f"{number}.{key}": torch.as_tensor(value) for number, one in state.items() for key, value in one.items()}


def restore_optimiser(optimiser: torch.optim.Optimizer, tensors: Tensors) -> None:
    """Put an optimiser back to where it was; nothing to do where nothing was kept."""
    if not tensors:
        return
    state: dict[int, dict[str, torch.Tensor | int]] = {}
    for name, tensor in tensors.items():
        number, _, key = name.partition(".")
        # SparseAdam counts its steps in a plain number, Adam in a tensor.
        state.setdefault(int(number), {})[key] = int(tensor) if tensor.dtype == torch.int64 else tensor
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
