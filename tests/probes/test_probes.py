"""Probes: which items they ask, what their rows hold, and runs of them that are killed, resumed and scored."""

import json
import math
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from asof import registry
from asof.benchmarks import BLANK, Benchmark, Item, build
from asof.errors import UserError
from asof.facts import FactStore
from asof.models import FilledBlank, open_model
from asof.probes import metrics_of, open_probe, settings_of
from asof.probes._blanks import blank_of
from asof.probes.fill_many import FillMany
from asof.probes.fill_one import FillOne
from asof.probes.pseudo_likelihood import PseudoLikelihood
from asof.runs import read_run, run
from asof.runs.compare import compare
from asof.runs.item_scores import ItemScores, scores_of
from asof.wording import Wording
from tests.models.blank_models import make_bert, make_t5
from tests.models.completions_server import MODEL, serving
from tests.models.tiny_model import make_tiny_model

HEADS = {"Italy": ["Giuseppe Conte", "Mario Draghi"], "France": ["Paris"], "Rome": ["Mario Draghi", "Juventus"]}
CLUBS = {"Cristiano Ronaldo": ["Juventus F.C.", "Manchester United"], "Mario Draghi": ["Rome"]}


@dataclass(frozen=True, kw_only=True)
class Periods:
    """Heads and clubs at two periods, with aliases; one fact has both answers in the first."""

    name: ClassVar[str] = "periods"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "pseudo-likelihood"

    blank: str = BLANK

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for relation, facts, template in (
            ("head", HEADS, "{x} is the head of the government of {of}."), ("club", CLUBS, "{of} plays for {x}."),
        ):  # fmt: skip
            for of, answers in facts.items():
                for number, period in enumerate(("2020-Q4", "2021-Q1")):
                    right = answers if number == 0 and of == "Rome" else [answers[min(number, len(answers) - 1)]]
                    yield Item(
                        id=f"{of} {period}", prompt=template.format(x=self.blank, of=of), group=f"{of}|{relation}",
                        answers=(*right, *(f"the {one}" for one in right)),
                        tags={"relation": relation, "period": period},
                    )  # fmt: skip


@pytest.fixture(scope="module")
def benchmark_(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("bench") / "periods", Periods(), tiny, Wording())


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return open_model(str(make_bert(tmp_path_factory.mktemp("models") / "bert")))


def items_of(benchmark: Benchmark) -> dict[str, Item]:
    return {item.id: item for item in benchmark.items()}


def test_fill_one_keeps_answers_of_one_token_and_counts_the_rest(benchmark_: Benchmark, bert: Any) -> None:
    items = list(benchmark_.items())
    fit = FillOne().fit(items, bert)
    assert [item.id for item in fit.items] == [
        f"{of} {period}" for of in ("France", "Rome", "Mario Draghi") for period in ("2020-Q4", "2021-Q1")
    ]  # fmt: skip
    assert str(fit) == "Skipped 4 items: no answer is one token"
    rows = FillOne(best=3).predict(fit.items, bert)
    assert [row["answer"] for row in rows] == ["Paris", "Paris", "Juventus", "Juventus", "Rome", "Rome"]
    assert rows[0] == rows[1]  # the same sentence at another time
    measures = FillOne().measures({"rank": 4})
    assert (measures["accuracy"], measures["mrr"], measures["P@10"]) == (0.0, 0.25, 1.0)


def test_fill_many_leaves_out_what_is_longer_than_it_writes(benchmark_: Benchmark, bert: Any) -> None:
    items = list(benchmark_.items())
    assert not FillMany().fit(items, bert).left_out
    fit = FillMany(most_tokens=3).fit(items, bert)
    assert fit.left_out == dict.fromkeys(
        ["Italy 2020-Q4", "Cristiano Ronaldo 2020-Q4"], "every answer has more than 3 tokens"
    )
    row = FillMany(most_tokens=3).predict(fit.items[:1], bert)[0]
    assert len(row["texts"]) == 3
    assert row["text"] == row["texts"][row["mean_logprobs"].index(max(row["mean_logprobs"]))]


