"""Begin with a pretrained encoder: a BERT or a RoBERTa, whole or the first half of its layers, or only its shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from asof.errors import UserError
from asof.memorize.architecture import Architecture
from asof.memorize.network import StatementEncoder
from asof.memorize.subwords import SubWords
from asof.training.tensors import read_tensors
from asof.weights.package_index import KNOWN, fetched_folder

_OUT = 128  # of 384 or 768 numbers, as the programs before ours have it: a list of answers is long
_HALF = "-half"
_KINDS = ("bert", "roberta")


@dataclass(frozen=True)
class Pretrained:
    """An encoder with its sub-words; ``weights`` under the names that they have in its files."""

    architecture: Architecture
    tokenizer: SubWords
    weights: Mapping[str, Tensor]
    first_position: int  # RoBERTa leaves two free

    def fill(self, encoder: StatementEncoder) -> None:
        """Put the weights into an encoder of its shape."""
        encoder.load_state_dict(_renamed(self.weights, self.architecture, self.tokenizer.pad, self.first_position))


def open_pretrained(name: str) -> Pretrained:
    """Open an encoder: one that ``asof models get`` fetched, a folder or a hub name; NAME-half has half its layers."""
    whole = name.removesuffix(_HALF)
    folder = fetched_folder(whole) or Path(whole)
    if not folder.is_dir():
        if whole in KNOWN:
            raise UserError(f"The weights of {whole} are not downloaded yet. Get them with: asof models get {whole}")
        folder = _from_hub(whole)
    config, path = _config(folder, name), folder / "tokenizer.json"
    if not path.is_file():
        raise UserError(f"{folder} has no tokenizer.json. Save its fast tokenizer there.")
    first = int(config["pad_token_id"]) + 1 if config["model_type"] == "roberta" else 0
    layers = int(config["num_hidden_layers"])
    architecture = Architecture(
        width=config["hidden_size"],
        layers=layers - layers // 2 if name.endswith(_HALF) else layers,
        heads=config["num_attention_heads"],
        inner=config["intermediate_size"],
        rewrites="all",
        norm="after",
        positions="from start",
        longest=int(config["max_position_embeddings"]) - first,
        out=_OUT,
    )
    weights, _ = read_tensors(folder / "model.safetensors")
    return Pretrained(architecture, SubWords(path), weights, first)


def _config(folder: Path, name: str) -> dict[str, Any]:
    path = folder / "config.json"
    if not path.is_file():
        raise UserError(f"{folder} has no config.json, so it is not an encoder.")
    config: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    if config.get("model_type") not in _KINDS:
        raise UserError(
            f"{name} is a {config.get('model_type')}; memorising begins with a {' or a '.join(_KINDS)}. "
            "Try --size minilm or --size small"
        )
    return config


def _from_hub(name: str) -> Path:
    """Fetch an encoder from the hub, and return the folder where it is."""
    try:
        from huggingface_hub import snapshot_download

        return Path(snapshot_download(name, allow_patterns=["config.json", "tokenizer.json", "model.safetensors"]))
    except (ImportError, OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UserError(
            f"{name!r} is not a known size or encoder: there is no such folder, and the hub did not provide it "
            f"({reason}). "
            "Sizes: tiny, small, medium, large, 64x2 (width, layers), minilm, minilm-half."
        ) from error


def _renamed(weights: Mapping[str, Tensor], architecture: Architecture, pad: int, first: int) -> dict[str, Tensor]:
    """Give weights the names that they have here; positions take the one token type with them."""
    prefix = next((name.split("embeddings.")[0] for name in weights if "embeddings.word_embeddings" in name), "")

    def at(name: str) -> Tensor:
        try:
            return weights[prefix + name]
        except KeyError:
            raise UserError(
                f"The encoder has no weights {prefix + name}; it is incomplete. Download it again."
            ) from None

    words = at("embeddings.word_embeddings.weight").clone()
    words[[0, pad]] = words[[pad, 0]]
    positions = at("embeddings.position_embeddings.weight")[first:] + at("embeddings.token_type_embeddings.weight")[0]
    found = {"words.weight": words, "places.weight": positions[: architecture.longest]}
    for end in ("weight", "bias"):
        found[f"norm_words.{end}"] = at(f"embeddings.LayerNorm.{end}")
        for number in range(architecture.layers):
            there, here = f"encoder.layer.{number}", f"layers.{number}"
            attention = f"{there}.attention.self"
            found[f"{here}.query.{end}"] = at(f"{attention}.query.{end}")
            found[f"{here}.key_value.{end}"] = torch.cat([at(f"{attention}.key.{end}"), at(f"{attention}.value.{end}")])
            found[f"{here}.mix.{end}"] = at(f"{there}.attention.output.dense.{end}")
            found[f"{here}.norm_attention.{end}"] = at(f"{there}.attention.output.LayerNorm.{end}")
            found[f"{here}.widen.{end}"] = at(f"{there}.intermediate.dense.{end}")
            found[f"{here}.narrow.{end}"] = at(f"{there}.output.dense.{end}")
            found[f"{here}.norm_inner.{end}"] = at(f"{there}.output.LayerNorm.{end}")
    return found
