"""The devices that torch can use on this machine, by their names: cpu, cuda, cuda:1, mps."""

from __future__ import annotations

from asof.errors import UserError


def devices_there() -> list[str]:
    """Name the devices of this machine."""
    import torch

    found = ["cpu", *(f"cuda:{number}" for number in range(torch.cuda.device_count()))]
    return [*found, "mps"] if torch.backends.mps.is_available() else found


def known_device(device: str) -> str:
    """Return a device as the user names it, or raise an error that names those there are.

    >>> known_device("cpu")
    'cpu'
    """
    there = devices_there()
    if device not in there and not (device == "cuda" and "cuda:0" in there):
        raise UserError(f"There is no device {device!r} on this machine. It has: {', '.join(there)}.")
    return device
