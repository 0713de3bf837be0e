"""The facts that a model was trained on, kept beside it: numbers as safetensors, names as JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch

from asof.completion.dataset import SPLITS, Dataset, Protocol, Quadruples
from asof.completion.trained.names import Names
from asof.training.tensors import read_tensors, write_tensors
from asof.whole_file import write_text

FACTS, NAMES = "facts.safetensors", "names.json"
_COLUMNS = ("subject", "relation", "object", "start", "end")


def fingerprint(dataset: Dataset) -> str:
    """Return one hash of the facts, their splits and their names: equal datasets have equal ones."""
    digest = hashlib.sha256()
    for text in (*dataset.entities, "", *dataset.relations, "", dataset.granularity, dataset.protocol):
        digest.update(text.encode() + b"\n")
    if dataset.known_until is not None:
        digest.update(f"known until {dataset.known_until}\n".encode())
    for split in SPLITS:
        for column in _COLUMNS:
            digest.update(np.ascontiguousarray(getattr(dataset.split(split), column)).tobytes())
        digest.update(b"\n")
    return digest.hexdigest()


def write_facts(folder: Path, dataset: Dataset, entities: Names, relations: Names) -> None:
    """Write facts and names beside a model."""
    facts = dataset.all_facts
    lengths = [len(dataset.split(split)) for split in SPLITS]
    columns = {name: torch.from_numpy(np.ascontiguousarray(getattr(facts, name))) for name in _COLUMNS}
    columns["split"] = torch.from_numpy(np.repeat(np.arange(len(SPLITS)), lengths))
    columns["points"] = torch.from_numpy(np.ascontiguousarray(dataset.points))
    if dataset.ongoing is not None:
        columns["ongoing"] = torch.from_numpy(dataset.ongoing)
    if dataset.later_ends is not None:
        columns["later_ends"] = torch.from_numpy(np.ascontiguousarray(dataset.later_ends))
    write_tensors(folder / FACTS, columns)
    names = {names.kind: {"ids": list(names.ids), "labels": list(names.labels)} for names in (entities, relations)}
    write_text(folder / NAMES, json.dumps(names, ensure_ascii=False) + "\n")


def read_facts(folder: Path, about: Mapping[str, Any]) -> tuple[Dataset, Names, Names]:
    """Read facts and names back; the rest is in the description of the model."""
    tensors, _ = read_tensors(folder / FACTS)
    columns = {name: tensor.numpy() for name, tensor in tensors.items()}
    facts = Quadruples(*(columns[name] for name in _COLUMNS))
    content = json.loads((folder / NAMES).read_text(encoding="utf-8"))
    name = about["dataset"]["name"]
    entities, relations = (
        Names(kind, name, content[kind]["ids"], content[kind]["labels"]) for kind in ("entity", "relation")
    )
    train, valid, test = (facts[columns["split"] == number] for number in range(len(SPLITS)))
    dataset = Dataset(
        name=name,
        entities=tuple(entities.ids),
        relations=tuple(relations.ids),
        points=columns["points"],
        train=train,
        valid=valid,
        test=test,
        granularity=about["granularity"],
        protocol=Protocol(about["protocol"]),
        known_until=about["dataset"].get("known_until"),
        ongoing=columns.get("ongoing"),
        later_ends=columns.get("later_ends"),
    )
    return dataset, entities, relations
