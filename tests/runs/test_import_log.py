"""Runs made of the logs of other tools: real ones of Inspect and lm-eval, and plain tables."""

import csv
import json
import os
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import Benchmark, build
from asof.cli import asof
from asof.errors import UserError
from asof.export import ExportRequest, export
from asof.export.inspect import Inspect
from asof.export.lm_eval import LmEval
from asof.facts import FactStore
from asof.probes import open_probe
from asof.probes.write_answer import question_for
from asof.runs import read_run
from asof.runs.cutoff import CutoffOf
from asof.runs.import_log import import_logs
from asof.runs.item_scores import scores_of
from asof.runs.logs import inspect as inspect_logs
from asof.wording import Wording
from tests.runs.test_cutoff import Offices

os.environ.setdefault("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(changing=30, lasting=5), tiny, Wording())


def answers(benchmark: Benchmark, end: str) -> dict[str, str]:
    """What a model says that knows the world up to a quarter, by the sentence that it is asked to complete."""
    return {item.prompt: f"It is {item.answers[0]}." for item in benchmark.items() if item.tags["period"] == end}


def dated_answers(benchmark: Benchmark, end: str) -> dict[str, str]:
    """What such a model says when the question names a quarter: the right answer then, or the last one it knows."""
    last = answers(benchmark, end)
    return {
        question_for(item): f"It is {item.answers[0]}." if item.tags["period"] <= end else last[item.prompt]
        for item in benchmark.items()
    }


def imported(*words: object) -> Result:
    return CliRunner().invoke(asof, ["import-log", *map(str, words)])


def cutoff(run: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(CliRunner().invoke(asof, ["cutoff", str(run), "--json"]).stdout)
    return found


@pytest.mark.slow
@pytest.mark.parametrize("form", ["eval", "json"])
def test_a_real_log_of_inspect(offices: Benchmark, tmp_path: Path, form: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai import eval as inspect_eval
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    known = dated_answers(offices, "2017-Q2")
    export(Inspect(), ExportRequest(benchmark=offices, name="asof_offices"), tmp_path / "task")

    def output(input: Any, *rest: Any) -> ModelOutput:
        said = ModelOutput.from_content(
            "mockllm/model", known[input[-1].text.splitlines()[-2].removeprefix("Question: ")]
        )
        said.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)  # or it fetches a tokenizer
        return said

    monkeypatch.chdir(tmp_path / "task")
    model = get_model("mockllm/model", custom_outputs=output)
    (log,) = inspect_eval("task.py", model=model, log_dir="logs", log_format=form, display="none")
    assert log.status == "success", log.error
    found = imported(tmp_path / "task" / "logs", "--benchmark", offices.folder, "--to", tmp_path / "run", "--json")
    told = json.loads(found.stdout)
    assert (found.exit_code, told["answered"], told["unmatched"]) == (0, offices.items_count, [])
    assert (told["model"], told["probe"]) == ("mockllm/model", "write-answer")
    (file,) = (tmp_path / "task" / "logs").glob(f"*.{form}")
    ours = {sample["id"]: sample for sample in inspect_logs.by_ourselves(file)["samples"]}
    assert ours.keys() == {item.id for item in offices.items()}  # without Inspect the same is read
    monkeypatch.setattr(inspect_logs, "find_spec", lambda name: None)
    import_logs(file, offices, tmp_path / "again")
    assert read_run(tmp_path / "again").rows() == read_run(tmp_path / "run").rows()
    row = cutoff(tmp_path / "run")
    assert (row["status"], row["cutoff"], row["refused"]) == ("estimated", "2017-Q2", 0)
    for verb in (["score"], ["compare", str(tmp_path / "again")]):
        assert CliRunner().invoke(asof, [verb[0], str(tmp_path / "run"), *verb[1:]]).exit_code == 0
    page = CliRunner().invoke(asof, ["report", str(tmp_path / "run"), "--to", str(tmp_path / "page")])
    assert page.exit_code == 0, page.output


@pytest.mark.slow
@pytest.mark.parametrize("probe", ["pseudo-likelihood", "answer-likelihood"])
def test_real_samples_of_lm_eval(
    tiny: FactStore, tmp_path: Path, probe: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    from lm_eval.__main__ import cli_evaluate

    from tests.models.tiny_model import make_tiny_model

    benchmark = build(tmp_path / "few", Offices(changing=4, lasting=1), tiny, Wording())
    model = make_tiny_model(tmp_path / "tiny", positions=512)
    export(LmEval(), ExportRequest(benchmark=benchmark, name="few", probe=open_probe(probe)), tmp_path / "task")
    patch = pytest.MonkeyPatch()
    words = ["lm_eval", "--model", "hf", "--model_args", f"pretrained={model},dtype=float32", "--device", "cpu"]
    words += ["--include_path", str(tmp_path / "task"), "--tasks", "few", "--log_samples"]
    patch.setattr("sys.argv", [*words, "--output_path", str(tmp_path / "out"), "--batch_size", "16"])
    try:
        cli_evaluate()
    finally:
        patch.undo()
    found = import_logs(tmp_path / "out", benchmark, tmp_path / "run")
    assert (found.answered, found.unmatched) == (benchmark.items_count, ())
    assert found.run.settings["probe"] == probe
    (results,) = (tmp_path / "out").rglob("results_*.json")
    reported = json.loads(results.read_text(encoding="utf-8"))["results"]["few"]
    ours = {name.replace("-", "_"): one.value for name, one in scores_of(found.run).results().items()}
    ours.pop("log_perplexity", None)  # the harness does not tell how many tokens an answer has
    assert ours and ours == pytest.approx({name: reported[f"{name},none"] for name in ours}, abs=1e-6)
    assert len(CutoffOf(found.run).answers) == 5


def table(path: Path, rows: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_table_with_prompts_of_ones_own(offices: Benchmark, tmp_path: Path) -> None:
    """One line for each fact; the prompt stands for all of its quarters."""
    known = answers(offices, "2018-Q1")
    rows = [{"question": f"Fill the gap, please.\n{prompt}", "response": text} for prompt, text in known.items()]
    log = table(tmp_path / "gpt.csv", rows)
    found = imported(log, "--benchmark", offices.folder, "--to", tmp_path / "run", "--model", "gpt-9")
    assert found.exit_code == 0 and f"{offices.items_count:,} of {offices.items_count:,} items" in found.stderr
    assert (read_run(tmp_path / "run").name, cutoff(tmp_path / "run")["cutoff"]) == ("gpt-9 (write-answer)", "2018-Q1")


def test_what_does_not_match_is_counted_named_and_no_success(offices: Benchmark, tmp_path: Path) -> None:
    ids = [item.id for item in offices.items()]
    lines = [{"id": id, "answer": "I don't know."} for id in [*ids[:40], ids[0]]]
    lines.append({"id": "of another", "answer": "x"})
    log = tmp_path / "some.jsonl"
    log.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    words = (log, "--benchmark", offices.folder, "--to")
    failed = imported(*words, tmp_path / "run")
    assert isinstance(failed.exception, UserError) and "1 answers of" in str(failed.exception)
    assert "40 of 700 items have an answer" in failed.stderr and "match no item: of another" in failed.stderr
    assert "1 more answers are to items that had one already" in failed.stderr
    assert read_run(tmp_path / "run").left_out() == {"not in the log": len(ids) - 40}
    assert imported(*words, tmp_path / "more", "--allow-unmatched").exit_code == 0
    held = CutoffOf(read_run(tmp_path / "more"))
    assert len(held.answers) == 2 and held.overall.controls.refused.value == 1  # both facts are there, and refused


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", "id,says\n1,x\n", "has no answer. A table of answers has a column id or prompt"),
        ("a.jsonl", "[1]\n", "line 1 is not a JSON object"),
        ("a.txt", "x", "is in no format that asof reads"),
        ("a.eval", "x", "could not be read as a log of Inspect"),
        ("a.csv", "id,answer\nnobody,x\n", "None of the 1 answers in .* is to an item of"),
        ("a.jsonl", '{"doc": {}, "resps": []}\n', "line 1 is not a sample of lm-eval"),
        ("a.csv", "id,answer,model\n1,x,a\n2,x,b\n", "has answers of a, b"),
    ],
)
def test_a_log_that_cannot_be_read_is_told(
    offices: Benchmark, tmp_path: Path, name: str, content: str, why: str
) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(UserError, match=why):
        import_logs(tmp_path / name, offices, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_folders_and_models_that_leave_a_choice(offices: Benchmark, tmp_path: Path) -> None:
    item = next(offices.items())
    for model in ("a", "b"):
        (tmp_path / "logs").mkdir(exist_ok=True)
        table(tmp_path / "logs" / f"{model}.csv", [{"id": item.id, "answer": "x", "model": model}])
    with pytest.raises(UserError, match=r"has logs of several models: a, b\. Choose one with --model"):
        import_logs(tmp_path / "logs", offices, tmp_path / "run")
    assert import_logs(tmp_path / "logs", offices, tmp_path / "run", model="b").run.settings["model"] == "b"
    with pytest.raises(UserError, match="holds a run already"):
        import_logs(tmp_path / "logs", offices, tmp_path / "run", model="b")
    (tmp_path / "empty").mkdir()
    with pytest.raises(UserError, match="has no log"):
        import_logs(tmp_path / "empty", offices, tmp_path / "run")
    with pytest.raises(UserError, match="does not exist"):
        import_logs(tmp_path / "nowhere", offices, tmp_path / "run")
