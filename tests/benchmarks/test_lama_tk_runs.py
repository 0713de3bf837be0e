"""Runs on LAMA-TK: Acc@k and Hit@k against plain Python, and every view of the page from runs that are known."""

import json
import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from asof.benchmarks import Benchmark, Item, build
from asof.benchmarks.lama_tk import LamaTk
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.metrics import SHARE, mean_of_items, means_of_items
from asof.metrics.acc_at_k import acc_at_k
from asof.metrics.hit_at_k import hit_at_k
from asof.models import FilledBlank
from asof.models._blank import TokenGuess
from asof.probes.fill_one import FillOne
from asof.reports import write_report
from asof.runs import read_run
from asof.runs.folder import open_run
from asof.runs.item_scores import ItemScores, scores_of
from asof.runs.scores.lama_tk import recall_measures
from asof.wording import Wording
from tests.benchmarks.test_lama_tk import PAPER

Make = Callable[..., FactStore]
Rows = Callable[[Item], dict[str, object]]
ranks = st.lists(st.integers(1, 30), min_size=1, max_size=4)


@given(ranks, st.sampled_from([1, 5, 10]))
def test_acc_and_hit_are_those_of_a_ranked_list(places: list[int], k: int) -> None:
    first_k = set(range(1, k + 1))
    assert acc_at_k(places, k=k) == float(bool(first_k & set(places)))
    assert hit_at_k(places[0], k=k) == float(places[0] in first_k)


@given(st.permutations(["Paris", "Rome", "the Hague", "Bern", "Oslo"]))
def test_texts_are_ranked_by_their_mean_log_probability(order: list[str]) -> None:
    row = {"answers": ["The Hague", "Oslo"], "texts": sorted(order), "mean_logprobs": []}
    row["mean_logprobs"] = [-float(order.index(text)) for text in row["texts"]]  # type: ignore[union-attr]
    found = recall_measures(row)
    assert found is not None
    best = min(order.index("the Hague"), order.index("Oslo"))
    assert found == {
        "Acc@1": float(best == 0), "Acc@5": 1.0, "Hit@1": float(order[0] == "the Hague"), "Hit@5": 1.0,
    }  # fmt: skip


def test_means_of_several_measures_are_those_of_each() -> None:
    draw = random.Random(0)
    groups = [str(draw.randrange(40)) for _ in range(200)]
    measured = {name: [draw.choice([0.0, 1.0]) for _ in groups] for name in ("a", "b")}
    measured["c"] = [float("nan") if draw.random() < 0.3 else value for value in measured["a"]]
    together = means_of_items(measured, groups, within=dict.fromkeys(measured, SHARE))
    for name, values in measured.items():
        alone = mean_of_items(values, groups)
        assert together[name].n == alone.n
        assert (together[name].value, together[name].low, together[name].high) == pytest.approx(
            (alone.value, alone.low, alone.high)
        )


class OneToken:
    """Knows four words; the later in the alphabet, the less likely."""

    name = "one-token"
    words = ("1956", "1972", "Bern", "Oslo")

    def cannot_fill(self, blank: object) -> str:
        return ""

    def count_answer_tokens(self, filled: Sequence[FilledBlank]) -> list[int]:
        return [1 if one.answer in self.words else 3 for one in filled]

    def guess_token(self, filled: Sequence[FilledBlank], *, best: int) -> list[TokenGuess]:
        return [TokenGuess(self.words.index(one.answer) + 1, -1.0, self.words[:best], (-1.0,) * best) for one in filled]


def test_fill_one_keeps_the_rank_of_the_answer_that_was_left_out() -> None:
    asked = [("1972", "1956"), ("1956",), ("New York", "Oslo")]
    items = [Item(id=str(n), prompt="In _X_.", answers=answers, group="g") for n, answers in enumerate(asked)]
    found = FillOne().predict(items, OneToken())  # type: ignore[arg-type]
    assert [(row["rank"], row["first_rank"]) for row in found] == [(1, 2), (1, 1), (4, None)]
    last = recall_measures(found[2])
    assert last is not None and last["Acc@5"] == 1.0 and last["Hit@5"] != last["Hit@5"]


