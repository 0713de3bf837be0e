"""Several processes train one model: what one alone would get but for the order of sums; one of them speaks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from asof.completion.training.trainer import _own_facts
from asof.training.crew import Crew
from asof.training.tensors import read_tensors
from tests.completion.train_together import CASES, train_all
from tests.teaching.test_crew import free_port

ROOT = Path(__file__).parents[2]


def started(command: list[str]) -> list[subprocess.Popen[bytes]]:
    """Start two processes as torchrun does."""
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"}
    return [
        subprocess.Popen(
            [sys.executable, "-m", *command],
            env=os.environ | shared | {"RANK": rank, "LOCAL_RANK": rank},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=ROOT,
        )
        for rank in "01"
    ]


def losses(folder: Path) -> list[float]:
    return [json.loads(line)["loss"] for line in (folder / "epochs.jsonl").read_text().splitlines()]


def test_every_fact_of_a_batch_is_one_process_s() -> None:
    shares = [_own_facts(Crew(rank, 2), 5) for rank in (0, 1)]
    assert sorted(np.concatenate([own for own, _ in shares])) == [0, 1, 2, 3, 4]
    assert sum(share for _, share in shares) == 1
    own, share = _own_facts(Crew(2, 3), 2)  # more processes than facts
    assert own.tolist() == [0] and share == 0
    assert _own_facts(Crew(), 3)[0].tolist() == [0, 1, 2]


@pytest.mark.slow
def test_two_processes_train_what_one_does_also_when_one_was_killed(
    toy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.completion.training.trainer._MANY_ROWS", 1)
    train_all(toy, tmp_path / "alone")
    module = ["tests.completion.train_together", str(toy), str(tmp_path / "both")]
    killed = started([*module, "die"])
    assert killed[0].wait() == -9
    killed[1].kill()
    killed[1].communicate()
    assert (tmp_path / "both" / "all" / "checkpoint.safetensors").is_file()
    again = started(module)
    said = [process.communicate() for process in again]
    assert [process.returncode for process in again] == [0, 0], said
    for name in CASES:
        one, both = (tmp_path / place / name for place in ("alone", "both"))
        assert losses(both) == pytest.approx(losses(one), rel=1e-4), name
        first, second = (read_tensors(folder / "model.safetensors")[0] for folder in (one, both))
        assert first.keys() == second.keys()
        for key in first.keys() - {"_extra_state", "interval_weights"}:
            assert torch.allclose(first[key].float(), second[key].float(), atol=1e-3), (name, key)
        assert not (both / "checkpoint.safetensors").exists()


@pytest.mark.slow
def test_of_two_commands_one_speaks(toy: Path, tmp_path: Path) -> None:
    options = ["--rank", "4", "--epochs", "1", "--to", str(tmp_path / "model")]
    both = started(["asof", "train", "complex", str(toy), *options])
    said = [process.communicate()[1].decode() for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    assert "is trained: 1 epoch, MRR" in said[0] and "trained" not in said[1] and "It takes" not in said[1]
