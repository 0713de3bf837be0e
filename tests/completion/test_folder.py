"""A trained model as a folder: what is in it, opened again without pickle, told from what is none."""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from asof import registry
from asof.completion.dataset import Dataset, Protocol, read_dataset
from asof.completion.queries import queries_of
from asof.completion.trained.built_on import inherited_settings
from asof.completion.trained.folder import TrainedModel, open_trained, train_into
from asof.completion.trained.kept_facts import fingerprint
from asof.completion.trained.measures import link_results, time_results
from asof.completion.trained.prediction import answers
from asof.completion.training.plan import CompletionPlan, preset_names, preset_settings, settings_of
from asof.completion.training.trainer import link_scores
from asof.errors import UserError
from asof.facts import FactStore
from tests.completion.players import write_toy

PLAN = CompletionPlan.of("tntcomplex", {"rank": 4, "epochs": 3, "evaluate_every": 1, "batch": 32})


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, toy: Path, dataset: Dataset) -> TrainedModel:
    return train_into(tmp_path_factory.mktemp("trained") / "toy", PLAN, dataset, toy)


def test_a_folder_holds_weights_and_toml_and_no_pickle(trained: TrainedModel, dataset: Dataset) -> None:
    names = sorted(path.name for path in trained.folder.iterdir() if not path.name.startswith("."))
    assert names == ["epochs.jsonl", "facts.safetensors", "model.safetensors", "model.toml", "names.json"]
    about = tomllib.loads((trained.folder / "model.toml").read_text())
    assert about["scorer"] == "tntcomplex" and about["protocol"] == "corrected" and about["granularity"] == "year"
    assert about["dataset"]["facts"] == fingerprint(dataset)
    assert about["settings"]["rank"] == 4 and about["settings"]["lasting_part"] is True
    assert about["valid"]["queries"] == 2 * len(dataset.valid)
    assert 0 <= about["calibration"]["links"]["expected_calibration_error"] <= 1
    assert set(about["thresholds"]) == {"bornIn", "playsFor"}
    assert set(about["versions"]) == {"asof", "torch", "numpy", "python"}
    rows = [json.loads(line) for line in (trained.folder / "epochs.jsonl").read_text().splitlines()]
    assert [row["epoch"] for row in rows] == [1, 2, 3] and all("valid_mrr" in row for row in rows)


def test_opened_again_it_is_the_same(trained: TrainedModel, dataset: Dataset) -> None:
    again = open_trained(trained.folder)
    assert fingerprint(again.dataset) == fingerprint(dataset)
    assert again.entities.labels[again.entities.number("player 07")] == "Player 07"
    queries = queries_of(dataset, "test")
    scores = [link_scores(one.scorer, dataset, "start")(queries) for one in (trained, again)]
    assert torch.equal(*scores)


def test_names_of_a_base_are_its_labels(base_of, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    rows = [(f"Q{n}", "P54", f"Q{n % 3 + 100}", str(1990 + n), "ongoing" if n % 5 == 0 else "") for n in range(60)]
    store: FactStore = base_of(rows)
    dataset = read_dataset(store.folder)
    assert dataset.ongoing is not None and dataset.ongoing.sum() == 12
    found = train_into(
        tmp_path / "model", CompletionPlan.of("complex", {"rank": 2, "epochs": 1}), dataset, store.folder
    )
    assert found.dataset.ongoing is not None and np.array_equal(found.dataset.ongoing, dataset.ongoing)
    assert found.times is None
    with pytest.raises(UserError, match=r"complex has no notion of time. Train a scorer that has one"):
        found.needs_time()


def test_what_is_no_model_is_told(trained: TrainedModel, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"does not exist. Make one with: asof train SCORER DATASET --to"):
        open_trained(tmp_path / "nowhere")
    with pytest.raises(UserError, match=r"has no model.toml, so it is not a trained model"):
        open_trained(tmp_path)
    (tmp_path / "model.toml").write_text("scorer = [")
    with pytest.raises(UserError, match="is broken"):
        open_trained(tmp_path)
    (tmp_path / "model.toml").write_text("format = 99")
    with pytest.raises(UserError, match="has format 99; this asof reads format 1"):
        open_trained(tmp_path)


def test_changed_weights_are_told(trained: TrainedModel, tmp_path: Path) -> None:
    for path in trained.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"none")
    with pytest.raises(UserError, match=r"model.safetensors does not match its hash in model.toml"):
        open_trained(tmp_path)


def test_a_model_that_is_there_is_not_trained_again(trained: TrainedModel, toy: Path, dataset: Dataset) -> None:
    before = (trained.folder / "model.safetensors").stat().st_mtime_ns
    assert train_into(trained.folder, PLAN, dataset, toy).about == trained.about
    assert (trained.folder / "model.safetensors").stat().st_mtime_ns == before
    with pytest.raises(
        UserError, match=r"holds a trained model, but not this one: rank 4 instead of 5. Choose another"
    ):
        train_into(trained.folder, CompletionPlan.of("tntcomplex", {**PLAN.settings, "rank": 5}), dataset, toy)


