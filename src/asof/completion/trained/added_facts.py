"""Facts that a trained model takes in without being trained again.

They are kept beside the model, in one file that is there whole or not at all; without it the model is what it was.
Whatever counts facts counts these too. An entity that is new has embeddings from the start: the mean of those that fill
the same roles.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import torch

from asof.completion.dataset import Dataset, Ints, Quadruples, ends_of
from asof.completion.filters import distinct
from asof.completion.queries import Queries
from asof.completion.trained.filled_dates import rows_of, with_dates_filled, without_one_date
from asof.completion.trained.names import Names
from asof.errors import UserError
from asof.facts import FactStore
from asof.timeline import Open
from asof.training.model_toml import WEIGHTS
from asof.training.tensors import read_tensors, write_tensors

ADDED = "added.safetensors"
_COLUMNS = ("subject", "relation", "object", "start", "end")
_ONGOING = "ongoing"
_NAMED = 5  # unknown relations in an error


@dataclass(frozen=True)
class AddedFacts:
    """Facts that are not those of the training.

    Args:
        ongoing: Which of them are known to go on.
        ids: The new entities, which have the numbers after those of the training; ``labels`` are their names.
    """

    facts: Quadruples
    ids: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    ongoing: npt.NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))

    def __post_init__(self) -> None:
        """Without a word about it, no fact is known to go on."""
        if not len(self.ongoing):
            object.__setattr__(self, "ongoing", np.zeros(len(self.facts), bool))

    @classmethod
    def none(cls) -> AddedFacts:
        """Nothing is added."""
        return cls(Quadruples(*(np.zeros(0, np.int64) for _ in _COLUMNS)))

    def __len__(self) -> int:
        return len(self.facts)


def read_added(folder: Path, about: Mapping[str, Any]) -> AddedFacts:
    """Read the facts that were added to a model.

    Args:
        about: model.toml; facts that were added to other weights are refused.
    """
    if not (folder / ADDED).is_file():
        return AddedFacts.none()
    tensors, metadata = read_tensors(folder / ADDED)
    if metadata.get("weights") != about["files"][WEIGHTS]:
        raise UserError(
            f"{folder / ADDED} was added to other weights than {folder} has. Remove it with: asof add {folder} --undo"
        )
    facts = Quadruples(*(tensors[name].numpy() for name in _COLUMNS))
    ongoing = tensors[_ONGOING].numpy() if _ONGOING in tensors else np.zeros(len(facts), bool)
    return AddedFacts(facts, tuple(json.loads(metadata["ids"])), tuple(json.loads(metadata["labels"])), ongoing)


def write_added(folder: Path, about: Mapping[str, Any], added: AddedFacts) -> None:
    """Put added facts in the place of those that were added before."""
    columns = {name: torch.from_numpy(np.ascontiguousarray(getattr(added.facts, name))) for name in _COLUMNS}
    columns[_ONGOING] = torch.from_numpy(added.ongoing)
    metadata = {
        "weights": about["files"][WEIGHTS],
        "ids": json.dumps(added.ids, ensure_ascii=False),
        "labels": json.dumps(added.labels, ensure_ascii=False),
    }
    write_tensors(folder / ADDED, columns, metadata)


def extended(dataset: Dataset, added: AddedFacts) -> Dataset:
    """Return a dataset whose train has the added facts as well; a known fact whose date they tell gets it."""
    if not len(added) and not added.ids:
        return dataset
    seen, ongoing, later_ends = len(dataset.train), dataset.ongoing, dataset.later_ends
    if ongoing is None and added.ongoing.any():
        ongoing = np.zeros(len(dataset.all_facts), bool)
    if ongoing is not None:
        ongoing = np.concatenate([ongoing[:seen], added.ongoing, ongoing[seen:]])
    if later_ends is not None:
        later_ends = np.concatenate([later_ends[:seen], added.facts.end, later_ends[seen:]])
    train = Quadruples.joined((dataset.train, added.facts))
    entities = (*dataset.entities, *added.ids)
    larger = replace(dataset, entities=entities, train=train, ongoing=ongoing, later_ends=later_ends)
    return with_dates_filled(larger, len(added))


def extended_names(names: Names, added: AddedFacts) -> Names:
    """Return the names of entities with those of the added ones."""
    return replace(names, ids=[*names.ids, *added.ids], labels=[*names.labels, *added.labels])


def facts_to_add(
    store: FactStore, dataset: Dataset, entities: Names, relations: Names, before: AddedFacts
) -> tuple[AddedFacts, int]:
    """Read the facts of a base that a model lacks; also return how many it has already.

    Args:
        dataset: What the model knows, with what was added ``before``; ``entities`` and ``relations`` are its names.
    """
    table = store.sql("SELECT * FROM facts")
    _refuse_unknown(table, relations, store.manifest.name)
    facts, ids, labels = _as_numbers(store, table, dataset, entities, relations)
    new = _lacking(facts, dataset, before)
    goes_on = table["end_precision"].to_numpy(zero_copy_only=False).astype(str) == str(Open.ONGOING)
    ongoing = np.concatenate([before.ongoing, goes_on[new]])
    joined = Quadruples.joined((before.facts, facts[new]))
    added = AddedFacts(joined, (*before.ids, *ids), (*before.labels, *labels), ongoing)
    return added, len(table) - len(new)


def missing_facts(store: FactStore, dataset: Dataset, entities: Names, relations: Names, added: AddedFacts) -> int:
    """Count the facts of a base that a model with ``added`` facts lacks."""
    facts, _, _ = _as_numbers(store, store.sql("SELECT * FROM facts"), dataset, entities, relations)
    return len(_lacking(facts, dataset, added))


def _as_numbers(
    store: FactStore, table: pa.Table, dataset: Dataset, entities: Names, relations: Names
) -> tuple[Quadruples, list[str], list[str]]:
    """Return facts as a model has them; an unknown relation is -1. Also the ids and labels of new entities."""
    numbers, ids, labels = _numbered(store, table, entities)
    column = table["relation"].to_pylist()
    found = {id: relations.find(id) for id in dict.fromkeys(column)}
    number = {id: -1 if one is None else one for id, one in found.items()}
    relation = np.array([number[id] for id in column], np.int64)
    start, end = ends_of(table, dataset.granularity, dataset.protocol)
    return Quadruples(numbers["subject"], relation, numbers["object"], start, end), ids, labels


def _lacking(facts: Quadruples, dataset: Dataset, added: AddedFacts) -> Ints:
    """Return the places of the facts that a dataset lacks, each once; what ``added`` facts tell more of is known."""
    known = {*rows_of(dataset.all_facts), *without_one_date(added.facts)}
    new = []
    for row, fact in enumerate(rows_of(facts)):
        if fact not in known:
            known.add(fact)
            new.append(row)
    return np.array(new, np.int64)


def _numbered(store: FactStore, table: pa.Table, names: Names) -> tuple[dict[str, Ints], list[str], list[str]]:
    """Number subjects and objects: by id, else by a name that only one entity has; others are new."""
    columns = {side: table[side].to_pylist() for side in ("subject", "object")}
    found = list(dict.fromkeys([*columns["subject"], *columns["object"]]))
    said = store.labels(found)
    number: dict[str, int] = {}
    ids: list[str] = []
    for id in found:
        there = names.find(id, said.get(id))
        if there is None:
            there = len(names.ids) + len(ids)
            ids.append(id)
        number[id] = there
    numbers = {side: np.array([number[id] for id in column], np.int64) for side, column in columns.items()}
    return numbers, ids, [said.get(id) or id for id in ids]


def _refuse_unknown(table: pa.Table, relations: Names, where: str) -> None:
    unknown = [id for id in dict.fromkeys(table["relation"].to_pylist()) if relations.find(id) is None]
    if unknown:
        more = f" and {len(unknown) - _NAMED} more" if len(unknown) > _NAMED else ""
        known = ", ".join(relations.labels[:_NAMED]) + (" …" if len(relations.labels) > _NAMED else "")
        raise UserError(
            f"{where} has relations that the model was not trained on: {', '.join(unknown[:_NAMED])}{more}. It knows: "
            f"{known}. Nothing was added. Leave these facts out, or train again with them."
        )


def warm_start(
    weights: Mapping[str, torch.Tensor], wanted: Mapping[str, Any], dataset: Dataset, trained: int
) -> dict[str, torch.Tensor]:
    """Give new entities a row in every table of embeddings: the mean of the rows of those that fill the same roles.

    Args:
        weights: Those of the training, with a row for each of the ``trained`` entities.
        wanted: What the scorer of the larger dataset has.
    """
    new = len(dataset.entities) - trained
    short = [
        name
        for name, one in weights.items()
        if one.dim() > 1 and len(one) == trained and len(wanted[name]) == trained + new
    ]
    made = dict(weights)
    if not new or not short:
        return made
    facts = Queries.of(dataset.train, len(dataset.relations))
    members = _members(facts, trained)
    of_new = [facts.relation[facts.answer == number] for number in range(trained, trained + new)]
    for name in short:
        table = weights[name]
        means = {role: table[torch.from_numpy(who)].mean(0) for role, who in members(of_new).items() if len(who)}
        usual = table.mean(0)
        rows = [
            torch.stack([means.get(role, usual) for role in roles.tolist()]).mean(0) if len(roles) else usual
            for roles in of_new
        ]
        made[name] = torch.cat([table, torch.stack(rows)])
    return made


def _members(facts: Queries, trained: int) -> Any:
    """Return a function that lists the trained entities that fill each of some roles."""
    old = facts.answer < trained

    def members(wanted: Sequence[Ints]) -> dict[int, Ints]:
        roles = np.unique(np.concatenate(wanted)).tolist() if wanted else []
        return {role: distinct(facts.answer[old & (facts.relation == role)]) for role in roles}

    return members
