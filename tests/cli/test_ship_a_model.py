"""The how-to for people who ship a model, word for word, for each kind of model: real weights, real servers.

Only the limit is smaller, and MODEL is what the table of the page says for the kind.
"""

import importlib
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from asof.cli import asof
from asof.registry import models, probes
from asof.runs import read_run
from asof.weights.package_index import fetched_gguf
from tests.models.completions_server import MODEL, serving
from tests.models.llama_server import llama_server, without_log_probabilities
from tests.models.tiny_model import make_tiny_model

PAGE = (Path(__file__).parents[2] / "docs" / "how_to" / "ship_a_model.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(?:    |\$ )(asof .*)$", PAGE, re.MULTILINE)
FACTS = 3  # instead of 200


@contextmanager
def folder(place: Path) -> Iterator[str]:
    yield str(make_tiny_model(place / "tiny", positions=512))


@contextmanager
def gguf(place: Path) -> Iterator[str]:
    pytest.importorskip("cyllama")
    file = fetched_gguf("smollm2")
    if file is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    yield f"gguf:{file}"


@contextmanager
def completions(place: Path) -> Iterator[str]:
    with serving(make_tiny_model(place / "tiny", positions=512)) as server:
        yield f"openai-completions:{server.place.rpartition('#')[0] or server.place}#{MODEL}"


def chat(likeliest: Callable[[str], dict[str, float]] | None) -> Callable[[Path], AbstractContextManager[str]]:
    @contextmanager
    def served(place: Path) -> Iterator[str]:
        if "openai-chat" not in models.names() or "choose" not in probes.names():
            pytest.skip("there is no chat model yet")
        server_of: Any = importlib.import_module("tests.models.chat_server")
        with server_of.chatting() as server:
            server.says = lambda prompt: "1" if "1 or 2" in prompt else "Angela Merkel"
            server.likeliest = likeliest
            yield server.model if server.model.startswith("openai-chat:") else f"openai-chat:{server.model}"

    return served


@contextmanager
def llama_cpp(place: Path) -> Iterator[str]:
    with llama_server() as address:
        yield f"openai-chat:{address}/v1"


@contextmanager
def llama_cpp_without(place: Path) -> Iterator[str]:
    with llama_server() as address, without_log_probabilities(address) as proxy:
        yield f"openai-chat:{proxy}/v1"


KINDS: dict[str, tuple[Callable[[Path], AbstractContextManager[str]], tuple[str, ...]]] = {
    "folder": (folder, ("pseudo-likelihood",)),
    "gguf": (gguf, ("pseudo-likelihood",)),
    "completions": (completions, ("pseudo-likelihood",)),
    "chat with log-probabilities": (chat(lambda prompt: {"1": 0.7, "2": 0.2}), ("choose", "write-answer")),
    "chat without log-probabilities": (chat(None), ("choose", "write-answer")),
    "llama.cpp's server": (llama_cpp, ("choose", "write-answer")),
    "llama.cpp's server without log-probabilities": (llama_cpp_without, ("choose", "write-answer")),
}


def words_of(command: str, model: str) -> list[str]:
    words = command.split()[1:]
    words = [model if word == "MODEL" else word for word in words]
    if words[0] == "run":
        words[words.index("--limit") + 1] = str(FACTS)
    return words


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_the_how_to_works_word_for_word(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, asked = KINDS[kind]
    monkeypatch.chdir(tmp_path)
    command = CliRunner()
    with opened(tmp_path) as model:
        (build,) = (one for one in COMMANDS if one.startswith("asof build"))
        assert command.invoke(asof, words_of(build, model)).exit_code == 0
        runs = [one for one in COMMANDS if one.startswith("asof run")]
        mine = [one for one in runs if any(f"--probe {probe} " in one for probe in asked)]
        assert len(mine) == len(asked)
        for one in mine:
            ran = command.invoke(asof, words_of(one, model))
            assert ran.exit_code == 0, ran.output
            again = command.invoke(asof, words_of(one, model))  # the same command resumes, and has nothing to ask
            assert again.exit_code == 0 and again.output.count("predictions in") == 1
    shutil.copytree("model-changes", "old-changes")
    rest = [one for one in COMMANDS if one.split()[1] not in ("build", "run", "models")]
    assert [one.split()[1] for one in rest] == ["cutoff", "cutoff", "cutoff", "cutoff", "audit", "compare", "report"]
    for one in rest:
        ran = command.invoke(asof, words_of(one, model))
        checks = one.split()[1] == "audit" or "--fail-if-older-than" in one
        assert ran.exit_code == (3 if checks else 0), (one, ran.output)  # three facts tell nothing, and say so
        assert not checks or "cannot tell" in ran.stderr
    assert len(read_run(Path("model-changes")).predictions()) >= FACTS
