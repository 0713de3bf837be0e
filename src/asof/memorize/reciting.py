"""Recite: which answers stand in a blank, how likely each is, and how many there are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from asof.memorize.network import Memory, State
from asof.memorize.objectives import Objective, rarity
from asof.memorize.statements import Statements
from asof.memorize.words import Ints, Tokens

Floats = npt.NDArray[np.float32]

_MOST_SCORES = 8_000_000  # that are held at a time


class Recital(NamedTuple):
    """A batch of prompts with the logarithm of each answer's probability."""

    prompts: Ints
    logprobs: Tensor
    state: State


@dataclass(frozen=True)
class Best:
    """The likeliest answers of prompts.

    Args:
        answers: Numbers of answers, (prompts, best).
        logprobs: How likely each is.
        count: How many answers each prompt has, as the network says.
    """

    answers: Ints
    logprobs: Floats
    count: Ints


@torch.inference_mode()
def recite(memory: Memory, tokens: Tokens, prompts: Ints, *, objective: Objective = "set") -> Iterator[Recital]:
    """Read prompts, those of like length together, and score every answer."""
    order = prompts[np.argsort(tokens.lengths[prompts], kind="stable")]
    size = max(1, min(1024, _MOST_SCORES // max(1, memory.entities + memory.times)))
    for start in range(0, len(order), size):
        part = order[start : start + size]
        state = memory(torch.from_numpy(tokens.padded(part)), torch.from_numpy(tokens.blank[part]))
        yield Recital(part, _logprobs(memory, state, objective), state)


def _logprobs(memory: Memory, state: State, objective: Objective) -> Tensor:
    """The chance of a kind times that of an answer within it; with sigmoids, of each answer by itself."""
    kinds = state.kind.log_softmax(1)
    parts = []
    for time in (False, True):
        _, vectors = memory.of_kind(time=time)
        scores = state.vector @ vectors.T
        within = (
            torch.nn.functional.logsigmoid(scores - rarity(len(vectors)))
            if objective == "each"
            else scores.log_softmax(1)
        )
        parts.append(within + kinds[:, int(time), None])
    return torch.cat(parts, 1)


def best_answers(memory: Memory, tokens: Tokens, prompts: Ints, *, best: int, objective: Objective = "set") -> Best:
    """Return the best answers of prompts, in their order."""
    best = min(best, memory.entities + memory.times)
    answers, logprobs = np.zeros((len(prompts), best), np.int64), np.zeros((len(prompts), best), np.float32)
    count = np.zeros(len(prompts), np.int64)
    row_of = {int(prompt): row for row, prompt in enumerate(prompts)}
    for part in recite(memory, tokens, prompts, objective=objective):
        rows = [row_of[int(prompt)] for prompt in part.prompts]
        values, indices = part.logprobs.topk(best, 1)
        answers[rows], logprobs[rows] = indices.numpy(), values.numpy()
        count[rows] = 1 + part.state.number.argmax(1).numpy()
    return Best(answers, logprobs, count)


class RecallShare(NamedTuple):
    """How much is recited right: any right answer first (the paper's Acc@1); every right answer among the first n.

    n is how many right answers the text has, so for texts with one answer the two are the same.
    """

    first: float
    every: float


def recited_right(memory: Memory, tokens: Tokens, statements: Statements, answers: Ints, begins: Ints) -> RecallShare:
    """Recite all statements.

    Args:
        answers: The right answers of all prompts, one after the other; ``begins`` tells where those of each begin.
    """
    first = np.zeros(len(statements.prompts), bool)
    every = np.zeros(len(answers), bool)
    for part in recite(memory, tokens, np.unique(statements.whole)):
        counts = begins[part.prompts + 1] - begins[part.prompts]
        rows = np.repeat(np.arange(len(counts)), counts)
        within = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        pairs = begins[part.prompts][rows] + within
        best = part.logprobs.topk(int(counts.max()), 1).values.numpy()
        values = part.logprobs.numpy()[rows, answers[pairs]]
        every[pairs] = values >= best[rows, counts[rows] - 1]
        first[part.prompts[rows[values >= best[rows, 0]]]] = True
    index = np.repeat(np.arange(len(begins) - 1), np.diff(begins)) * len(statements.known) + answers
    hidden = np.searchsorted(index, statements.whole * len(statements.known) + statements.answer)
    return RecallShare(float(first[statements.whole].mean()), float(every[hidden].mean()))
