"""Statements as the sub-words of a pretrained encoder, by its own tokenizer file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from asof.errors import UserError
from asof.memorize.words import PAD, Tokens, sides_of

try:
    from tokenizers import Tokenizer as Backend
except ImportError as error:
    raise UserError(
        "A pretrained encoder needs tokenizers. Install it with: pip install 'asof[transformers]'"
    ) from error

_SIGNS = (("[CLS]", "[MASK]", "[SEP]", "[PAD]"), ("<s>", "<mask>", "</s>", "<pad>"))  # BERT's, RoBERTa's


class SubWords:
    """The sub-words of BERT or RoBERTa. What looks like one of their signs in a name is text like any other.

    ``pad`` is the encoder's own number for PAD; in tokens the two change places.
    """

    def __init__(self, path: Path) -> None:
        try:
            self._backend = Backend.from_file(str(path))
        except Exception as error:  # noqa: BLE001 the library raises nothing narrower
            raise UserError(f"{path} is not a tokenizer file: {error}") from None
        self._backend.no_padding()
        self._backend.no_truncation()
        self._backend.encode_special_tokens = True
        for signs in _SIGNS:
            numbers = [self._backend.token_to_id(sign) for sign in signs]
            if None not in numbers:
                self._first, self._hidden, self._last, self.pad = (int(number or 0) for number in numbers)
                break
        else:
            raise UserError(f"{path} has no sign for a blank ([MASK] or <mask>). Use a BERT or a RoBERTa encoder.")

    def __len__(self) -> int:
        return int(self._backend.get_vocab_size())

    @property
    def text(self) -> str:
        """The tokenizer as it is kept in a folder."""
        return str(self._backend.to_str())

    def encode(self, prompts: Sequence[str]) -> Tokens:
        """Cut prompts into sub-words, with the signs of the encoder around them."""
        sides = [side for prompt in prompts for side in sides_of(prompt)]
        found = [one.ids for one in self._backend.encode_batch(sides, add_special_tokens=False)]
        rows = [
            [self._first, *before, self._hidden, *after, self._last]
            for before, after in zip(found[::2], found[1::2], strict=True)
        ]
        begins = np.concatenate([[0], np.cumsum([len(row) for row in rows], dtype=np.int64)]).astype(np.int64)
        flat = np.fromiter((token for row in rows for token in row), np.int32, int(begins[-1]))
        flat = np.where(flat == PAD, self.pad, np.where(flat == self.pad, PAD, flat)).astype(np.int32)
        return Tokens(flat, begins, np.array([len(before) + 1 for before in found[::2]], np.int64))

    def strangers(self, prompt: str) -> list[str]:
        """Return nothing: every word has sub-words."""
        return []
