"""Device, dtype and batch size of Transformers models: what there is, what changes numbers and what does not."""

from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("transformers")

from asof.errors import UserError
from asof.models import AnswerRequest, open_model, settings_of
from asof.models.transformers_causal import TransformersCausal
from tests.models.tiny_model import make_tiny_model

REQUESTS = [AnswerRequest(f"In {year}, who was the president?", " Barack Obama") for year in range(1990, 2020)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("placement") / "tiny")


def test_the_size_of_a_batch_changes_no_score(folder: Path) -> None:
    usual = TransformersCausal(str(folder)).answer_logprob(REQUESTS)
    small = TransformersCausal(str(folder), batch_size=40, threads=2)
    assert small.answer_logprob(REQUESTS) == pytest.approx(usual, abs=1e-4)
    assert small.settings == {}


def test_a_lower_precision_is_nearly_the_same_and_recorded(folder: Path) -> None:
    usual = TransformersCausal(str(folder))
    half: Any = open_model(str(folder), dtype="bfloat16")
    expected, found = usual.answer_logprob(REQUESTS), half.answer_logprob(REQUESTS)
    assert found == pytest.approx(expected, abs=0.3) and found != expected
    assert half.describe()["dtype"] == "bfloat16" and half.describe()["device"] == "cpu"
    assert half.settings == {"dtype": "bfloat16"}  # a run in another precision is another run
    assert len(half.write(["Who?"], most_tokens=3)) == 1


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"device": "cuda:99"}, r"There is no device 'cuda:99' on this machine\. It has: cpu"),
        ({"device": "gpu"}, "There is no device 'gpu' on this machine"),
        ({"dtype": "float61"}, r"dtype = 'float61' is not known\. Did you mean 'float16'\? Known: float32, bfloat16"),
        ({"batch_size": 0}, "batch_size = 0 reads nothing"),
    ],
)
def test_what_there_is_not(settings: dict[str, Any], message: str, folder: Path) -> None:
    with pytest.raises(UserError, match=message):
        TransformersCausal(str(folder), **settings)


def test_all_kinds_have_them(folder: Path) -> None:
    for name in (str(folder), "transformers-masked:x", "transformers-seq2seq:x"):
        assert {"device", "dtype", "batch_size", "threads"} <= set(settings_of(name))
