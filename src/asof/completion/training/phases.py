"""Training in phases, for scorers whose parts are learnt one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

if TYPE_CHECKING:
    from torch import Tensor

    from asof.completion.dataset import Dataset, Ints
    from asof.completion.queries import Queries
    from asof.completion.training.state import CompletionCheckpoint
    from asof.completion.training.trainer import CompletionTraining

OnProgress = Callable[[dict[str, Any]], None]  # is called with the figures of each epoch
OnStep = Callable[["StepProgress"], None]


@dataclass(frozen=True)
class StepProgress:
    """How far an epoch is: so many steps of so many."""

    step: int
    steps: int
    phase: int
    epoch: int
    epochs: int

    @property
    def epochs_done(self) -> float:
        """How many epochs of the phase are done, with a fraction for this one."""
        return self.epoch - 1 + self.step / self.steps


def everything(name: str) -> bool:
    """Train every parameter."""
    return True


@dataclass(frozen=True)
class Phase:
    """One phase: how to train, and which parameters; the others keep the values that the phase before gave them.

    Args:
        trains: Tells by its name whether a parameter is trained.
        loss: What to train on, given rows of the questions of train; None for the cross-entropy of the scorer's own
            scores.
    """

    settings: CompletionTraining
    trains: Callable[[str], bool] = everything
    loss: Callable[[Dataset, Ints], Tensor] | None = None


@runtime_checkable
class InPhases(Protocol):
    """A scorer that is trained in several phases; each begins with the best weights of the one before."""

    def phases(self, settings: CompletionTraining) -> Sequence[Phase]:
        """Return the phases; the settings are what the user gave."""


@runtime_checkable
class LooksAtFacts(Protocol):
    """A scorer that needs to see facts besides its weights, before training and whenever it is opened again."""

    def look_at(self, dataset: Dataset) -> None:
        """Take from the training facts what is needed."""


@runtime_checkable
class LearnsWeights(Protocol):
    """A scorer that, after its training, learns how to weigh what it has."""

    @property
    def weighed_on_valid(self) -> bool:
        """Tell whether valid has taught the weights, so that figures on it say little."""

    def learn_weights(
        self,
        settings: CompletionTraining,
        on_progress: OnProgress,
        checkpoint: CompletionCheckpoint | None,
        *,
        device: str = "cpu",
    ) -> None:
        """Learn; the facts are those that it has looked at, settings and device those of the training before."""

    def held_out_scores(self, queries: Queries) -> Tensor:
        """Score questions of valid by what was learnt without them, so that they can be judged."""


def weighed_on_valid(scorer: object) -> bool:
    """Tell whether a scorer has learnt from the facts of valid, rather than ended its training by them."""
    return isinstance(scorer, LearnsWeights) and scorer.weighed_on_valid