def test_a_strange_folder_is_left_alone(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(UserError, match="is not empty and is not a model folder"):
        train_into(tmp_path, PLAN, dataset, toy)


@pytest.mark.parametrize("split", ["train", "valid"])
def test_an_empty_split_is_told(split: str, tmp_path: Path) -> None:
    toy = write_toy(tmp_path / "toy", without={split})
    with pytest.raises(UserError, match=f"has no {'training' if split == 'train' else split} facts"):
        train_into(tmp_path / "model", PLAN, read_dataset(toy), toy)
    assert not (tmp_path / "model").exists()


def test_settings_of_scorer_and_training_are_one_list() -> None:
    known = settings_of("timeplex-base")
    assert known["rank"] is int and known["subject_time"] is float and known["epochs"] is int
    with pytest.raises(UserError, match=r"complex has no setting 'subject_time'"):
        CompletionPlan.of("complex", {"subject_time": 1.0})
    with pytest.raises(UserError, match="epochs is 0; it must be at least 1"):
        CompletionPlan.of("complex", {"epochs": 0})


@pytest.mark.parametrize("scorer", ["timeplex-base", "timeplex"])
@pytest.mark.parametrize("dataset", ["YAGO11k", "WIKIDATA12k", "ICEWS14", "ICEWS05-15"])
def test_presets_have_settings_that_exist(dataset: str, scorer: str) -> None:
    assert "jain2020" in preset_names()
    protocol, settings = preset_settings("jain2020", dataset, scorer)
    assert protocol == Protocol.JAIN2020
    assert CompletionPlan.of(scorer, settings).rank == 200


def test_presets_that_do_not_exist_are_told() -> None:
    with pytest.raises(UserError, match=r"No preset is called 'jain2021'. Did you mean 'jain2020'\?"):
        preset_settings("jain2021", "YAGO11k", "complex")
    with pytest.raises(UserError, match=r"jain2020 has no settings for toy with timeplex-base. It has: YAGO11k with"):
        preset_settings("jain2020", "toy", "timeplex-base")


def test_weights_are_plain_tensors(trained: TrainedModel) -> None:
    assert set(load_file(trained.folder / "model.safetensors")) == set(trained.scorer.state_dict())


@pytest.mark.parametrize("scorer", registry.scorers.names())
def test_every_scorer_is_trained_kept_and_asked(scorer: str, toy: Path, tmp_path: Path) -> None:
    dataset = read_dataset(toy, Protocol.JAIN2020)
    plan = CompletionPlan.of(scorer, {"rank": 4, "epochs": 2, "evaluate_every": 1, "batch": 32})
    made = train_into(tmp_path / "model", plan, dataset, toy)
    again = open_trained(tmp_path / "model")
    rows = [link_results(one, "test", ["instants"]) for one in (made, again)]
    assert rows[0] == rows[1] and rows[0][0]["protocol"] == "jain2020"
    assert time_results(made, "test") == time_results(again, "test")
    assert (time_results(again, "test") is None) == (again.times is None)
    assert len(answers(again, 0, 1, (1990, 1990), top=5)) == 5


def test_what_builds_on_embeddings_can_take_them_from_another_model(
    toy: Path, dataset: Dataset, tmp_path: Path
) -> None:
    settings = {"rank": 4, "epochs": 3, "evaluate_every": 1, "batch": 32}
    base = train_into(tmp_path / "base", CompletionPlan.of("timeplex-base", settings), dataset, toy)
    plan = CompletionPlan.of("timeplex", {**settings, "recurrence_epochs": 1})
    found = train_into(tmp_path / "full", plan, dataset, toy, built_on=[base])
    assert torch.equal(found.scorer.get_parameter("entities.weight"), base.scorer.get_parameter("entities.weight"))
    assert {json.loads(line)["phase"] for line in (tmp_path / "full/epochs.jsonl").read_text().splitlines()} == {2, 3}
    whole = train_into(tmp_path / "whole", plan, dataset, toy)
    # The draws of the first phase are not made, so only what does not hang on them is the same.
    assert torch.equal(whole.scorer.get_parameter("entities.weight"), base.scorer.get_parameter("entities.weight"))
    with pytest.raises(UserError, match=r"not this one: embeddings"):
        train_into(tmp_path / "full", plan, dataset, toy)
    with pytest.raises(UserError, match=r"tntcomplex does not build on the embeddings of timeplex-base.*Omit"):
        train_into(tmp_path / "other", PLAN, dataset, toy, built_on=[base])
    with pytest.raises(UserError, match=r"has rank=4, this training rank=5"):
        train_into(
            tmp_path / "other", CompletionPlan.of("timeplex", {**settings, "rank": 5}), dataset, toy, built_on=[base]
        )
    with pytest.raises(UserError, match=r"was trained on toy, protocol corrected: not on these facts.*jain2020"):
        train_into(tmp_path / "other", plan, read_dataset(toy, Protocol.JAIN2020), toy, built_on=[base])


def test_evidence_hears_several_models(toy: Path, dataset: Dataset, trained: TrainedModel, tmp_path: Path) -> None:
    settings = {"rank": 4, "epochs": 3, "evaluate_every": 1, "batch": 32}
    base = train_into(tmp_path / "base", CompletionPlan.of("timeplex-base", settings), dataset, toy)
    models = [base, trained]
    plan = CompletionPlan.of("evidence", inherited_settings("evidence", models))
    found = train_into(tmp_path / "both", plan, dataset, toy, built_on=models)
    again = open_trained(tmp_path / "both")
    queries = queries_of(dataset, "test")
    scores = [link_scores(one.scorer, dataset, "start")(queries) for one in (found, again)]
    assert torch.equal(*scores)
    assert torch.equal(
        again.scorer.get_parameter("others.0.entities.weight"), trained.scorer.get_parameter("entities.weight")
    )
    with pytest.raises(UserError, match=r"timeplex builds on one model only, not on 2"):
        inherited_settings("timeplex", models)
