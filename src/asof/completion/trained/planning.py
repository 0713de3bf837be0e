"""From what a user says to what is trained: scorer, settings, preset and models to build on give plan and dataset."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof import registry
from asof.completion.dataset import Dataset, Protocol, read_dataset
from asof.completion.trained.built_on import inherited_settings
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.plan import CompletionPlan, preset_settings
from asof.errors import UserError
from asof.sources.almanac import almanac_base


@dataclass(frozen=True)
class PlannedTraining:
    """What is to be trained, on what, and where that is from."""

    plan: CompletionPlan
    dataset: Dataset
    location: str


def planned_training(
    scorer: str,
    location: str,
    settings: Mapping[str, Any],
    *,
    preset: str | None = None,
    protocol: str | None = None,
    built_on: Sequence[TrainedModel] = (),
) -> PlannedTraining:
    """Put the settings of a preset, of the models to build on, and the user's own together, and read the facts.

    Args:
        location: A base, or a folder with train.txt, valid.txt and test.txt.
    """
    registry.scorers.get(scorer)
    chosen = dict(settings)
    if preset:
        of_preset, published = preset_settings(preset, Path(location).resolve().name, scorer)
        protocol, chosen = protocol or of_preset, published | chosen
    if built_on:
        protocol = protocol or str(built_on[0].dataset.protocol)
        chosen = inherited_settings(scorer, built_on) | chosen
    plan = CompletionPlan.of(scorer, chosen)
    dataset, where = read_location(location, protocol or "corrected")
    return PlannedTraining(plan if "batch" in chosen else plan.for_facts(len(dataset.train)), dataset, where)


def read_location(location: str, protocol: str) -> tuple[Dataset, str]:
    """Read a dataset folder or a base; also return where it is."""
    where = str(almanac_base()) if location == "almanac" else location
    if not Path(where).exists():
        raise UserError(f"{location} does not exist. Give a base, or a folder with train.txt, valid.txt and test.txt.")
    return read_dataset(where, Protocol(protocol)), where
