"""Add facts to a trained model, all or none of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from asof.completion.trained.added_facts import (
    ADDED,
    AddedFacts,
    extended,
    extended_names,
    facts_to_add,
    write_added,
)  # fmt: skip
from asof.completion.trained.folder import TrainedModel, open_trained, scorer_with
from asof.errors import UserError
from asof.facts import FactStore
from asof.lock import only_writer
from asof.training.model_toml import read_model_toml
from asof.training.tensors import read_tensors


@dataclass(frozen=True)
class Addition:
    """What came of adding facts to a model.

    Args:
        facts: How many were new; ``known`` were not.
        entities: The names of those that the model did not know.
    """

    trained: TrainedModel
    facts: int
    known: int
    entities: tuple[str, ...]


def add_facts(trained: TrainedModel, store: FactStore) -> Addition:
    """Take the facts of a base into a model and write them beside it; it answers with them at once."""
    with only_writer(trained.folder):
        current = open_trained(trained.folder) if _changed(trained) else trained
        before = current.added
        added, known = facts_to_add(store, current.dataset, current.entities, current.relations, before)
        fresh = len(before.ids)
        found = _with_added(current, before, added) if len(added) > len(before) else current
        write_added(trained.folder, trained.about, added)
    return Addition(found, len(added) - len(before), known, added.labels[fresh:])


def undo_added(folder: Path) -> int:
    """Forget the facts that were added to a model; return how many they were."""
    read_model_toml(folder, verb="asof train", what="SCORER DATASET")
    with only_writer(folder):
        path = folder / ADDED
        if not path.is_file():
            raise UserError(f"{folder} has no added facts: it is as it was trained.")
        count = _count(path)
        path.unlink()
    return count


def _changed(trained: TrainedModel) -> bool:
    """Tell whether somebody else has added facts since a model was opened."""
    path = trained.folder / ADDED
    return (_count(path) if path.is_file() else 0) != len(trained.added)


def _count(path: Path) -> int:
    return len(read_tensors(path)[0]["subject"])


def _with_added(trained: TrainedModel, before: AddedFacts, added: AddedFacts) -> TrainedModel:
    first, known = len(before), len(before.ids)
    more = AddedFacts(added.facts[first:], added.ids[known:], added.labels[known:], added.ongoing[first:])
    dataset = extended(trained.dataset, more)
    entities = int(trained.about["dataset"]["entities"])
    grown = len(trained.dataset.entities)
    weights = {
        name: one[:entities] if one.dim() > 1 and len(one) == grown else one
        for name, one in trained.scorer.state_dict().items()
    }
    return replace(
        trained,
        scorer=scorer_with(trained.plan, dataset, weights, entities),
        dataset=dataset,
        entities=extended_names(trained.entities, more),
        added=added,
    )
