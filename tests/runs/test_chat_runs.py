"""Runs against a chat server that misbehaves: what is done is kept, nothing is asked or counted twice."""

from __future__ import annotations

import json
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import asof
import asof.cli
from asof.benchmarks import Benchmark, Item, build
from asof.errors import UserError
from asof.facts import FactStore
from asof.models.openai_chat import OpenAIChat
from asof.models.usage import Usage
from asof.probes.write_answer import WriteAnswer, prompt_for
from asof.runs.folder import Run
from asof.runs.runner import run
from asof.runs.spending import Budget, Price, SpentError, read_prices
from asof.wording import Wording
from tests.models.chat_server import MODEL, TOKENS_IN, TOKENS_OUT, ChatServer, chatting

EACH = Usage(1, TOKENS_IN, TOKENS_OUT)
WRITE = WriteAnswer(most_tokens=16)


@pytest.fixture(scope="module")
def started() -> Iterator[ChatServer]:
    with chatting() as server:
        yield server


@pytest.fixture
def server(started: ChatServer) -> ChatServer:
    started.behave()
    return started


@dataclass(frozen=True, kw_only=True)
class Homes:
    """One fact, asked about in many years."""

    name: ClassVar[str] = "homes"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "write-answer"

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for year in range(1800, 1953):
            prompt = f"In {year}, where was the home of Ann?"
            yield Item(id=f"home {year}", prompt=prompt, answers=("India",), group="home", tags={"year": year})


@pytest.fixture(scope="module")
def benchmark_of_one(tiny: FactStore, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return build(tmp_path_factory.mktemp("bench") / "one", Homes(), tiny, Wording())


@pytest.fixture
def items(benchmark_of_one: Benchmark) -> Sequence[Item]:
    found = list(benchmark_of_one.items())
    assert 20 < len({item.prompt for item in found}) == len(found)
    return found


@pytest.fixture
def asked_run(server: ChatServer, benchmark_of_one: Benchmark, tmp_path: Path) -> Callable[..., Run]:
    """Run into one folder, again and again."""

    def ask(budget: Budget | None = None, told: list[str] | None = None, **settings: Any) -> Run:
        model = OpenAIChat(f"{server.place}#{MODEL}", **({"tries": 3, "first_wait": 0.001} | settings))
        heard = told if told is not None else []
        return run(benchmark_of_one, model, tmp_path / "run", probe=WRITE, budget=budget, on_message=heard.append)

    return ask


def prompts(items: Sequence[Item]) -> Counter[str]:
    return Counter(prompt_for(item.prompt) for item in items)


def kept(tmp_path: Path) -> list[dict[str, Any]]:
    path = tmp_path / "run" / "predictions.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []


def test_every_prediction_keeps_what_it_cost(
    server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run], tmp_path: Path
) -> None:
    server.seconds = 0.02
    finished = asked_run()
    assert server.asked == prompts(items)
    assert finished.usage() == Usage(len(items), len(items) * TOKENS_IN, len(items) * TOKENS_OUT)
    for row in kept(tmp_path):
        assert (row["calls"], row["tokens_in"], row["tokens_out"]) == (1, TOKENS_IN, TOKENS_OUT)
    assert 1 < server.most_together <= 8


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("503", "failed 3 times, the last time with: status 503 .*run the same command again"),
        ("drop", "failed 3 times, the last time with: the connection broke"),  # the server was killed
        ("error:429,insufficient_quota", "says that the quota is used up .*All answers are kept; add credit"),
        ("busy:7200", "asks to wait 7,200 seconds"),
        ("401:expired", "Set .OPENAI_API_KEY to a valid key"),
    ],
)
def test_what_ends_in_the_middle_goes_on_where_it_was(
    fault: str,
    message: str,
    server: ChatServer,
    items: Sequence[Item],
    asked_run: Callable[..., Run],
    tmp_path: Path,
) -> None:
    server.faults, server.always = [None] * 10, fault
    with pytest.raises(UserError, match=message):
        asked_run()
    assert len(kept(tmp_path)) == 10 == server.asked.total()  # all that was answered
    server.always = None
    finished = asked_run()
    assert server.asked == prompts(items)  # nothing twice
    assert len(finished.predictions()) == len(items) == len(kept(tmp_path))
    assert finished.usage() == Usage(len(items), len(items) * TOKENS_IN, len(items) * TOKENS_OUT)


