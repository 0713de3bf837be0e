"""A real server of llama.cpp, with SmolLM2 behind it: written answers, choices with log-probabilities, a whole run."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from asof.benchmarks import build
from asof.benchmarks.timestress import TimeStress
from asof.facts import FactStore
from asof.models import ChoiceRequest
from asof.models.openai_chat import OpenAIChat
from asof.models.usage import tallied
from asof.probes.write_answer import WriteAnswer
from asof.runs.runner import run
from asof.wording import Wording
from tests.models.llama_server import llama_server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with llama_server() as served:
        yield served


def test_it_writes_and_counts(address: str) -> None:
    model = OpenAIChat(address)
    with tallied() as tally:
        [text] = model.write(["What is the capital of France?"], most_tokens=24)
    assert text.strip() and "<|" not in text
    assert tally.usage.calls == 1 and tally.usage.tokens_in > 5 and 1 <= tally.usage.tokens_out <= 24


def test_it_chooses_by_its_log_probabilities(address: str) -> None:
    model = OpenAIChat(address)
    question = "Answer with one word, Yes or No. Is Paris the capital of France?"
    with tallied() as tally:
        [[yes, no]] = model.choose([ChoiceRequest(question, ("Yes", "No"))])
    assert tally.usage.calls == 1 and model.lists_tokens
    assert math.isclose(yes + no, 1.0) and 0 < no < 1


def test_a_whole_run(address: str, almanac: FactStore, tmp_path: Path) -> None:
    benchmark = build(tmp_path / "bench", TimeStress(facts=1, stride=0.5), almanac, Wording())
    finished = run(benchmark, OpenAIChat(address), tmp_path / "run", probe=WriteAnswer(most_tokens=8))
    right = [item for item in benchmark.items() if item.tags["verdict"] == "correct"]
    assert len(finished.predictions()) == len(right) == finished.usage().calls > 2
    assert not finished.lost() and all(finished.predictions().values())