def run_of(folder: Path, benchmark: Benchmark, rows: Rows, **versions: str) -> Path:
    """Write a run with what a model would have said."""
    settings = {
        "benchmark": str(benchmark.folder), "benchmark_name": "lama-tk", "items_sha256": benchmark.items_sha256,
        "model": f"toy-{folder.name}", "probe": "fill-one", "best": 10,
    }  # fmt: skip
    opened = open_run(folder, settings, dict(versions))
    lines = (json.dumps({"id": item.id} | rows(item)) + "\n" for item in benchmark.items())
    opened.predictions_path.write_text("".join(lines), encoding="utf-8")
    return folder


def one_of_several(item: Item) -> dict[str, object]:
    """Know the first of all right answers in the alphabet, and nothing of the others."""
    known = sorted(str(item.tags["answer_ids"]).split("|"))[0]
    first = 1 if item.tags["answer_id"] == known else 60
    return {"answer": item.answers[0], "rank": 1, "first_rank": first, "logprob": -0.1, "best": ["<b>x</b>"] * 10,
            "best_logprobs": [-0.1] * 10}  # fmt: skip


def test_a_run_is_scored_by_any_tag(base_of: Make, tmp_path: Path) -> None:
    benchmark = build(tmp_path / "paper", LamaTk(), base_of(PAPER), Wording())
    folder = run_of(tmp_path / "run", benchmark, one_of_several)
    scores = scores_of(read_run(folder))
    assert isinstance(scores, ItemScores)
    by_number = {number: part.results() for number, part in scores.by("number").items()}
    assert {number: found["Acc@1"].value for number, found in by_number.items()} == {"single": 1.0, "multiple": 1.0}
    assert by_number["single"]["Hit@5"].value == 1.0 and by_number["multiple"]["Hit@5"].value == 0.5
    assert by_number["multiple"]["Hit@5"].n == sum(item.tags["number"] == "multiple" for item in benchmark.items())
    for tag in ("place", "relation", "one_to_one", "conflicts", "query"):
        said = CliRunner().invoke(asof, ["score", str(folder), "--by", tag, "--json"], catch_exceptions=False)
        rows = [json.loads(line) for line in said.stdout.splitlines()]
        assert {"Acc@1", "Acc@5", "Hit@1", "Hit@5"} <= {row["metric"] for row in rows}
        assert sum(row["items"] for row in rows if row["metric"] == "Acc@1") == benchmark.items_count


def test_the_page_has_every_view(almanac: FactStore, tmp_path: Path) -> None:
    runs = []
    for size in (60, 120):
        for conflicts in (True, False):
            kind = LamaTk(facts=size, conflicts=conflicts, relations="P39,P463")
            made = build(tmp_path / f"taught{size}{conflicts}", kind, almanac, Wording())
            runs.append(run_of(tmp_path / f"r{size}{conflicts}", made, one_of_several, size="toy", start="random"))
    for query in ("boundary", "implicit"):
        made = build(tmp_path / query, LamaTk(facts=120, query=query), almanac, Wording())  # type: ignore[arg-type]
        runs.append(run_of(tmp_path / f"r{query}", made, one_of_several, size="toy", start="random"))
    page = write_report(runs, tmp_path / "page").read_text(encoding="utf-8")
    ids = re.findall(r'<section id="([a-z-]+)"', page)
    assert ids == ["recall", "storage", "conflicts", "capacity", "boundary", "implicit", "prompts"]
    assert "size toy, start random" in page and "Zhao et al. 2022" in page
    assert "<b>x</b>" not in page and "&lt;b&gt;x&lt;/b&gt;" in page
    assert "nan" not in re.sub(r"<title>.*?</title>", "", page)
    assert "B − A" in page and "D − C" in page  # with and without conflicts, paired
    alone = write_report(runs[:1], tmp_path / "alone").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([a-z-]+)"', alone) == ["recall", "storage", "prompts"]


def test_a_run_without_ranks_is_shown_by_its_items(base_of: Make, tmp_path: Path) -> None:
    benchmark = build(tmp_path / "paper", LamaTk(), base_of(PAPER), Wording())
    folder = run_of(tmp_path / "run", benchmark, lambda item: {"rank": 1})
    page = write_report([folder], tmp_path / "page").read_text(encoding="utf-8")
    assert re.findall(r'<section id="([a-z-]+)"', page)[:2] == ["item-runs", "item-scores"] and "mrr" in page
    empty = run_of(tmp_path / "empty", benchmark, one_of_several)
    (empty / "predictions.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="has no predictions yet"):
        write_report([empty], tmp_path / "page")
