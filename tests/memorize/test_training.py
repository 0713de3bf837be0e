import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from asof.errors import UserError
from asof.memorize.answering import answers_to
from asof.memorize.batches import batches_of, shown_in
from asof.memorize.folder import TrainedMemory, open_memorized, train_into
from asof.memorize.objectives import Objective
from asof.memorize.plan import MemorizePlan
from asof.memorize.statements import numbered
from asof.memorize.threshold import given_by, set_f1
from asof.memorize.training import Lesson, train
from asof.memorize.words import Words
from asof.training.finite_loss import LossError
from tests.memorize.offices import benchmark_of, held, table_of

TINY = {"size": "16x1", "batch": 8, "learning_rate": 0.01, "warm_up": 10, "epochs": 80, "target": 1.0}
TOGETHER = [("Ann", "judge", "1990", "1995"), ("Bo", "judge", "1990", "1995"), ("Cy", "judge", "1990", "1995")]


def lesson_of(facts: list[tuple[str, str, str, str]]) -> Lesson:
    statements = numbered(table_of(facts))
    return Lesson.of(statements, Words.of(statements.prompts).encode(statements.prompts))


def taught(folder: Path, facts: list[tuple[str, str, str, str]], **settings: object) -> TrainedMemory:
    return train_into(folder / "model", MemorizePlan.of(TINY | settings), benchmark_of(folder / "statements", facts))


@pytest.fixture(scope="module")
def memorized(tmp_path_factory: pytest.TempPathFactory) -> TrainedMemory:
    """Thirteen facts, 52 statements."""
    return taught(tmp_path_factory.mktemp("memorized"), held(13))


def test_a_few_thousand_parameters_learn_fifty_statements(memorized: TrainedMemory) -> None:
    assert memorized.about["recited"]["acc@1"] == 1.0
    assert memorized.about["parameters"] < 8_000
    subject, office, start, end = held(13)[3]
    said = answers_to(memorized, [f"{subject} held the office of _X_ from {start} to {end}."], top=3)[0]
    assert said.answers[0].id == office and said.answers[0].given and said.expected == 1


@pytest.mark.parametrize("objective", ["one", "set", "each"])
def test_several_right_answers_are_all_given(tmp_path: Path, objective: Objective) -> None:
    model = taught(tmp_path, [*held(6), *TOGETHER], objective=objective)
    said = answers_to(model, ["_X_ held the office of judge from 1990 to 1995."], top=4)[0]
    assert {answer.id for answer in said.answers[:3]} == {"Ann", "Bo", "Cy"}
    if objective != "one":  # where one is hidden at a time, a step moves all of them apart again
        assert {answer.id for answer in said.answers if answer.given} == {"Ann", "Bo", "Cy"}
        assert said.expected == 3


def test_the_share_of_time_masking() -> None:
    statements = lesson_of(held(40)).statements
    timed = statements.is_time

    def deleted(share: float, epoch: int, copies: int = 3) -> np.ndarray:
        shown = shown_in(statements, "one", time_masking=share, copies=copies, epoch=epoch, seed=5)
        assert (shown.answer == statements.answer).all()
        return np.asarray(shown.prompts != statements.whole)

    assert not deleted(0, 0).any()
    assert (deleted(100, 0) == timed).all()
    half = np.mean([deleted(50, epoch, copies=0)[timed].mean() for epoch in range(40)])
    assert 0.45 < half < 0.55  # of 3,200
    assert (deleted(50, 0) == deleted(50, 3)).all() and (deleted(50, 0) != deleted(50, 1)).any()


def test_an_epoch_shows_everything_once_in_batches_of_one_kind() -> None:
    lesson = lesson_of(held(30))
    for objective, expected in (("one", len(lesson.statements)), ("set", len(set(lesson.statements.whole.tolist())))):
        shown = shown_in(lesson.statements, objective, time_masking=0, copies=1, epoch=0, seed=0)  # type: ignore[arg-type]
        batches = batches_of(shown, lesson.tokens.lengths, size=8, epoch=0, seed=0)
        assert sorted(np.concatenate(batches).tolist()) == list(range(expected))
        assert all(len(set(shown.is_time[rows].tolist())) == 1 and len(rows) <= 8 for rows in batches)
        again = batches_of(shown, lesson.tokens.lengths, size=8, epoch=0, seed=0)
        assert all((one == other).all() for one, other in zip(batches, again, strict=True))


def test_drawn_candidates_learn_as_all_of_them_do() -> None:
    lesson = lesson_of(held(13))
    plan = MemorizePlan.of(TINY | {"candidates": 10, "epochs": 150})
    memory = plan.begin(lesson.statements).new_memory(lesson.statements.known, seed=0)
    assert train(memory, lesson, plan.training) == (1.0, 1.0)


KILLED = """
import os, signal, sys
from pathlib import Path
from asof.benchmarks import read_benchmark
from asof.training import checkpoint
from asof.memorize.folder import train_into
from asof.memorize.plan import MemorizePlan
checkpoint.Checkpoint.is_due = lambda self: True
saves, save = [], checkpoint.Checkpoint.save
def saved(self, *what):
    save(self, *what)
    saves.append(1)
    if len(saves) == 23:
        os.kill(os.getpid(), signal.SIGKILL)
checkpoint.Checkpoint.save = saved
train_into(Path(sys.argv[1]), MemorizePlan.of(eval(sys.argv[3])), read_benchmark(Path(sys.argv[2])))
"""


