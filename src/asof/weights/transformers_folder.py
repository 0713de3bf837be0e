"""Folders of Transformers models: loaded whole or refused, saved whole or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.weights.hub_names import check_name
from asof.whole_file import whole_folder

__all__ = [
    "NO_CODE",
    "ONLY_NUMBERS",
    "could_not_load",
    "loaded",
    "may_hold_taught",
    "save_taught",
    "torch",
    "transformers",
]

try:
    import torch
    import transformers
except ImportError as error:
    raise UserError(
        "Language models need torch and transformers. Install them with: pip install 'asof[transformers]'"
    ) from error

transformers.logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # the command has a bar of its own
transformers.logging.set_verbosity_error()  # type: ignore[no-untyped-call]  # weights that lack a part are refused below

_MISSING_PARTS_SAID = 3
NO_CODE = {"trust_remote_code": False}  # a model folder may bring Python along; it is not run
ONLY_NUMBERS = {**NO_CODE, "use_safetensors": True}  # pickled weights are refused: reading them may run anything


def could_not_load(location: str, error: Exception) -> UserError:
    """Say why a model could not be loaded, and what to do about weights that are a pickle.

    >>> print(could_not_load("old", OSError("old does not appear to have a file named model.safetensors.")))
    The model 'old' could not be loaded: old does not appear to have a file named model.safetensors.
    Pickled weights (pytorch_model.bin) are not read, as they may run anything. Save the model again as safetensors.
    """
    first_line = str(error).strip().splitlines()[0]
    hint = "Pickled weights (pytorch_model.bin) are not read, as they may run anything. "
    hint += "Save the model again as safetensors."
    pickled = "safetensors" in str(error)
    return UserError(f"The model {location!r} could not be loaded: {first_line}" + (f"\n{hint}" if pickled else ""))


def loaded(location: str, auto_class: Any, *, may_lack: str | None = None) -> tuple[Any, Any]:
    """Load a tokenizer and a model in float32; weights that lack a part of the model are refused.

    Args:
        may_lack: How the names of parts begin that are drawn at random where they lack: those about to be trained.
    """
    check_name(location)
    try:
        tokenizer: Any = transformers.AutoTokenizer.from_pretrained(location, **NO_CODE)
        model, told = auto_class.from_pretrained(
            location, dtype=torch.float32, output_loading_info=True, **ONLY_NUMBERS
        )
    except (OSError, ValueError) as error:
        raise could_not_load(location, error) from error
    missing = sorted(name for name in told["missing_keys"] if may_lack is None or not name.startswith(may_lack))
    if missing:
        few = ", ".join(missing[:_MISSING_PARTS_SAID]) + (" …" if len(missing) > _MISSING_PARTS_SAID else "")
        raise UserError(
            f"The weights of {location!r} lack {len(missing)} parts of a {type(model).__name__} ({few}): it would "
            "guess at random. Use a model that was trained with its output layer."
        )
    if not getattr(tokenizer, "is_fast", False):
        raise UserError(
            f"The tokenizer of {location!r} does not tell which letters a token covers. Use a fast tokenizer."
        )
    model.train(False)
    return tokenizer, model


def may_hold_taught(folder: Path) -> None:
    """Raise an error when a folder is there that holds something else than a model: before hours of teaching."""
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / "config.json").is_file())):
        raise UserError(f"{folder} exists and is not a model folder. Choose another folder with --to.")


def save_taught(tokenizer: Any, model: Any, folder: Path) -> None:
    """Write a model that was taught, with its tokenizer; an earlier one is replaced when the new one is whole."""
    try:
        with whole_folder(folder) as new:
            model.train(False)
            model.save_pretrained(new)
            tokenizer.save_pretrained(new)
    except OSError as error:
        raise UserError(f"{folder} could not be written: {error}. Free some space and train again.") from error