def test_a_storm_loses_and_doubles_nothing(
    server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run], tmp_path: Path
) -> None:
    server.faults = ["busy:0.02"] * 8 + [None, "500", "cut", None, "drop", "429", None, "502", "529"] * 2
    finished = asked_run(tries=12)
    assert server.asked + Counter() and set(server.asked) == set(prompts(items))
    assert len(kept(tmp_path)) == len(finished.predictions()) == len(items)


def test_half_refused_is_told_and_the_other_half_counts(
    server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run]
) -> None:
    server.faults = ["filter", None] * (len(items) // 2)
    told: list[str] = []
    finished = asked_run(told=told)
    assert finished.declined() == {"content filter": len(items) // 2}
    assert told == ["An item got no answer: content filter. It is recorded with each prediction."]
    assert server.asked == prompts(items)
    assert sum(text == "<think>" or not text for text in finished.predictions().values()) == len(items) // 2


def test_an_item_that_is_too_long_is_lost_alone_and_asked_again(
    server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run], tmp_path: Path
) -> None:
    server.wrong_for = {items[3].prompt: "400:maximum context length is 512 tokens"}
    finished = asked_run()
    assert sum(finished.lost().values()) == 1 and len(finished.predictions()) == len(items) - 1
    server.wrong_for = {}
    finished = asked_run()
    assert not finished.lost() and server.asked == prompts(items)
    assert finished.usage().calls == len(items)


def test_when_all_are_lost_it_is_not_about_the_items(server: ChatServer, asked_run: Callable[..., Run]) -> None:
    server.always = "400:maximum context length is 5 tokens"
    with pytest.raises(UserError, match=r"(?s)items in a row were lost, the last one: the prompt is too long .*kept"):
        asked_run()
    assert len(server.calls) < 20


def test_another_model_is_told_once(server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run]) -> None:
    server.always = "other model:scripted-0125"
    told: list[str] = []
    finished = asked_run(told=told)
    assert told == ["The server answers with another model: scripted-0125. It is recorded with each prediction."]
    assert {row["answered_by"] for row in finished.rows().values()} == {"scripted-0125"}


@pytest.mark.parametrize("budget", [Budget(calls=7), Budget(cost=7 * Price(10, 10).of(EACH), price=Price(10, 10))])
def test_a_budget_is_kept_to_the_call_and_counts_what_was_spent_before(
    budget: Budget, server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run], tmp_path: Path
) -> None:
    with pytest.raises(SpentError, match=r"Stopped at --max-.* 7: 7 calls|Stopped at --max-cost .*: 7 calls"):
        asked_run(budget)
    assert len(kept(tmp_path)) == server.asked.total() == 7
    with pytest.raises(SpentError):
        asked_run(budget)
    assert server.asked.total() == 7
    asked_run()
    assert server.asked == prompts(items)


def test_a_run_of_other_settings_is_another_run(server: ChatServer, asked_run: Callable[..., Run]) -> None:
    asked_run(system="Be brief.")
    with pytest.raises(UserError, match=r"model_settings = .*Be brief.*Choose another folder with --to"):
        asked_run(system="Be long.")


def test_prices_are_looked_up_and_wrong_tables_are_told(tmp_path: Path) -> None:
    table = read_prices()
    assert table.of("gpt-4o-mini-2024-07-18") == table.of("openai/gpt-4o-mini") == Price(0.15, 0.6)
    assert table.of("scripted") is None
    with pytest.raises(UserError, match=r"has no price for scripted.*--prices FILE, or use --max-calls"):
        Budget.of("scripted", table, cost=1.0)
    for text, message in (
        ("", "is no table of prices"),
        ("[prices]\na = 3", "is no table of prices"),
        ("[prices]\na = {in = -1, out = 3}", "a costs less than nothing"),
        ("[prices", "could not be read"),
    ):
        (tmp_path / "prices.toml").write_text(text)
        with pytest.raises(UserError, match=message):
            read_prices(tmp_path / "prices.toml")
    with pytest.raises(UserError, match="does not exist"):
        read_prices(tmp_path / "none.toml")


