"""What models write: batches of any mixture give what one prompt at a time gives, from weights and over HTTP."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from asof.errors import UserError
from asof.models import Writes, open_model
from asof.models.openai_completions import OpenAICompletions
from asof.weights.package_index import fetched_folder
from tests.models.completions_server import MODEL, CompletionsServer, serving
from tests.models.tiny_model import make_tiny_model

PROMPTS = [
    "In 2011, who was the president of the United States?",
    "who?",
    "On March 21, 1983, who was the spouse of Betty Ford? In May 1759, to which sovereign state did Beirut belong?",
    *(f"In {year}, who was it?" for year in range(1990, 2000)),  # more than one batch
]


@torch.inference_mode()
def slow_way(tokenizer: Any, model: Any, prompt: str, most_tokens: int) -> str:
    """One prompt, the whole text read again for every token."""
    ids = list(tokenizer(prompt)["input_ids"])
    asked = len(ids)
    for _ in range(most_tokens):
        ids.append(int(model(torch.tensor([ids])).logits[0, -1].argmax()))
        if ids[-1] == tokenizer.eos_token_id:
            break
    return str(tokenizer.decode(ids[asked:], skip_special_tokens=True))


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="module")
def started(tiny: Path) -> Iterator[CompletionsServer]:
    with serving(tiny) as server:
        yield server


@pytest.fixture
def server(started: CompletionsServer) -> CompletionsServer:
    started.behave()
    return started


def client(server: CompletionsServer, **settings: Any) -> OpenAICompletions:
    return OpenAICompletions(f"{server.place}#{MODEL}", **({"tries": 3, "first_wait": 0.001} | settings))


@pytest.fixture(scope="module")
def expected(tiny: Path) -> list[str]:
    tokenizer: Any = AutoTokenizer.from_pretrained(tiny)
    model: Any = AutoModelForCausalLM.from_pretrained(tiny, dtype=torch.float32)
    found = [slow_way(tokenizer, model, prompt, 12) for prompt in PROMPTS]
    assert len(set(found)) > 5  # a model that always says the same would prove nothing
    return found


def test_weights_write_what_the_slow_way_writes(tiny: Path, expected: list[str]) -> None:
    model: Writes = open_model(str(tiny))  # type: ignore[assignment]
    assert "write" in model.can
    assert model.write(PROMPTS, most_tokens=12) == expected
    assert model.write([], most_tokens=12) == []
    assert [model.write([prompt], most_tokens=12)[0] for prompt in PROMPTS[:3]] == expected[:3]


def test_a_stop_ends_the_text_before_it(tiny: Path, expected: list[str], server: CompletionsServer) -> None:
    stop = expected[0][4:6]
    wanted = [text.partition(stop)[0] for text in expected]
    assert wanted[0] == expected[0][: expected[0].index(stop)] != expected[0]
    model: Writes = open_model(str(tiny))  # type: ignore[assignment]
    assert model.write(PROMPTS, most_tokens=12, stop=[stop, "\n\n\n"]) == wanted
    assert client(server).write(PROMPTS, most_tokens=12, stop=[stop]) == wanted
    assert all(call["stop"] == [stop] for call in server.calls)


def test_a_server_writes_the_same_and_is_asked_again_after_faults(
    server: CompletionsServer, expected: list[str]
) -> None:
    server.faults = ["503", None, "cut", "drop"]
    assert client(server).write(PROMPTS, most_tokens=12) == expected
    assert len(server.calls) == len(PROMPTS) + 3
    assert all("echo" not in call and "logprobs" not in call and call["max_tokens"] == 12 for call in server.calls)


def test_a_server_that_fails_for_good_is_told(server: CompletionsServer) -> None:
    server.always = "no text"
    with pytest.raises(UserError, match=r"wrote nothing after 'who\?': its answer has no text"):
        client(server).write(["who?"], most_tokens=3)
    server.always = "503"
    with pytest.raises(UserError, match="failed 3 times"):
        client(server).write(["who?"], most_tokens=3)


def test_a_prompt_that_leaves_no_room_is_told(tmp_path: Path) -> None:
    short: Writes = open_model(str(make_tiny_model(tmp_path / "short", positions=16)))  # type: ignore[assignment]
    assert len(short.write(["who?"], most_tokens=5)) == 1
    with pytest.raises(UserError, match=r"'who\?' has [0-9]+ tokens and 16 may follow; .* reads 16"):
        short.write(["who?"], most_tokens=16)


def test_smollm2_answers_in_its_chat_template() -> None:
    if fetched_folder("smollm2") is None:
        pytest.skip("SmolLM2 is not here: asof models get smollm2")
    model: Writes = open_model("smollm2")  # type: ignore[assignment]
    one, other = model.write(
        ["What is the capital of France? Answer in one sentence.", "Say hello."], most_tokens=24, stop=["\n"]
    )
    assert one == "The capital of France is Paris."
    assert other
    assert "<|im" not in one + other
