"""Settings that are no settings and datasets that are hardly any: each is told, and nothing is written."""

from pathlib import Path
from typing import Any

import pytest

from asof.completion.dataset import Protocol, read_dataset
from asof.completion.queries import NOBODY
from asof.completion.trained.folder import train_into
from asof.completion.trained.measures import why_no_intervals
from asof.completion.trained.prediction import answers
from asof.completion.training.plan import CompletionPlan
from asof.errors import UserError

A_FACT = "A\tr\tB\t2000-##-##\t2001-##-##\n"
LATER = "A\tr\tC\t2003-##-##\t2004-##-##\n"
A_LAST = "!\tr\t(unseen)\t2000-##-##\t2001-##-##\n"
NAMED_SO = "(unseen)\tr\tC\t2003-##-##\t2004-##-##\n"


def folder_of(folder: Path, *, train: str = "", valid: str = "", test: str = "") -> Path:
    folder.mkdir()
    for name, text in (("train", train), ("valid", valid), ("test", test)):
        (folder / f"{name}.txt").write_text(text)
    return folder


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("learning_rate", float("nan"), "learning_rate is nan; it must be a number from 0 on, and not infinite"),
        ("learning_rate", float("inf"), "learning_rate is inf; it must be a number"),
        ("learning_rate", -1.0, "learning_rate is -1; nothing would be learnt. It must be above 0"),
        ("learning_rate", 0.0, "learning_rate is 0; nothing would be learnt. It must be above 0, such as 0.1."),
        ("learning_rate", "fast", "learning_rate is 'fast'; it must be a number."),
        ("initial", -1.0, "initial is -1; it must be a number from 0 on"),
        ("initial", 0.0, "initial is 0; embeddings that are all alike stay alike"),
        ("squares", -0.1, "squares is -0.1; it must be"),
        ("time_weight", float("nan"), "time_weight is nan; it must be"),
        ("negatives", -5, "negatives is -5; it must be"),
        ("shared_negatives", -5, "shared_negatives is -5; it must be"),
        ("seed", -1, "seed is -1; it must be"),
        ("rank", 2.5, "rank is 2.5; it must be a whole number."),
        ("rank", "50", "rank is '50'; it must be a whole number."),
        ("rank", True, "rank is True; it must be a whole number."),
        ("optimiser", "adgrad", "optimiser is 'adgrad'; it must be one of adagrad, adam. Did you mean 'adagrad'?"),
    ],
)
def test_a_setting_that_is_none_is_told(setting: str, value: Any, message: str) -> None:
    with pytest.raises(UserError) as told:
        CompletionPlan.of("timeplex-base", {setting: value})
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("scorer", "setting", "value", "message"),
    [
        ("timeplex", "pairs_epochs", -1, "pairs_epochs is -1; it must be"),
        ("timeplex-base", "unit_times", 1, "unit_times is 1; it must be true or false."),
        ("hyte", "points_per_plane", 0, "points_per_plane is 0; it must be at least 1."),
        ("de-simple", "swinging", 2.0, "swinging is 2; it must be a share from 0 to 1."),
    ],
)
def test_a_setting_of_a_scorer_that_is_none_is_told(
    scorer: str, setting: str, value: Any, message: str, tmp_path: Path
) -> None:
    dataset = read_dataset(folder_of(tmp_path / "data", train=A_FACT, valid=LATER))
    with pytest.raises(UserError) as told:
        CompletionPlan.of(scorer, {setting: value}).new_scorer(dataset)
    assert message in str(told.value)


@pytest.mark.parametrize(
    ("splits", "message"),
    [
        ({}, "data has no facts. Give a base or dataset with facts."),
        ({"train": "A\tr\n"}, "data has no facts. 1 lines could not be read."),
        ({"valid": A_FACT, "test": LATER}, "no training facts: all of its 2 are in valid and test. Move some to train"),
        ({"train": A_FACT}, "data has no valid facts. A model is trained on train; its best epoch and its "
         "probabilities are chosen on valid. Both need facts, and of 1 none is in valid"),
    ],
)  # fmt: skip
def test_a_dataset_with_too_little_is_told(splits: dict[str, str], message: str, tmp_path: Path) -> None:
    location = folder_of(tmp_path / "data", **splits)
    with pytest.raises(UserError) as told:
        train_into(tmp_path / "model", CompletionPlan.of("complex", {"rank": 2}), read_dataset(location), location)
    assert message in str(told.value)
    assert not (tmp_path / "model").exists()


def test_what_valid_is_too_small_for_is_told(tmp_path: Path) -> None:
    location = folder_of(tmp_path / "data", train=A_FACT, valid=LATER, test=LATER)
    plan = CompletionPlan.of("timeplex-base", {"rank": 2, "epochs": 1})
    trained = train_into(tmp_path / "model", plan, read_dataset(location), location)
    assert why_no_intervals(trained) == "valid has too few facts with both ends to learn from"


def test_an_entity_that_is_called_as_all_unseen_ones_are(tmp_path: Path) -> None:
    location = folder_of(tmp_path / "data", train=A_FACT + NAMED_SO, valid=LATER)
    with pytest.raises(UserError, match=r"has an entity called '\(unseen\)', .* or take --protocol corrected"):
        read_dataset(location, Protocol.JAIN2020)
    dataset = read_dataset(location)
    assert dataset.pooled is None and dataset.entities[0] == "(unseen)"


def test_under_the_other_protocol_it_is_an_entity_as_all_are(tmp_path: Path) -> None:
    """Its name sorts last, where the protocol of 2020 keeps the one for all that train does not have."""
    location = folder_of(
        tmp_path / "data", train="'A\tr\t(unseen)\t2000-##-##\t2001-##-##\n", valid="'A\tr\t'B\t2003\t2004\n"
    )
    dataset = read_dataset(location)
    assert dataset.entities[-1] == "(unseen)"
    plan = CompletionPlan.of("timeplex-base", {"rank": 2, "epochs": 1})
    trained = train_into(tmp_path / "model", plan, dataset, location)
    found = answers(trained, 0, 0, top=5)
    assert {one.entity for one in found} == {0, 1, 2} and NOBODY not in {one.entity for one in found}
