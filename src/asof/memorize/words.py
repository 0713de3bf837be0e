"""Statements as words of their own vocabulary: every word that was taught is one token, a year too."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from asof.benchmarks import BLANK
from asof.errors import UserError

Ints = npt.NDArray[np.int64]

PAD, UNKNOWN, HIDDEN = 0, 1, 2
_SPECIAL = ("", "\0unknown", BLANK)  # no word has a zero in it: the pattern does not let it through
_WORD = re.compile(r"[^\W_]+|[^\w\s\0]|_+")


@dataclass(frozen=True)
class Tokens:
    """Prompts as numbers, one after the other.

    Args:
        flat: The tokens of all prompts.
        begins: Where each begins in ``flat``; one more for the end.
        blank: Of each prompt, which of its tokens is the blank.
    """

    flat: npt.NDArray[np.int32]
    begins: Ints
    blank: Ints

    @property
    def lengths(self) -> Ints:
        """How many tokens each prompt has."""
        found: Ints = np.diff(self.begins)
        return found

    def padded(self, prompts: Ints) -> Ints:
        """Return some prompts as rows of equal length, filled up with PAD."""
        lengths = self.begins[prompts + 1] - self.begins[prompts]
        columns = np.arange(int(lengths.max(initial=0)))
        indices = np.minimum(self.begins[prompts][:, None] + columns, len(self.flat) - 1)
        return np.where(columns < lengths[:, None], self.flat[indices], PAD)


class Tokenizer(Protocol):
    """Turns prompts into tokens; PAD, where a prompt is over, is its token 0."""

    def __len__(self) -> int: ...

    def encode(self, prompts: Sequence[str]) -> Tokens:
        """Cut prompts into tokens."""

    def strangers(self, prompt: str) -> list[str]:
        """Return the words of a prompt that it does not know."""


class Words:
    """A vocabulary of whole words, built from the statements."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = (*_SPECIAL, *words)
        self._numbers = {word: number for number, word in enumerate(self.words)}

    @classmethod
    def of(cls, prompts: Sequence[str]) -> Words:
        """Take every word of prompts, the most frequent first."""
        counts: dict[str, int] = {}
        for prompt in prompts:
            for part in prompt.split(BLANK):
                for word in _WORD.findall(part):
                    counts[word] = counts.get(word, 0) + 1
        return cls(sorted(counts, key=lambda word: (-counts[word], word)))

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, prompts: Sequence[str]) -> Tokens:
        """Cut prompts into words; one that was never taught is UNKNOWN."""
        flat, begins, blank = array("i"), array("q", [0]), array("q")
        number = self._numbers.get
        for prompt in prompts:
            before, after = sides_of(prompt)
            flat.extend([number(word, UNKNOWN) for word in _WORD.findall(before)])
            blank.append(len(flat) - begins[-1])
            flat.append(HIDDEN)
            flat.extend([number(word, UNKNOWN) for word in _WORD.findall(after)])
            begins.append(len(flat))
        return Tokens(np.array(flat, np.int32), np.array(begins, np.int64), np.array(blank, np.int64))

    def strangers(self, prompt: str) -> list[str]:
        """Return the words of a prompt that were never taught."""
        return [word for side in sides_of(prompt) for word in _WORD.findall(side) if word not in self._numbers]


def sides_of(prompt: str) -> tuple[str, str]:
    """Part a prompt at its blank.

    >>> sides_of("Ann led _X_ in 2009.")
    ('Ann led ', ' in 2009.')
    """
    sides = prompt.split(BLANK)
    if len(sides) != 2:
        raise UserError(f"{prompt!r} has {len(sides) - 1} blanks. Write {BLANK} once, where the answer stands.")
    return sides[0], sides[1]
