"""Training that is stopped and goes on, and training that must not go on."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from asof.completion.dataset import Dataset, read_dataset
from asof.completion.scorers import Sizes
from asof.completion.scorers.tntcomplex import TNTComplEx
from asof.completion.trained.folder import open_trained, train_into
from asof.completion.trained.planning import planned_training
from asof.completion.training.phases import Phase
from asof.completion.training.plan import CompletionPlan
from asof.completion.training.search import ValueChoice, ValueRange, draws, search
from asof.completion.training.state import CompletionState
from asof.completion.training.trainer import CompletionTraining, sizes_of, train
from asof.errors import UserError
from asof.training.checkpoint import Checkpoint
from tests.completion.players import write_toy
from tests.completion.toy import terms_of_office

SETTINGS = {"rank": 8, "epochs": 12, "evaluate_every": 2, "patience": 50, "batch": 32, "roughness": 0.01}


class Stop(Exception):  # noqa: N818
    """Stands for any sudden end."""


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return load_file(folder / "model.safetensors")


def same(one: dict[str, torch.Tensor], other: dict[str, torch.Tensor]) -> bool:
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.parametrize(("optimiser", "average"), [("adagrad", 0.0), ("adagrad", 0.9), ("adam", 0.0)])
@pytest.mark.parametrize("stop_at", [1, 5])
def test_stopped_training_ends_with_the_same_weights(
    optimiser: str, average: float, stop_at: int, toy: Path, dataset: Dataset, tmp_path: Path
) -> None:
    plan = CompletionPlan.of("timeplex-base", {**SETTINGS, "optimiser": optimiser, "average": average})
    train_into(tmp_path / "whole", plan, dataset, toy)

    def stop(row: dict[str, object]) -> None:
        if row["epoch"] == stop_at:
            raise Stop

    for _ in range(2):  # stopped twice at the same place: the epoch after the last checkpoint is trained again
        with pytest.raises(Stop):
            train_into(tmp_path / "stopped", plan, dataset, toy, on_progress=stop)
    with pytest.raises(UserError, match=r"is not fully trained; epochs so far: \d+. Repeat the same"):
        open_trained(tmp_path / "stopped")
    train_into(tmp_path / "stopped", plan, dataset, toy)
    assert same(weights(tmp_path / "whole"), weights(tmp_path / "stopped"))
    logs = [
        [json.loads(line)["loss"] for line in (tmp_path / name / "epochs.jsonl").read_text().splitlines()]
        for name in ("whole", "stopped")
    ]
    assert logs[0] == logs[1] and len(logs[0]) == 12
    assert not (tmp_path / "stopped" / "checkpoint.safetensors").exists()


def test_killed_the_same_command_goes_on(toy: Path, tmp_path: Path) -> None:
    options = ["--rank", "8", "--epochs", "40", "--set", "evaluate_every=2", "--set", "patience=99"]
    options += ["--set", "batch=16", "--to", str(tmp_path / "killed")]
    env = dict(os.environ, OMP_NUM_THREADS="1")

    command = [
        sys.executable,
        "-m",
        "asof",
        "train",
        "tntcomplex",
        str(toy),
        "--to",
        str(tmp_path / "killed"),
        *options,
    ]
    process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)
    log = tmp_path / "killed" / "epochs.jsonl"
    while process.poll() is None and not (log.is_file() and len(log.read_text().splitlines()) >= 3):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    assert not (tmp_path / "killed" / "model.toml").exists()
    subprocess.run(command, env=env, check=True, capture_output=True)
    settings = {"rank": 8, "epochs": 40, "evaluate_every": 2, "patience": 99, "batch": 16}
    train_into(tmp_path / "whole", CompletionPlan.of("tntcomplex", settings), read_dataset(toy), toy)
    assert same(weights(tmp_path / "killed"), weights(tmp_path / "whole"))
    assert len(log.read_text().splitlines()) == 40


def test_a_checkpoint_of_another_training_is_refused(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    def stop(row: dict[str, object]) -> None:
        if row["epoch"] == 2:
            raise Stop

    with pytest.raises(Stop):
        train_into(tmp_path / "model", CompletionPlan.of("tntcomplex", SETTINGS), dataset, toy, on_progress=stop)
    kept = (tmp_path / "model" / "checkpoint.safetensors").read_bytes()
    with pytest.raises(UserError, match=r"holds an unfinished training, but not this one: rank 8 instead of 9. Choose"):
        train_into(tmp_path / "model", CompletionPlan.of("tntcomplex", {**SETTINGS, "rank": 9}), dataset, toy)
    other = write_toy(tmp_path / "others")
    with (other / "train.txt").open("a", encoding="utf-8") as file:
        file.write("Player_00\tplaysFor\tClub_5\t2001-##-##\t2002-##-##\n")
    with pytest.raises(UserError, match=r"not this one: dataset toy instead of others"):
        train_into(tmp_path / "model", CompletionPlan.of("tntcomplex", SETTINGS), read_dataset(other), other)
    changed = other.rename(tmp_path / "elsewhere").rename(tmp_path / "toy")
    with pytest.raises(UserError, match=r"not this one: the facts of toy have changed since"):
        train_into(tmp_path / "model", CompletionPlan.of("tntcomplex", SETTINGS), read_dataset(changed), changed)
    assert (tmp_path / "model" / "checkpoint.safetensors").read_bytes() == kept


def test_a_stopped_training_goes_on_to_another_last_epoch(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    def stop(row: dict[str, object]) -> None:
        if row["epoch"] == 2:
            raise Stop

    longer = CompletionPlan.of("tntcomplex", {**SETTINGS, "epochs": 8, "patience": 7})
    with pytest.raises(Stop):
        train_into(
            tmp_path / "model",
            CompletionPlan.of("tntcomplex", {**SETTINGS, "epochs": 4}),
            dataset,
            toy,
            on_progress=stop,
        )
    assert train_into(tmp_path / "model", longer, dataset, toy).plan == longer
    train_into(tmp_path / "whole", longer, dataset, toy)
    assert same(weights(tmp_path / "model"), weights(tmp_path / "whole"))


def test_a_broken_checkpoint_is_told(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    (tmp_path / "epochs.jsonl").write_text("")
    (tmp_path / "checkpoint.safetensors").write_bytes(b"\0" * 50)
    with pytest.raises(UserError, match=r"checkpoint.safetensors could not be read"):
        train_into(tmp_path, CompletionPlan.of("complex", SETTINGS), dataset, toy)


class Breaks(TNTComplEx):
    """Gives no numbers from a step on."""

    steps = 0
    last_good_step = 0

    def after_step(self) -> None:
        self.steps += 1
        if self.steps > self.last_good_step:
            with torch.no_grad():
                self.points.weight.fill_(torch.nan)


@pytest.mark.parametrize("last_good_step", [10, 12])  # four steps an epoch, one more before: 12 breaks the very last
def test_a_loss_that_is_no_number_leaves_the_last_good_checkpoint(
    last_good_step: int, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Breaks, "last_good_step", last_good_step)
    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", {"scorer": "breaks"}, CompletionState)
    seen: list[int] = []
    with pytest.raises(UserError, match=r"in epoch 3, or the weights are broken .*Earlier checkpoints are unchanged"):
        train(
            Breaks(sizes_of(dataset), 4),
            dataset,
            CompletionTraining(batch=32, epochs=9, evaluate_every=1),
            on_progress=lambda row: seen.append(row["epoch"]),
            checkpoint=checkpoint,
        )
    assert seen == [1, 2]
    state = checkpoint.load()
    assert state is not None and state.epoch == 2
    assert all(tensor.isfinite().all() for tensor in state.weights.values())


class Remembers(TNTComplEx):
    """Keeps the weights after each step."""

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__(sizes, rank)
        self.steps: list[torch.Tensor] = []

    def after_step(self) -> None:
        self.steps.append(self.entities.weight.detach().clone())


def test_without_valid_the_running_mean_of_all_steps_is_kept() -> None:
    terms = terms_of_office()
    scorer = Remembers(sizes_of(terms), 4)
    train(scorer, terms, CompletionTraining(batch=16, epochs=3, average=0.75))
    steps = scorer.steps[:13]  # the beginning, and four steps an epoch; what comes after is the mean itself
    weights = [0.75**12, *(0.25 * 0.75 ** (12 - step) for step in range(1, 13))]
    expected = sum(weight * step for weight, step in zip(weights, steps, strict=True))
    assert torch.allclose(scorer.entities.weight, torch.as_tensor(expected), atol=1e-6)


def test_what_is_ranked_on_valid_is_the_mean_and_training_goes_on_from_the_last_weights(dataset: Dataset) -> None:
    ranked, plain = ([], []), ([], [])
    for average, (losses, ranks) in ((0.9, ranked), (0.0, plain)):
        rows: list[dict[str, Any]] = []
        settings = CompletionTraining(batch=32, epochs=4, evaluate_every=1, patience=9, average=average)
        train(TNTComplEx(sizes_of(dataset), 4), dataset, settings, on_progress=rows.append)
        losses.extend(row["loss"] for row in rows)
        ranks.extend(row["valid_mrr"] for row in rows)
    assert ranked[0] == plain[0]  # looking at the mean changes nothing of the way
    assert ranked[1] != plain[1]


def test_a_share_of_one_would_never_learn() -> None:
    with pytest.raises(UserError, match=r"average is 1; it must be at least 0 and below 1, such as 0.99."):
        CompletionPlan.of("complex", {"average": 1.0})


class TwoPhases(TNTComplEx):
    """Trains its relations after all else."""

    def __init__(self, sizes: Sizes, rank: int) -> None:
        super().__init__(sizes, rank)
        self.seen = 0

    def phases(self, settings: CompletionTraining) -> Sequence[Phase]:
        return (
            Phase(settings, lambda name: "relations" not in name),
            Phase(settings, lambda name: "relations" in name),
        )


def test_a_second_phase_leaves_the_first_as_it_was_and_resumes(dataset: Dataset, tmp_path: Path) -> None:
    settings = CompletionTraining(epochs=3, evaluate_every=1, batch=32, patience=9)
    rows: list[tuple[int, int]] = []
    whole = TwoPhases(sizes_of(dataset), 4)
    train(whole, dataset, settings, on_progress=lambda row: rows.append((row["phase"], row["epoch"])))
    assert rows == [(1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3)]

    def stop(row: dict[str, int]) -> None:
        if (row["phase"], row["epoch"]) == (2, 2):
            raise Stop

    checkpoint = Checkpoint(tmp_path / "checkpoint.safetensors", {}, CompletionState)
    with pytest.raises(Stop):
        train(TwoPhases(sizes_of(dataset), 4), dataset, settings, on_progress=stop, checkpoint=checkpoint)
    state = checkpoint.load()
    assert state is not None and (state.phase, state.epoch) == (1, 1)
    resumed = TwoPhases(sizes_of(dataset), 4)
    train(resumed, dataset, settings, state=checkpoint.load(), checkpoint=checkpoint)
    assert same(whole.state_dict(), resumed.state_dict())
    assert torch.equal(resumed.points.weight, state.best["points.weight"])


def test_a_full_disk_leaves_what_was_there(
    dataset: Dataset, toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(row: dict[str, object]) -> None:
        if row["epoch"] == 2:
            raise Stop

    plan = CompletionPlan.of("complex", SETTINGS)
    with pytest.raises(Stop):
        train_into(tmp_path / "model", plan, dataset, toy, on_progress=stop)
    kept = (tmp_path / "model" / "checkpoint.safetensors").read_bytes()

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("asof.training.tensors.save_file", full)
    with pytest.raises(UserError, match=r"No space left on device. What was there before is unchanged"):
        train_into(tmp_path / "model", plan, dataset, toy)
    assert (tmp_path / "model" / "checkpoint.safetensors").read_bytes() == kept
    assert not list((tmp_path / "model").glob(".*.new"))


def test_a_search_chooses_on_valid_and_goes_on(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    ranges = {"rank": ValueChoice([2, 12]), "learning_rate": ValueRange(0.05, 0.2)}
    fixed = {"epochs": 8, "evaluate_every": 4, "batch": 32}
    seen: list[str] = []
    found = search(
        tmp_path,
        "complex",
        dataset,
        toy,
        ranges,
        fixed=fixed,
        tries=3,
        on_progress=lambda one: seen.append(one.folder.name),
    )
    assert seen == ["try-01", "try-02", "try-03"]
    figures = [one.valid["mrr"] for one in found if one.valid]
    assert figures == sorted(figures, reverse=True)
    again = search(tmp_path, "complex", dataset, toy, ranges, fixed=fixed, tries=3)
    assert [one.drawn for one in again] == [one.drawn for one in found]
    with pytest.raises(UserError, match="There is nothing to search"):
        search(tmp_path, "complex", dataset, toy, {}, fixed=fixed, tries=3)


def test_draws_stay_within_their_ranges() -> None:
    found = draws({"rank": ValueRange(2, 4, whole=True), "squares": ValueRange(1e-4, 1e-1)}, 200, seed=1)
    assert {one["rank"] for one in found} == {2, 3, 4}
    assert all(1e-4 <= one["squares"] <= 1e-1 for one in found)
    assert sum(one["squares"] < 1e-3 for one in found) > 40  # a third of the orders of magnitude


def test_candidates_are_sampled_where_all_would_take_hours(
    toy: Path, dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    comparisons = 2 * len(dataset.train) * len(dataset.entities)
    monkeypatch.setattr("asof.completion.training.plan._MOST_COMPARISONS", comparisons)
    small = planned_training("complex", str(toy), {})
    assert small.plan.training.shared_negatives == 0 and small.notes == ()
    monkeypatch.setattr("asof.completion.training.plan._MOST_COMPARISONS", comparisons - 1)
    large = planned_training("complex", str(toy), {})
    assert large.plan.training.shared_negatives == 1000
    assert "each step compares answers with 1,000 sampled candidates; all of them: --set" in large.notes[0]
    for chosen in ({"shared_negatives": 0}, {"negatives": 50}):
        asked = planned_training("complex", str(toy), chosen)
        assert asked.plan.training.shared_negatives == 0 and asked.notes == ()
