"""Scores over HTTP: the same as from the weights, whatever the server's manner, and whatever goes wrong on the way."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import torch
import transformers

from asof.benchmarks import Benchmark, build
from asof.benchmarks.timestress import TimeStress
from asof.errors import UserError
from asof.facts import FactStore
from asof.models import AnswerRequest, Blank, FilledBlank, open_model
from asof.models._token_border import answer_tokens, token_spans
from asof.models.openai_completions import OpenAICompletions
from asof.models.transformers_causal import TransformersCausal
from asof.registry import models
from asof.runs.runner import run, steps
from asof.wording import Wording
from tests.models.completions_server import MODEL, STYLES, CompletionsServer, serving

SENTENCES = [
    "In 2011, who was the president of the United States? Barack Obama",
    "In March 1998, who was the president of the United States? Bill Clinton",
    "On 4 May 1982, who was the chancellor of Germany? Helmut Schmidt",
    "Łódź and Győr are cities; København is the capital of Denmark, 北京 that of China.",
    "who was Ňa Őb Ŕc Śd Şe Šf Ťg Ŧh Ũi Ūj Ŭk Ůl Űm Ųn Ŷo Ÿp Źq Żr Žs?",  # joins a space and the first byte
]
REQUESTS = [
    AnswerRequest("In 2011, who was the president of the United States?", " Barack Obama"),
    AnswerRequest("Who was the mayor of Łódź in 1998?", " Tadeusz Matusiak"),
    AnswerRequest("Is it Bo? Bo? No,", " Bo"),
    AnswerRequest("In which city did Erdős live in 1934?", " Győr"),
    AnswerRequest("Where was he in 1989?", " Łódź"),
    AnswerRequest("What is the capital of China?", " 北京"),
    AnswerRequest("What is the capital of Denmark?", " København 🇩🇰"),
    AnswerRequest("In March 1998, who was it?", " Ŵal"),
    AnswerRequest("Who?", "\n\nNobody at all"),
    AnswerRequest("In 2011, who was the president of the United Sta", "tes"),
]


def tiny_model(folder: Path, *, bos: bool) -> Path:
    """Make a real, small decoder with a byte-level tokenizer; its logits differ enough to tell tokens apart."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers, processors, trainers
    from tokenizers.models import BPE

    tokenizer = Tokenizer(BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=400, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet, show_progress=False
    )
    tokenizer.train_from_iterator(SENTENCES, trainer)
    if bos:
        tokenizer.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 0)])
    fast = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")  # noqa: S106
    torch.manual_seed(7)
    config = transformers.LlamaConfig(
        vocab_size=len(fast),
        hidden_size=64,
        intermediate_size=128,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=512,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=1,
    )
    transformers.LlamaForCausalLM(config).save_pretrained(folder)
    fast.save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """The same weights with and without a token that begins every text."""
    return {bos: tiny_model(tmp_path_factory.mktemp("models") / str(bos), bos=bos) for bos in (True, False)}


@pytest.fixture(scope="module")
def expected(folders: dict[bool, Path]) -> dict[bool, list[float]]:
    """What the weights say."""
    return {bos: TransformersCausal(str(folder)).answer_logprob(REQUESTS) for bos, folder in folders.items()}


@pytest.fixture(scope="module")
def started(folders: dict[bool, Path]) -> Iterator[CompletionsServer]:
    with serving(folders[True]) as server:
        yield server


@pytest.fixture
def server(started: CompletionsServer) -> CompletionsServer:
    """A real server that behaves, until a test tells it not to."""
    started.behave()
    return started


def client(server: CompletionsServer, **settings: Any) -> OpenAICompletions:
    patience = {"tries": 3, "first_wait": 0.001} | settings
    return OpenAICompletions(f"{server.place}#{MODEL}", **patience)


def close(numbers: list[float]) -> Any:
    return pytest.approx(numbers, abs=1e-4)


@pytest.mark.parametrize("bos", [True, False])
def test_scores_are_those_of_the_weights_in_every_manner_of_writing(
    bos: bool, folders: dict[bool, Path], expected: dict[bool, list[float]]
) -> None:
    with serving(folders[bos]) as server:
        for style in STYLES:
            for tells_usage in (True, False):
                server.style, server.tells_usage = style, tells_usage
                assert client(server, prompts_per_request=4).answer_logprob(REQUESTS) == close(expected[bos]), style


