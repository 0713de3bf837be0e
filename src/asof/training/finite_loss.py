"""A loss that is not a number any more ends a training; what was kept before stays as it is."""

from __future__ import annotations

import math

from asof.errors import UserError


class LossError(UserError):
    """A loss that is not a number any more, or weights that are broken after a step.

    Args:
        next_step: What to do about it; by default, to train with a lower rate.
    """

    def __init__(self, loss: float, *, epoch: int, learning_rate: float, next_step: str = "") -> None:
        lower = f"Train with a lower rate into another folder: --set learning_rate={learning_rate / 10:g} --to FOLDER"
        super().__init__(
            f"The loss is {loss} in epoch {epoch}, or the weights are broken after it: the learning rate "
            f"{learning_rate:g} is too high, or another setting is out of bounds. Earlier checkpoints are unchanged. "
            + (next_step or lower)
        )


def see_that_it_is_finite(loss: float, *, epoch: int, learning_rate: float, next_step: str = "") -> None:
    """Raise an error when a loss is infinite or not a number.

    >>> see_that_it_is_finite(0.5, epoch=1, learning_rate=0.1)
    """
    if not math.isfinite(loss):
        raise LossError(loss, epoch=epoch, learning_rate=learning_rate, next_step=next_step)
