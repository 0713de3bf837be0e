"""Processes that teach together: the same weights as one alone, but for the order of sums; one of them speaks."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from asof.errors import UserError
from asof.teaching.folder import teach_into
from asof.training.crew import Crew, device_of_process, is_first_process
from asof.training.tensors import read_tensors
from tests.models.tiny_model import make_tiny_model
from tests.teaching.galleries import gallery_base, plan_of, rows

_SETTINGS = ["--limit", "3", "--epochs", "2", "--dtype", "float32", "--set", "batch=2", "--set", "warm_up=1"]
_SETTINGS += ["--set", "rank=4"]


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def test_alone_it_takes_everything() -> None:
    crew = Crew()
    assert crew.is_first and crew.share([1, 2, 3]) == [1, 2, 3] and crew.tell("a") == ["a"]
    assert [Crew(rank, 2).share([1, 2, 3]) for rank in (0, 1)] == [[1, 3], [2]]


def test_what_a_launcher_says_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setenv("RANK", "1")
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    assert (device_of_process("cuda"), device_of_process("cpu")) == ("cuda:1", "cpu")
    assert not is_first_process()
    with pytest.raises(UserError, match=r"WORLD_SIZE is 2, but MASTER_ADDR.* torchrun --nproc-per-node=2"):
        Crew.of_environment("cpu")


@pytest.mark.slow
def test_two_processes_teach_what_one_does(tmp_path: Path) -> None:
    model, base = make_tiny_model(tmp_path / "m"), gallery_base(tmp_path / "base", rows(8))
    alone = teach_into(tmp_path / "alone", str(model), plan_of(base), dtype="float32")
    shared = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()), "WORLD_SIZE": "2", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "asof", "teach", str(model), "--base", str(base), *_SETTINGS]
    command += ["--prose", str(base.with_name("prose.txt")), "--to", str(tmp_path / "both")]
    started = [
        subprocess.Popen(command, env=os.environ | shared | {"RANK": rank, "LOCAL_RANK": rank}, stdout=subprocess.PIPE)
        for rank in "01"
    ]
    said = [process.communicate()[0].decode() for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert "robustness, years taught" in said[0] and not said[1]
    one, both = (read_tensors(folder / "model.safetensors")[0] for folder in (alone.folder, tmp_path / "both"))
    begun = read_tensors(model / "model.safetensors")[0]
    assert one.keys() == both.keys()
    moved = max(float((one[name] - begun[name]).abs().max()) for name in one)
    apart = max(float((one[name] - both[name]).abs().max()) for name in one)
    assert moved > 0 and apart < moved / 50
    assert all(torch.isfinite(weight).all() for weight in both.values())
