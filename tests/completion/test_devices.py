"""Training on another device: everything goes there, the draws are the same, and the model comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from click.testing import CliRunner

import asof
from asof import registry
from asof.cli import asof as command
from asof.completion.dataset import Dataset
from asof.completion.trained.folder import train_into
from asof.completion.training.plan import CompletionPlan
from asof.devices import devices_there, known_device
from asof.errors import UserError
from asof.training.tensors import read_tensors
from tests.completion.pretend_device import NAME, PretendDevice, PretendTensor

pytestmark = pytest.mark.filterwarnings("ignore:.*copying from a non-meta parameter")

SETTINGS = {"rank": 4, "epochs": 2, "evaluate_every": 1, "batch": 64, "roughness": 0.01, "average": 0.5}
CASES = [
    *((name, {}) for name in registry.scorers.names()),
    ("ta", {"form": "transe"}),
    ("ta", {"form": "complex"}),
    ("tntcomplex", {"shared_negatives": 5, "time_weight": 0.5, "products": "bfloat16"}),
    ("timeplex-base", {"negatives": 5, "instants": "mean", "inverse_relations": False}),
    ("de-simple", {"shared_negatives": 5, "time_weight": 0.5, "squares": 0.01}),
    ("evidence", {"folds": 2}),
]


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return read_tensors(folder / "model.safetensors")[0]


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let there be a device that can be tried anywhere."""
    monkeypatch.setattr("asof.devices.devices_there", lambda: ["cpu", NAME])
    monkeypatch.setattr("torch.inference_mode", torch.no_grad)  # tensors of classes of one's own cannot be of inference


@pytest.mark.usefixtures("pretended")
@pytest.mark.parametrize(("scorer", "options"), CASES)
def test_another_device_computes_the_same(
    scorer: str, options: dict[str, object], toy: Path, dataset: Dataset, tmp_path: Path
) -> None:
    plan = CompletionPlan.of(scorer, {**SETTINGS, **options})
    by_default = train_into(tmp_path / "default", plan, dataset, toy)
    train_into(tmp_path / "cpu", plan, dataset, toy, device="cpu")
    with PretendDevice():
        there = train_into(tmp_path / "there", plan, dataset, toy, device=NAME)
    one, same, other = (weights(tmp_path / name) for name in ("default", "cpu", "there"))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert one.keys() == other.keys()
    if scorer == "ta":  # which adds up in another order where a device may have no sparse matrices
        assert all(torch.allclose(one[name], other[name], atol=1e-4) for name in one)
    else:
        assert all(torch.equal(one[name], other[name]) for name in one)
        assert by_default.about["valid"] == there.about["valid"]
    assert not any(isinstance(value, PretendTensor) for value in there.scorer.state_dict().values())


@pytest.mark.usefixtures("pretended")
def test_a_stopped_training_goes_on_there(toy: Path, dataset: Dataset, tmp_path: Path) -> None:
    plan = CompletionPlan.of("tntcomplex", {**SETTINGS, "optimiser": "adam"})
    train_into(tmp_path / "whole", plan, dataset, toy)

    def stop(row: dict[str, object]) -> None:
        raise KeyboardInterrupt

    with PretendDevice():
        with pytest.raises(KeyboardInterrupt):
            train_into(tmp_path / "stopped", plan, dataset, toy, device=NAME, on_progress=stop)
        train_into(tmp_path / "stopped", plan, dataset, toy, device=NAME)
    one, other = weights(tmp_path / "whole"), weights(tmp_path / "stopped")
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_the_pretended_device_refuses_what_is_elsewhere() -> None:
    table = torch.nn.Embedding(5, 4)
    with PretendDevice():
        table.to(NAME)
        with pytest.raises(RuntimeError, match="others that are not"):
            table(torch.tensor([1]))
        with pytest.raises((RuntimeError, TypeError)):
            table.weight.detach().numpy()


def test_a_device_that_is_not_there_is_an_error_before_anything_is_read(toy: Path, tmp_path: Path) -> None:
    said = CliRunner().invoke(
        command, ["train", "complex", str(toy), "--device", "cuda:7", "--to", str(tmp_path / "m")]
    )
    assert said.exit_code == 1
    assert "There is no device 'cuda:7' on this machine. It has: cpu" in str(said.exception)
    assert not (tmp_path / "m").exists()
    with pytest.raises(UserError, match=r"There is no device 'gpu' on this machine. It has: cpu"):
        asof.train("complex", toy, device="gpu", to=tmp_path / "m")


def test_cuda_is_the_first_card(monkeypatch: pytest.MonkeyPatch) -> None:
    assert devices_there()[0] == "cpu"
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    assert [known_device(name) for name in ("cpu", "cuda", "cuda:1")] == ["cpu", "cuda", "cuda:1"]


def test_what_needs_double_precision_is_not_trained_on_mps(
    toy: Path, dataset: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: True)
    with pytest.raises(UserError, match=r"computes in float64, which mps does not have. Train it with --device cpu"):
        train_into(tmp_path / "m", CompletionPlan.of("timeplex", {"rank": 4}), dataset, toy, device="mps")
