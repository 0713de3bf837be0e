"""The description of a trained model: what is there to read, and what to do where it is not."""

from __future__ import annotations

import platform
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w
import torch

from asof import __version__
from asof.errors import UserError
from asof.facts.manifest import sha256_of
from asof.training.epoch_log import read_log
from asof.whole_file import write_text

MODEL, EPOCHS = "model.toml", "epochs.jsonl"
WEIGHTS, CHECKPOINT = "model.safetensors", "checkpoint.safetensors"


def refuse_strangers(folder: Path) -> None:
    """Raise an error when a folder holds other things than a training that was stopped."""
    strangers = folder.is_dir() and any(not path.name.startswith(".") for path in folder.iterdir())
    if strangers and not (folder / EPOCHS).is_file():
        raise UserError(f"{folder} is not empty and is not a model folder. Choose another folder with --to.")


def refuse_other_files(folder: Path, hashes: Mapping[str, str]) -> None:
    """Raise an error when a file of a model is not the one whose SHA-256 its description has."""
    for name, expected in hashes.items():
        if not (folder / name).is_file() or sha256_of(folder / name) != expected:
            raise UserError(f"{folder / name} does not match its hash in {MODEL}. Train the model again.")


def read_model_toml(folder: Path, *, verb: str, what: str) -> dict[str, Any]:
    """Read the description of a model.

    Args:
        verb: The command that trains such models, ``asof train``.
        what: What it takes, for the user who has no model yet: ``SCORER DATASET``.
    """
    path = folder / MODEL
    if not path.is_file():
        if (folder / EPOCHS).is_file():
            done = len(read_log(folder / EPOCHS))
            raise UserError(
                f"{folder} is not fully trained; epochs so far: {done}. Repeat the same '{verb}' command to resume."
            )
        missing = f"has no {MODEL}, so it is not a trained model" if folder.is_dir() else "does not exist"
        raise UserError(f"{folder} {missing}. Make one with: {verb} {what} --to {folder}")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is broken ({error}). Train the model again.") from error


def write_model_toml(folder: Path, description: Mapping[str, Any], files: Iterable[str]) -> None:
    """Write the description of a model, last of all: with versions and the hashes of its files."""
    about = {
        **description,
        "versions": {
            "asof": __version__,
            "torch": torch.__version__,
            "numpy": np.__version__,
            "python": platform.python_version(),
        },
        "files": {name: sha256_of(folder / name) for name in files},
    }
    write_text(folder / MODEL, tomli_w.dumps(about))