def test_the_model_is_a_hard_one(folders: dict[bool, Path], expected: dict[bool, list[float]]) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folders[False])
    assert tokenizer.decode(tokenizer(" Ŵal")["input_ids"][:1]) == " \ufffd"
    assert len({round(score, 2) for score in expected[True] + expected[False]}) == 2 * len(REQUESTS)


def test_the_order_of_choices_and_of_requests_is_kept(
    server: CompletionsServer, expected: dict[bool, list[float]]
) -> None:
    server.reverses = True
    assert client(server, prompts_per_request=5).answer_logprob(REQUESTS) == close(expected[True])
    assert client(server).answer_logprob(REQUESTS[::-1]) == close(expected[True][::-1])
    assert client(server).answer_logprob([]) == []


def test_a_server_that_takes_no_lists_is_asked_one_by_one(
    server: CompletionsServer, expected: dict[bool, list[float]]
) -> None:
    server.takes_lists = False
    model = client(server)
    assert model.answer_logprob(REQUESTS) == close(expected[True])
    assert model.answer_logprob(REQUESTS) == close(expected[True])
    assert [isinstance(call["prompt"], list) for call in server.calls] == [True] + [False] * 2 * len(REQUESTS)
    server.calls.clear()
    assert client(server, prompts_per_request=1).answer_logprob(REQUESTS[:2]) == close(expected[True][:2])
    assert len(server.calls) == 2


def test_no_more_requests_are_under_way_than_allowed(
    server: CompletionsServer, expected: dict[bool, list[float]]
) -> None:
    server.gathering = threading.Barrier(3)  # nothing is answered until three are there
    model = client(server, in_flight=3, prompts_per_request=1)
    assert model.answer_logprob(REQUESTS[:9]) == close(expected[True][:9])
    assert server.most_together == 3


@pytest.mark.parametrize(
    "fault", ["busy:0", "busy:0.01", "busy:soon", "429", "500", "502", "503", "504", "cut", "drop", "no object"]
)
def test_passing_trouble_is_waited_out(
    fault: str, server: CompletionsServer, expected: dict[bool, list[float]]
) -> None:
    model = client(server, prompts_per_request=2)
    server.faults = [None, fault, None, fault, fault, None]
    assert model.answer_logprob(REQUESTS) == close(expected[True])
    assert not server.faults


def test_a_slow_answer_is_asked_for_again(server: CompletionsServer, expected: dict[bool, list[float]]) -> None:
    model = client(server, prompts_per_request=1)
    model.answer_logprob(REQUESTS[:1])  # the first pass of a model is slow in earnest
    server.faults = ["slow"]
    hasty = client(server, timeout=1.0, prompts_per_request=1)
    assert hasty.answer_logprob(REQUESTS[:1]) == close(expected[True][:1])
    assert len(server.calls) == 3


