"""A taught network as an ONNX file of 8-bit numbers, which onnxruntime runs four times as fast as torch."""

from __future__ import annotations

import tempfile
import warnings
from pathlib import Path
from typing import Any

from asof.errors import UserError
from asof.reading.marking.marker import MarkerFile
from asof.weights.transformers_folder import torch

_INPUTS = ("input_ids", "attention_mask", "token_type_ids")
_OPSET = 17
_TRIED = 16  # tokens of the text by which the network is traced


class _Borders(torch.nn.Module):
    """A network as one output: of each token, begins an answer, ends one."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Any, mask: Any, types: Any) -> Any:
        told = self.model(input_ids=ids, attention_mask=mask, token_type_ids=types)
        return torch.stack([told.start_logits, told.end_logits], -1)


def marker_file(model: Any, tokenizer: Path) -> MarkerFile:
    """Write a network as ONNX and make its weights whole numbers; word vectors, too."""
    try:
        from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]
    except ImportError as error:
        raise UserError(
            "Keeping a marker needs onnx. Install it with: pip install 'asof[reading,transformers]'"
        ) from error
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "small.onnx"
        ids = torch.ones((2, _TRIED), dtype=torch.long)
        axes = {name: {0: "windows", 1: "tokens"} for name in (*_INPUTS, "borders")}
        model.train(False)
        with warnings.catch_warnings(), torch.inference_mode():
            warnings.simplefilter("ignore")
            torch.onnx.export(
                _Borders(model),
                (ids, torch.ones_like(ids), torch.zeros_like(ids)),
                str(plain),
                input_names=list(_INPUTS),
                output_names=["borders"],
                dynamic_axes=axes,
                opset_version=_OPSET,
                dynamo=False,
            )
            quantize_dynamic(plain, small, weight_type=QuantType.QInt8, per_channel=True)
        return MarkerFile(small.read_bytes(), tokenizer.read_text(encoding="utf-8"))
