"""Teach: drills of some facts and a few anchors in each step; stopped at any step, it resumes to the same weights.

What a step shows follows from the seed, its number and how hard each year was last, so nothing else has to be kept.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch.nn.functional import softplus

from asof.registry import objectives
from asof.teaching.anchors import Anchors
from asof.teaching.answer_logits import AnswerLogits
from asof.teaching.date_pool import PRECISIONS, DatePool
from asof.teaching.drill import Ask, Drill
from asof.teaching.learner import Learner
from asof.teaching.lesson import TeachingLesson
from asof.teaching.settings import TeachingSettings
from asof.teaching.state import TeachingState
from asof.training.checkpoint import Checkpoint
from asof.training.crew import ALONE, Crew
from asof.training.finite_loss import see_that_it_is_finite

_DATES_OF_ANCHOR = 2  # right and wrong ones
_PROSE_TOKENS = 48
_ANCHORS_A_STEP = 4
_PROSE_A_STEP = 1
_STEEPEST = 1.0  # the length to which gradients are cut
_LAST_RATE = 0.1  # share of the learning rate at the end


@dataclass(frozen=True)
class KeptTexts:
    """What is to stay as it is: statements of other facts, and prose."""

    facts: Anchors
    prose: Anchors

    @classmethod
    def of(cls, learner: Learner, lesson: TeachingLesson, seed: int) -> KeptTexts:
        """Ask the original about other facts at right and wrong dates, and about prose."""
        asks = [ask for pool in lesson.anchors for ask in _asks_of(pool, lesson, seed)]
        prose = [learner.text(text, most=_PROSE_TOKENS) for text in lesson.prose_to_keep]
        return cls(
            Anchors.of(learner, [learner.statement(ask) for ask in asks]),
            Anchors.of(learner, [one for one in prose if one]),
        )

    def drawn(self, random: np.random.Generator) -> tuple[list[int], list[int]]:
        """Draw some for a step."""
        counts = ((self.facts, _ANCHORS_A_STEP), (self.prose, _PROSE_A_STEP))
        facts, prose = (
            random.permutation(len(anchors.statements))[:count].tolist() if anchors.statements else []
            for anchors, count in counts
        )
        return facts, prose


def _asks_of(pool: DatePool, lesson: TeachingLesson, seed: int) -> Iterator[Ask]:
    """Ask about a fact that is not taught, at a few dates of all precisions."""
    draw = lesson.drawer(pool, PRECISIONS, seed, (3, 0))
    for number in range(_DATES_OF_ANCHOR):
        dates = [*draw.right_dates(1 + number), *draw.wrong_dates(1 + number)]
        for date in dates[-2:]:
            yield Ask(draw.prompt(date, draw.question()), f" {pool.fact.answer.text}")


def train(
    learner: Learner,
    lesson: TeachingLesson,
    settings: TeachingSettings,
    *,
    state: TeachingState,
    crew: Crew = ALONE,
    checkpoint: Checkpoint[TeachingState] | None = None,
    on_progress: Callable[[dict[str, Any]], None] = lambda row: None,
    on_step: Callable[[int, int, str], None] = lambda done, total, note: None,
) -> None:
    """Teach in place.

    Args:
        state: Where to go on from.
        crew: The processes that teach together.
        checkpoint: Keeps where the training stands, from time to time.
        on_progress: Called after each epoch with its figures.
        on_step: Called after each step with the steps that are done, all there are, and how it goes.
    """
    kept = KeptTexts.of(learner, lesson, settings.seed) if settings.keep else None
    optimiser = torch.optim.AdamW(learner.trained.values(), lr=settings.learning_rate, weight_decay=0.0, fused=True)
    state.restore(learner, optimiser)
    if not state.hardness.numel():
        state.hardness = _unseen(lesson)
    steps = -(-len(lesson.taught) // settings.batch)
    while state.epoch < settings.epochs:
        began, cpu_began = time.perf_counter() - state.seconds, time.process_time() - state.cpu_seconds
        order = np.random.default_rng([settings.seed, 0, state.epoch]).permutation(len(lesson.taught))
        while state.step < steps:
            rows = order[state.step * settings.batch : (state.step + 1) * settings.batch]
            figures = _step(learner, lesson, settings, kept, optimiser, state, rows.tolist(), steps, crew)
            state.step += 1
            state.add(figures)
            state.seconds, state.cpu_seconds = time.perf_counter() - began, time.process_time() - cpu_began
            on_step(state.epoch * steps + state.step, settings.epochs * steps, _note(state.means()))
            if checkpoint and checkpoint.is_due():
                checkpoint.save(state.keep(learner, optimiser))
        row: dict[str, Any] = {"phase": 1, "epoch": state.epoch + 1, "epochs": settings.epochs}
        row |= {name: round(value, 5) for name, value in state.means().items()} | {"steps": steps}
        row |= {"seconds": round(state.seconds, 3), "cpu_seconds": round(state.cpu_seconds, 3)}
        state.next_epoch()
        on_progress(row)
        if state.epoch == settings.epochs:
            _see_that_weights_are_finite(learner, settings)
        if checkpoint and (checkpoint.is_due() or state.epoch == settings.epochs):
            checkpoint.save(state.keep(learner, optimiser))


def _see_that_weights_are_finite(learner: Learner, settings: TeachingSettings) -> None:
    """Raise an error where the last step has broken a weight: no loss is computed after it."""
    total = sum(float(one.detach().abs().sum()) for one in learner.trained.values())
    see_that_it_is_finite(total, epoch=settings.epochs, learning_rate=settings.learning_rate)


def _unseen(lesson: TeachingLesson) -> torch.Tensor:
    longest = max(len(pool.years) for pool in lesson.taught)
    return torch.full((len(lesson.taught), longest, len(PRECISIONS)), float("nan"))


def _note(means: dict[str, float]) -> str:
    return f"loss {means['loss']:.3f}" + (f", pairs won {means['won']:.3f}" if "won" in means else "")


def _step(
    learner: Learner,
    lesson: TeachingLesson,
    settings: TeachingSettings,
    kept: KeptTexts | None,
    optimiser: torch.optim.Optimizer,
    state: TeachingState,
    rows: list[int],
    steps: int,
    crew: Crew = ALONE,
) -> dict[str, float]:
    """Take a step with some facts, this process with its share of them, and return the figures of all."""
    own = crew.share(rows)
    drills = [_drill(lesson, settings, state, row) for row in own]
    random = np.random.default_rng([settings.seed, 2, state.epoch, state.step])
    drawn = zip((kept.facts, kept.prose), kept.drawn(random), strict=True) if kept else ()
    anchors = [(one, list(crew.share(chosen)), one.places(chosen)) for one, chosen in drawn]
    statements = [learner.statement(ask) for drill in drills for ask in drill.statements]
    first = len(statements)
    statements += [one.statements[number] for one, chosen, _ in anchors for number in chosen]
    loss, figures = torch.zeros(()), {"loss": 0.0}
    if statements:
        found = learner.answers(statements)
        loss, figures = _loss(drills, found, len(statements), settings, state, own)
        loss = loss / len(rows)
        for one, chosen, places in anchors:
            if chosen:
                apart = one.divergence(found, chosen, first) * (one.places(chosen) / places)
                loss = loss + settings.keep * apart
                figures["kept"] = figures.get("kept", 0.0) + float(apart.detach())
                first += len(chosen)
        figures = {name: value / (1 if name == "kept" else len(rows)) for name, value in figures.items()}
        figures["loss"] = float(loss.detach())
    told = crew.tell((figures, {row: state.hardness[row] for row in own}))
    figures = _added_up([figures for figures, _ in told])
    for row, hardness in (one for _, seen in told for one in seen.items()):
        state.hardness[row] = hardness
    see_that_it_is_finite(figures["loss"], epoch=state.epoch + 1, learning_rate=settings.learning_rate)
    optimiser.zero_grad(set_to_none=True)
    if statements:
        loss.backward()  # type: ignore[no-untyped-call]
    crew.add_up_gradients(learner.trained.values())
    torch.nn.utils.clip_grad_norm_(learner.trained.values(), _STEEPEST)
    for group in optimiser.param_groups:
        group["lr"] = settings.learning_rate * _share_of_rate(
            state.epoch * steps + state.step, settings.epochs * steps, settings
        )
    optimiser.step()
    return figures


def _added_up(told: Sequence[dict[str, float]]) -> dict[str, float]:
    names = dict.fromkeys(name for figures in told for name in figures)
    return {name: sum(figures.get(name, 0.0) for figures in told) for name in names}


def _share_of_rate(step: int, steps: int, settings: TeachingSettings) -> float:
    """Warm up, then go down in a line: late steps disturb less of what is known."""
    return min(1.0, (step + 1) / settings.warm_up) * (1 - (1 - _LAST_RATE) * step / max(1, steps))


def _drill(lesson: TeachingLesson, settings: TeachingSettings, state: TeachingState, row: int) -> Drill:
    pool = lesson.taught[row]
    hardness = state.hardness[row, : len(pool.years)].numpy()
    number = (1, state.epoch, state.step)
    draw = lesson.drawer(pool, settings.taught_precisions, settings.seed, number, hardness)
    found: Drill = objectives.get(settings.objective)().drill(draw, right=settings.right, wrong=settings.wrong)
    return found


def _loss(
    drills: Sequence[Drill],
    found: AnswerLogits,
    statements: int,
    settings: TeachingSettings,
    state: TeachingState,
    rows: Sequence[int],
) -> tuple[torch.Tensor, dict[str, float]]:
    """Return the losses of the facts, the shares of pairs won, and how likely right answers were, all added up."""
    logprobs = found.of_answers(statements)
    losses, won, said, first = [], [], [], 0
    for drill, row in zip(drills, rows, strict=True):
        own = logprobs[first : first + len(drill.statements)]
        first += len(drill.statements)
        loss = own.sum() * 0
        if drill.said:
            said.append(own[drill.said].mean())
            loss = loss - (settings.language if drill.pairs else 1.0) * said[-1]
        if drill.pairs:
            better, worse = zip(*drill.pairs, strict=True)
            apart = own[list(better)] - own[list(worse)]
            loss = loss + softplus(settings.margin - apart).mean()
            won.append(float((apart.detach() > 0).float().mean()))
        losses.append(loss)
        _remember(drill, own.detach(), state.hardness[row])
    figures = {"said": float(torch.stack(said).detach().sum())} if said else {}
    figures |= {"won": sum(won)} if won else {}
    return sum(losses, start=torch.zeros((), device=logprobs.device)), figures


def _remember(drill: Drill, logprobs: torch.Tensor, hardness: torch.Tensor) -> None:
    """Keep how likely the answer was at each wrong date, less than at the least likely right one."""
    if not drill.seen or not drill.said:
        return
    lowest = float(logprobs[drill.said].min())
    for place, (year, precision) in drill.seen.items():
        hardness[year, precision] = float(logprobs[place]) - lowest