def test_the_oracle_takes_the_best_length_and_the_model_its_own() -> None:
    row = {"text": "Mario", "texts": ["Mario", "Mario Draghi"], "answers": ["Mario Draghi", "Super Mario"]}
    assert FillMany().measures(row)["exact-match"] == 0
    assert FillMany().measures(row)["f1"] == pytest.approx(2 / 3)
    assert FillMany(oracle_length=True).measures(row) == {"exact-match": 1, "f1": 1, "rouge-1": 1, "rouge-L": 1}


def test_candidates_are_those_of_the_subject_then_of_the_relation(benchmark_: Benchmark, bert: Any) -> None:
    items = list(benchmark_.items())
    fit = PseudoLikelihood().fit(items, bert, everything=items)
    found = {item.id: item.candidates for item in fit.items}
    assert set(found["Italy 2020-Q4"][:2]) == {"Giuseppe Conte", "Mario Draghi"}
    assert set(found["Italy 2020-Q4"][2:]) == {"Paris", "Juventus"} - set(found["Italy 2020-Q4"][:2])
    assert found["Italy 2020-Q4"] == found["Italy 2021-Q1"]
    assert set(found["Cristiano Ronaldo 2020-Q4"]) == {"Juventus F.C.", "Manchester United", "Rome"}
    one = PseudoLikelihood(distractors=1)
    again = [one.fit(items, bert, everything=order).items[0].candidates for order in (items, items)]
    assert again[0] == again[1] and len(again[0]) == 3
    few = PseudoLikelihood().fit(items[:1], bert, everything=items).items[0]
    assert few.candidates == found["Italy 2020-Q4"]  # whatever the limit


@pytest.mark.parametrize("per_token", [False, True])
def test_ranks_are_those_of_the_log_probabilities(benchmark_: Benchmark, bert: Any, per_token: bool) -> None:
    probe = PseudoLikelihood(per_token=per_token)
    items = list(benchmark_.items())
    fit = probe.fit(items, bert, everything=items)
    for item, row in zip(fit.items, probe.predict(fit.items, bert), strict=True):
        logprobs = [sum(bert.token_logprobs([FilledBlank(blank_of(item), name)])[0]) for name in row["candidates"]]
        assert row["logprobs"] == pytest.approx(logprobs, abs=1e-4)
        values = [a / b if per_token else a for a, b in zip(row["logprobs"], row["tokens"], strict=True)]
        right = [value for value, name in zip(values, row["candidates"], strict=True) if name in item.answers]
        wrong = [value for value, name in zip(values, row["candidates"], strict=True) if name not in item.answers]
        assert row["rank"] == 1 + sum(value >= max(right) for value in wrong)
        measures = probe.measures(row)
        assert measures["win-rate"] == pytest.approx(sum(max(right) > value for value in wrong) / len(wrong))
        assert row["candidates"][values.index(max(values))] == row["best"]
        assert math.isfinite(measures["log-perplexity"])


def test_every_kind_of_model_is_asked_about_the_same_items(benchmark_: Benchmark, tmp_path: Path) -> None:
    seq2seq, causal = open_model(str(make_t5(tmp_path / "t5"))), open_model(str(make_tiny_model(tmp_path / "llama")))
    for probe in (PseudoLikelihood(), FillMany(most_tokens=20)):
        done = run(benchmark_, seq2seq, tmp_path / f"t5-{probe.name}", probe=probe)
        assert len(done.predictions()) == benchmark_.items_count
    ranked = run(benchmark_, causal, tmp_path / "ranked", probe=PseudoLikelihood())
    assert len(ranked.predictions()) == benchmark_.items_count
    told: list[str] = []
    filled = run(benchmark_, causal, tmp_path / "filled", probe=FillMany(most_tokens=20), on_message=told.append)
    assert set(filled.predictions()) == {id for id, item in items_of(benchmark_).items() if "plays" in item.prompt}
    assert told == [
        "Skipped 6 items: the blank is not the last thing in the sentence, and the model reads from left to right"
    ]
    assert filled.left_out() == {told[0].partition(": ")[2]: 6}
    scores = scores_of(read_run(tmp_path / "filled"))
    assert scores.results()["f1"].n == 4


