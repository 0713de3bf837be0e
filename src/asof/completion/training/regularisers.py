"""What keeps embeddings small, and neighbouring times alike."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor


def squares(factors: Sequence[Tensor]) -> Tensor:
    """L2: the sum of squares of the factors of a batch, per fact."""
    return torch.stack([factor.square().sum() / len(factor) for factor in factors]).sum()


def cubes(factors: Sequence[Tensor]) -> Tensor:
    """N3 (Lacroix et al. 2018): the sum of cubed moduli of complex factors, per fact.

    >>> cubes([torch.tensor([[3.0, 4.0]])])
    tensor(125.)
    """
    return torch.stack([_moduli(factor).pow(3).sum() / len(factor) for factor in factors]).sum()


def roughness(times: Tensor) -> Tensor:
    """Cubed moduli of the steps from each time point to the next, per step (Lacroix et al. 2020)."""
    return _moduli(times[1:] - times[:-1]).pow(3).sum() / max(1, len(times) - 1)


def _moduli(factor: Tensor) -> Tensor:
    real, imaginary = factor.chunk(2, -1)
    return torch.sqrt(real.square() + imaginary.square() + 1e-12)
