"""What the kinds of Transformers models share: batches of texts of equal length, one batch on each core."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from asof.cores import usable_cores
from asof.devices import known_device
from asof.errors import UserError, did_you_mean
from asof.models._blank import TokenGuess
from asof.weights.transformers_folder import torch, transformers

_DTYPES = ("float32", "bfloat16", "float16")
_TOKENS_PER_BATCH = 1024  # enough to keep a core busy, few enough to stay in its cache
_TOKENS_PER_PROMPT = 128  # of prompts that are continued at the same time


@dataclass(frozen=True)
class Placement:
    """Where a model runs, in which precision, and how much it reads at a time.

    Args:
        device: As torch names it.
        dtype: The precision of its weights; probabilities are always computed in float32.
        tokens_per_batch: How many tokens it reads at a time.
        threads: How many batches to work on at a time.
    """

    device: str
    dtype: str
    tokens_per_batch: int
    threads: int

    @classmethod
    def of(cls, device: str, dtype: str, batch_size: int | None, threads: int | None) -> Placement:
        """Check what a user wants against what there is."""
        known_device(device)
        if dtype not in _DTYPES:
            raise UserError(
                f"dtype = {dtype!r} is not known.{did_you_mean(dtype, _DTYPES)} Known: {', '.join(_DTYPES)}."
            )
        if batch_size is not None and batch_size < 1:
            raise UserError(f"batch_size = {batch_size} reads nothing. Give the tokens of a batch, 1 or more.")
        together = threads or usable_cores()  # another device takes one batch after the other
        return cls(device, dtype, batch_size or _TOKENS_PER_BATCH, together if device == "cpu" else 1)

    @property
    def prompts_per_batch(self) -> int:
        """How many prompts are continued at the same time."""
        return max(1, self.tokens_per_batch // _TOKENS_PER_PROMPT)

    @property
    def texts_at_once(self) -> int:
        """How many prompts to hand over at a time: few enough that little is lost at a stop."""
        return max(1, self.prompts_per_batch * self.threads // 2)

    @property
    def settings(self) -> dict[str, str]:
        """What changes the numbers that come out, where it is not as it is by default."""
        return {} if self.dtype == _DTYPES[0] else {"dtype": self.dtype}

    def put(self, model: Any) -> Any:
        """Put a model there, in its precision."""
        return model.to(device=self.device, dtype=getattr(torch, self.dtype))


def described(kind: str, name: str, model: Any) -> dict[str, str]:
    """Return what identifies a model and its runtime."""
    weights = next(model.parameters())
    return {
        "kind": kind,
        "model": name,
        "architecture": str(model.config.model_type),
        "parameters": str(sum(parameter.numel() for parameter in model.parameters())),
        "dtype": str(weights.dtype).removeprefix("torch."),
        "device": str(weights.device),
        "torch": torch.__version__,
        "transformers": transformers.__version__,
    }


def equal_lengths(lengths: Sequence[Any], *, tokens: Callable[[Any], int], most_tokens: int) -> list[list[int]]:
    """Put places of equal length together, so that nothing is padded, the longest first; cut into batches.

    >>> equal_lengths([3, 2, 3, 3], tokens=int, most_tokens=6)
    [[0, 2], [3], [1]]
    """
    together: defaultdict[Any, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        together[length].append(index)
    return [
        indices[start : start + size]
        for length, indices in sorted(together.items(), reverse=True)
        for size in (max(1, most_tokens // tokens(length)),)
        for start in range(0, len(indices), size)
    ]


def on_every_core(batches: Sequence[list[int]], work: Callable[[list[int]], None], placement: Placement) -> None:
    """Work on as many batches at a time as there are cores: one thread on each beats all of them on one."""

    def alone(batch: list[int]) -> None:
        torch.set_num_threads(1)
        with torch.device(placement.device), torch.inference_mode():  # tensors are made where the model is
            work(batch)

    with ThreadPoolExecutor(placement.threads) as pool:
        list(pool.map(alone, batches))


def ordered(values: torch.Tensor, most: int) -> list[list[tuple[int, float]]]:
    """Return the highest values of each row with their places, the highest first; of equal ones the first place."""
    best = torch.topk(values, min(most, values.shape[-1]), dim=-1)
    return [
        sorted(zip(indices, numbers, strict=True), key=lambda one: (-one[1], one[0]))
        for indices, numbers in zip(best.indices.tolist(), best.values.tolist(), strict=True)
    ]


def guesses(
    logprobs: torch.Tensor, answers: Sequence[int], best: int, text: Callable[[list[int]], str]
) -> Iterator[TokenGuess]:
    """Tell of each row where its answer stands among all tokens, how likely it is, and which tokens are the best."""
    gold = logprobs.gather(1, torch.tensor(answers)[:, None])
    ranks = (logprobs > gold).sum(1) + 1
    for rank, logprob, top in zip(ranks.tolist(), gold[:, 0].tolist(), ordered(logprobs, best), strict=True):
        yield TokenGuess(rank, logprob, tuple(text([token]) for token, _ in top), tuple(one for _, one in top))
