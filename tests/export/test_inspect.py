"""The task folder, run by the real Inspect and its Hugging Face provider: the scores of asof run."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from asof.benchmarks import Benchmark
from asof.errors import UserError
from asof.export import ExportRequest, export
from asof.export.inspect import Inspect
from asof.models.transformers_causal import TransformersCausal
from asof.probes.answer_likelihood import AnswerLikelihood
from asof.probes.write_answer import WriteAnswer, prompt_for
from asof.runs.item_scores import scores_of
from asof.runs.runner import run
from tests.export.conftest import MOST_TOKENS


def ran_by_inspect(folder: Path, model: Path) -> Any:
    from inspect_ai import eval as inspect_eval

    patch = pytest.MonkeyPatch()
    patch.chdir(folder)  # it looks for tasks below the folder it is in

    arguments = {"model_path": str(model), "device": "cpu", "do_sample": False}
    try:
        (log,) = inspect_eval("task.py", model="hf/local", model_args=arguments, log_dir="logs", display="none")
    finally:
        patch.undo()
    assert log.status == "success", log.error
    return log


def test_inspect_gives_the_scores_of_asof(written: Benchmark, tiny_model: Path, tmp_path: Path) -> None:
    probe = WriteAnswer(most_tokens=MOST_TOKENS)
    export(Inspect(), ExportRequest(benchmark=written, name="asof_timeqa", probe=probe), tmp_path / "task")
    shutil.move(tmp_path / "task", tmp_path / "elsewhere")
    log = ran_by_inspect(tmp_path / "elsewhere", tiny_model)
    theirs = {score.name: score.metrics["mean"].value for score in log.results.scores}
    done = run(written, TransformersCausal(str(tiny_model)), tmp_path / "run", probe=probe)
    ours = {name: result.value for name, result in scores_of(done).results().items()}
    assert theirs == pytest.approx({name: ours[name] for name in ("em", "f1")}, abs=1e-9)
    assert 0 < theirs["em"] < 1
    assert log.eval.task == "asof_timeqa"
    items = {item.id: item for item in written.items()}
    for sample in log.samples:  # what the model read and what is accepted came through unchanged
        assert sample.input == prompt_for(items[sample.id].prompt)
        assert tuple(sample.metadata["answers"]) == items[sample.id].answers


def rows_of(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "items.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


def test_of_timestress_the_right_dates_are_asked(built: dict[str, Benchmark], tmp_path: Path) -> None:
    told = export(Inspect(), ExportRequest(benchmark=built["timestress"], name="asof_t"), tmp_path / "task")
    right = [item for item in built["timestress"].items() if item.tags["verdict"] == "correct"]
    assert [row["id"] for row in rows_of(tmp_path / "task")] == [item.id for item in right]
    assert "not the scores of answer-likelihood" in " ".join(told)
    with pytest.raises(UserError, match="cannot do what the probe answer-likelihood does"):
        export(
            Inspect(), ExportRequest(benchmark=built["timestress"], name="a", probe=AnswerLikelihood()), tmp_path / "no"
        )


def test_sentences_with_a_blank_are_asked_as_dated_questions(built: dict[str, Benchmark], tmp_path: Path) -> None:
    export(Inspect(), ExportRequest(benchmark=built["templama"], name="asof_t"), tmp_path / "task")
    row = rows_of(tmp_path / "task")[0]
    assert row["prompt"].startswith("Question: In ") and row["prompt"].endswith("Answer with the name only.\nAnswer:")
    assert "_X_" not in row["prompt"]
    assert json.loads((tmp_path / "task" / "settings.json").read_text())["scores"] == ["exact_match", "f1"]
