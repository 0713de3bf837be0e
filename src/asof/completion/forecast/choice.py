"""One of several options, each with features: how likely each is, and how features weigh (McFadden 1974).

The chance of an option is the soft-max of a weighted sum of its features. Weights are those under which what happened
is likeliest, drawn a little towards a first guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from asof.completion.forecast.waiting import Floats

_SHRINKAGE = 1.0
_STEPS = 60


@dataclass(frozen=True)
class OptionSet:
    """Options as rows of features, and the share of each in what happened."""

    features: Floats
    chosen: Floats


def fitted_weights(choices: Sequence[OptionSet], guess: Floats) -> Floats:
    """Learn the weights of features, from a first guess on.

    >>> two = np.array([[1.0], [0.0]])
    >>> often = [OptionSet(two, np.array([1.0, 0.0]))] * 300 + [OptionSet(two, np.array([0.0, 1.0]))] * 100
    >>> chances(two, fitted_weights(often, np.zeros(1))).round(2).tolist()
    [0.75, 0.25]
    """
    if not choices:
        return guess
    rows = torch.from_numpy(np.concatenate([one.features for one in choices]))
    chosen = torch.from_numpy(np.concatenate([one.chosen for one in choices]))
    which = torch.repeat_interleave(torch.arange(len(choices)), torch.tensor([len(one.chosen) for one in choices]))
    scale = rows.std(0, correction=0).clamp_min(1e-6)
    begin = torch.from_numpy(guess) * scale
    weights = begin.clone().requires_grad_()
    optimiser = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        scores = (rows / scale) @ weights
        highest = torch.full((len(choices),), -torch.inf, dtype=scores.dtype)
        highest = highest.scatter_reduce(0, which, scores.detach(), "amax")
        sums = torch.zeros(len(choices), dtype=scores.dtype).index_add(0, which, torch.exp(scores - highest[which]))
        logs = scores - highest[which] - torch.log(sums)[which]
        found = -(chosen * logs).sum() + _SHRINKAGE * (weights - begin).square().sum()
        found.backward()  # type: ignore[no-untyped-call]
        return found

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return (weights.detach() / scale).numpy()


def chances(features: Floats, weights: Floats) -> Floats:
    """Return the chance of each option."""
    scores = features @ weights
    raised = np.exp(scores - scores.max())
    found: Floats = raised / raised.sum()
    return found