def test_the_command_counts_asks_stops_and_goes_on(
    server: ChatServer,
    benchmark_of_one: Benchmark,
    items: Sequence[Item],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.toml").write_text('valid_on = "today"\n[prices]\nscripted = {in = 1000, out = 2000}\n')
    words = ["run", str(benchmark_of_one.folder), server.model, "--probe", "write-answer"]

    def said(*more: str) -> tuple[int, str]:
        with pytest.raises(SystemExit) as ended:
            monkeypatch.setattr("sys.argv", ["asof", *words, *more])
            asof.cli.main()
        return int(ended.value.code or 0), capsys.readouterr().err

    code, told = said("--dry-run", "--prices", "mine.toml")
    assert code == 0 and not server.calls
    tokens_in = OpenAIChat(f"{server.place}#{MODEL}").count_tokens([prompt_for(item.prompt) for item in items])
    most = len(items) * 48
    dollars = (sum(tokens_in) * 1000 + most * 2000) / 1_000_000
    assert (
        f"{len(items)} items, {len(items)} calls, about {sum(tokens_in):,} tokens in and at most {most:,} out" in told
    )
    assert f"at most ${dollars:,.2f} at the prices of today" in told
    code, told = said("--max-cost", "1")
    assert code == 1 and "has no price for scripted" in told and not server.calls
    code, told = said("--max-calls", "5")
    assert code == 1 and "Stopped at --max-calls 5: 5 calls, 100 tokens in and 15 out so far. Kept in runs/" in told
    assert "5 predictions. To resume, allow more: asof run" in told
    code, told = said("--max-cost", "100", "--prices", "mine.toml")
    assert code == 0 and f"Spent: {len(items)} calls, {len(items) * TOKENS_IN:,} tokens in" in told and ", $" in told
    assert server.asked == prompts(items)
    monkeypatch.setattr("sys.argv", ["asof", "show", *map(str, (tmp_path / "runs").iterdir()), "--json"])
    with pytest.raises(SystemExit):
        asof.cli.main()
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert (counts["calls"], counts["tokens_in"]) == (len(items), len(items) * TOKENS_IN)
    code, told = said("--device", "cpu")
    assert code == 1 and "--device does not work with openai-chat:" in told and "Its settings are: system," in told


def test_a_notebook_keeps_to_a_budget_too(
    server: ChatServer, benchmark_of_one: Benchmark, items: Sequence[Item], tmp_path: Path
) -> None:
    ask = {"probe": "write-answer", "to": tmp_path / "run"}
    with pytest.raises(SpentError, match="Stopped at max_calls=4: 4 calls"):
        asof.run(benchmark_of_one, server.model, max_calls=4, **ask)
    assert len(asof.run(benchmark_of_one, server.model, **ask)) == len(items)
    assert server.asked == prompts(items)


@pytest.mark.skipif(sys.platform == "win32", reason="signals go to a thread on POSIX alone")
def test_what_is_under_way_at_ctrl_c_is_kept(
    server: ChatServer, items: Sequence[Item], asked_run: Callable[..., Run], tmp_path: Path
) -> None:
    main = threading.main_thread().ident
    assert main is not None
    server.seconds = 0.1  # so that it comes while answers are waited for
    server.on_call = lambda number: signal.pthread_kill(main, signal.SIGINT) if number == 8 else None
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell that starts tests with & ignores it
    with pytest.raises(KeyboardInterrupt):
        asked_run(in_flight=4)
    assert 4 <= len(kept(tmp_path)) == server.asked.total() < len(items)
    server.seconds, server.on_call = 0.0, lambda number: None
    asked_run()
    assert server.asked == prompts(items)
