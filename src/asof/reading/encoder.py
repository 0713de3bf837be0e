"""Meaning of texts as vectors: a small sentence encoder (bge-small-en-v1.5, int8), run by onnxruntime on the CPU.

Each sentence is encoded once, whatever is asked: the vector of a candidate is the mean over its own tokens, so it knows
the words around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from asof.errors import UserError

Vectors = npt.NDArray[np.float32]
_MOST_TOKENS = 128  # of a sentence; what follows has no vector of its own
_TOKENS_AT_ONCE = 2048


@dataclass(frozen=True)
class EncodedText:
    """A text: its own vector, and vectors with letter spans for its tokens."""

    whole: Vectors
    tokens: Vectors
    spans: npt.NDArray[np.int32]


class Encoder:
    """Encodes texts; vectors have length 1, so a dot product is a cosine."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        self._session, self._tokenizer = open_onnx(folder, threads=threads, most_tokens=_MOST_TOKENS)

    def encode(self, texts: Sequence[str]) -> list[EncodedText]:
        """Encode texts, in their order."""
        tokens = self._tokenizer.encode_batch([text or " " for text in texts])
        found: list[EncodedText | None] = [None] * len(texts)
        for indices in _batches([len(one.ids) for one in tokens]):
            hidden = self._run([tokens[index] for index in indices])
            for row, index in enumerate(indices):
                length = len(tokens[index].ids)
                vectors = hidden[row, :length]
                spans = np.array(tokens[index].offsets, dtype=np.int32)
                found[index] = EncodedText(unit(vectors[0]), vectors[1:-1], spans[1:-1])
        return [one for one in found if one is not None]

    def vectors(self, texts: Sequence[str]) -> Vectors:
        """Encode texts to one vector each."""
        return np.stack([one.whole for one in self.encode(texts)]) if texts else np.zeros((0, 384), np.float32)

    def _run(self, batch: Sequence[Any]) -> Vectors:
        hidden: Vectors = self._session.run(None, padded(batch))[0]
        return hidden


def open_onnx(folder: Path, *, threads: int, most_tokens: int) -> tuple[Any, Any]:
    """Open a model and its tokenizer, which cuts what is longer than so many tokens."""
    written = (folder / "tokenizer.json").read_text(encoding="utf-8")
    session, tokenizer = opened_onnx(str(folder / "model.onnx"), written, threads=threads)
    tokenizer.enable_truncation(most_tokens)
    return session, tokenizer


def opened_onnx(network: str | bytes, tokenizer: str, *, threads: int) -> tuple[Any, Any]:
    """Open a network, of a file or in bytes, with its tokenizer as JSON."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
        from tokenizers import Tokenizer
    except ImportError as error:
        raise UserError(
            "The temporal reader needs onnxruntime and tokenizers. Install them with: pip install 'asof[reading]'"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    words = Tokenizer.from_str(tokenizer)
    words.no_padding()
    return onnxruntime.InferenceSession(network, options, providers=["CPUExecutionProvider"]), words


def padded(batch: Sequence[Any]) -> dict[str, npt.NDArray[np.int64]]:
    """Put tokenised texts into arrays of one length, as models take them."""
    shape = (len(batch), max(len(one.ids) for one in batch))
    given = {name: np.zeros(shape, np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
    for row, one in enumerate(batch):
        given["input_ids"][row, : len(one.ids)] = one.ids
        given["attention_mask"][row, : len(one.ids)] = 1
        given["token_type_ids"][row, : len(one.ids)] = one.type_ids
    return given


def span_vectors(encoded: EncodedText, starts: npt.ArrayLike, ends: npt.ArrayLike) -> Vectors:
    """Return the mean vector of the tokens that each span of letters touches; the text's own where it touches none."""
    sums = np.vstack([np.zeros((1, encoded.tokens.shape[1]), np.float32), np.cumsum(encoded.tokens, axis=0)])
    first = np.searchsorted(encoded.spans[:, 1], np.asarray(starts), side="right")
    last = np.searchsorted(encoded.spans[:, 0], np.asarray(ends), side="left")
    count = (last - first)[:, None]
    means = (sums[np.maximum(last, first)] - sums[first]) / np.maximum(count, 1)
    return unit(np.where(count > 0, means, encoded.whole[None]))


def unit(vectors: Vectors) -> Vectors:
    """Scale vectors to length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-9)).astype(np.float32)
    return scaled


def _batches(lengths: Sequence[int]) -> list[list[int]]:
    """Put texts of like length together, so that little is padded."""
    order = sorted(range(len(lengths)), key=lambda index: lengths[index])
    batches: list[list[int]] = []
    for index in order:
        if batches and lengths[index] * (len(batches[-1]) + 1) <= _TOKENS_AT_ONCE and len(batches[-1]) < 64:
            batches[-1].append(index)
        else:
            batches.append([index])
    return batches
