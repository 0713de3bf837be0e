"""Chat models over HTTP: what is their answer, which option they choose, and whatever goes wrong on the way."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from asof.errors import UserError
from asof.models import ChoiceRequest, UnansweredError, open_model
from asof.models.openai_chat import OpenAIChat
from asof.models.usage import Usage, tallied
from tests.models.chat_server import MODEL, TOKENS_IN, TOKENS_OUT, ChatServer, chatting

WHO = "Who was the president of the USA in 2011?"
AB = ChoiceRequest("Which statement is true?\nA: ...\nB: ...\nAnswer:", ("A", "B"))


@pytest.fixture(scope="module")
def started() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture
def server(started: ChatServer) -> ChatServer:
    """A real server that behaves, until a test tells it not to."""
    started.behave()
    return started


def client(server: ChatServer, **settings: Any) -> OpenAIChat:
    return OpenAIChat(f"{server.place}#{MODEL}", **({"tries": 3, "first_wait": 0.001} | settings))


def written(model: OpenAIChat, prompt: str = WHO) -> str:
    return model.write([prompt], most_tokens=16)[0]


def test_a_prompt_is_a_message_and_its_answer_the_text(server: ChatServer) -> None:
    model: Any = open_model(server.model, system="Be brief.", seed=3, extra='{"top_k": 1}')
    assert model.write([WHO], most_tokens=16, stop=["\n"]) == ["Barack Obama"]
    assert server.calls == [
        {
            "model": MODEL,
            "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": WHO}],
            "max_tokens": 16,
            "temperature": 0.0,
            "seed": 3,
            "stop": ["\n"],
            "top_k": 1,
        }
    ]
    assert model.name == server.model and model.describe()["model"] == MODEL
    assert model.settings == {"system": "Be brief.", "seed": 3, "extra": '{"top_k": 1}'}


def test_many_prompts_are_under_way_and_come_back_in_their_order(server: ChatServer) -> None:
    server.says, server.seconds = lambda prompt: prompt[::-1], 0.05
    prompts = [f"prompt {number}" for number in range(24)]
    assert client(server, in_flight=4).write(prompts, most_tokens=5) == [prompt[::-1] for prompt in prompts]
    assert 1 < server.most_together <= 4


@pytest.mark.parametrize("text", ["<think>Bush?\nNo.</think>\n\nBarack Obama", "It was Bush? No.</think>Barack Obama"])
def test_thinking_is_no_answer(text: str, server: ChatServer) -> None:
    server.says = lambda prompt: text
    model = client(server, reasoning_tokens=500, reasoning_effort="low")
    assert model.write([WHO], most_tokens=16, stop=["\n"]) == ["Barack Obama"]
    body = server.calls[0]
    assert body["max_tokens"] == 516 and body["reasoning_effort"] == "low"
    assert "stop" not in body  # the thinking may hold it


def test_thinking_that_was_cut_off_is_no_answer_and_is_told(server: ChatServer) -> None:
    server.faults = ["thinks", None]
    with tallied() as tally:
        assert written(client(server)) == "<think>"
    assert "reasoning_tokens" in tally.remarks["declined"]
    server.says = lambda prompt: "<think>Let me see"
    assert written(client(server)) == "<think>"


@pytest.mark.parametrize(
    ("refuses", "sent", "not_sent"),
    [
        ({"max_tokens": "'max_tokens': use 'max_completion_tokens'"}, "max_completion_tokens", "max_tokens"),
        ({"temperature": "'temperature' does not support 0.0 with this model"}, "max_tokens", "temperature"),
        ({"seed": "Extra inputs are not permitted: seed"}, "max_tokens", "seed"),
        ({"stop": "Unsupported parameter: 'stop'"}, "max_tokens", "stop"),
    ],
)  # fmt: skip
def test_what_a_server_refuses_is_found_out_once(
    refuses: dict[str, str], sent: str, not_sent: str, server: ChatServer
) -> None:
    server.refuses, server.says = refuses, lambda prompt: "Barack Obama\nQuestion: who?"
    model = client(server, seed=1)
    for _ in range(3):
        assert model.write([WHO], most_tokens=16, stop=["\nQuestion:"]) == ["Barack Obama"]
    assert len(server.calls) == 4
    assert all(sent in body and not_sent not in body for body in server.calls[1:])


@pytest.mark.parametrize(
    "said",
    [
        "System role not supported",
        "Unsupported value: 'messages[0].role' does not support 'system' with this model.",
        "Developer instruction is not enabled for this model",
    ],
)
def test_a_system_prompt_that_is_refused_begins_the_message(said: str, server: ChatServer) -> None:
    server.refused_roles = {"system": said}
    model = client(server, system="Be brief.")
    assert [written(model), written(model)] == ["Barack Obama"] * 2
    assert [body["messages"] for body in server.calls[1:]] == [[{"role": "user", "content": f"Be brief.\n\n{WHO}"}]] * 2


def test_log_probabilities_that_are_forbidden_are_no_matter_of_the_key(server: ChatServer) -> None:
    server.refuses, server.says = {"logprobs": "You are not allowed to request logprobs from this model"}, lambda _: "B"
    server.refuses_with = 403
    assert client(server).choose([AB]) == [[0.0, 1.0]]


def test_thinking_that_never_ends_is_no_answer(server: ChatServer) -> None:
    server.says = lambda prompt: "<think>Was it Obama? Let me see"
    with tallied() as tally:
        written(client(server))
    assert "cut off while it was thinking" in str(tally.remarks["declined"])


def test_credit_that_is_used_up_is_told_whatever_the_words(server: ChatServer) -> None:
    server.always = "402:Insufficient funds"
    with pytest.raises(UserError, match=r"the quota is used up \(Insufficient funds\)\. All answers are kept; add"):
        written(client(server))


def test_a_server_that_counts_nonsense_costs_nothing(server: ChatServer) -> None:
    server.usage = {"prompt_tokens": -5, "completion_tokens": True}
    with tallied() as tally:
        written(client(server))
    assert tally.usage == Usage(1, 0, 0)


def test_a_refusal_that_nothing_can_be_done_about_is_told(server: ChatServer) -> None:
    server.always = "400:tools are missing"
    with pytest.raises(UserError, match=r"status 400 \(tools are missing\). It rejects this request; correct what"):
        written(client(server))
    assert len(server.calls) == 1


def test_a_choice_is_read_from_the_likeliest_tokens(server: ChatServer) -> None:
    server.likeliest = lambda prompt: {"A": 0.3, " A": 0.2, "(a": 0.1, "B": 0.15, "b": 0.05, "The": 0.2}
    [shares] = client(server).choose([AB])
    assert shares == pytest.approx([0.75, 0.25])
    assert len(server.calls) == 1 and server.calls[0]["top_logprobs"] == 20


def test_yes_and_no_and_names(server: ChatServer) -> None:
    server.likeliest = lambda prompt: {" Yes": 0.6, "yes": 0.1, "No": 0.2, "Not": 0.1}
    assert client(server).choose([ChoiceRequest("Is it so?", ("Yes", "No"))]) == [pytest.approx([7 / 9, 2 / 9])]
    server.likeliest = lambda prompt: {"Bar": 0.5, "George": 0.25}
    names = ChoiceRequest("Who was it?", ("Barack Obama", "George Bush"))
    assert client(server).choose([names]) == [pytest.approx([2 / 3, 1 / 3])]


def test_a_server_lists_as_many_tokens_as_it_may(server: ChatServer) -> None:
    server.likeliest, server.most_top = lambda prompt: {"A": 0.5, "B": 0.5}, 5
    model = client(server)
    assert model.choose([AB, AB]) == [[0.5, 0.5], [0.5, 0.5]]
    assert model.choose([AB]) == [[0.5, 0.5]]
    assert server.calls[-1]["top_logprobs"] == 5


def test_without_likeliest_tokens_answers_are_counted(server: ChatServer) -> None:
    says = iter(["A", "The answer is B.", "**a**", "Neither", "(A)"])
    server.says = lambda prompt: next(says)
    model = client(server, samples=5, seed=10)
    assert model.choose([AB]) == [[0.75, 0.25]]
    assert [body["seed"] for body in server.calls] == [10, 11, 12, 13, 14]
    assert {body["temperature"] for body in server.calls} == {1.0}
    assert ["logprobs" in body for body in server.calls] == [True, False, False, False, False]


@pytest.mark.parametrize(
    "refuses", ["logprobs is not supported with reasoning models", "This model has no top_logprobs, and no logprobs"]
)
def test_a_server_that_refuses_log_probabilities_is_asked_without(refuses: str, server: ChatServer) -> None:
    server.refuses, server.says = {"logprobs": refuses}, lambda prompt: "B"
    model = client(server)
    assert model.choose([AB]) == [[0.0, 1.0]]
    before = len(server.calls)
    assert model.choose([AB]) == [[0.0, 1.0]]
    assert len(server.calls) == before + 1


@pytest.mark.parametrize("fault", ["refusal", "filter", "thinks", "error:400,content_filter"])
def test_who_declines_chooses_nothing(fault: str, server: ChatServer) -> None:
    server.always = fault
    with tallied() as tally:
        assert all(map(math.isnan, client(server).choose([AB])[0]))
    assert tally.remarks["declined"]


def test_a_refusal_is_an_answer_and_a_filter_is_none(server: ChatServer) -> None:
    server.faults = ["refusal", "filter"]
    model = client(server)
    with tallied() as tally:
        assert written(model) == "I cannot help with that."
    assert tally.as_row()["declined"] == "the model declined"
    with tallied() as tally:
        assert written(model) == "<think>"  # neither an answer nor a model that says it does not know
    assert tally.as_row()["declined"] == "content filter"


@pytest.mark.parametrize("fault", ["busy:0", "500", "502", "503", "529", "cut", "drop", "429"])
def test_passing_trouble_is_waited_out(fault: str, server: ChatServer) -> None:
    server.faults = [None, fault, fault, None]
    model = client(server)
    assert [written(model, f"{number}?") for number in range(2)] == ["Barack Obama"] * 2
    assert server.asked == {"0?": 1, "1?": 1} and not server.faults[1:]


def test_an_answer_with_nothing_in_it_is_asked_for_again(server: ChatServer) -> None:
    server.faults = ["empty", "empty", None]
    with tallied() as tally:
        assert written(client(server)) == "Barack Obama"
    assert tally.usage == Usage(3, 3 * TOKENS_IN, 3 * TOKENS_OUT)  # they were paid for
    server.always = "empty"
    assert written(client(server)) == ""


@pytest.mark.parametrize(
    ("fault", "declined"),
    [("tool", "the model called a tool and wrote nothing"), ("empty", "its answer was empty")],
)
def test_an_item_without_an_answer_is_told(fault: str, declined: str, server: ChatServer) -> None:
    server.always = fault
    with tallied() as tally:
        assert written(client(server)).strip(" <think>") == ""
    assert tally.as_row()["declined"] == declined


def test_an_answer_may_come_as_a_stream_or_as_a_number(server: ChatServer) -> None:
    server.faults = ["stream cut", "stream", "number"]
    with tallied() as tally:
        assert written(client(server)) == "Barack Obama"
    assert tally.usage == Usage(1, TOKENS_IN, TOKENS_OUT)
    assert written(client(server)) == "7"


def test_an_error_with_status_200_is_an_error(server: ChatServer) -> None:
    server.faults = ["inside:503", "inside:429"]
    assert written(client(server)) == "Barack Obama" and len(server.calls) == 3
    server.always = "inside:401"
    with pytest.raises(UserError, match=r"status 401 \(upstream overloaded\). \$OPENAI_API_KEY"):
        written(client(server))


def test_choices_without_an_entry_lose_the_item_alone(server: ChatServer) -> None:
    server.faults = ["no message", None]
    assert written(client(server)) == "Barack Obama"
    server.always = "no message"
    with pytest.raises(UnansweredError, match="without a message"):
        written(client(server))


def test_a_storm_of_429_is_waited_out_by_all(server: ChatServer) -> None:
    server.faults = ["busy:0.05"] * 12
    prompts = [f"{number}?" for number in range(20)]
    assert client(server, tries=10, in_flight=8).write(prompts, most_tokens=5) == ["Barack Obama"] * 20
    assert server.asked == dict.fromkeys(prompts, 1)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("500:out of memory", r"/v1 failed 3 times, the last time with: status 500 \(out of memory\). .*run the same"),
        ("cut", "its answer was cut off or is not JSON"),
        ("drop", "the connection broke"),
        ("busy:3600", r"asks to wait 3,600 seconds .*Earlier answers are kept; run the same command again then"),
        ("error:429,insufficient_quota", r"says that the quota is used up .*All answers are kept; add credit"),
        ("401:who", r"401 \(who\). \$OPENAI_API_KEY is not set. Set .* name another with --set key_from"),
        ("403:no", r"403 \(no\). \$OPENAI_API_KEY is not set"),
        ("no message", "without a message. Use a server that follows the OpenAI chat protocol"),
        ("inside:502", r"failed 3 times, the last time with: status 502 \(upstream overloaded\)"),
        ("moved:http://new.example", "moved to http://new.example/v1/chat/completions. Write openai-chat:.*/v1#M"),
        ("page", r"status 404 \(404 Not Found\). Most addresses end in /v1"),
        ("404:The model `m` does not exist", "Did you mean 'scripted'\\? It serves: scripted"),
        ("stream cut", "its answer was cut off or is not JSON"),
    ],
)  # fmt: skip
def test_lasting_trouble_stops_with_a_clear_message(fault: str, message: str, server: ChatServer) -> None:
    server.always = fault
    with pytest.raises(UserError, match=message):
        written(client(server))
    assert len(server.calls) <= 3


def test_a_prompt_that_is_too_long_loses_itself_alone(server: ChatServer) -> None:
    server.wrong_for = {"long": "400:This model's maximum context length is 512 tokens"}
    model = client(server)
    with pytest.raises(UnansweredError, match=r"the prompt is too long for scripted \(This model's maximum"):
        written(model, "a long story")
    assert written(model) == "Barack Obama"


def test_another_model_that_answers_is_recorded(server: ChatServer) -> None:
    server.faults = ["other model:scripted-2024-07-18"]
    with tallied() as tally:
        written(client(server))
    assert tally.as_row() == {
        "calls": 1, "tokens_in": TOKENS_IN, "tokens_out": TOKENS_OUT, "answered_by": "scripted-2024-07-18"
    }  # fmt: skip


def test_keys_come_from_the_environment_and_are_never_shown(
    server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOY_API_KEY", "sk-very-secret")
    server.key = "another"
    model = client(server, key_from="TOY_API_KEY")
    with pytest.raises(UserError, match=r"provided: Bearer \*\*\*\). Set \$TOY_API_KEY to a valid key\.") as raised:
        written(model)
    assert server.headers[-1]["authorization"] == "Bearer sk-very-secret"
    assert "secret" not in str(raised.value) + repr(model.describe()) + repr(model.settings) + model.name
    with pytest.raises(UserError, match="key_from is the name of an environment variable, such as") as raised:
        client(server, key_from="sk-very-secret")
    assert "secret" not in str(raised.value)


def test_an_address_without_v1_is_tried_with_it(server: ChatServer) -> None:
    model = OpenAIChat(f"{server.host}#{MODEL}", tries=1)
    assert [written(model), written(model)] == ["Barack Obama"] * 2
    assert len(server.calls) == 3  # found out once
    assert model.name == server.model
    assert OpenAIChat(server.host).model == MODEL  # a server of one model needs no name
    assert OpenAIChat(f"{server.place}/chat/completions#{MODEL}").name == server.model


def test_an_address_at_which_nothing_is_says_how_it_should_look(server: ChatServer) -> None:
    with pytest.raises(
        UserError,
        match=r"404 \(Not Found\). Most addresses end in /v1; is this one right\? Asked was "
        r"http\S+/api/chat/completions; write openai-chat:http://HOST:PORT/v1#MODEL",
    ):
        written(OpenAIChat(f"{server.host}/api#{MODEL}", tries=1))
    with pytest.raises(UserError, match=r"404 .*Did you mean 'scripted'\? It serves: scripted"):
        written(OpenAIChat(f"{server.place}#scriptd", tries=1))


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        model = OpenAIChat(f"http://127.0.0.1:{taken.getsockname()[1]}/v1#{MODEL}")
        with pytest.raises(UserError, match=r"does not respond: no connection .* Is the server running"):
            written(model)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"samples": 0}, "samples = 0 asks nothing"),
        ({"in_flight": 0}, "in_flight = 0 leaves nothing to ask"),
        ({"temperature": -1.0}, "temperature = -1 is below 0"),
        ({"reasoning_tokens": -1}, "reasoning_tokens = -1 is not a valid budget"),
        ({"extra": "{"}, "is not JSON"),
        ({"extra": "[1]"}, "is not a JSON object"),
    ],
)
def test_settings_that_make_no_sense(setting: dict[str, Any], message: str, server: ChatServer) -> None:
    with pytest.raises(UserError, match=message):
        client(server, **setting)


def test_tokens_are_estimated_without_asking(server: ChatServer) -> None:
    assert client(server, system="x" * 40).count_tokens(["y" * 40]) == [8 + 10 + 10]
    assert not server.calls
