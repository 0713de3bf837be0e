"""What the kinds of Transformers models share: batches of texts of equal length, one batch on each core."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asof.models._blank import TokenGuess
from asof.weights.transformers_folder import torch, transformers


def described(kind: str, name: str, model: Any) -> dict[str, str]:
    """Return what identifies a model and its runtime."""
    return {
        "kind": kind,
        "model": name,
        "architecture": str(model.config.model_type),
        "parameters": str(sum(parameter.numel() for parameter in model.parameters())),
        "dtype": "float32",
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


def on_every_core(batches: Sequence[list[int]], work: Callable[[list[int]], None], threads: int) -> None:
    """Work on as many batches at a time as there are cores: one thread on each beats all of them on one."""

    def alone(batch: list[int]) -> None:
        torch.set_num_threads(1)
        with torch.inference_mode():
            work(batch)

    with ThreadPoolExecutor(threads) as pool:
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
