"""The weights of a BERT out of an ONNX file with 8-bit numbers, as a network that can be taught further."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.models._transformers import torch, transformers

_QUANTIZED = "_quantized"
_PRODUCT = re.compile(r"layer\.(?P<layer>\d+)/(?P<part>.+)/MatMul")  # the name of a multiplication tells whose it is
_HEADS = 12  # of bge-small; the file does not tell


def bert_of(folder: Path) -> Any:
    """Read ``model.onnx`` of a folder."""
    path = folder / "model.onnx"
    weights = _weights(_graph(path))
    try:
        config = transformers.BertConfig(
            vocab_size=len(weights["embeddings.word_embeddings.weight"]),
            max_position_embeddings=len(weights["embeddings.position_embeddings.weight"]),
            hidden_size=len(weights["embeddings.LayerNorm.weight"]),
            intermediate_size=len(weights["encoder.layer.0.intermediate.dense.bias"]),
            num_hidden_layers=1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer.")),
            num_attention_heads=_HEADS,
        )
        bert = transformers.BertModel(config, add_pooling_layer=False)  # type: ignore[no-untyped-call]
        names = [name for name, _ in bert.named_parameters()]
        bert.load_state_dict({name: torch.tensor(np.array(weights[name])) for name in names}, strict=False)
    except KeyError as error:
        raise UserError(f"{path} is no BERT that asof can teach: it has no {error.args[0]}.") from error
    return bert


def _graph(path: Path) -> Any:
    try:
        import onnx
    except ImportError as error:
        raise UserError(
            "To teach the reader's network, onnx is needed. Install it with: pip install 'asof[reading,transformers]', "
            "or train without a network: leave out --epochs."
        ) from error
    try:
        return onnx.load(str(path)).graph
    except Exception as error:  # protobuf's own, which has no public name
        raise UserError(
            f"{path} could not be read as ONNX: {error}. Fetch it again: asof models get bge-small"
        ) from error


def _weights(graph: Any) -> dict[str, Any]:
    """Return the weights by the names that Transformers has for them."""
    from onnx import numpy_helper

    arrays = {one.name: numpy_helper.to_array(one) for one in graph.initializer}

    def whole(name: str) -> Any:
        stem = name.removesuffix(_QUANTIZED)
        return (arrays[name].astype(np.float32) - arrays[f"{stem}_zero_point"]) * arrays[f"{stem}_scale"]

    weights = {name: array for name, array in arrays.items() if name.startswith(("embeddings.", "encoder."))}
    weights |= {name.removesuffix(_QUANTIZED): whole(name) for name in weights if name.endswith(_QUANTIZED)}
    for node in graph.node:
        product = _PRODUCT.search(node.name)
        if node.op_type == "MatMulInteger" and product and node.input[1] in arrays:
            name = f"encoder.layer.{product['layer']}.{product['part'].replace('/', '.')}.weight"
            weights[name] = whole(node.input[1]).T
    return weights
