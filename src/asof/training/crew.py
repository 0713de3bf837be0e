"""Processes that train one model together, one on each device: started by ``torchrun`` or ``accelerate launch``.

Each takes a share of the facts of a step. Gradients are added up before anything is cut or moved, so all of them hold
the same weights, and the weights are those that one process alone would get but for the order of sums. The first
process measures, keeps checkpoints and writes the folder; the others say nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch

from asof.errors import UserError

_PATIENCE = timedelta(days=1)  # the others wait while the first one measures
_WANTED = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # what torchrun and accelerate tell each process

One = TypeVar("One")


@dataclass(frozen=True)
class Crew:
    """The processes that train together, and which of them this one is; alone, all of it costs nothing."""

    rank: int = 0
    size: int = 1

    @classmethod
    def of_environment(cls, device: str) -> Crew:
        """Join the others that were started together with this process."""
        size = int(os.environ.get("WORLD_SIZE", "1"))
        if size == 1:
            return cls()
        missing = [name for name in _WANTED if name not in os.environ]
        if missing or not torch.distributed.is_available():
            raise UserError(
                f"WORLD_SIZE is {size}, but {', '.join(missing) or 'torch.distributed'} is missing. Start the "
                "processes with: torchrun --nproc-per-node=2 -m asof …"
            )
        if not torch.distributed.is_initialized():
            kind = "nccl" if device.startswith("cuda") else "gloo"
            torch.distributed.init_process_group(kind, timeout=_PATIENCE)
        return cls(int(os.environ["RANK"]), size)

    @property
    def is_first(self) -> bool:
        """Whether this process measures and writes."""
        return self.rank == 0

    def share(self, all: Sequence[One]) -> Sequence[One]:
        """Return what this process takes on."""
        return all[self.rank :: self.size]

    def tell(self, told: One) -> list[One]:
        """Tell all others something, and return what each of them told."""
        if self.size == 1:
            return [told]
        heard: list[Any] = [None] * self.size
        torch.distributed.all_gather_object(heard, told)
        return heard

    def of_first(self, found: Callable[[], One]) -> One:
        """Let the first process find something out, and return it in all of them."""
        return self.tell(found() if self.is_first else None)[0]  # type: ignore[return-value]

    def add_up_gradients(self, parameters: Iterable[torch.nn.Parameter]) -> None:
        """Add up the gradients of all processes; where one had nothing to learn it adds zeros."""
        if self.size == 1:
            return
        for parameter in parameters:
            if parameter.grad is None:
                parameter.grad = torch.zeros_like(parameter)
            if parameter.grad.is_sparse:  # of the rows that this process met; nccl adds up no such gradients
                rows = parameter.grad.coalesce()
                parameter.grad = rows.to_dense() if rows.is_cuda else rows
            torch.distributed.all_reduce(parameter.grad)

    def wait(self) -> None:
        """Wait for all others."""
        if self.size > 1:
            torch.distributed.barrier()


ALONE = Crew()


def device_of_process(device: str) -> str:
    """Return the device of this process: of several with ``cuda`` each has its own."""
    here = os.environ.get("LOCAL_RANK")
    return f"cuda:{here}" if device == "cuda" and here is not None else device


def is_first_process() -> bool:
    """Tell whether this process is the one that speaks, without joining others."""
    return os.environ.get("RANK", "0") == "0" or os.environ.get("WORLD_SIZE", "1") == "1"
