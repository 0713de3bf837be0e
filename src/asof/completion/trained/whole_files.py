"""Files that are there whole or not at all: written beside their place, made to last, then renamed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file

from asof.errors import UserError
from asof.facts.manifest import sync_folder


def write_text(path: Path, text: str) -> None:
    """Write a text file."""
    _put(path, lambda temporary: temporary.write_text(text, encoding="utf-8"))


def write_tensors(path: Path, tensors: Mapping[str, torch.Tensor], metadata: Mapping[str, str] | None = None) -> None:
    """Write tensors by name, and texts beside them."""
    plain = {name: tensor.detach().contiguous() for name, tensor in tensors.items()}
    _put(path, lambda temporary: save_file(plain, temporary, dict(metadata or {})))


def read_tensors(path: Path) -> tuple[dict[str, torch.Tensor], dict[str, str]]:
    """Read tensors and the texts beside them."""
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise UserError(f"{path} cannot be read: {error}. Delete it and run the same command again.") from error


def _put(path: Path, write: Callable[[Path], object]) -> None:
    temporary = path.with_name(f".{path.name}.new")
    try:
        write(temporary)
        temporary.chmod(0o644)  # safetensors lets nobody but the owner read
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    except (OSError, SafetensorError) as error:
        temporary.unlink(missing_ok=True)
        kept = "What was there before is unchanged." if path.exists() else "Nothing was written."
        raise UserError(
            f"{path} could not be written: {error}. {kept} Free some space and run the same again."
        ) from error
