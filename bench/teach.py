"""Steps a second of asof teach, beside a plain loop of peft and transformers on the same batches, in turns in one run.

    python bench/teach.py [MODEL] [--steps 6]

The plain loop is what one writes first: the same LoRA, statements padded to the longest of a step, the output layer on
every position, the pairwise loss on the answers' tokens, and the original asked in each step with the adapter switched
off, as trl does, to stay close to it. Both compute in the same precision, on one thread, and see the same statements.
Figures are CPU time. Writes results/teach.json.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import torch
from torch.nn.functional import softplus

from asof.models.statement_trees import Statement
from asof.teaching.drill import Drill
from asof.teaching.learner import Adaptation, Learner
from asof.teaching.lesson import TeachingLesson
from asof.teaching.plan import TeachingPlan
from asof.teaching.settings import TeachingSettings
from asof.teaching.state import TeachingState
from asof.teaching.training import KeptTexts, _drill, _step, _unseen

WARM = 1  # steps of each that are not timed


def padded(learner: Learner, statements: Sequence[Statement]) -> tuple[torch.Tensor, torch.Tensor]:
    """Read padded rows, and return the logits before each token and which tokens belong to answers."""
    longest = max(len(one.tokens) for one in statements)
    ids = torch.tensor([one.tokens + [0] * (longest - len(one.tokens)) for one in statements])
    mask = torch.tensor([[1] * len(one.tokens) + [0] * (longest - len(one.tokens)) for one in statements])
    with learner._computing():
        logits = learner.network(input_ids=ids, attention_mask=mask, use_cache=False).logits[:, :-1].float()
    inside = torch.zeros(len(statements), longest - 1)
    for row, one in enumerate(statements):
        inside[row, len(one.tokens) - one.answer - 1 : len(one.tokens) - 1] = 1
    logprobs = torch.log_softmax(logits, -1)
    return logprobs.gather(-1, ids[:, 1:, None])[..., 0] * inside, logprobs * inside[..., None]


def plain_step(
    learner: Learner,
    drills: Sequence[Drill],
    anchors: Sequence[Statement],
    optimiser: torch.optim.Optimizer,
    settings: TeachingSettings,
) -> None:
    """Take the step that one writes first."""
    statements = [learner.statement(ask) for drill in drills for ask in drill.statements]
    chosen, _ = padded(learner, statements)
    logprobs, losses, first = chosen.sum(-1), [], 0
    for drill in drills:
        own = logprobs[first : first + len(drill.statements)]
        first += len(drill.statements)
        better, worse = zip(*drill.pairs, strict=True)
        apart = own[list(better)] - own[list(worse)]
        losses.append(softplus(settings.margin - apart).mean() - settings.language * own[drill.said].mean())
    with torch.no_grad(), learner.adapter.disable_adapter():
        _, before = padded(learner, anchors)
    _, now = padded(learner, anchors)
    kept = (before.exp() * (before - now)).sum(-1).sum() / sum(one.answer for one in anchors)
    loss = torch.stack(losses).mean() + settings.keep * kept
    optimiser.zero_grad(set_to_none=True)
    loss.backward()  # type: ignore[no-untyped-call]
    torch.nn.utils.clip_grad_norm_(learner.trained.values(), 1.0)
    optimiser.step()


def seconds(work: Callable[[], Any]) -> float:
    """Return the CPU time of something."""
    began = time.process_time()
    work()
    return time.process_time() - began


def measured(model: str, steps: int) -> dict[str, Any]:
    """Take steps of both in turns."""
    settings = TeachingSettings.chosen({})
    lesson: TeachingLesson = TeachingPlan.of(base="almanac", limit=2 * (steps + WARM), settings=settings).lesson()
    learner = Learner(model, Adaptation(rank=settings.rank))
    kept = KeptTexts.of(learner, lesson, settings.seed)
    optimiser = torch.optim.AdamW(learner.trained.values(), lr=1e-5, weight_decay=0.0, fused=True)
    state = TeachingState(hardness=_unseen(lesson))
    ours, plain = [], []
    for number in range(steps + WARM):
        rows = [2 * number % len(lesson.taught), (2 * number + 1) % len(lesson.taught)]
        state.step = number
        drills = [_drill(lesson, settings, state, row) for row in rows]
        facts, prose = kept.drawn(np.random.default_rng([settings.seed, 2, 0, number]))
        anchors = [kept.facts.statements[one] for one in facts] + [kept.prose.statements[one] for one in prose]
        both = [
            (plain, lambda drills=drills, anchors=anchors: plain_step(learner, drills, anchors, optimiser, settings)),
            (ours, lambda rows=rows: _step(learner, lesson, settings, kept, optimiser, state, rows, steps)),
        ]
        for taken, work in both if number % 2 else reversed(both):
            taken.append(seconds(work))
    ratios = [one / other for one, other in zip(plain[WARM:], ours[WARM:], strict=True)]
    return {
        "model": model,
        "dtype": learner.dtype,
        "steps": steps,
        "asof_seconds_per_step": round(median(ours[WARM:]), 3),
        "plain_seconds_per_step": round(median(plain[WARM:]), 3),
        "ratio": round(median(ratios), 2),
        "ratio_lowest": round(min(ratios), 2),
        "ratio_highest": round(max(ratios), 2),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("model", nargs="?", default="smollm2")
    parser.add_argument("--steps", type=int, default=6)
    given = parser.parse_args()
    torch.set_num_threads(1)
    found = measured(given.model, given.steps)
    print(json.dumps(found, indent=1))
    Path(__file__).with_name("results").joinpath("teach.json").write_text(json.dumps(found, indent=1) + "\n")