def test_a_scorer_without_tokens_gives_sums(benchmark_: Benchmark, tmp_path: Path) -> None:
    """What stands first in its sentence cannot be scored unless a model says that it can; the rest is the same."""
    model: Any = open_model(str(make_tiny_model(tmp_path / "llama")))
    whole = run(benchmark_, model, tmp_path / "tokens").rows()
    model.can = frozenset({"answer_logprob"})
    told: list[str] = []
    found = run(benchmark_, model, tmp_path / "sums", on_message=told.append)
    assert told == ["Skipped 6 items: nothing stands before the blank, and the model scores only what follows"]
    for id in found.predictions():
        assert found.rows()[id]["logprobs"] == pytest.approx(whole[id]["logprobs"], abs=1e-4)


def test_a_killed_run_of_a_probe_goes_on_to_the_same_end(benchmark_: Benchmark, tmp_path: Path, bert: Any) -> None:
    probe = FillMany(search="sample", width=3, seed=5)
    straight = run(benchmark_, bert, tmp_path / "straight", probe=probe).rows()
    code = (
        "import sys, os, signal; from pathlib import Path; from asof.benchmarks import read_benchmark\n"
        "from asof.models import open_model; from asof.probes.fill_many import FillMany; from asof.runs import run\n"
        "FillMany.items_per_step = 3\n"
        "stop = lambda done, total: os.kill(os.getpid(), signal.SIGKILL) if done >= 6 else None\n"
        "run(read_benchmark(Path(sys.argv[1])), open_model(sys.argv[2]), Path(sys.argv[3]), on_progress=stop,\n"
        "    probe=FillMany(search='sample', width=3, seed=5))"
    )
    command = [sys.executable, "-c", code, str(benchmark_.folder), bert.name, str(tmp_path / "run")]
    assert subprocess.run(command, capture_output=True, env=dict(os.environ)).returncode == -signal.SIGKILL
    assert len(read_run(tmp_path / "run").rows()) == 6
    resumed = run(benchmark_, bert, tmp_path / "run", probe=probe).rows()
    assert {id: row["texts"] for id, row in resumed.items()} == {id: row["texts"] for id, row in straight.items()}
    with pytest.raises(UserError, match="holds a run with search = 'sample', not 'greedy'"):
        run(benchmark_, bert, tmp_path / "run", probe=FillMany(seed=5, width=3))


def test_a_run_keeps_rows_and_gives_them_with_the_items(benchmark_: Benchmark, tmp_path: Path, bert: Any) -> None:
    done = run(benchmark_, bert, tmp_path / "run", probe=FillOne())
    assert done.settings["probe"] == "fill-one" and done.settings["best"] == 10
    assert done.name == "bert (fill-one)"
    table = read_run(tmp_path / "run").table()
    assert table.num_rows == 6 and {"rank", "best", "relation", "period"} <= set(table.column_names)
    scores = scores_of(done)
    assert isinstance(scores, ItemScores)
    expected = [1 / row["rank"] for row in done.rows().values() if "rank" in row]
    assert scores.results()["mrr"].value == pytest.approx(sum(expected) / 6)
    assert {period: part.results()["mrr"].n for period, part in scores.by("period").items()} == {
        "2020-Q4": 3, "2021-Q1": 3,
    }  # fmt: skip
    with pytest.raises(UserError, match=r"Items have no tag 'perid'\. Did you mean 'period'"):
        scores.by("perid")
    assert all(row.difference == 0 and row.n == 3 for row in compare(scores, scores))


def test_a_run_folder_of_the_first_version_is_scored(benchmark_: Benchmark, tmp_path: Path) -> None:
    settings = {
        "benchmark": str(benchmark_.folder),
        "items_sha256": benchmark_.items_sha256,
        "model": "x",
        "format": "raw",
    }
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "settings.toml").write_text("\n".join(f'{k} = "{v}"' for k, v in settings.items()))
    lines = [json.dumps({"id": item.id, "logprob": -1.0}) + "\n" for item in benchmark_.items()]
    (tmp_path / "old" / "predictions.jsonl").write_text("".join(lines))
    old = read_run(tmp_path / "old")
    assert old.probe.name == "answer-likelihood" and old.name == "x"
    assert set(old.predictions().values()) == {-1.0}
    assert old.table()["logprob"].to_pylist() == [-1.0] * 10


