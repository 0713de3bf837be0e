"""Runs: kept as they come, gone on with after any stop, scored again, compared."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from asof.benchmarks import Benchmark, build
from asof.benchmarks.timestress import TimeStress
from asof.errors import UserError
from asof.facts import FactStore
from asof.metrics import mean_of_facts
from asof.metrics.robustness import robustness
from asof.metrics.win_rate import win_rate
from asof.models import AnswerRequest, open_model
from asof.probes.answer_likelihood import AnswerLikelihood
from asof.runs import read_run, run
from asof.runs.compare import compare
from asof.runs.scores.timestress import TimeStressScores
from asof.wording import Wording
from tests.models.tiny_model import make_tiny_model
from tests.small_disk import small_disk


class Counting:
    """A model that knows a formula and counts its calls."""

    can: ClassVar[frozenset[str]] = frozenset({"answer_logprob"})

    def __init__(self, shift: float = 0.0, fail_after: int | None = None) -> None:
        self.name, self.shift, self.fail_after, self.asked = "counting", shift, fail_after, 0

    def describe(self) -> dict[str, str]:
        return {"kind": "counting"}

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        return [len(text) for text in texts]

    def chat(self, prompt: str) -> str:
        return f"USER: {prompt} ASSISTANT: "

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        if self.fail_after is not None and self.asked >= self.fail_after:
            raise UserError("the server is gone")
        self.asked += len(requests)
        return [-1.0 - self.shift - (sum(map(ord, request.text)) % 97) / 10 for request in requests]


@pytest.fixture(scope="module")
def benchmark_(tmp_path_factory: pytest.TempPathFactory, almanac: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("bench") / "timestress", TimeStress(facts=6), almanac, Wording())


def test_a_run_keeps_every_prediction_and_does_nothing_twice(benchmark_: Benchmark, tmp_path: Path) -> None:
    model = Counting()
    done = run(benchmark_, model, tmp_path / "run", limit=2)
    first = model.asked
    assert len(done.predictions()) == first == len(list(benchmark_.items(limit=2)))
    again = run(benchmark_, model, tmp_path / "run")
    assert model.asked == benchmark_.items_count == len(again.predictions())
    run(benchmark_, model, tmp_path / "run")
    assert model.asked == benchmark_.items_count
    assert json.loads((tmp_path / "run/versions.json").read_text())["kind"] == "counting"


def test_a_server_that_goes_away_costs_nothing_that_was_scored(
    benchmark_: Benchmark, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("asof.runs.runner._ITEMS_PER_STEP", 300)
    with pytest.raises(UserError, match="the server is gone"):
        run(benchmark_, Counting(fail_after=600), tmp_path / "run")
    kept = len(read_run(tmp_path / "run").predictions())
    assert 0 < kept < benchmark_.items_count
    model = Counting()
    whole = run(benchmark_, model, tmp_path / "run")
    assert model.asked == benchmark_.items_count - kept
    assert whole.predictions() == run(benchmark_, Counting(), tmp_path / "other").predictions()


def test_a_line_that_was_cut_is_scored_again(benchmark_: Benchmark, tmp_path: Path) -> None:
    done = run(benchmark_, Counting(), tmp_path / "run")
    whole = done.predictions()
    content = done.predictions_path.read_bytes()
    done.predictions_path.write_bytes(content[:-17])
    assert len(read_run(tmp_path / "run").predictions()) == len(whole) - 1
    assert run(benchmark_, Counting(), tmp_path / "run").predictions() == whole
    assert done.predictions_path.read_bytes() == content


def test_a_killed_run_goes_on_to_the_same_end(benchmark_: Benchmark, tmp_path: Path) -> None:
    model = make_tiny_model(tmp_path / "model")
    command = [sys.executable, "-m", "asof", "run", str(benchmark_.folder), str(model), "--to", str(tmp_path / "run")]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env=dict(os.environ))
    predictions = tmp_path / "run" / "predictions.jsonl"
    while not (predictions.exists() and b"\n" in predictions.read_bytes()) and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert len(read_run(tmp_path / "run").predictions()) > 0
    subprocess.run(command, check=True, capture_output=True)
    resumed = read_run(tmp_path / "run").predictions()
    straight = run(benchmark_, open_model(str(model)), tmp_path / "straight").predictions()
    assert resumed.keys() == straight.keys()
    assert resumed == pytest.approx(straight, abs=1e-5)
    lines = predictions.read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(resumed)


def test_a_broken_model_is_stopped_at_once(benchmark_: Benchmark, tmp_path: Path) -> None:
    broken = open_model(str(make_tiny_model(tmp_path / "model", broken=True)))
    with pytest.raises(UserError, match=r"gave nan as log-probability of .* are broken; earlier predictions are kept"):
        run(benchmark_, broken, tmp_path / "run")
    assert read_run(tmp_path / "run").predictions() == {}


def test_a_full_disk_keeps_what_was_there(benchmark_: Benchmark, tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", "64k") as disk:
        with pytest.raises(UserError, match=r"could not be written: No space left on device\. Free some space"):
            run(benchmark_, Counting(), disk / "run")
        kept = read_run(disk / "run").predictions()
        assert kept.items() <= run(benchmark_, Counting(), tmp_path / "run").predictions().items()


def test_runs_are_not_mixed(benchmark_: Benchmark, tmp_path: Path, almanac: FactStore) -> None:
    run(benchmark_, Counting(), tmp_path / "run", limit=1)
    with pytest.raises(UserError, match="holds a run with format = 'raw', not 'chat'"):
        run(benchmark_, Counting(), tmp_path / "run", probe=AnswerLikelihood(format="chat"))
    other = build(tmp_path / "b", TimeStress(facts=2, seed=9), almanac, Wording())
    with pytest.raises(UserError, match="holds a run with benchmark"):
        run(other, Counting(), tmp_path / "run")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work", encoding="utf-8")
    with pytest.raises(UserError, match="is not empty and is not a run folder"):
        run(benchmark_, Counting(), tmp_path / "mine")
    with pytest.raises(UserError, match="is not a run folder"):
        read_run(tmp_path / "nowhere")


def test_a_model_that_cannot_do_it_is_refused_before_anything_runs(benchmark_: Benchmark, tmp_path: Path) -> None:
    class Writer(Counting):
        can: ClassVar[frozenset[str]] = frozenset({"write"})

    with pytest.raises(
        UserError,
        match=r"The probe answer-likelihood needs answer_logprob; counting offers write.*use --probe .*write-answer",
    ):
        run(benchmark_, Writer(), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_scores_are_those_of_the_definitions(benchmark_: Benchmark, tmp_path: Path) -> None:
    done = run(benchmark_, Counting(), tmp_path / "run")
    predictions = done.predictions()
    scores = TimeStressScores(done.table())
    items = list(benchmark_.items())
    assert len(scores.facts) == 6
    for fact in scores.facts:
        for precision in ("year", "month", "day"):
            right, wrong = (
                [predictions[item.id] for item in items if item.group == fact.fact
                 and item.tags["precision"] == precision and item.tags["verdict"] == verdict]
                for verdict in ("correct", "incorrect")
            )  # fmt: skip
            assert fact.win_rates[precision] == pytest.approx(win_rate(right, wrong))
            assert fact.robust[precision] == robustness(right, wrong)
    rates = [fact.measures["win-rate year"] for fact in scores.facts]
    assert scores.results()["win-rate year"] == mean_of_facts(rates)
    curve = scores.mean_logprob_by_alpha()
    assert sum(count for _, _, count in curve) == sum(item.tags["precision"] == "year" for item in items)


def test_a_fact_that_is_half_scored_does_not_count(benchmark_: Benchmark, tmp_path: Path) -> None:
    done = run(benchmark_, Counting(), tmp_path / "run")
    lines = done.predictions_path.read_text(encoding="utf-8").splitlines(keepends=True)
    items = list(benchmark_.items())
    cut = [item.group for item in items].index(items[-1].group) - 5
    lost = {item.id for item in items[cut:]}  # the last fact is missing, the one before it lacks five dates
    kept = [line for line in lines if json.loads(line)["id"] not in lost]
    done.predictions_path.write_text("".join(kept), encoding="utf-8")
    assert len(TimeStressScores(read_run(tmp_path / "run").table()).facts) == 4


def test_a_run_compared_with_itself_and_with_another(benchmark_: Benchmark, tmp_path: Path) -> None:
    one = TimeStressScores(run(benchmark_, Counting(), tmp_path / "one").table())
    same = compare(one, one)
    assert all(row.difference == 0 and row.p == 1.0 and row.n == 6 for row in same)
    shifted = TimeStressScores(run(benchmark_, Counting(shift=3.0), tmp_path / "two").table())
    assert all(row.difference == 0 for row in compare(one, shifted))  # every date moved alike
    with pytest.raises(UserError, match="no fact in common"):
        compare(one, TimeStressScores(one.table.slice(0, 0)))
