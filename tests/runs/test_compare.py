"""Two runs side by side: what is compared, how sure it is, and what may mislead."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from asof.benchmarks import Benchmark, Item, build
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.runs import Run, read_run
from asof.runs.compare import compare, compare_runs
from asof.runs.folder import open_run
from asof.runs.item_scores import scores_of
from asof.runs.measured import MeasureColumns
from asof.wording import Wording


@dataclass(frozen=True, kw_only=True)
class Quiz:
    """Questions about some facts, several about each; fact number n has n % 3 + 1 of them."""

    name: ClassVar[str] = "quiz"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "write-answer"

    facts: int = 40

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for fact in range(self.facts):
            for number in range(fact % 3 + 1):
                yield Item(id=f"{fact}-{number}", prompt=f"Who led {fact}?", answers=("Ann",), group=str(fact))


@pytest.fixture(scope="module")
def quiz(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("bench") / "quiz", Quiz(), tiny, Wording())


def answered(quiz: Benchmark, folder: Path, texts: Mapping[str, str], **versions: str) -> Run:
    """Keep a run that answers with "Bo" where no other text is given."""
    settings = {
        "benchmark": str(quiz.folder), "benchmark_name": "quiz", "items_sha256": quiz.items_sha256,
        "model": f"models/{folder.name.partition('.')[0]}", "probe": "write-answer", "most_tokens": 24,
    }  # fmt: skip
    opened = open_run(folder, settings, {"asof": "1", "kind": "transformers-causal", "dtype": "float32", **versions})
    lines = [json.dumps({"id": item.id, "text": texts.get(item.id, "Bo")}) + "\n" for item in quiz.items()]
    opened.predictions_path.write_text("".join(lines), encoding="utf-8")
    return opened


def right(quiz: Benchmark, facts: range) -> dict[str, str]:
    return {item.id: "Ann" for item in quiz.items() if int(item.group) in facts}


def test_a_run_equals_itself_also_where_a_measure_has_no_items(quiz: Benchmark, tmp_path: Path) -> None:
    one = answered(quiz, tmp_path / "one", right(quiz, range(7)))
    found = {row.measure: row for row in compare_runs(one, one).differences}
    assert {"em", "f1", "em answerable", "em unanswerable"} == found.keys()
    assert all(row.difference == 0 and row.p == 1 and row.p_holm == 1 for row in found.values())
    assert found["em unanswerable"].n == 0 and found["em"].n == 40 and found["em"].differing == 0


def test_the_means_are_those_of_score(quiz: Benchmark, tmp_path: Path) -> None:
    one = answered(quiz, tmp_path / "one", right(quiz, range(5)))
    two = answered(quiz, tmp_path / "two", right(quiz, range(20)))
    results = [scores_of(run).results()["em"] for run in (one, two)]
    row = compare_runs(one, two).differences[0]
    assert (row.measure, row.first, row.second) == ("em", results[0].value, results[1].value)
    assert row.difference == pytest.approx(results[1].value - results[0].value)
    assert row.low < row.difference < row.high and row.interval == "gaffke"
    assert row.p == pytest.approx(2 / 2**15, abs=2e-4) and row.low > 0
    assert row.p_holm == pytest.approx(3 * row.p)  # of four measures one has no items


def test_only_items_that_both_have_are_compared(quiz: Benchmark, tmp_path: Path) -> None:
    one, two = answered(quiz, tmp_path / "one", {}), answered(quiz, tmp_path / "two", right(quiz, range(40)))
    lines = two.predictions_path.read_text(encoding="utf-8").splitlines(keepends=True)
    left_out = [json.dumps({"id": json.loads(line)["id"], "left_out": "too long"}) + "\n" for line in lines[:50]]
    two.predictions_path.write_text("".join(left_out + lines[50:]), encoding="utf-8")
    found = compare_runs(one, two)
    assert found.facts == (40, 15) and found.shared == 15
    assert found.differences[0].n == 15 and found.differences[0].difference == 1
    assert found.notes == ["Only 15 facts are compared: with fewer than 30, only large differences can be detected."]
    none = answered(quiz, tmp_path / "none", {})
    none.predictions_path.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="no fact in common"):
        compare(scores_of(one), scores_of(none))


def test_another_runtime_is_told(quiz: Benchmark, tmp_path: Path) -> None:
    one = answered(quiz, tmp_path / "one", {}, architecture="llama", parameters="135")
    two = answered(quiz, tmp_path / "two", {}, kind="gguf", dtype="float16", asof="2", parameters="135")
    assert compare_runs(one, one).notes == []
    assert compare_runs(one, two).notes == [
        "The runs used different runtimes, which may explain a part of the difference: "
        "kind transformers-causal and gguf; dtype float32 and float16; asof 1 and 2."
    ]
    quantised = [
        answered(quiz, tmp_path / weights, {}, kind="gguf", parameters="135", weights=f"llama 135M {weights}")
        for weights in ("F16", "Q8")
    ]
    assert "weights llama 135M F16 and llama 135M Q8" in compare_runs(*quantised).notes[0]
    other = answered(quiz, tmp_path / "other", {}, kind="gguf", parameters="360", weights="llama 360M F16")
    assert compare_runs(quantised[0], other).notes == []


def test_the_command_names_the_runs(quiz: Benchmark, tmp_path: Path) -> None:
    folders = [tmp_path / "model.a", tmp_path / "model.b"]
    answered(quiz, folders[0], right(quiz, range(4)), dtype="float16")
    answered(quiz, folders[1], right(quiz, range(9)))
    ran = CliRunner().invoke(asof, ["compare", *map(str, folders)])
    assert ran.exit_code == 0, ran.output
    head = ran.stdout.splitlines()[0].split("\t")
    assert head == ["measure", "model (write-answer), model.a", "model (write-answer), model.b", "difference", "low",
                    "high", "p", "p_holm", "n", "better"]  # fmt: skip
    assert "model.a: 40 facts. model (write-answer), model.b: 40 facts. In both, and compared: 40." in ran.stderr
    assert "different runtimes" in ran.stderr
    said = CliRunner().invoke(asof, ["compare", *map(str, folders), "--json"]).stdout.splitlines()
    row: dict[str, Any] = json.loads(said[0])
    assert row["runs"] == head[1:3] and row["facts"] == [40, 40] and row["shared_facts"] == 40
    assert (row["measure"], row["interval"], row["test"], len(row["notes"])) == ("em", "gaffke", "exact", 1)
    assert row["better"] == "higher" and row["ahead"] == ("second" if row["p_holm"] < 0.05 else None)
    empty: dict[str, Any] = json.loads(said[-1])
    assert (empty["measure"], empty["first"], empty["low"], empty["p"], empty["n"], empty["differing"]) == (
        "em unanswerable", None, None, 1.0, 0, 0,
    )  # fmt: skip


def test_a_measure_by_which_nothing_differs_makes_no_other_harder_to_see() -> None:
    columns = {"a": [0.0] * 8, "b": [0.0] * 8, "c": [1.0] * 8}
    ids = [str(number) for number in range(8)]
    one, two = (MeasureColumns(ids, ids, columns | {"a": [value] * 8}, {}) for value in (0.0, 1.0))
    found = {row.measure: row for row in compare(Columns(one), Columns(two))}
    assert found["a"].p == found["a"].p_holm == pytest.approx(2 / 2**8) and found["a"].differing == 8
    assert (found["b"].p_holm, found["b"].differing, found["b"].n) == (1.0, 0, 8)


@dataclass(frozen=True)
class Columns:
    units: MeasureColumns


def test_the_command_names_a_run_that_stands_twice(quiz: Benchmark, tmp_path: Path) -> None:
    folders = [answered(quiz, tmp_path / "model.a", {}).folder]
    again = CliRunner().invoke(asof, ["compare", str(folders[0]), str(folders[0])])
    assert "(again)" in again.stdout.splitlines()[0]


def test_runs_of_two_probes_are_not_compared(quiz: Benchmark, tmp_path: Path) -> None:
    one = answered(quiz, tmp_path / "one", {})
    other = Run(one.folder, {**one.settings, "probe": "fill-one"})
    with pytest.raises(UserError, match="one was asked with write-answer, one with fill-one: their measures differ"):
        compare_runs(one, other)
    assert read_run(one.folder).versions["kind"] == "transformers-causal"
