"""The task folder, run by the real lm-evaluation-harness: the scores of asof run and asof score."""

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from asof.benchmarks import Benchmark, Item, build
from asof.errors import UserError
from asof.export import ExportRequest, export
from asof.export.lm_eval import LmEval
from asof.facts import FactStore
from asof.models.transformers_causal import TransformersCausal
from asof.probes import open_probe
from asof.probes.answer_likelihood import AnswerLikelihood
from asof.probes.pseudo_likelihood import PseudoLikelihood
from asof.probes.write_answer import WriteAnswer
from asof.runs.item_scores import scores_of
from asof.runs.runner import run
from asof.runs.scores.written import SHARES
from asof.wording import Wording
from tests.export.conftest import MOST_TOKENS

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def harness(tiny_model: Path) -> Any:
    """The harness' own model of the same weights."""
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=str(tiny_model), device="cpu", dtype="float32", batch_size=16)


def ran_by_harness(folder: Path, task: str, model: Any, **options: Any) -> dict[str, float]:
    from lm_eval import simple_evaluate
    from lm_eval.tasks import TaskManager

    manager = TaskManager(include_path=str(folder), include_defaults=False)
    found = simple_evaluate(model=model, tasks=[task], task_manager=manager, bootstrap_iters=0, **options)
    return {
        name.removesuffix(",none"): value
        for name, value in found["results"][task].items()
        if name.endswith(",none") and "stderr" not in name
    }


@pytest.mark.parametrize("kind", ["timestress", "dynamic-templama", "written"])
def test_the_harness_gives_the_scores_of_asof(
    kind: str, built: dict[str, Benchmark], written: Benchmark, tiny_model: Path, harness: Any, tmp_path: Path
) -> None:
    benchmark = built.get(kind, written)
    probe = WriteAnswer(most_tokens=MOST_TOKENS) if kind == "written" else open_probe(benchmark.probe)
    export(LmEval(), ExportRequest(benchmark=benchmark, name="asof_task", probe=probe), tmp_path / "task")
    shutil.move(tmp_path / "task", tmp_path / "elsewhere")  # it needs nothing but itself
    theirs = ran_by_harness(tmp_path / "elsewhere", "asof_task", harness, apply_chat_template=kind == "written")
    done = run(benchmark, TransformersCausal(str(tiny_model)), tmp_path / "run", probe=probe)
    ours = {
        name.replace(" ", "_").replace("-", "_"): result.value for name, result in scores_of(done).results().items()
    }
    of_asof_alone = {"log_perplexity", *(name.replace(" ", "_") for name in SHARES)}
    assert theirs.keys() == ours.keys() - of_asof_alone
    assert theirs == pytest.approx({name: ours[name] for name in theirs}, abs=1e-6)
    assert any(0 < value < 1 for value in theirs.values())


def test_a_probe_that_the_harness_cannot_do_is_replaced_and_told(built: dict[str, Benchmark], tmp_path: Path) -> None:
    told = export(LmEval(), ExportRequest(benchmark=built["lama-tk"], name="t"), tmp_path / "task")
    assert told[0] == "lama-tk is asked with fill-one, which lm-eval cannot do: pseudo-likelihood is used instead."
    rows = [json.loads(line) for line in (tmp_path / "task" / "items.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows and all(any(row["right"]) and not all(row["right"]) for row in rows)
    for row in rows:  # dates are compared with dates, names with names
        assert len({candidate.isdigit() for candidate in row["candidates"]}) == 1


@dataclass(frozen=True, kw_only=True)
class WrongDates:
    """One fact at a date at which it is not right."""

    name: ClassVar[str] = "wrong-dates"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "write-answer"

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        yield Item(id="1", prompt="In 1800, who?", answers=("Ann",), group="1", tags={"verdict": "incorrect"})


def test_a_benchmark_of_wrong_dates_has_nothing_to_be_written(tiny: FactStore, tmp_path: Path) -> None:
    benchmark = build(tmp_path / "wrong", WrongDates(), tiny, Wording())
    with pytest.raises(UserError, match=r"can ask none of 1 items of .*its answer is not right at its date"):
        export(LmEval(), ExportRequest(benchmark=benchmark, name="asof_t", probe=None), tmp_path / "task")


def test_what_cannot_be_exported_is_said_and_not_written(built: dict[str, Benchmark], tmp_path: Path) -> None:
    refused = (
        ("templama", PseudoLikelihood(per_token=True), "omit per_token"),
        ("timestress", AnswerLikelihood(format="chat"), "Omit format=chat"),
        ("templama", open_probe("fill-many"), "lm-eval cannot do what the probe fill-many does"),
    )
    for kind, probe, why in refused:
        with pytest.raises(UserError, match=why):
            export(LmEval(), ExportRequest(benchmark=built[kind], name="t", probe=probe), tmp_path / "task")
    assert not list(tmp_path.iterdir())
    told = export(
        LmEval(), ExportRequest(benchmark=built["templama"], name="t", probe=AnswerLikelihood()), tmp_path / "task"
    )
    assert "logprob" in told[0]