def test_what_makes_no_sense_is_told_before_anything_runs(
    benchmark_: Benchmark, tmp_path: Path, bert: Any, tiny: FactStore
) -> None:
    without = build(tmp_path / "without", Periods(blank="someone"), tiny, Wording())
    twice = build(tmp_path / "twice", Periods(blank=f"{BLANK} or {BLANK}"), tiny, Wording())
    cases: list[tuple[Benchmark, Any, Any, str]] = [
        (without, bert, FillOne(), r"has no blank \(_X_\) in its prompt: 'someone is the head"),
        (twice, bert, PseudoLikelihood(), "has more than one blank"),
        (benchmark_, bert, FillMany(most_tokens=0), "most_tokens = 0 leaves no room"),
        (benchmark_, bert, FillMany(search="best"), "greedy, beam or sample, not 'best'"),  # type: ignore[arg-type]
        (benchmark_, bert, open_probe("answer-likelihood"), "needs answer_logprob; .* offers fill, token_logprobs"),
    ]
    for benchmark, model, probe, message in cases:
        with pytest.raises(UserError, match=message):
            run(benchmark, model, tmp_path / "run", probe=probe)
    llama = open_model(str(make_tiny_model(tmp_path / "llama")))
    with pytest.raises(
        UserError, match=r"(?s)fill-one can ask none of the 10 items .*Skipped 6 items.*no answer is one"
    ):
        run(benchmark_, llama, tmp_path / "run", probe=FillOne())
    items = [Item(id="1", prompt=f"{BLANK} leads.", answers=("Paris",), group="1")]
    with pytest.raises(UserError, match="has no tag 'relation'"):
        PseudoLikelihood().fit(items, bert, everything=items)
    empty = [Item(id="1", prompt=f"{BLANK} leads.", answers=(" ",), group="1")]
    with pytest.raises(UserError, match="Item '1' has an empty answer"):
        FillOne().fit(empty, bert)
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", registry.probes.names())
def test_every_probe_keeps_the_contract(name: str) -> None:
    assert registry.probes.summary(name).endswith((".", "?"))
    probe = open_probe(name, {"no such setting": 1})
    assert probe.name == name and probe.needs and probe.scored and probe.items_per_step > 0
    assert open_probe(name, settings_of(probe)) == probe
    assert callable(probe.fit) and callable(probe.predict) and callable(probe.measures)
    # Every measure has its range, so that its intervals are right for few facts.
    row = {
        "rank": 1, "text": "x", "texts": ["x"], "answers": ["x"], "answer": "x", "logprob": -1.0,
        "logprobs": [-1.0, -2.0], "tokens": [1, 1], "candidates": ["x", "y"], "right": [True, False],
        "pair_shares": [0.9, 0.2], "right_share": 0.85, "pair_yes": [0.9, 0.2], "right_yes": 0.9, "right_in_pair": 0,
    }  # fmt: skip
    assert metrics_of(probe).keys() == probe.measures(row).keys()


def test_a_server_ranks_what_stands_first_in_its_sentence(benchmark_: Benchmark, tmp_path: Path) -> None:
    """The sentences of the how-to on cutoffs begin with the blank."""
    folder = make_tiny_model(tmp_path / "llama")
    weights = run(benchmark_, open_model(str(folder)), tmp_path / "weights").rows()
    with serving(folder) as server:
        model = open_model(f"openai-completions:{server.place}#{MODEL}", begins="<s>")
        found = run(benchmark_, model, tmp_path / "server").rows()
    assert any(item.prompt.startswith("_X_") for item in items_of(benchmark_).values())
    assert {id: row["rank"] for id, row in found.items()} == {id: row["rank"] for id, row in weights.items()}
    assert all(found[id]["logprobs"] == pytest.approx(row["logprobs"], abs=1e-3) for id, row in weights.items())
