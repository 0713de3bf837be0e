"""Answers for people: names with probabilities, and which of them the model would give."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from asof.memorize.folder import TrainedMemory
from asof.memorize.reciting import best_answers
from asof.memorize.threshold import given_by

_MOST = 40  # answers that are looked through to tell how many there are


@dataclass(frozen=True)
class BlankAnswer:
    """What may stand in a blank; ``given`` when it is likely enough beside the best one."""

    id: str
    name: str
    logprob: float
    given: bool


@dataclass(frozen=True)
class StatementAnswers:
    """The best answers to a statement, and how many it has: those that the threshold lets through.

    The network's own output for that number is right far less often (docs/lama_tk.md).
    """

    answers: tuple[BlankAnswer, ...]
    expected: int


def answers_to(trained: TrainedMemory, statements: Sequence[str], *, top: int = 5) -> list[StatementAnswers]:
    """Fill the blanks of statements, in their order."""
    prompts = list(dict.fromkeys(statements))
    tokens = trained.tokenizer.encode(prompts)
    objective = trained.plan.training.objective
    best = best_answers(trained.memory, tokens, np.arange(len(prompts)), best=max(top, _MOST), objective=objective)
    given = given_by(best.logprobs, trained.threshold)
    found = {}
    for row, prompt in enumerate(prompts):
        answers = (
            BlankAnswer(
                trained.known.id_of(number), trained.known.name_of(number), min(0.0, logprob), index < int(given[row])
            )
            for index, (number, logprob) in enumerate(
                zip(best.answers[row, :top].tolist(), best.logprobs[row, :top].tolist(), strict=True)
            )
        )
        found[prompt] = StatementAnswers(tuple(answers), int(given[row]))
    return [found[statement] for statement in statements]
