"""A plain way of teaching a network: epochs of batches, steps of AdamW, a sentence after each epoch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import torch

from asof.training.finite_loss import see_that_it_is_finite

_STEEPEST = 1.0  # the length to which gradients are cut
_NEXT_STEP = "Nothing was saved. Start from another model: --start MODEL"
_Example = TypeVar("_Example")


def teach(
    model: Any,
    batches: Callable[[], Sequence[Sequence[_Example]]],
    loss_of: Callable[[Sequence[_Example]], Any],
    steps: torch.optim.Optimizer,
    *,
    epochs: int,
    pace: torch.optim.lr_scheduler.LRScheduler | None = None,
    on_message: Callable[[str], None],
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
    rate = max(group["lr"] for group in steps.param_groups)
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
        see_that_it_is_finite(total, epoch=epoch + 1, learning_rate=rate, next_step=_NEXT_STEP)
        losses.append(total / max(1, seen))
        on_message(f"Epoch {epoch + 1} of {epochs}: loss {losses[-1]:.3f}.")
    return losses
