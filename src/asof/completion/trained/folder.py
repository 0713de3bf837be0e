"""A trained model as a folder, complete in itself and loaded without pickle.

``model.toml`` says what it is; ``model.safetensors`` are its weights, ``facts.safetensors`` and ``names.json`` the
dataset, ``epochs.jsonl`` has a line for each epoch. While it is trained there is ``checkpoint.safetensors`` instead of
``model.toml``, which is written last: it is the moment at which the model exists.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from asof.completion.dataset import SPLITS, Dataset
from asof.completion.interval_prediction import Floats, thresholds
from asof.completion.queries import TimeQueries
from asof.completion.ranking import Ranking
from asof.completion.scorers import Scorer
from asof.completion.trained.added_facts import AddedFacts, extended, extended_names, read_added, warm_start
from asof.completion.trained.built_on import embeddings_of, see_that_they_fit
from asof.completion.trained.calibration import Calibration, calibrated_links, calibrated_times, enough_dated
from asof.completion.trained.curves import curves, knows_time, moment_scores
from asof.completion.trained.freshness import base_version
from asof.completion.trained.kept_facts import FACTS, NAMES, fingerprint, read_facts, write_facts
from asof.completion.trained.names import Names, names_of
from asof.completion.training.phases import LooksAtFacts, OnStep
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.state import CompletionState
from asof.completion.training.trainer import protocol_instants, train, valid_scores
from asof.devices import known_device
from asof.errors import UserError
from asof.lock import only_writer
from asof.training.checkpoint import Checkpoint, refuse_other
from asof.training.crew import Crew, device_of_process
from asof.training.epoch_log import open_log, read_log
from asof.training.model_toml import (
    CHECKPOINT,
    EPOCHS,
    MODEL,
    WEIGHTS,
    read_model_toml,
    refuse_other_files,
    refuse_strangers,
    write_model_toml,
)  # fmt: skip
from asof.training.tensors import read_tensors, write_tensors

_FORMAT = 1
_WHEN_IT_ENDS = ("epochs", "patience")  # settings with which a stopped training may go on as it likes


@dataclass(frozen=True)
class TrainedModel:
    """A trained model with its dataset, ready for questions."""

    folder: Path
    plan: CompletionPlan
    scorer: Scorer
    dataset: Dataset
    entities: Names
    relations: Names
    links: Calibration
    times: Calibration | None
    limits: Floats  # for each relation, how much probability an interval has to hold
    about: Mapping[str, Any]  # model.toml
    added: AddedFacts = field(default_factory=AddedFacts.none)  # since it was trained

    def needs_time(self) -> Calibration:
        """Return the calibration of times, or say why there is none."""
        if self.times is None:
            reason = (
                "it forecasts, and times after all that it knows have learnt nothing"
                if self.dataset.known_until is not None
                else f"valid of {self.dataset.name} does not have two facts with both dates to learn from"
                if knows_time(self.scorer)
                else f"{self.plan.scorer} has no notion of time. Train a scorer that has one, such as timeplex-base"
            )
            raise UserError(f"{self.folder} cannot predict when a fact held: {reason}.")
        return self.times


def train_into(
    folder: Path,
    plan: CompletionPlan,
    dataset: Dataset,
    location: str | Path,
    *,
    on_progress: Callable[[dict[str, Any]], None] = lambda row: None,
    on_step: OnStep = lambda step: None,
    built_on: Sequence[TrainedModel] = (),
    device: str = "cpu",
) -> TrainedModel:
    """Train a scorer into a folder; stopped at any moment, the same call goes on from the last epoch.

    A stopped training may go on to another last epoch, with other patience, and with more or fewer processes.

    Args:
        location: Where the dataset is from; labels are read there.
        on_progress: Called with the figures of each epoch, also of those that were done before.
        on_step: Called after each step of an epoch.
        built_on: Models of the same facts. The embeddings of the first are taken instead of training them again; the
            others are the ``others`` of the plan.
        device: Where to train; the model is opened on the processor.
    """
    device = known_device(device_of_process(device))
    see_that_they_fit(built_on, plan, dataset)
    for split in ("train", "valid"):
        if not len(dataset.split(split)):
            raise UserError(
                f"{dataset.name} has no {split} facts. A model is trained on train; its best epoch and its "
                f"probabilities are chosen on valid. Both need facts, and of {len(dataset.all_facts):,} "
                f"none is in {split}: add facts, or give a folder with train.txt, valid.txt and test.txt."
            )
    identity = {
        "scorer": plan.scorer,
        "dataset": dataset.name,
        "facts": fingerprint(dataset),
        "protocol": str(dataset.protocol),
        **plan.settings,
    }
    if built_on:
        identity["embeddings"] = _digests(built_on)
    if (folder / MODEL).is_file():
        about = _read_toml(folder)
        found = {"scorer": about["scorer"], "dataset": about["dataset"]["name"], "facts": about["dataset"]["facts"]}
        found |= {"protocol": about["protocol"], **about["settings"]}
        if "embeddings" in about:
            found["embeddings"] = about["embeddings"]
        refuse_other(folder, found, identity, "a trained model")
        return open_trained(folder)
    crew = Crew.of_environment(device)
    scorer = plan.new_scorer(dataset)
    lasting = {name: value for name, value in identity.items() if name not in _WHEN_IT_ENDS}
    checkpoint = Checkpoint(folder / CHECKPOINT, lasting, CompletionState)
    if not crew.is_first:
        state, embeddings = checkpoint.load(), embeddings_of(built_on)
        train(scorer, dataset, plan.training, state=state, embeddings=embeddings, device=device, crew=crew)
        crew.wait()
        return open_trained(folder)
    refuse_strangers(folder)
    folder.mkdir(parents=True, exist_ok=True)
    with only_writer(folder):
        state = checkpoint.load()
        reached = [(state.phase + 1, state.epoch)] if state else [(0, 0)]
        reached += [(number + 2, part.epoch) for number, file in checkpoint.parts() if (part := file.load())]
        log = open_log(folder / EPOCHS, max(reached), on_progress)
        entities, relations = names_of(dataset, location)
        write_facts(folder, dataset, entities, relations)
        ranking = train(
            scorer,
            dataset,
            plan.training,
            on_progress=log,
            on_step=on_step,
            state=state,
            checkpoint=checkpoint,
            embeddings=embeddings_of(built_on),
            device=device,
            crew=crew,
        )
        save_model(folder, plan, scorer, dataset, ranking, location=location, built_on=built_on)
        checkpoint.remove()
    crew.wait()
    return open_trained(folder)


def save_model(
    folder: Path,
    plan: CompletionPlan,
    scorer: Scorer,
    dataset: Dataset,
    ranking: Ranking | None,
    *,
    location: str | Path,
    built_on: Sequence[TrainedModel] = (),
) -> None:
    """Fit probabilities and thresholds on valid, then write the weights and, last, what the model is."""
    scorer.eval()
    seen = dataset.without_test
    links = calibrated_links(valid_scores(scorer, seen, protocol_instants(seen)), seen)
    calibration: dict[str, Any] = {"links": links.as_toml()}
    limits: dict[str, float] = {}
    forecasts = dataset.known_until is not None  # what comes after all that is known has no curve
    times = calibrated_times(scorer, seen) if knows_time(scorer) and not forecasts else None
    if times:
        dated = enough_dated(seen)
        scores = moment_scores(scorer, seen, TimeQueries.of(dated))
        found = thresholds(curves(scores, times.temperature), dated, seen)
        limits = dict(zip(dataset.relations, (round(float(one), 6) for one in found), strict=True))
        calibration["times"] = times.as_toml()
    write_tensors(folder / WEIGHTS, scorer.state_dict())
    rows = read_log(folder / EPOCHS)
    description = {
        "format": _FORMAT,
        "scorer": plan.scorer,
        "paper": scorer.paper,
        "protocol": str(dataset.protocol),
        "granularity": dataset.granularity,
        "dataset": {
            "name": dataset.name,
            "place": str(Path(location).resolve()),
            "facts": fingerprint(dataset),
            "entities": len(dataset.entities),
            "relations": len(dataset.relations),
            "points": len(dataset.points),
            **{split: len(dataset.split(split)) for split in SPLITS},
            "lines_not_read": dataset.rejects.count,
            **base_version(location),
            **({} if dataset.known_until is None else {"known_until": dataset.known_until}),
        },
        "settings": plan.settings,
        **({"embeddings": _digests(built_on)} if built_on else {}),
        "training": {"epochs": len(rows), "seconds": round(sum(row["seconds"] for row in rows), 1)},
        "valid": {"queries": len(ranking.ranks), **ranking.results()} if ranking else {},
        "calibration": calibration,
        "thresholds": limits,
    }
    write_model_toml(folder, description, (WEIGHTS, FACTS, NAMES))


def _digests(built_on: Sequence[TrainedModel]) -> list[str]:
    return [model.about["files"][WEIGHTS] for model in built_on]


def open_trained(folder: Path) -> TrainedModel:
    """Open a trained model."""
    about = _read_toml(folder)
    try:
        refuse_other_files(folder, about["files"])
        dataset, entities, relations = read_facts(folder, about)
        added = read_added(folder, about)
        dataset, entities = extended(dataset, added), extended_names(entities, added)
        plan = CompletionPlan.of(about["scorer"], about["settings"])
        scorer = scorer_with(plan, dataset, read_tensors(folder / WEIGHTS)[0], about["dataset"]["entities"])
        calibration = about["calibration"]
        return TrainedModel(
            folder=folder,
            plan=plan,
            scorer=scorer,
            dataset=dataset,
            entities=entities,
            relations=relations,
            links=Calibration(**calibration["links"]),
            times=Calibration(**calibration["times"]) if "times" in calibration else None,
            limits=np.array([about["thresholds"].get(id, 0.5) for id in dataset.relations]),
            about=about,
            added=added,
        )
    except (KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"{folder} is broken ({error}). Train the model again.") from error


def scorer_with(plan: CompletionPlan, dataset: Dataset, weights: Mapping[str, Any], trained: int) -> Scorer:
    """Make a scorer with weights that were trained on so many entities; those after them are new."""
    scorer = plan.new_scorer(dataset)
    if isinstance(scorer, LooksAtFacts):
        scorer.look_at(dataset.without_test)
    scorer.load_state_dict(warm_start(weights, scorer.state_dict(), dataset, trained))
    return scorer.eval()


def _read_toml(folder: Path) -> dict[str, Any]:
    about = read_model_toml(folder, verb="asof train", what="SCORER DATASET")
    if about.get("format") != _FORMAT:
        raise UserError(
            f"{folder / MODEL} has format {about.get('format')}; this asof reads format {_FORMAT}. Train it again."
        )
    return about
