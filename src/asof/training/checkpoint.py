"""Where a training stands, in one file: stopped at any moment, it resumes to the same weights."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeVar, get_type_hints

import torch

from asof.errors import UserError
from asof.training.tensors import read_tensors, write_tensors

Tensors = dict[str, torch.Tensor]
State = TypeVar("State")


@dataclass
class Checkpoint(Generic[State]):
    """The file of a training that can be stopped: its state, with what the training is.

    Args:
        identity: The data and settings of the training; a state of another one is refused.
        kind: The dataclass of the state; a field is a tensor, tensors by name, or something that JSON can hold.
        every: How many seconds a crash may cost: so often a save is due.
    """

    path: Path
    identity: Mapping[str, Any]
    kind: type[State]
    every: float = 30.0
    _saved: float = field(default_factory=time.monotonic)

    def is_due(self) -> bool:
        """Tell whether it is time to save again."""
        return time.monotonic() - self._saved >= self.every

    def save(self, state: State) -> None:
        """Put a state in the place of the one before."""
        tensors: Tensors = {}
        plain: dict[str, Any] = {}
        for name, kind in get_type_hints(self.kind).items():
            value = getattr(state, name)
            if kind == Tensors:
                tensors |= _grouped(name, value)
            elif kind is torch.Tensor:
                tensors[name] = value
            else:
                plain[name] = value
        write_tensors(self.path, tensors, {"identity": json.dumps(dict(self.identity)), "standing": json.dumps(plain)})
        self._saved = time.monotonic()

    def load(self) -> State | None:
        """Read the state, None where there is none; one of another training is an error."""
        if not self.path.is_file():
            return None
        tensors, metadata = read_tensors(self.path)
        try:
            found, plain = json.loads(metadata["identity"]), json.loads(metadata["standing"])
        except (KeyError, ValueError) as error:
            raise UserError(
                f"{self.path} is not a checkpoint of asof ({error!r}). Choose another folder with --to."
            ) from None
        refuse_other(self.path.parent, found, self.identity, "an unfinished training")
        kinds = get_type_hints(self.kind)
        values = {name: value for name, value in plain.items() if name in kinds}
        values |= {name: _within(name, tensors) for name, kind in kinds.items() if kind == Tensors}
        values |= {name: tensors[name] for name, kind in kinds.items() if kind is torch.Tensor}
        return self.kind(**values)

    def of_part(self, number: int) -> Checkpoint[State]:
        """Return the file of a training that is a part of this one."""
        return replace(
            self, path=self.path.with_stem(f"{self.path.stem}-{number}"), identity={**self.identity, "part": number}
        )

    def parts(self) -> Iterator[tuple[int, Checkpoint[State]]]:
        """Return the numbers and files of the parts that were begun."""
        for path in sorted(self.path.parent.glob(f"{self.path.stem}-*{self.path.suffix}")):
            number = int(path.stem.rpartition("-")[2])
            yield number, self.of_part(number)

    def remove(self) -> None:
        """Delete the file and those of the parts."""
        for file in (self, *(part for _, part in self.parts())):
            file.path.unlink(missing_ok=True)


def refuse_other(folder: Path, saved: Mapping[str, Any], wanted: Mapping[str, Any], what: str) -> None:
    """Raise an error when a folder holds a training with another dataset or other settings."""
    names = [name for name in {**wanted, **saved} if saved.get(name) != wanted.get(name)]
    if not names:
        return
    if names == ["facts"]:
        differs = f"the facts of {wanted['dataset']} have changed since"
    else:
        differs = ", ".join(
            f"{name} {_shown(saved.get(name))} instead of {_shown(wanted.get(name))}"
            for name in names
            if name != "facts"
        )
    raise UserError(
        f"{folder} holds {what}, but not this one: {differs}. Choose another folder with --to, or delete this one."
    )


def _shown(value: Any) -> str:
    return "(none)" if value is None else str(value)


def _grouped(group: str, tensors: Tensors) -> Tensors:
    """Name tensors as those of a group.

    >>> _grouped("best", {"words": 0})
    {'best/words': 0}
    """
    return {f"{group}/{name}": tensor for name, tensor in tensors.items()}


def _within(group: str, tensors: Tensors) -> Tensors:
    """Return the tensors of a group by their own names.

    >>> _within("best", {"best/words": 0, "last/words": 1})
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
