"""Models that fill a blank, taught: the question, and behind it a blank for the answer.

Their scores are those of ``asof run`` for ``Blank(question + " ", "")``. A masked model (BERT) reads a text for each
token of the answer, this one and the later ones hidden: the product is P(answer) among answers of so many tokens. An
encoder-decoder (T5) writes the answer and the end of the blank.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar

import torch

from asof.errors import UserError
from asof.models import kind_and_location
from asof.models.statement_trees import Statement
from asof.teaching.drill import Ask
from asof.teaching.learner import Adaptation, Learner, numbers_on
from asof.weights.transformers_folder import transformers

_BLANK, _END = "<extra_id_0>", "<extra_id_1>"
_ENDLESS = 1 << 20  # tokens
_HIDDEN_OF_PROSE = 8  # tokens at the end of a passage: each of them is a text of its own


def open_learner(
    model: str, adaptation: Adaptation | None = None, *, device: str = "cpu", dtype: str = "auto"
) -> Learner:
    """Open a model to be taught, as its kind reads questions and answers."""
    kind, _ = kind_and_location(model)
    return _OF_KIND.get(kind, Learner)(model, adaptation, device=device, dtype=dtype)


class MaskedLearner(Learner):
    """A masked model that is taught; its statements end with the answer, what closes a text is added when it reads."""

    auto_class: ClassVar[Any] = transformers.AutoModelForMaskedLM
    task: ClassVar[str | None] = None
    reads_trees: ClassVar[bool] = False

    def statement(self, ask: Ask) -> Statement:
        """Put a question with its answer into tokens."""
        text = ask.prompt + ask.answer
        border = len(text) - len(ask.answer.lstrip())
        read = self.tokenizer(text, return_offsets_mapping=True)
        self._see_that_it_fits(len(read["input_ids"]), ask.prompt)
        asked = sum(start < end and end > border for start, end in read["offset_mapping"])
        return Statement(self._opened(read["input_ids"]), asked)

    def text(self, text: str, *, most: int) -> Statement | None:
        """Put a text into tokens, of which the last few are asked for; None where there are not two."""
        tokens = self._opened(self.tokenizer(text)["input_ids"])[: min(most, self._longest)]
        asked = min(_HIDDEN_OF_PROSE, len(tokens) - 2)
        return Statement(tokens, asked) if asked > 0 else None

    def _most_tokens(self) -> int | None:
        """RoBERTa and its kin begin to count positions after the padding's own number."""
        positions = super()._most_tokens()
        embeddings = getattr(getattr(self.network.base_model, "embeddings", None), "position_embeddings", None)
        padding = getattr(embeddings, "padding_idx", None)
        return positions and positions - (0 if padding is None else padding + 1)

    @property
    def _longest(self) -> int:
        return (self._context or _ENDLESS) - len(self._closing)

    @cached_property
    def _closing(self) -> list[int]:
        read = self.tokenizer("a", return_special_tokens_mask=True)
        own = [index for index, special in enumerate(read["special_tokens_mask"]) if not special]
        return list(read["input_ids"][own[-1] + 1 :])

    def _opened(self, tokens: Sequence[int]) -> list[int]:
        return list(tokens[: len(tokens) - len(self._closing)])

    def _in_rows(self, rows: Sequence[Statement]) -> tuple[torch.Tensor, torch.Tensor]:
        texts, places = [], []
        for row in rows:
            for first in range(len(row.tokens) - row.answer, len(row.tokens)):
                hidden = [self.tokenizer.mask_token_id] * (len(row.tokens) - first)
                texts.append([*row.tokens[:first], *hidden, *self._closing])
                places.append(first)
        ids, mask = _padded(texts, self.tokenizer.pad_token_id or 0, self.device)
        asked = torch.arange(len(texts), device=self.device), numbers_on(self.device, places)

        def keep_asked(module: Any, given: Any, states: Any) -> Any:
            states["last_hidden_state"] = states["last_hidden_state"][asked].unsqueeze(1)
            return states

        hook = self.network.base_model.register_forward_hook(keep_asked)
        try:
            logits = self.network(input_ids=ids, attention_mask=mask).logits[:, 0]
        finally:
            hook.remove()
        return logits, torch.arange(len(logits), device=self.device)


class Seq2seqLearner(Learner):
    """An encoder-decoder with T5's sentinels that is taught: a statement is what is read, then what is written."""

    auto_class: ClassVar[Any] = transformers.AutoModelForSeq2SeqLM
    task: ClassVar[str | None] = "SEQ_2_SEQ_LM"
    reads_trees: ClassVar[bool] = False

    def statement(self, ask: Ask) -> Statement:
        """Put a question with a blank into tokens, and the answer with its end."""
        read = list(self.tokenizer(ask.prompt.rstrip() + _BLANK)["input_ids"])
        written = [*self.tokenizer(ask.answer.strip(), add_special_tokens=False)["input_ids"], self._sentinels[1]]
        self._see_that_it_fits(max(len(read), len(written)), ask.prompt)
        return Statement(read + written, len(written))

    def text(self, text: str, *, most: int) -> Statement | None:
        """Put a text into tokens: the first half is read, the other one written."""
        tokens = list(self.tokenizer(text, add_special_tokens=False)["input_ids"])[:most]
        half = len(tokens) // 2
        if not half:
            return None
        closing = self.tokenizer("")["input_ids"]
        written = [*tokens[half:], self._sentinels[1]]
        return Statement([*tokens[:half], self._sentinels[0], *closing, *written], len(written))

    @cached_property
    def _sentinels(self) -> tuple[int, int]:
        known = self.tokenizer.get_vocab()
        if _BLANK not in known or _END not in known:
            raise UserError(
                f"The tokenizer of {self.name!r} has no {_BLANK} and {_END}, by which T5 and its kin leave a blank. "
                "Teach such a model, or a masked or causal one."
            )
        return known[_BLANK], known[_END]

    def _in_rows(self, rows: Sequence[Statement]) -> tuple[torch.Tensor, torch.Tensor]:
        questions = list(dict.fromkeys(tuple(row.tokens[: -row.answer]) for row in rows))
        which = numbers_on(self.device, [questions.index(tuple(row.tokens[: -row.answer])) for row in rows])
        ids, mask = _padded(questions, self.tokenizer.pad_token_id or 0, self.device)
        states = self.network.get_encoder()(input_ids=ids, attention_mask=mask).last_hidden_state  # each question once
        begun = [self.network.config.decoder_start_token_id, self._sentinels[0]]
        written, _ = _padded([[*begun, *row.tokens[-row.answer : -1]] for row in rows], 0, self.device)
        read = self.network(
            encoder_outputs=(states[which],), attention_mask=mask[which], decoder_input_ids=written, use_cache=False
        )
        places = [(number, 1 + step) for number, row in enumerate(rows) for step in range(row.answer)]
        logits = read.logits[tuple(numbers_on(self.device, column) for column in zip(*places, strict=True))]
        return logits, torch.arange(len(logits), device=self.device)


def _padded(rows: Sequence[Sequence[int]], padding: int, device: str) -> tuple[torch.Tensor, torch.Tensor]:
    """Fill up rows at their ends, and say what is their own."""
    longest = max(map(len, rows))
    ids = [[*row, *[padding] * (longest - len(row))] for row in rows]
    mask = [[1] * len(row) + [0] * (longest - len(row)) for row in rows]
    return numbers_on(device, ids), numbers_on(device, mask)


_OF_KIND: dict[str, type[Learner]] = {"transformers-masked": MaskedLearner, "transformers-seq2seq": Seq2seqLearner}
