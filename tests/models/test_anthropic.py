"""Anthropic's Messages protocol, spoken with a real server of the tests' own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from asof.errors import UserError
from asof.models import ChoiceRequest, UnansweredError
from asof.models.anthropic import AnthropicMessages
from asof.models.usage import Usage, tallied
from tests.models.chat_server import MODEL, TOKENS_IN, TOKENS_OUT, ChatServer, chatting

WHO = "Who was the president of the USA in 2011?"


@pytest.fixture(scope="module")
def started() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture
def server(started: ChatServer) -> ChatServer:
    started.behave()
    return started


def client(server: ChatServer, **settings: Any) -> AnthropicMessages:
    return AnthropicMessages(MODEL, **({"address": server.place, "tries": 3, "first_wait": 0.001} | settings))


def written(model: AnthropicMessages) -> str:
    return model.write([WHO], most_tokens=16, stop=["\nQuestion:", "\n"])[0]


def test_what_goes_out_and_comes_back(server: ChatServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-secret")
    model = client(server, system="Be brief.")
    with tallied() as tally:
        assert written(model) == "Barack Obama"
    assert server.calls == [
        {
            "model": MODEL,
            "max_tokens": 16,
            "messages": [{"role": "user", "content": WHO}],
            "system": "Be brief.",
            "temperature": 0.0,
            "stop_sequences": ["\nQuestion:"],
        }
    ]
    [headers] = server.headers
    assert headers["x-api-key"] == "sk-ant-secret" and headers["anthropic-version"] == "2023-06-01"
    assert "authorization" not in headers
    assert tally.usage == Usage(1, TOKENS_IN, TOKENS_OUT)
    assert "secret" not in repr(model.describe()) and model.name == f"anthropic:{MODEL}"


def test_thinking_is_no_answer(server: ChatServer) -> None:
    assert written(client(server, reasoning_tokens=2000)) == "Barack Obama"
    [body] = server.calls
    assert body["thinking"] == {"type": "enabled", "budget_tokens": 2000} and body["max_tokens"] == 2016
    assert "temperature" not in body and "stop_sequences" not in body
    server.faults = ["thinks"]
    with tallied() as tally:
        assert written(client(server, reasoning_tokens=1024)) == "<think>"
    assert "reasoning_tokens" in tally.remarks["declined"]


def test_options_are_chosen_by_what_is_answered(server: ChatServer) -> None:
    says = iter(["B", "(A)", "I cannot say", "The answer is B"])
    server.says = lambda prompt: next(says)
    assert client(server, samples=4).choose([ChoiceRequest("A or B?", ("A", "B"))]) == [[1 / 3, 2 / 3]]
    assert {body["temperature"] for body in server.calls} == {1.0}
    server.says, server.always = lambda prompt: "A", "refusal"
    assert all(map(math.isnan, client(server).choose([ChoiceRequest("A or B?", ("A", "B"))])[0]))


@pytest.mark.parametrize("fault", ["529:Overloaded", "busy:0", "500", "cut", "drop"])
def test_passing_trouble_is_waited_out(fault: str, server: ChatServer) -> None:
    server.faults = [fault, fault, None]
    assert written(client(server)) == "Barack Obama"
    assert server.asked == {WHO: 1}


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("529:Overloaded", r"failed 3 times, the last time with: status 529 \(Overloaded\)"),
        ("400:Your credit balance is too low", r"says that the credit is used up .*All answers are kept; add credit"),
        ("401:invalid x-api-key", r"\$ANTHROPIC_API_KEY is not set. Set \$ANTHROPIC_API_KEY to a valid key"),
        ("404:model: nothing", r"404 \(model: nothing\)"),
    ],
)
def test_lasting_trouble_stops_with_a_clear_message(fault: str, message: str, server: ChatServer) -> None:
    server.always = fault
    with pytest.raises(UserError, match=message):
        written(client(server))


def test_a_prompt_that_is_too_long_loses_itself_alone(server: ChatServer) -> None:
    server.faults = ["400:prompt is too long: 210000 tokens > 200000 maximum"]
    with pytest.raises(UnansweredError, match="the prompt is too long for scripted"):
        written(client(server))


def test_settings_that_make_no_sense(server: ChatServer) -> None:
    with pytest.raises(UserError, match=r"reasoning_tokens = 10: its models think with 1024 or more"):
        client(server, reasoning_tokens=10)
    with pytest.raises(UserError, match="Say which model: anthropic:MODEL"):
        AnthropicMessages("")
