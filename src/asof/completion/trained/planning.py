"""From what a user says to what is trained: scorer, settings, preset and models to build on give plan and dataset."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from asof import registry
from asof.completion.dataset import SPLITS, Dataset, Protocol
from asof.completion.quadruple_file import dataset_at
from asof.completion.referee.questions import time_text
from asof.completion.time_split import TimeSplit, split_by_time
from asof.completion.trained.built_on import inherited_settings
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.plan import CompletionPlan, preset_settings
from asof.errors import UserError, did_you_mean
from asof.sources.almanac import almanac_base


@dataclass(frozen=True)
class PlannedTraining:
    """What is to be trained, on what, and where that is from.

    Args:
        notes: What a user should know of the data: what was left out, and what is done because there is so much.
    """

    plan: CompletionPlan
    dataset: Dataset
    location: str
    notes: tuple[str, ...] = ()


def planned_training(
    scorer: str,
    location: str,
    settings: Mapping[str, Any],
    *,
    preset: str | None = None,
    protocol: str | None = None,
    built_on: Sequence[TrainedModel] = (),
    split: str | None = None,
) -> PlannedTraining:
    """Put the settings of a preset, of the models to build on, and the user's own together, and read the facts.

    Args:
        location: A base, or a folder with train.txt, valid.txt and test.txt.
        split: "time" parts all facts by time; by default as the dataset has them.
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
    notes: list[str] = []
    if split not in (None, "own", "time"):
        raise UserError(f"split is {split!r}; it must be own or time.{did_you_mean(str(split), ('own', 'time'))}")
    if split == "time":
        parted = split_by_time(dataset)
        dataset = parted.dataset
        notes = list(_told_of(parted))
    plan = plan if "batch" in chosen else plan.for_facts(len(dataset.train))
    if not {"negatives", "shared_negatives"} & set(chosen):
        sized = plan.for_size(len(dataset.train), len(dataset.entities))
        if sized is not plan:
            notes.append(
                f"With {len(dataset.train):,} facts and {len(dataset.entities):,} entities, each step compares answers "
                f"with {sized.training.shared_negatives:,} sampled candidates; all of them: --set shared_negatives=0."
            )
        plan = sized
    if "valid_facts" not in chosen:
        sized = plan.for_valid(len(dataset.valid), len(dataset.entities))
        if sized is not plan:
            notes.append(
                f"Epochs are judged by {sized.training.valid_facts:,} sampled facts of valid, which has "
                f"{len(dataset.valid):,}; by all of them: --set valid_facts={len(dataset.valid)}."
            )
        plan = sized
    return PlannedTraining(plan, dataset, where, tuple(notes))


def _told_of(parted: TimeSplit) -> Iterator[str]:
    """Say where a dataset was parted, and what was not known by then."""
    dataset = parted.dataset
    first, second = (time_text(one, dataset.granularity) for one in (parted.valid_from, parted.test_from))
    counts = [len(dataset.split(split)) for split in SPLITS]
    yield (
        f"Split by time: train has the {counts[0]:,} facts that begin before {first}, valid {counts[1]:,} from then "
        f"on, test {counts[2]:,} from {second} on."
    )
    if parted.cut_short:
        yield f"{parted.cut_short:,} facts end after their split does; their ends are not known yet."
    if parted.left_out:
        yield f"{parted.left_out:,} facts have no start and may be later ones; they are in no split."


def read_location(location: str, protocol: str) -> tuple[Dataset, str]:
    """Read a dataset folder or a base; also return where it is."""
    where = str(almanac_base()) if location == "almanac" else location
    if not Path(where).exists():
        raise UserError(f"{location} does not exist. Give a base, or a folder with train.txt, valid.txt and test.txt.")
    return dataset_at(where, Protocol(protocol)), where
