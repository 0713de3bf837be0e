"""The way of teaching a network that readers share: epochs of batches, steps of AdamW, a sentence after each epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from asof.models._transformers import torch

_STEEPEST = 1.0  # the length to which gradients are cut
_Example = TypeVar("_Example")


def teach(
    model: Any,
    batches: Callable[[], Sequence[Sequence[_Example]]],
    loss_of: Callable[[Sequence[_Example]], Any],
    steps: torch.optim.Optimizer,
    *,
    epochs: int,
    pace: torch.optim.lr_scheduler.LRScheduler | None = None,
    told: Callable[[str], None],
) -> list[float]:
    """Teach a model.

    Args:
        batches: Makes those of an epoch, in their order.
        loss_of: Returns the mean loss of a batch.
        pace: Changes the learning rate after each step.

    Returns:
        The mean loss of each epoch.
    """
    model.train()
    losses = []
    for epoch in range(epochs):
        total, seen = 0.0, 0
        for batch in batches():
            loss = loss_of(batch)
            steps.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), _STEEPEST)
            steps.step()
            if pace:
                pace.step()
            total, seen = total + float(loss.detach()) * len(batch), seen + len(batch)
        losses.append(total / max(1, seen))
        told(f"Epoch {epoch + 1} of {epochs}: loss {losses[-1]:.3f}.")
    return losses
