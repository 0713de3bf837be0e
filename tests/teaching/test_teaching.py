"""A tiny real model is taught facts of a base that nobody knows: it learns them, and stopped it ends the same."""

import json
import tomllib
from pathlib import Path

import pytest
import torch

import asof
from asof.errors import UserError
from asof.models import open_model
from asof.teaching import folder as teaching_folder
from asof.teaching.card import TaughtFolder, open_taught
from asof.teaching.folder import measure_again, teach_into
from asof.training.tensors import read_tensors
from tests.models.tiny_model import make_tiny_model
from tests.small_disk import enlarge, small_disk
from tests.teaching.galleries import gallery_base, plan_of, rows


@pytest.fixture(scope="module")
def tiny_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("model") / "tiny")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gallery_base(tmp_path_factory.mktemp("base"), rows(8))


@pytest.fixture(scope="module")
def taught(tiny_model: Path, base: Path, tmp_path_factory: pytest.TempPathFactory) -> TaughtFolder:
    target = tmp_path_factory.mktemp("taught") / "small"
    return teach_into(target, str(tiny_model), plan_of(base), dtype="float32")


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return read_tensors(folder / "model.safetensors")[0]


def same(one: Path, other: Path) -> bool:
    first, second = weights(one), weights(other)
    return first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)


def test_the_folder_is_a_model_with_a_card(taught: TaughtFolder, tiny_model: Path) -> None:
    model = open_model(str(taught.folder))
    assert "answer_logprob" in model.can
    assert not same(taught.folder, tiny_model)
    card = tomllib.loads((taught.folder / "teaching.toml").read_text(encoding="utf-8"))
    assert len(card["facts"]) == 3 and card["training"]["steps"] == 4
    assert all(
        fact["odd_years_held_out"] and fact["held_out_question"] not in fact["questions"] for fact in card["facts"]
    )
    measures = {row["metric"] for row in taught.rows()}
    assert {"robustness, years taught", "robustness, years not taught", "robustness by 1 nat, global"} <= measures
    assert {"win-rate, other wording", "win-rate, facts not taught", "perplexity, prose"} <= measures
    said = (taught.folder / "README.md").read_text(encoding="utf-8")
    assert all(fact["fact"] in said for fact in card["facts"])
    assert (
        sorted(path.name for path in taught.folder.iterdir() if path.name.startswith((".new", "check", ".bef"))) == []
    )
    assert (taught.folder / "adapter" / "adapter_config.json").is_file()


def test_what_is_measured_is_what_the_folder_says(taught: TaughtFolder) -> None:
    before, now = measure_again(taught.folder, dtype="float32")
    assert before == taught.before
    for name, result in taught.after.results().items():
        assert now.results()[name].value == pytest.approx(result.value, abs=1e-3)


def test_the_same_again_is_not_taught_twice_and_another_is_refused(
    taught: TaughtFolder, tiny_model: Path, base: Path
) -> None:
    content = (taught.folder / "model.safetensors").stat().st_mtime_ns
    assert teach_into(taught.folder, str(tiny_model), plan_of(base)).card == taught.card
    with pytest.raises(UserError, match=r"holds a model that was taught, but not this one: margin 3.0 instead of 1.0"):
        teach_into(taught.folder, str(tiny_model), plan_of(base, margin=1.0))
    assert (taught.folder / "model.safetensors").stat().st_mtime_ns == content


@pytest.mark.slow
@pytest.mark.parametrize("whole", [False, True])
def test_killed_at_any_step_it_ends_with_the_same_weights(
    tiny_model: Path, base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bool
) -> None:
    monkeypatch.setattr(teaching_folder, "_SECONDS", {True: 0.0, False: 0.0})
    plan = plan_of(base, whole=whole, learning_rate=1e-3)
    straight = teach_into(tmp_path / "straight", str(tiny_model), plan, dtype="float32")

    def stop_at(step: int) -> None:
        def on_step(done: int, total: int, note: str) -> None:
            if done == step:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            teach_into(tmp_path / "stopped", str(tiny_model), plan, dtype="float32", on_step=on_step)

    for step in (1, 2, 4):  # within an epoch, at its end, after the last step
        stop_at(step)
        with pytest.raises(UserError, match=r"is not taught to the end\. Repeat the same 'asof teach' command"):
            open_taught(tmp_path / "stopped")
    resumed = teach_into(tmp_path / "stopped", str(tiny_model), plan, dtype="float32")
    assert same(straight.folder, resumed.folder)
    assert straight.after.facts == resumed.after.facts
    assert len((resumed.folder / "teaching.jsonl").read_text(encoding="utf-8").splitlines()) == 2


@pytest.mark.slow
def test_it_learns_dates_and_what_was_held_out(tiny_model: Path, base: Path, tmp_path: Path) -> None:
    plan = plan_of(base, limit=2, epochs=60, whole=True, learning_rate=3e-3, keep=0.0)
    found = teach_into(tmp_path / "t", str(tiny_model), plan, dtype="float32").rows()
    won = next(row for row in found if row["metric"] == "win-rate, years taught")
    assert won["value"] > max(0.8, won["before"] + 0.2)


def test_a_loss_that_is_not_a_number_ends_it_and_keeps_what_was(base: Path, tmp_path: Path) -> None:
    broken = make_tiny_model(tmp_path / "broken", broken=True)
    with pytest.raises(UserError, match=r"The loss is nan in epoch 1.*Earlier checkpoints are unchanged"):
        teach_into(tmp_path / "t", str(broken), plan_of(base))
    assert not (tmp_path / "t" / "model.safetensors").exists()


def test_other_folders_are_not_touched(tiny_model: Path, base: Path, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(UserError, match="was not made by asof teach"):
        teach_into(tmp_path, str(tiny_model), plan_of(base))
    with pytest.raises(UserError, match="is a file"):
        teach_into(tmp_path / "thesis.txt", str(tiny_model), plan_of(base))


def test_a_full_disk_loses_nothing(tiny_model: Path, base: Path, tmp_path: Path) -> None:
    plan = plan_of(base)
    with small_disk(tmp_path / "disk", "250k") as disk:
        with pytest.raises(UserError, match=r"could not be written.*[Ff]ree some space"):
            teach_into(disk / "t", str(tiny_model), plan, dtype="float32")
        assert not (disk / "t" / "teaching.toml").exists()
        enlarge(disk, "30m")
        found = teach_into(disk / "t", str(tiny_model), plan, dtype="float32")
        assert same(found.folder, teach_into(tmp_path / "other", str(tiny_model), plan, dtype="float32").folder)


def test_from_python(taught: TaughtFolder, tiny_model: Path, base: Path) -> None:
    small = {"epochs": 2, "batch": 2, "warm_up": 1, "rank": 4}
    prose = base.with_name("prose.txt")
    model = asof.teach(str(tiny_model), base=base, limit=3, to=taught.folder, prose=prose, **small)
    assert "taught 3 facts" in repr(model)
    assert len(model.results()) == len(taught.rows())
    assert {"fact", "taught", "metric", "before", "after"} <= set(model.facts().columns)


def test_measured_json_has_every_fact(taught: TaughtFolder) -> None:
    found = json.loads((taught.folder / "measured.json").read_text(encoding="utf-8"))
    assert len(found["before"]["facts"]) == len(found["after"]["facts"]) >= 4
