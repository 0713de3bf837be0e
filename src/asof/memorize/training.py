"""Teach statements to a network: Adam, batches of like length, reciting as it goes; it can be cut at any step."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.nn import functional

from asof.errors import UserError
from asof.memorize.batches import EpochPrompts, batches_of, shown_in
from asof.memorize.network import MOST_COUNTED, Memory
from asof.memorize.objectives import Objective, Targets, answer_loss
from asof.memorize.reciting import RecallShare, recited_right
from asof.memorize.state import MemorizeState
from asof.memorize.statements import Statements
from asof.memorize.words import Ints, Tokens
from asof.training.checkpoint import Checkpoint
from asof.training.finite_loss import see_that_it_is_finite
from asof.training.losses import drawn_candidates
from asof.training.settings import TrainingSettings

_LONG_LIST = 20_000  # of answers; from here on a step draws some of them
_DRAWN = 8192


@dataclass(frozen=True, kw_only=True)
class MemorizeTraining(TrainingSettings):
    """How to train.

    Args:
        objective: What is right in a blank: the answer that it hides, or all, as one distribution or each by itself.
        time_masking: The percentage of statements about a time whose other time is deleted.
        copies: So many different choices of them alternate from epoch to epoch; 0 makes a new one in each.
        candidates: Answers that are drawn at random for a step, beside the right ones; 0: all of them where they are
            not more than 20,000.
        target: End when so large a share is recited right; of a text with n right answers, all must be the first n.
    """

    epochs: int = 60
    batch: int = 256
    learning_rate: float = 2e-3
    warm_up: int = 200  # steps
    objective: Objective = "set"
    time_masking: float = 0.0
    copies: int = 10
    candidates: int = 0
    count_weight: float = 0.1  # of how many answers there are, beside which
    target: float = 0.99

    def __post_init__(self) -> None:
        if not 0 <= self.time_masking <= 100:
            raise UserError(f"time_masking is {self.time_masking:g}; it must be a percentage from 0 to 100.")
        if not 0 < self.target <= 1:
            raise UserError(f"target is {self.target:g}; it must be a share above 0 and at most 1.")
        if self.learning_rate <= 0:
            raise UserError(f"learning_rate is {self.learning_rate:g}; it must be above 0.")

    def scored(self, answers: int) -> int:
        """Return with how many of a list of answers a step compares, beside the right ones."""
        drawn = self.candidates or (_DRAWN if answers > _LONG_LIST and self.objective != "each" else 0)
        return min(drawn, answers) or answers


@dataclass(frozen=True)
class Lesson:
    """What is taught: statements, their tokens and the right answers of each prompt."""

    statements: Statements
    tokens: Tokens
    answers: Ints
    begins: Ints

    @classmethod
    def of(cls, statements: Statements, tokens: Tokens) -> Lesson:
        """Look up the right answers of every prompt once."""
        return cls(statements, tokens, *statements.right_answers())


def train(
    memory: Memory,
    lesson: Lesson,
    settings: MemorizeTraining,
    *,
    state: MemorizeState | None = None,
    checkpoint: Checkpoint[MemorizeState] | None = None,
    on_progress: Callable[[dict[str, Any]], None] = lambda row: None,
    on_step: Callable[[int, int], None] = lambda done, total: None,
) -> RecallShare:
    """Train in place, and return how much is recited right in the end.

    Args:
        state: Where to go on from.
        checkpoint: Keeps where the training stands, from time to time.
        on_progress: Called after each epoch with its figures.
        on_step: Called after each step with the statements that the epoch has shown, and all that it will.
    """
    optimisers = _optimisers(memory, settings)
    state = state or MemorizeState()
    state.restore(memory, optimisers)
    recited = RecallShare(state.recited, state.recited_every)
    while state.epoch < settings.epochs and recited.every < settings.target:
        began, cpu_began = time.perf_counter() - state.seconds, time.process_time() - state.cpu_seconds
        for done, total in _steps(memory, lesson, settings, optimisers, state):
            on_step(done, total)
            state.seconds, state.cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
            if checkpoint and checkpoint.is_due():
                checkpoint.save(state.keep(memory, optimisers))
        right = state.right / max(1, state.shown)
        last = state.epoch + 1 == settings.epochs
        if right >= settings.target - 0.01 or last:  # what is right while learning; afterwards it is a little more
            recited = recited_right(memory, lesson.tokens, lesson.statements, lesson.answers, lesson.begins)
        figures = {
            "phase": 1,
            "epoch": state.epoch + 1,
            "epochs": settings.epochs,
            "loss": state.loss / max(1, state.shown),
            "right": right,
            **({"recited": recited.first, "recited_every": recited.every} if recited.first else {}),
            "statements": state.shown,
            "seconds": round(time.perf_counter() - began, 3),
            "cpu_seconds": round(time.process_time() - cpu_began, 3),
        }
        state.next_epoch(recited)
        on_progress(figures)
        if checkpoint and checkpoint.is_due():
            checkpoint.save(state.keep(memory, optimisers))
    return recited


def _steps(
    memory: Memory,
    lesson: Lesson,
    settings: MemorizeTraining,
    optimisers: list[torch.optim.Optimizer],
    state: MemorizeState,
) -> Iterator[tuple[int, int]]:
    """Take the steps of an epoch that are left, and count along."""
    epoch = state.epoch
    shown = shown_in(
        lesson.statements,
        settings.objective,
        time_masking=settings.time_masking,
        copies=settings.copies,
        epoch=epoch,
        seed=settings.seed,
    )
    batches = batches_of(shown, lesson.tokens.lengths, size=settings.batch, epoch=epoch, seed=settings.seed)
    for number in range(state.step, len(batches)):
        random = np.random.default_rng([settings.seed, 3, epoch, number])
        rows = batches[number]
        loss, right = _loss(memory, lesson, shown, rows, settings, random)
        value = float(loss.detach())
        see_that_it_is_finite(value, epoch=epoch + 1, learning_rate=settings.learning_rate)
        for optimiser in optimisers:
            optimiser.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        rate = settings.learning_rate * _share_of_rate(state, epoch * len(batches) + number, settings)
        for optimiser in optimisers:
            for group in optimiser.param_groups:
                group["lr"] = rate
            optimiser.step()
        state.step = number + 1
        state.shown += len(rows)
        state.loss += value * len(rows)
        state.right += right
        yield state.shown, len(shown)


def _share_of_rate(state: MemorizeState, step: int, settings: MemorizeTraining) -> float:
    """Warm up at first; when most is known, smaller steps disturb less of it."""
    return min(1.0, (step + 1) / settings.warm_up) * max(0.1, min(1.0, 2 * (1 - state.last_right)))


def _loss(
    memory: Memory,
    lesson: Lesson,
    shown: EpochPrompts,
    rows: Ints,
    settings: MemorizeTraining,
    random: np.random.Generator,
) -> tuple[torch.Tensor, int]:
    """Return the loss of a batch, and how many of its statements were right."""
    prompts = shown.prompts[rows]
    tokens = torch.from_numpy(lesson.tokens.padded(prompts))
    state = memory(tokens, torch.from_numpy(lesson.tokens.blank[prompts]))
    time_asked = bool(shown.is_time[rows[0]])
    first, vectors = memory.of_kind(time=time_asked)
    right = Targets.of_sets(lesson.answers - first, lesson.begins, prompts)
    targets = Targets.of_one(shown.answer[rows] - first) if settings.objective == "one" else right
    candidates = _candidates(vectors, targets, settings, random)
    loss, best = answer_loss(
        settings.objective, state.vector, candidates.vectors, candidates.targets, candidates.stands_for
    )
    kinds = torch.full((len(rows),), int(time_asked))
    counts = torch.from_numpy(np.minimum(lesson.begins[prompts + 1] - lesson.begins[prompts], MOST_COUNTED) - 1)
    loss = loss + functional.cross_entropy(state.kind, kinds)
    if settings.count_weight:
        loss = loss + settings.count_weight * functional.cross_entropy(state.number, counts)
    best = best if candidates.drawn is None else candidates.drawn[best]
    return loss, int((right.answer == best[right.row]).sum())  # an answer stands once in the list of a prompt


class BatchCandidates(NamedTuple):
    """The answers that a step compares with, and the targets by their place among them."""

    vectors: torch.Tensor
    targets: Targets
    stands_for: torch.Tensor | None = None
    drawn: torch.Tensor | None = None


def _candidates(
    vectors: torch.Tensor, targets: Targets, settings: MemorizeTraining, random: np.random.Generator
) -> BatchCandidates:
    """Take all answers of a kind, or the right ones and some that stand for the others."""
    count = settings.scored(len(vectors))
    if count == len(vectors):
        return BatchCandidates(vectors, targets)
    drawn, index, stands_for = drawn_candidates(targets.answer, len(vectors), count, random)
    return BatchCandidates(
        functional.embedding(drawn, vectors, sparse=True), targets._replace(answer=index), stands_for, drawn
    )


def _optimisers(memory: Memory, settings: MemorizeTraining) -> list[torch.optim.Optimizer]:
    """Words, and answers where some are drawn, get steps only where a batch has them: most are in few statements."""
    sparse = [memory.encoder.words.weight]
    sparse += [one for one in (memory.entity_answers, memory.time_answers) if settings.scored(len(one)) < len(one)]
    dense = [one for one in memory.parameters() if all(one is not other for other in sparse)]
    options: dict[str, Any] = {"lr": settings.learning_rate, "betas": (0.9, 0.98)}
    return [torch.optim.Adam(dense, fused=True, **options), torch.optim.SparseAdam(sparse, **options)]
