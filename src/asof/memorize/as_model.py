"""A model that has memorised statements in the place of a language model: it fills blanks with whole names.

For a probe each name is one token, so ``fill-one`` can ask about all of them. A name that several entities share counts
as the likeliest of these: the text of a statement does not tell them apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch

from asof.benchmarks import BLANK
from asof.memorize.folder import TrainedMemory, open_memorized
from asof.memorize.reciting import Recital, recite
from asof.models import Blank, FilledBlank, Filling, Search, TokenGuess


class MemorizedModel:
    """The verb ``fill``: blanks in, ranked names out."""

    can: ClassVar[frozenset[str]] = frozenset({"fill"})

    def __init__(self, folder: str | Path) -> None:
        self.name = f"memorized:{folder}"
        self._trained: TrainedMemory = open_memorized(Path(folder))
        self._numbers: dict[str, list[int]] = defaultdict(list)
        known = self._trained.known
        for number in range(len(known)):
            self._numbers[known.name_of(number)].append(number)

    def describe(self) -> dict[str, str]:
        """Return what identifies the model and its runtime."""
        about = self._trained.about
        told = {name: str(about["settings"][name]) for name in ("size", "start", "objective", "time_masking", "seed")}
        weights = about["files"]["model.safetensors"]
        return {"kind": "memorized", "parameters": str(about["parameters"]), "weights": weights, **told} | {
            "torch": torch.__version__
        }

    def cannot_fill(self, blank: Blank) -> str:
        """Return nothing: it reads every statement."""
        return ""

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        """Return 1 for a name that was taught, 0 for any other."""
        return [int(one.answer in self._numbers) for one in filled]

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        """Put one name into each blank: where the answer stands among all names, and the best of them."""
        prompts, asked = _different([one.blank for one in filled])
        found: list[TokenGuess | None] = [None] * len(filled)
        for part in self._recited(prompts):
            values, indices = part.logprobs.topk(min(best, part.logprobs.shape[1]), 1)
            for row, prompt in enumerate(part.prompts.tolist()):
                names = tuple(self._trained.known.name_of(number) for number in indices[row].tolist())
                ahead = _ranks(part.logprobs[row], [self._numbers[filled[one].answer] for one in asked[prompt]])
                for one, (rank, logprob) in zip(asked[prompt], ahead, strict=True):
                    found[one] = TokenGuess(rank, logprob, names, tuple(values[row].tolist()))
        return [one for one in found if one is not None]

    def fill(self, blanks: Sequence[Blank], *, most_tokens: int, search: Search) -> list[list[Filling]]:
        """Return for each blank its likeliest name, whatever the search: a name is one token."""
        prompts, asked = _different(blanks)
        found: list[list[Filling]] = [[] for _ in blanks]
        for part in self._recited(prompts):
            values, indices = part.logprobs.max(1)
            for row, prompt in enumerate(part.prompts.tolist()):
                name = self._trained.known.name_of(int(indices[row]))
                for one in asked[prompt]:
                    found[one] = [Filling(name, (min(0.0, float(values[row])),))]
        return found

    def _recited(self, prompts: Sequence[str]) -> Iterator[Recital]:
        trained = self._trained
        tokens = trained.tokenizer.encode(prompts)
        objective = trained.plan.training.objective
        return recite(trained.memory, tokens, np.arange(len(prompts)), objective=objective)


def _different(blanks: Sequence[Blank]) -> tuple[list[str], list[list[int]]]:
    """Return each different prompt once, and which blanks have it."""
    indices: dict[str, list[int]] = {}
    for number, blank in enumerate(blanks):
        indices.setdefault(blank.with_sign(BLANK), []).append(number)
    return list(indices), list(indices.values())


def _ranks(logprobs: torch.Tensor, answers: Sequence[Sequence[int]]) -> list[tuple[int, float]]:
    """Return the rank and the log-probability of each answer; of several numbers the best counts."""
    values = [max(float(logprobs[number]) for number in numbers) for numbers in answers]
    return [(1 + int((logprobs > value).sum()), min(0.0, value)) for value in values]
