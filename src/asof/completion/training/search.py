"""Search for settings: draw some at random from declared ranges, train with each, choose on valid.

Each try is a trained model in a folder of its own, so a search that was stopped goes on where it was.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asof.completion.dataset import Dataset
from asof.completion.trained.folder import train_into
from asof.completion.training.plan import CompletionPlan
from asof.errors import UserError
from asof.training.finite_loss import LossError

_DRAWS_PER_TRY = 50  # after so many that were there before, the ranges hold no more


@dataclass(frozen=True)
class ValueChoice:
    """One of some values."""

    values: Sequence[Any]

    def draw(self, random: np.random.Generator) -> Any:
        """Take one, each as likely as the other."""
        return self.values[int(random.integers(len(self.values)))]


@dataclass(frozen=True)
class ValueRange:
    """A number between two others; where both are above zero, each order of magnitude is as likely as the other."""

    low: float
    high: float
    whole: bool = False

    def draw(self, random: np.random.Generator) -> Any:
        """Take one; whole numbers include both ends."""
        if self.low > 0:
            value = math.exp(random.uniform(math.log(self.low), math.log(self.high)))
        else:
            value = random.uniform(self.low, self.high)
        return min(int(self.high), max(int(self.low), round(value))) if self.whole else float(f"{value:.3g}")


@dataclass(frozen=True)
class Trial:
    """What was tried and what came of it; no figures where the training broke."""

    folder: Path
    drawn: dict[str, Any]
    plan: CompletionPlan
    valid: Mapping[str, float] | None


def draws(ranges: Mapping[str, ValueChoice | ValueRange], tries: int, seed: int) -> list[dict[str, Any]]:
    """Draw settings, each but once.

    >>> draws({"rank": ValueChoice([50, 100])}, 5, seed=0)
    [{'rank': 100}, {'rank': 50}]
    """
    random = np.random.default_rng(seed)
    found: list[dict[str, Any]] = []
    for _ in range(tries * _DRAWS_PER_TRY):
        one = {name: chosen.draw(random) for name, chosen in ranges.items()}
        if one not in found:
            found.append(one)
        if len(found) == tries:
            break
    return found


def search(
    folder: Path,
    scorer: str,
    dataset: Dataset,
    location: str | Path,
    ranges: Mapping[str, ValueChoice | ValueRange],
    *,
    fixed: Mapping[str, Any],
    tries: int,
    seed: int = 0,
    on_progress: Callable[[Trial], None] = lambda one: None,
) -> list[Trial]:
    """Train with settings from ranges and return the tries, the best on valid first.

    Args:
        fixed: Settings that are the same in all tries.
        on_progress: Called after each try.
    """
    if not ranges:
        raise UserError("There is nothing to search: give a setting several values, such as --set rank=50,100.")
    found = []
    for number, drawn in enumerate(draws(ranges, tries, seed), start=1):
        plan = CompletionPlan.of(scorer, {**fixed, **drawn})
        if "batch" not in {**fixed, **drawn}:
            plan = plan.for_facts(len(dataset.train))
        target = folder / f"try-{number:02d}"
        try:
            valid: Mapping[str, float] | None = train_into(target, plan, dataset, location).about["valid"]
        except LossError:
            valid = None  # the rate was too high; the other tries may be fine
        found.append(Trial(target, drawn, plan, valid))
        on_progress(found[-1])
    return sorted(found, key=lambda one: -one.valid["mrr"] if one.valid else math.inf)
