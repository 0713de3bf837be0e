"""The description of a trained model: what is there to read, and what to do where it is not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from asof.completion.training.epoch_log import read_log
from asof.errors import UserError

MODEL, EPOCHS = "model.toml", "epochs.jsonl"


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
                f"{folder} is not trained to its end; epochs so far: {done}. "
                f"Give the same '{verb}' command again; it goes on from there."
            )
        missing = f"has no {MODEL}, so it is no trained model" if folder.is_dir() else "does not exist"
        raise UserError(f"{folder} {missing}. Make one with: {verb} {what} --to {folder}")
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise UserError(f"{path} is broken ({error}). Train the model again.") from error
