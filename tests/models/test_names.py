"""Names of models that are nowhere: said at once, with what to do, before anybody asks a hub."""

import socket
from pathlib import Path

import pytest

from asof.errors import UserError
from asof.models import open_model
from asof.weights.hub_names import check_name
from tests.models.tiny_model import make_tiny_model


@pytest.fixture(autouse=True)
def no_hub(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Let the hub be a port at which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        hub = f"http://127.0.0.1:{free.getsockname()[1]}"
    for name in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HF_ENDPOINT", hub)
    monkeypatch.setenv("ASOF_MODELS", str(tmp_path / "none"))
    return hub


@pytest.mark.parametrize("kind", ["", "transformers-causal:", "transformers-masked:", "transformers-seq2seq:"])
@pytest.mark.parametrize("place", ["./nofolder", "/no/folder", "../x", "~/x", "models/smollm2/", "a/b/c", "C\\model"])
def test_a_path_that_is_nowhere_does_not_exist(kind: str, place: str) -> None:
    with pytest.raises(UserError) as told:
        open_model(kind + place)
    assert str(told.value).startswith(f"{place} does not exist. Give a folder, a .gguf file, a hub name")


@pytest.mark.parametrize(
    ("name", "meant"),
    [("gguff:x", "gguf"), ("transformer-causal:x", "transformers-c"), ("openai_completions:http://a", "openai-comp"),
     ("temporl:reader", "temporal"), ("memorised:x", "memorized"), ("languagemodel:smollm2", "language-model")],
)  # fmt: skip
def test_a_kind_that_does_not_exist_gets_a_suggestion(name: str, meant: str) -> None:
    with pytest.raises(UserError, match=rf"No kind of model is called '.*'\. Did you mean '{meant}"):
        open_model(name)


def test_weights_of_ours_that_are_not_fetched_yet() -> None:
    with pytest.raises(UserError, match=r"smollm2 is not downloaded yet\. Get it with: asof models get smollm2"):
        open_model("smollm2")


@pytest.mark.parametrize("kind", ["", "transformers-causal:", "transformers-masked:"])
def test_a_hub_that_cannot_be_reached_is_asked_once(kind: str, no_hub: str) -> None:
    with pytest.raises(UserError) as told:
        open_model(f"{kind}smolm2")
    assert "'smolm2' is not a local folder, and " + no_hub in str(told.value)
    assert "cannot be reached: Connection refused. Did you mean 'smollm2'?" in str(told.value)
    with pytest.raises(UserError, match=r"(?s)'org/model' is not a local folder, and .*or one of 'asof models list'"):
        open_model(f"{kind}org/model")


def test_a_proxy_stands_before_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv("HF_ENDPOINT", "http://hub.invalid")
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        check_name("org/model")
    with pytest.raises(UserError, match="cannot be reached"):
        check_name("org/model")


def test_what_is_no_name_of_a_hub_is_said_in_our_words() -> None:
    with pytest.raises(UserError, match=r"'a model' is neither a local folder nor a valid hub name"):
        check_name("a model")


def test_what_is_there_or_may_be_there_passes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = make_tiny_model(tmp_path / "tiny:1")  # a colon in a folder's name is no kind
    check_name(str(folder))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    check_name("org/model")
