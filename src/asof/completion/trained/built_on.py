"""Models that build on the embeddings of others: what is taken from them, and whether they fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor

from asof import registry
from asof.completion.dataset import Dataset
from asof.completion.trained.kept_facts import fingerprint
from asof.completion.training.plan import CompletionPlan, settings_of
from asof.errors import UserError

if TYPE_CHECKING:
    from asof.completion.trained.folder import TrainedModel


def inherited_settings(scorer: str, built_on: Sequence[TrainedModel]) -> dict[str, Any]:
    """Return the settings that a scorer takes over: those of the first model, and what the others are."""
    settings = dict(built_on[0].plan.settings) if built_on else {}
    others = [
        {"scorer": model.plan.scorer, "rank": model.plan.rank, "options": dict(model.plan.options)}
        for model in built_on[1:]
    ]
    if others and "others" not in settings_of(scorer):
        raise UserError(
            f"{scorer} builds on one model only, not on {len(built_on)}. Give --from once, or train evidence, "
            f"which is an ensemble."
        )
    return {**settings, **({"others": others} if others else {})}


def embeddings_of(built_on: Sequence[TrainedModel]) -> Mapping[str, Tensor]:
    """Return the weights to begin with, under the names that they have in the scorer that builds on them."""
    weights = dict(built_on[0].scorer.state_dict()) if built_on else {}
    for number, model in enumerate(built_on[1:]):
        weights |= {f"others.{number}.{name}": value for name, value in model.scorer.state_dict().items()}
    return weights


def see_that_they_fit(built_on: Sequence[TrainedModel], plan: CompletionPlan, dataset: Dataset) -> None:
    """Raise an error when a scorer cannot build on models, or they know other facts."""
    for model in built_on:
        if fingerprint(model.dataset) != fingerprint(dataset) or model.dataset.protocol is not dataset.protocol:
            raise UserError(
                f"{model.folder} was trained on {model.dataset.name}, protocol {model.dataset.protocol}: not on "
                f"these facts, read with protocol {dataset.protocol}. Give the same dataset and --protocol, or leave "
                "out --from."
            )
    if not built_on:
        return
    first = built_on[0]
    scorer, below = registry.scorers.get(plan.scorer), registry.scorers.get(first.plan.scorer)
    if scorer is below or not issubclass(scorer, below):
        raise UserError(
            f"{plan.scorer} does not build on the embeddings of {first.plan.scorer}, which {first.folder} has. "
            "Omit --from."
        )
    for name in ("rank", *first.plan.options):
        if plan.settings[name] != first.plan.settings[name]:
            raise UserError(
                f"{first.folder} has {name}={first.plan.settings[name]}, this training {name}={plan.settings[name]}. "
                "The embeddings decide: leave that setting out, or --from."
            )
