"""Teach a network to mark answers, in steps that can be stopped: the same command goes on where it was."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from asof.reading.marking.lessons import SpanLesson
from asof.reading.marking.network import loss_of
from asof.training.checkpoint import Checkpoint, Tensors
from asof.training.finite_loss import see_that_it_is_finite
from asof.weights.transformers_folder import torch

OnMessage = Callable[[str], None]
_STEEPEST = 1.0  # the length to which gradients are cut
_TALK = 50  # steps
_SORTED_TOGETHER = 32  # batches
_ORDERS: dict[tuple[int, int, int], list[list[int]]] = {}


@dataclass(frozen=True, kw_only=True)
class Stage:
    """How long and how fast a network learns.

    Args:
        windows: How many it sees; a list of lessons that is shorter is seen again.
        rate: The highest learning rate.
        warm: For this share of the steps the rate rises.
        rest: The share of the rate that is left at the end, for what is taught next.
    """

    windows: int
    rate: float
    batch: int = 16
    warm: float = 0.06
    rest: float = 0.0
    seed: int = 0


@dataclass(frozen=True)
class Standing:
    """Where a stage stands."""

    step: int
    loss: float
    weights: Tensors
    firsts: Tensors  # of AdamW: means of gradients
    seconds: Tensors  # ... and of their squares


def teach_stage(
    model: Any,
    lessons: Sequence[SpanLesson],
    stage: Stage,
    *,
    checkpoint: Path | None = None,
    identity: Mapping[str, Any] | None = None,
    on_message: OnMessage = lambda sentence: None,
) -> float:
    """Teach a network by lessons, in an order that the seed decides.

    Args:
        checkpoint: A file that is written as it goes and removed at the end; a stage that was stopped goes on with it.
        identity: What else tells this training from others.

    Returns:
        The mean loss of the last steps.
    """
    taught = {name: one for name, one in model.named_parameters() if one.requires_grad}
    steps = torch.optim.AdamW(taught.values(), lr=stage.rate, weight_decay=0.01)
    count = max(1, stage.windows // stage.batch)
    file = Checkpoint(checkpoint, {**asdict(stage), **(identity or {})}, Standing, every=60.0) if checkpoint else None
    begun, loss = _resume(file.load() if file else None, taught, steps, on_message)
    model.train()
    began = time.monotonic()
    with _nothing_near_nothing():
        for step in range(begun, count):
            for group in steps.param_groups:
                group["lr"] = stage.rate * _pace(step, count, stage)
            torch.manual_seed(stage.seed * 1_000_003 + step)  # so that a training that was stopped draws the same
            with torch.autocast("cpu", dtype=torch.bfloat16):
                lost = loss_of(model, _batch(lessons, step, stage))
            steps.zero_grad()
            lost.backward()
            torch.nn.utils.clip_grad_norm_(list(taught.values()), _STEEPEST)
            steps.step()
            value = float(lost.detach())
            loss = value if step == 0 else 0.98 * loss + 0.02 * value
            see_that_it_is_finite(
                value, epoch=1, learning_rate=stage.rate, next_step="Nothing was saved. Lower the rate."
            )
            if (step + 1) % _TALK == 0:
                pace = (step + 1 - begun) * stage.batch / (time.monotonic() - began)
                on_message(f"Step {step + 1:,} of {count:,}: loss {loss:.3f}, {pace:.1f} windows a second.")
            if file and file.is_due():
                file.save(_standing(step + 1, loss, taught, steps))
    model.train(False)
    return loss


@contextmanager
def _nothing_near_nothing() -> Iterator[None]:
    """Take numbers near nothing for nothing, which make a step three times as slow; elsewhere they stay."""
    torch.set_flush_denormal(True)
    try:
        yield
    finally:
        torch.set_flush_denormal(False)


def _pace(step: int, count: int, stage: Stage) -> float:
    """Return the share of the rate at a step: up at the beginning, then straight down."""
    warm = max(1, int(stage.warm * count))
    return min((step + 1) / warm, 1 - (1 - stage.rest) * (step - warm) / max(1, count - warm))


def _batch(lessons: Sequence[SpanLesson], step: int, stage: Stage) -> list[SpanLesson]:
    """Return the lessons of a step: each epoch in an order of its own, those of a length together."""
    epoch, inside = divmod(step, max(1, len(lessons) // stage.batch))
    return [lessons[place] for place in _order(lessons, stage, epoch)[inside]]


def _order(lessons: Sequence[SpanLesson], stage: Stage, epoch: int) -> list[list[int]]:
    """Shuffle lessons, sort some batches of them by length, and shuffle the batches."""
    key = (id(lessons), stage.seed, epoch)
    if key not in _ORDERS:
        drawn = random.Random(stage.seed * 7919 + epoch)
        places, size = list(range(len(lessons))), stage.batch * _SORTED_TOGETHER
        drawn.shuffle(places)
        pools = [places[low : low + size] for low in range(0, len(places), size)]
        places = [one for pool in pools for one in sorted(pool, key=lambda place: len(lessons[place].window.ids))]
        batches = [places[low : low + stage.batch] for low in range(0, len(places), stage.batch)]
        drawn.shuffle(batches)
        _ORDERS.clear()
        _ORDERS[key] = batches
    return _ORDERS[key]


def _standing(step: int, loss: float, taught: Mapping[str, Any], steps: Any) -> Standing:
    firsts = {name: steps.state[one]["exp_avg"] for name, one in taught.items()}
    seconds = {name: steps.state[one]["exp_avg_sq"] for name, one in taught.items()}
    return Standing(step, loss, {name: one.detach() for name, one in taught.items()}, firsts, seconds)


def _resume(
    standing: Standing | None, taught: Mapping[str, Any], steps: Any, on_message: OnMessage
) -> tuple[int, float]:
    if standing is None:
        return 0, 0.0
    for name, one in taught.items():
        one.data.copy_(standing.weights[name])
        steps.state[one] = {
            "step": torch.tensor(float(standing.step)),
            "exp_avg": standing.firsts[name].clone(),
            "exp_avg_sq": standing.seconds[name].clone(),
        }
    on_message(f"Continues after step {standing.step:,}.")
    return standing.step, standing.loss