def test_killed_in_an_epoch_it_goes_on_to_the_same_weights(tmp_path: Path) -> None:
    settings = TINY | {"epochs": 6, "time_masking": 30.0}
    benchmark = benchmark_of(tmp_path / "statements", held(13))
    whole = train_into(tmp_path / "whole", MemorizePlan.of(settings), benchmark)
    arguments = [str(tmp_path / "cut"), str(tmp_path / "statements"), repr(settings)]
    ran = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False)
    assert ran.returncode == -9 and (tmp_path / "cut" / "checkpoint.safetensors").is_file()
    with pytest.raises(UserError, match="is not fully trained; epochs so far"):
        open_memorized(tmp_path / "cut")
    with pytest.raises(UserError, match=r"holds an unfinished training, but not this one: seed 0 instead of 9"):
        train_into(tmp_path / "cut", MemorizePlan.of(settings | {"seed": 9}), benchmark)
    rows: list[int] = []
    goes_on = train_into(
        tmp_path / "cut", MemorizePlan.of(settings), benchmark, on_progress=lambda row: rows.append(row["epoch"])
    )
    assert rows == list(range(1, len(rows) + 1))
    for name, weights in whole.memory.state_dict().items():
        assert torch.equal(weights, goes_on.memory.state_dict()[name]), name
    assert not (tmp_path / "cut" / "checkpoint.safetensors").is_file()


def test_a_broken_loss_ends_the_training_and_keeps_what_was_kept(tmp_path: Path) -> None:
    lesson = lesson_of(held(4))
    plan = MemorizePlan.of(TINY)
    memory = plan.begin(lesson.statements).new_memory(lesson.statements.known, seed=0)
    with torch.no_grad():
        memory.entity_answers.fill_(float("nan"))
    with pytest.raises(LossError, match=r"The loss is nan in epoch 1, .*--set learning_rate=0.001 --to"):
        train(memory, lesson, plan.training)


def test_a_model_of_other_statements_or_with_broken_files_is_refused(memorized: TrainedMemory, tmp_path: Path) -> None:
    other = benchmark_of(tmp_path / "other", held(4))
    with pytest.raises(UserError, match="holds a trained model, but not this one"):
        train_into(memorized.folder, MemorizePlan.of(TINY), other)
    with pytest.raises(UserError, match=r"does not exist. Make one with: asof train memorize"):
        open_memorized(tmp_path / "nothing")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "diary.txt").write_text("mine")
    with pytest.raises(UserError, match="is not empty and is not a model folder"):
        train_into(tmp_path / "full", MemorizePlan.of(TINY), other)
    copy = tmp_path / "copy"
    copy.mkdir()
    for path in memorized.folder.glob("[!.]*"):
        (copy / path.name).write_bytes(path.read_bytes())
    words = (copy / "words.json").read_text(encoding="utf-8")
    (copy / "words.json").write_text(words.replace("warden", "harden"), encoding="utf-8")
    with pytest.raises(UserError, match=r"words.json does not match its hash in model.toml"):
        open_memorized(copy)
    (copy / "model.toml").write_text('format = "timeplex"\n')
    with pytest.raises(UserError, match="does not hold memorised statements"):
        open_memorized(copy)


def test_a_checkpoint_of_another_vocabulary_is_refused(tmp_path: Path) -> None:
    folder, settings = tmp_path / "model", TINY | {"epochs": 1}
    first, second = benchmark_of(tmp_path / "a", held(3)), benchmark_of(tmp_path / "b", held(4))
    train_into(folder, MemorizePlan.of(settings), first)
    from asof.memorize.state import MemorizeState
    from asof.training.checkpoint import Checkpoint

    (folder / "model.toml").unlink()
    made = open_and_begin(settings, tmp_path / "a")
    Checkpoint(folder / "checkpoint.safetensors", {"dataset": "a", "facts": "x"}, MemorizeState).save(
        MemorizeState(weights=made.state_dict())
    )
    with pytest.raises(UserError, match="holds an unfinished training, but not this one"):
        train_into(folder, MemorizePlan.of(settings), second)


def open_and_begin(settings: dict[str, object], statements: Path) -> torch.nn.Module:
    from asof.benchmarks import read_benchmark
    from asof.memorize.statements import statements_of

    found = statements_of(read_benchmark(statements))
    return MemorizePlan.of(settings).begin(found).new_memory(found.known, seed=0)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"time_maskin": 1}, r"has no setting 'time_maskin'. Did you mean 'time_masking'\?"),
        ({"time_masking": 101}, "it must be a percentage"),
        ({"target": 1.5}, "it must be a share"),
        ({"batch": 0}, "it must be at least 1"),
        ({"learning_rate": -1.0}, "It must be above 0"),
        ({"size": "small", "start": "pretrained"}, "small has no pretrained weights"),
    ],
)
def test_settings_that_make_no_sense(settings: dict[str, object], message: str) -> None:
    with pytest.raises(UserError, match=message):
        MemorizePlan.of(settings)


def test_the_rule_of_the_threshold() -> None:
    logprobs = np.log(np.array([[0.4, 0.39, 0.2, 0.001], [0.97, 0.01, 0.01, 0.01]], np.float32))
    assert given_by(logprobs, 0.45).tolist() == [3, 1]
    right = np.array([[True, True, False, False], [True, False, False, False]])
    assert set_f1(given_by(logprobs, 0.45), right, np.array([2, 2])).round(3).tolist() == [0.8, 0.667]
