"""Writing with llama.cpp: several texts side by side on each core, always the likeliest token.

Each text has a part of the memory to itself, and at least two tokens are read at a time, so the order in which numbers
are added up does not depend on what is written beside it: a text comes out the same in any company. What a prompt
begins with like the one before in the same part of the memory is not read again: a chat template, the words of a
question. Prompts that begin alike are to come one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any

TEXTS_SIDE_BY_SIDE = 8  # on each core: a token of each is read for little more than one alone costs


def shared_beginning(first: Sequence[int], second: Sequence[int]) -> int:
    """Count the tokens at the beginning of two texts that are the same.

    >>> shared_beginning([5, 6, 7], [5, 6, 8, 9])
    2
    """
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


@dataclass(slots=True)
class TextBeingWritten:
    """A text that is not ended yet: where it is in the memory, and what is written of it."""

    number: int
    place: int
    position: int
    tokens: list[int] = field(default_factory=list)


class LlamaWriter:
    """Writes after prompts on one core.

    Args:
        model: What llama.cpp opened.
        llama_cpp: Its module.
        ends: Tells of a token whether it ends a text.
    """

    def __init__(self, model: Any, llama_cpp: Any, ends: Callable[[int], bool]) -> None:
        self._model, self._llama_cpp, self._ends = model, llama_cpp, ends
        self._room = 0
        self._read: list[list[int]] = []  # of each place in the memory, the prompt that stands there
        self._likeliest = llama_cpp.LlamaSampler(llama_cpp.LlamaSamplerChainParams())
        self._likeliest.add_greedy()

    def write(
        self, prompts: Sequence[Sequence[int]], most_tokens: int, is_ended: Callable[[Sequence[int]], bool]
    ) -> list[list[int]]:
        """Return the tokens that follow each prompt.

        Args:
            is_ended: Tells of the tokens written so far whether a text is to end there.
        """
        self._make_room(max(map(len, prompts), default=0) + most_tokens + 1)
        written: list[list[int]] = [[] for _ in prompts]
        waiting = list(range(len(prompts)))[::-1]
        free = list(range(TEXTS_SIDE_BY_SIDE))
        live: list[TextBeingWritten] = []
        while waiting or live:
            while waiting and free:
                number = waiting.pop()
                text = TextBeingWritten(number, free.pop(), len(prompts[number]))
                text.tokens.append(self._read_prompt(prompts[number], text.place))
                live.append(text)
            still = []
            for text in live:
                if self._ends(text.tokens[-1]):
                    text.tokens.pop()
                elif len(text.tokens) < most_tokens and not is_ended(text.tokens):
                    still.append(text)
                    continue
                written[text.number] = text.tokens
                free.append(text.place)
            live = still
            if live:
                self._read_next(live)
        return written

    def _read_prompt(self, tokens: Sequence[int], slot: int) -> int:
        """Read a prompt as far as it is not there yet, and return the likeliest token after it."""
        kept = max(0, min(shared_beginning(self._read[slot], tokens), len(tokens) - 2))
        if not self._context.memory_seq_rm(slot, kept, -1):  # a model with a running state cannot go back
            self._context.memory_seq_rm(slot, 0, -1)
            kept = 0
        batch = self._batch
        batch.clear()
        for position in range(kept, len(tokens)):
            batch.add(tokens[position], position, [slot], position == len(tokens) - 1)
        self._read[slot] = []
        self._context.decode(batch)
        self._read[slot] = list(tokens)
        return int(self._likeliest.sample(self._context, -1))

    def _read_next(self, live: Sequence[TextBeingWritten]) -> None:
        """Read the last token of each text and put the likeliest next one after it."""
        batch = self._batch
        batch.clear()
        for text in live:
            batch.add(text.tokens[-1], text.position, [text.place], True)
            text.position += 1
        if len(live) == 1:  # a token alone is multiplied in another order than several are
            batch.add(live[0].tokens[-1], 0, [TEXTS_SIDE_BY_SIDE], True)
        self._context.decode(batch)
        for index, text in enumerate(live):
            text.tokens.append(int(self._likeliest.sample(self._context, index)))
        if len(live) == 1:
            self._context.memory_seq_rm(TEXTS_SIDE_BY_SIDE, 0, -1)

    def _make_room(self, tokens: int) -> None:
        """Make a context in which each text may have so many tokens, unless it is there."""
        if tokens <= self._room:
            return
        self._room = max(256, 1 << (tokens - 1).bit_length())
        places = TEXTS_SIDE_BY_SIDE + 1
        settings = self._llama_cpp.LlamaContextParams()
        settings.n_ctx, settings.n_batch = self._room * places, self._room
        settings.n_seq_max, settings.kv_unified = places, False
        settings.n_threads = settings.n_threads_batch = 1
        settings.flash_attn_type = 0
        self._context = self._llama_cpp.LlamaContext(self._model, settings)
        self._batch = self._llama_cpp.LlamaBatch(n_tokens=self._room, embd=0, n_seq_max=places)
        self._read = [[] for _ in range(TEXTS_SIDE_BY_SIDE)]
