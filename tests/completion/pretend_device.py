"""A device that computes as the processor does, but refuses tensors that are elsewhere: what a graphics card would do.

Its tensors say that they are on "meta"; behind each is one that is not. So all of training can be tried without a card,
and what comes out is the same to the bit as on the processor.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

NAME = "meta"


class PretendTensor(torch.Tensor):
    """A tensor that is said to be on the device."""

    behind: torch.Tensor

    @staticmethod
    def __new__(cls, behind: torch.Tensor) -> PretendTensor:
        made = torch.Tensor._make_wrapper_subclass(
            cls, behind.shape, dtype=behind.dtype, device=torch.device(NAME), strides=behind.stride()
        )
        made.behind = behind
        return made

    __torch_function__ = torch._C._disabled_torch_function_impl  # type: ignore[assignment]

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return computed(func, args, kwargs or {})


class PretendDevice(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """While it is there, tensors can be made on the device."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return computed(func, args, kwargs or {})


def computed(func: Any, args: Any, kwargs: dict[str, Any]) -> Any:
    """Compute with what is behind the tensors, after a look at where they are."""
    tensors = [one for one in tree_leaves((args, kwargs)) if isinstance(one, torch.Tensor)]
    there = [isinstance(one, PretendTensor) for one in tensors]
    moves = func in (torch.ops.aten._to_copy.default, torch.ops.aten.copy_.default)
    if any(there) and not moves:
        away = [one.shape for one, is_there in zip(tensors, there, strict=True) if not is_there and one.dim()]
        if away:
            raise RuntimeError(f"{func} was asked for tensors on the device and for others that are not: {away}")
    asked = kwargs.get("device")
    if asked is not None:
        kwargs = {**kwargs, "device": torch.device("cpu")}
    elsewhere = asked is not None and torch.device(asked).type != NAME
    made_here = asked is not None and not elsewhere
    found = func(*tree_map(_behind, args), **tree_map(_behind, kwargs))
    if func._schema.is_mutable and tensors:
        return _of_mutated(func, args, kwargs, found)
    if made_here or (any(there) and not elsewhere):
        return tree_map(lambda one: PretendTensor(one) if isinstance(one, torch.Tensor) else one, found)
    return found


def _of_mutated(func: Any, args: Any, kwargs: dict[str, Any], found: Any) -> Any:
    """Return the tensor that was changed itself, as changing in place does."""
    out = kwargs.get("out", args[0] if args else None)
    return out if isinstance(found, torch.Tensor) else found


def _behind(one: Any) -> Any:
    return one.behind if isinstance(one, PretendTensor) else one