class NotedWaits(threading.Event):
    """An event that is never waited for: it notes for how long it would have been."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        if timeout is not None:
            self.seconds.append(timeout)
        return False


def test_the_wait_that_a_server_asks_for_is_kept(server: CompletionsServer) -> None:
    stop = NotedWaits()
    model = client(server, first_wait=1.0, longest_wait=50.0)
    model.answer_logprob(REQUESTS[:1])
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    past = format_datetime(datetime.now(UTC) - timedelta(seconds=30), usegmt=True)
    server.faults = ["busy:17", f"busy:{until}"]
    model._scored(REQUESTS[:1], stop)
    assert stop.seconds[0] == 17 and 20 < stop.seconds[1] <= 30
    server.faults = [f"busy:{past}", "500"]
    model = client(server, first_wait=1.0, longest_wait=50.0)  # the other one still waits for all its requests
    model._scored(REQUESTS[:1], stop)
    assert stop.seconds[2] == 0 and 1.5 <= stop.seconds[3] <= 2.5  # about twice the first


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("500:out of memory", r"/v1 failed 3 times, the last time with: status 500 \(out of memory\). .*run the same"),
        ("503", r"failed 3 times, the last time with: status 503 \(fault 503\)"),
        ("cut", "its answer was cut off or is not JSON"),
        ("no object", "its answer is not a JSON object"),
        ("drop", r"the connection broke \("),
        (
            "busy:3600",
            r"asks to wait 3,600 seconds \(status 429 \(too many requests\)\).*run the same command again then",
        ),
        ("no logprobs", "gives no log-probabilities of the prompt. Use vLLM or SGLang"),
        ("new shape", "gives no log-probabilities of the prompt"),
        ("all null", "gives no log-probabilities of the prompt"),
        ("answer null", "gives no log-probabilities of the prompt"),
        ("fewer logprobs", "gives no log-probabilities of the prompt"),
        ("written only", "gives no log-probabilities of the prompt"),
        ("500:Only no echo is supported", r"gives no log-probabilities of the prompt \(Only no echo is supported\)"),
        ("400:echo is not supported", "gives no log-probabilities of the prompt"),
        ("ids", "do not spell the prompt: 'token_id:0.*returns tokens as text"),
        ("one too many", "gave 2 choices for 1 prompts, so it cannot be told"),
        ("one too few", "gave 0 choices for 1 prompts"),
        ("400:context length is 512", r"status 400 \(context length is 512\). It rejects this request"),
        ("418:teapot", r"status 418 \(teapot\)"),
        (
            "401:who are you",
            r"status 401 \(who are you\). \$OPENAI_API_KEY is not set. Set \$OPENAI_API_KEY to a valid key",
        ),
        ("nothing here", r"status 404 \(Not Found\). Most addresses end in /v1"),
    ],
)
def test_lasting_trouble_stops_with_a_clear_message(fault: str, message: str, server: CompletionsServer) -> None:
    server.always = fault
    model = client(server)
    for count in (1, 2):
        with pytest.raises(UserError, match=message) as raised:
            model.answer_logprob(REQUESTS[:count])
        assert server.place in str(raised.value)
    assert len(server.calls) <= 12  # three tries of one prompt, of the list, and of both by themselves


def test_a_server_that_never_answers(server: CompletionsServer) -> None:
    server.always = "slow"
    with pytest.raises(UserError, match=r"failed 2 times, the last time with: no answer within 0\.1 s"):
        client(server, timeout=0.1, tries=2).answer_logprob(REQUESTS[:1])


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound and not listening: connections are refused
        model = OpenAICompletions(f"http://127.0.0.1:{taken.getsockname()[1]}/v1#{MODEL}")
        with pytest.raises(UserError, match=r"does not respond: no connection .* Is the server running"):
            model.answer_logprob(REQUESTS)
        assert model.describe()["model"] == MODEL
        assert model.count_tokens(["abcdefgh", "a"]) == [2, 1]
        assert model.counted_by == "4 characters a token"


def test_a_server_that_goes_away(folders: dict[bool, Path]) -> None:
    with serving(folders[True]) as server:
        model = client(server, prompts_per_request=1)
        model.answer_logprob(REQUESTS[:1])
    with pytest.raises(UserError, match=r"failed 3 times, the last time with: (no connection|the connection broke)"):
        model.answer_logprob(REQUESTS)


def test_a_wrong_model_gets_a_guess(server: CompletionsServer) -> None:
    with pytest.raises(UserError, match=r"404 \(The model `tinny` .*\). Did you mean 'tiny'\? It serves: tiny."):
        OpenAICompletions(f"{server.place}#tinny").answer_logprob(REQUESTS[:1])


def test_a_server_of_one_model_needs_no_name(server: CompletionsServer, expected: dict[bool, list[float]]) -> None:
    model = open_model(f"openai-completions:{server.place}/completions")
    assert isinstance(model, OpenAICompletions)
    assert model.name == f"{server.place}#{MODEL}"
    assert model.answer_logprob(REQUESTS[:3]) == close(expected[True][:3])
    server.always = "nothing here"
    with pytest.raises(UserError, match=r"Say which model of http.*#MODEL. The server does not list its models."):
        OpenAICompletions(server.place)


@pytest.mark.parametrize(
    "place", ["127.0.0.1:8000/v1#m", "ftp://host/v1#m", "#m", "http://#m", "http://host:port/v1#m"]
)
def test_what_is_no_address(place: str) -> None:
    with pytest.raises(
        UserError, match=r"is not a valid address. Write openai-completions:http://127.0.0.1:8000/v1#MODEL"
    ):
        OpenAICompletions(place)


@pytest.mark.parametrize("setting", ["in_flight", "prompts_per_request", "tries"])
def test_settings_below_one(setting: str, server: CompletionsServer) -> None:
    with pytest.raises(UserError, match=f"{setting} = 0 leaves nothing to ask. Give 1 or more."):
        client(server, **{setting: 0})


def test_the_key_is_sent_and_never_shown(server: CompletionsServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    model = client(server)
    model.answer_logprob(REQUESTS[:1])
    assert server.headers[-1]["Authorization"] == "Bearer sk-secret"
    assert "secret" not in json.dumps(model.describe()) + model.name
    server.always = "401:Incorrect API key provided: sk-secret"
    with pytest.raises(UserError, match=r"provided: \*\*\*") as raised:
        model.answer_logprob(REQUESTS[:1])
    assert "secret" not in str(raised.value)


def test_a_password_in_the_address_is_sent_and_never_shown(server: CompletionsServer) -> None:
    place = server.place.replace("http://", "http://me:secret@")
    model = OpenAICompletions(f"{place}?token=secret#{MODEL}")
    model.answer_logprob(REQUESTS[:1])
    assert server.headers[-1]["Authorization"].startswith("Basic ")
    assert model.name == f"{server.place}#{MODEL}"
    assert model.describe()["address"] == server.place
    with pytest.raises(UserError) as raised:
        OpenAICompletions("htp://me:secret@host/v1#m")
    assert "secret" not in str(raised.value)


def test_what_it_says_of_itself(server: CompletionsServer) -> None:
    model = client(server)
    about = model.describe()
    assert (about["kind"], about["address"], about["model"]) == ("openai-completions", server.place, MODEL)
    assert json.loads(about["server"]) == {"id": MODEL, "object": "model", "owned_by": "tests", "max_model_len": 512}
    with pytest.raises(UserError, match=r"chat template .* Use transformers-causal:FOLDER, or run with --format raw"):
        model.chat("Who?")
    assert "openai-completions" in models.names() and "-endpoint" not in models.names()
    assert models.summary("openai-completions").endswith(".")


def test_tokens_are_estimated_from_one_call(server: CompletionsServer, folders: dict[bool, Path]) -> None:
    model, texts = client(server), [request.text for request in REQUESTS]
    counted = TransformersCausal(str(folders[True])).count_tokens(texts)
    assert sum(model.count_tokens(texts)) == pytest.approx(sum(counted), rel=0.1)
    assert model.counted_by.startswith("the server's count for ")
    assert len(server.calls) == 1
    assert model.count_tokens([]) == []


@pytest.mark.parametrize("bos", [True, False])
def test_what_begins_a_text_is_scored_after_what_begins_texts(bos: bool, folders: dict[bool, Path]) -> None:
    blank = Blank("", " was the president of the United States.")
    filled = [FilledBlank(blank, name) for name in ("Barack Obama", "Bill Clinton", "Łódź")]
    requests = [AnswerRequest("", one.sentence) for one in filled]
    weights = TransformersCausal(str(folders[bos]))
    expected = [sum(logprobs) for logprobs in weights.token_logprobs(filled)]
    after_a_line = weights.answer_logprob([AnswerRequest("\n", one.sentence) for one in filled])
    with serving(folders[bos]) as server:
        for style in STYLES:
            server.style = style
            shows_bos = bos and style != "llama-cpp-python"
            assert client(server).answer_logprob(requests) == close(expected if shows_bos else after_a_line), style
        if not bos:
            server.style = "openai"
            told = client(server, begins="<s>")
            assert told.answer_logprob(requests) == close(expected) and told.name.endswith("#tiny after '<s>'")


def test_an_answer_with_nothing_in_it(server: CompletionsServer) -> None:
    with pytest.raises(UserError, match="is empty: there is nothing to score"):
        client(server).answer_logprob([AnswerRequest("Who?", " ")])


def test_without_httpx_the_extra_is_named() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from asof.errors import UserError\n"
        "try:\n    import asof.models.openai_completions\n"
        "except UserError as error:\n    print(error)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == (
        "A model behind an address needs httpx. Install it with: pip install 'asof[endpoint]'"
    )


@pytest.mark.parametrize(
    ("tokens", "offsets", "answer"),
    [
        (["In", " Łó", "dź"], [0, 2, 5], 2),
        (["<s>", "In", " Łó", "dź"], [0, 3, 5, 8], 2),
        (["In", " ", "", "Łó", "dź"], [0, 2, 3, 3, 5], 3),  # the first part of Ł is empty
        (["In", " ", "", "Łó", "dź"], [], 3),
        (["In", " \ufffd", "\ufffd", "\ufffd\ufffd", "dź"], [0, 2, 4, 5, 7], 4),  # as vLLM: offsets have run away
        (["In", " \ufffd", "\ufffd", "ódź"], [0, 2, 3, 4], 3),  # a space and the first part of Ł in one token
        (["In", " ", "", "ódź"], [0, 2, 3, 4], 3),  # the same where broken characters are left out
        (["▁In", "▁", "<0xC5>", "<0x81>", "ó", "dź"], [], 4),
        (["In", " bytes:\\xc5", "bytes:\\x81", "ódź"], [], None),
        (["In", " ", "bytes:\\xc5", "bytes:\\x81", "ódź"], [], 3),
        (["In", " Łó"], [0, 2], None),  # cut
        (["In", " Łó", ""], [0, 2, 5], None),  # an empty token cannot stand for a letter of ASCII
        (["In", " Łó", "dź", " or"], [0, 2, 5, 7], None),  # too long
    ],
)
def test_tokens_are_laid_along_the_text(tokens: list[str], offsets: list[int], answer: int | None) -> None:
    spans = token_spans(tokens, offsets, "In Łódź")
    assert (answer_tokens(spans, 2, "In Łódź") if spans else None) == answer


@pytest.fixture
def benchmark_of_two(almanac: FactStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    monkeypatch.setattr(sys.modules[run.__module__], "_ITEMS_PER_STEP", 40)
    return build(tmp_path / "bench", TimeStress(facts=2, stride=0.2), almanac, Wording())


def lines_of(folder: Path) -> list[str]:
    return [json.loads(line)["id"] for line in (folder / "predictions.jsonl").read_text().splitlines()]


def test_a_run_that_fails_in_the_middle_goes_on_later(
    server: CompletionsServer, folders: dict[bool, Path], benchmark_of_two: Benchmark, tmp_path: Path
) -> None:
    items = [item for step in steps(list(benchmark_of_two.items())) for item in step]
    ids = [item.id for item in items]
    assert len(ids) > 80
    model = client(server, prompts_per_request=8)
    server.faults = [None] * 9  # to see whether it takes lists, the first forty, three requests more
    server.always = "503"
    with pytest.raises(UserError, match=r"failed 3 times, the last time with: status 503.*run the same command again"):
        run(benchmark_of_two, model, tmp_path / "run")
    assert lines_of(tmp_path / "run") == ids[:40]
    server.always = None
    server.asked.clear()
    finished = run(benchmark_of_two, client(server, prompts_per_request=8), tmp_path / "run")
    assert lines_of(tmp_path / "run") == ids
    prompts = [f"{item.prompt} {item.answers[0]}" for item in items]
    assert len(set(prompts)) == len(prompts)
    assert server.asked == Counter(prompts[40:]) + Counter(prompts[40:42])  # two to see whether it takes lists
    weights = run(benchmark_of_two, TransformersCausal(str(folders[True])), tmp_path / "weights")
    assert finished.predictions() == pytest.approx(weights.predictions(), abs=1e-4)


def test_a_run_with_passing_trouble_loses_and_doubles_nothing(
    server: CompletionsServer, folders: dict[bool, Path], benchmark_of_two: Benchmark, tmp_path: Path
) -> None:
    ids = [item.id for step in steps(list(benchmark_of_two.items())) for item in step]
    server.faults = [None, None, "busy:0", "500", None, "cut", "drop", None, "502", None, "429", None, "504"]
    finished = run(benchmark_of_two, client(server, tries=8, prompts_per_request=8), tmp_path / "run")
    assert lines_of(tmp_path / "run") == ids
    weights = run(benchmark_of_two, TransformersCausal(str(folders[True])), tmp_path / "weights")
    assert finished.predictions() == pytest.approx(weights.predictions(), abs=1e-4)
