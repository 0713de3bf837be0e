"""The network that marks answers: an encoder of Transformers, and for each token whether an answer begins or ends."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from asof.reading.marking.lessons import SpanLesson
from asof.weights.transformers_folder import loaded, torch, transformers

_STEP = 16  # tokens that lengths are rounded up to: odd lengths are slow in bfloat16
_OUT = -1e4


def network_of(location: str, *, kept: int = 0) -> Any:
    """Open an encoder with a layer for the borders of answers; its word vectors stay as they are.

    Args:
        kept: So many of its lowest layers stay as they are, too.
    """
    _, model = loaded(location, transformers.AutoModelForQuestionAnswering, may_lack="qa_outputs.")
    base = model.base_model
    for part in (base.embeddings, *base.encoder.layer[:kept]):
        for parameter in part.parameters():
            parameter.requires_grad_(False)
    return model


def save_network(model: Any, tokenizer_of: Path, folder: Path) -> None:
    """Write a network in the form of Transformers, with the tokenizer of another folder."""
    model.save_pretrained(folder)
    for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
        if (tokenizer_of / name).is_file():
            (folder / name).write_bytes((tokenizer_of / name).read_bytes())


def loss_of(model: Any, lessons: Sequence[SpanLesson]) -> Any:
    """Return the mean cross-entropy of beginnings and ends; where several answers are right, of each an equal share."""
    longest = max(len(one.window.ids) for one in lessons)
    length = -(-longest // _STEP) * _STEP
    given = {name: torch.zeros((len(lessons), length), dtype=torch.long) for name in ("ids", "mask", "types")}
    wanted = torch.zeros((2, len(lessons), length))
    banned = torch.zeros((2, len(lessons), length), dtype=torch.bool)
    for row, one in enumerate(lessons):
        count, window = len(one.window.ids), one.window
        given["ids"][row, :count] = torch.tensor(window.ids)
        given["types"][row, :count] = torch.tensor(window.type_ids)
        given["mask"][row, :count] = 1
        banned[:, row, 1 : window.first] = True  # an answer stands in the piece
        banned[:, row, count - 1 :] = True
        for side in (0, 1):
            for span in one.unjudged:
                banned[side, row, span[side]] = True
            for span in one.answers:
                banned[side, row, span[side]] = False
                wanted[side, row, span[side]] = 1.0
    told = model(input_ids=given["ids"], attention_mask=given["mask"], token_type_ids=given["types"])
    wanted = wanted / wanted.sum(-1, keepdim=True)
    lost = 0.0
    for side, scores in enumerate((told.start_logits, told.end_logits)):
        likely = scores.float().masked_fill(banned[side], _OUT).log_softmax(-1)
        lost = lost - (wanted[side] * likely).sum(-1).mean()
    return lost
