"""Tensors that are counted rather than learnt: they go with a module to another device and are not saved with it."""

from __future__ import annotations

from torch import Tensor, nn


def hold(module: nn.Module, **tensors: Tensor) -> None:
    """Let a module have tensors by these names, where its parameters are."""
    device = next((one.device for one in module.parameters()), None)
    for name, tensor in tensors.items():
        module.register_buffer(name, tensor.to(device) if device else tensor, persistent=False)
