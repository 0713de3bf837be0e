"""How far a trained model is behind the base that it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from asof.completion.dataset import AFTER_ALL, BEFORE_ALL, Dataset
from asof.completion.referee.questions import time_text
from asof.completion.trained.added_facts import AddedFacts, extended, extended_names, missing_facts, read_added
from asof.completion.trained.filled_dates import rows_of
from asof.completion.trained.kept_facts import read_facts
from asof.completion.trained.names import Names
from asof.facts import FactStore
from asof.facts.manifest import MANIFEST, sha256_of


@dataclass(frozen=True)
class Freshness:
    """What a model knows, and what it does not know yet.

    Args:
        trained_to: The last year or day at which one of the facts that it was trained on begins or ends.
        added: Facts that were added since.
        newer: Facts of its base that it does not have; None where it is of no base, that is gone, or an
            older asof trained it.
        base: Where this base is.
    """

    trained_to: str
    added: int
    newer: int | None
    base: str

    def __str__(self) -> str:
        """Say it in a sentence; it tells nothing where nothing is new."""
        said = []
        if self.added:
            said.append(f"{self.added:,} {'fact was' if self.added == 1 else 'facts were'} added since")
        if self.newer:
            said.append(f"its base has {self.newer:,} newer {'fact' if self.newer == 1 else 'facts'}")
        return f"Trained on facts to {self.trained_to}; {' and '.join(said)}." if said else ""


def base_version(location: str | Path) -> dict[str, str]:
    """Return what identifies this version of a base; nothing for other datasets."""
    path = Path(location) / MANIFEST
    return {"manifest": sha256_of(path)} if path.is_file() else {}


def freshness(
    about: Mapping[str, Any], dataset: Dataset, added: AddedFacts, entities: Names, relations: Names
) -> Freshness:
    """Compare a model with its base; the facts are read only where the base is another version.

    Args:
        about: model.toml.
        dataset: What the model knows, with what was ``added``; ``entities`` and ``relations`` are its names.
    """
    of_dataset = about["dataset"]
    seen = dataset.train[: int(of_dataset["train"])]
    told_later = set(rows_of(added.facts))  # the ends that were filled in
    of_training = np.array([fact not in told_later for fact in rows_of(seen)], bool)
    ends = np.concatenate([seen.start, seen.end[of_training]])
    known = ends[(ends > BEFORE_ALL) & (ends < AFTER_ALL)]
    to = (time_text(int(known.max()), dataset.granularity) if len(known) else None) or "no date"
    place = Path(of_dataset["place"])
    now, newer = base_version(place), None
    if now and "manifest" in of_dataset:
        same = of_dataset["manifest"] == now["manifest"]
        newer = 0 if same else missing_facts(FactStore(place), dataset, entities, relations, added)
    return Freshness(to, len(added), newer, str(place))


def freshness_of_folder(folder: Path, about: Mapping[str, Any]) -> Freshness:
    """Compare a model with its base without loading its weights."""
    dataset, entities, relations = read_facts(folder, about)
    added = read_added(folder, about)
    return freshness(about, extended(dataset, added), added, extended_names(entities, added), relations)
