"""Tensors by name in a file that is there whole or not at all, and is read without pickle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from asof.errors import UserError
from asof.whole_file import write_whole


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors by name, and texts beside them."""
    plain = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}

    def write(temporary: Path) -> None:
        try:
            save_file(plain, temporary, dict(metadata or {}))
        except SafetensorError as error:
            raise OSError(str(error)) from error
        temporary.chmod(0o644)  # safetensors lets nobody but the owner read

    write_whole(path, write)


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Read tensors and the texts beside them."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path} could not be read: {error}. Delete it and run the same command again.") from error
