"""The scores of a trained model as the referee reads them: a matrix for each side, with the entities of its columns."""

from __future__ import annotations

from pathlib import Path
from typing import IO

import numpy as np
import torch

from asof.completion.dataset import Ints
from asof.completion.ranking import Others, rankings
from asof.completion.trained.folder import TrainedModel
from asof.completion.training.trainer import link_scores, protocol_instants
from asof.errors import UserError
from asof.whole_file import write_whole


def write_scores(trained: TrainedModel, split: str, path: Path) -> None:
    """Write what a model says of all candidates of a split, as ``asof rank`` sees it."""
    dataset = trained.dataset
    if path.suffix != ".npz":
        raise UserError(f"{path} does not end in .npz, which is what scores are written as.")
    facts = len(dataset.split(split))
    if not facts:
        raise UserError(f"{dataset.name} has no {split} facts, so there is nothing to score. Choose another --split.")
    found = np.zeros((2 * facts, len(dataset.entities)), np.float32)

    def noted(rows: Ints, scored: torch.Tensor, others: Others) -> None:
        found[rows] = scored.numpy()

    rankings(link_scores(trained.scorer, dataset, protocol_instants(dataset)), dataset, split, ["none"], noted=noted)

    def write(target: Path) -> None:
        with target.open("wb") as file:
            _save(file, found[:facts], found[facts:], np.array(dataset.entities))

    write_whole(path, write)


def _save(file: IO[bytes], objects: np.ndarray, subjects: np.ndarray, entities: np.ndarray) -> None:
    np.savez(file, object=objects, subject=subjects, entities=entities)
