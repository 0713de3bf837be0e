"""``asof audit``: a model that looks ahead fails, one that does not passes, and one that shows nothing does neither."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import Benchmark, Item, build
from asof.cli import asof
from asof.facts import FactStore
from asof.runs import read_run
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_audit import LookAheadAudit, tail
from asof.timeline import Period
from asof.wording import Wording
from tests.runs.test_cutoff import Offices, candidates_run, knows_up_to, written


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(), tiny, Wording())


def audit(*words: object) -> Result:
    return CliRunner().invoke(asof, ["audit", *map(str, words)])


def test_a_model_of_its_time_passes_and_a_later_one_fails(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))
    passed = audit(run, "--after", "2017-06-30", "--json")
    row = json.loads(passed.stdout)
    assert (passed.exit_code, row["status"], row["known"], row["known_facts"]) == (0, "passed", 0, [])
    assert row["facts"] > 40 and row["high"] < 0.1 and row["known_before"] > 0.7
    failed = audit(run, "--after", "2016-Q1", "--json")
    row = json.loads(failed.stdout)
    assert (failed.exit_code, row["status"]) == (3, "failed")
    assert row["p"] < 0.001 and row["known"] > 0.3 and row["guessing"] < 0.05
    assert row["known_facts"] and all(fact["evidence"].startswith("wrote: ") for fact in row["known_facts"])
    assert {fact["since"] for fact in row["known_facts"]} <= {str(p) for p in _quarters("2016-Q2", "2017-Q2")}
    assert "knows what came after 2016-Q1" in audit(run, "--after", "2016-Q1").stderr
    assert audit(run, "--after", "2016-Q1", "--allow", "90%").exit_code == 0


def _quarters(first: str, last: str) -> list[Period]:
    return list(Period.parse(first).to(Period.parse(last)))


def test_a_model_that_knows_nothing_does_not_pass(offices: Benchmark, tmp_path: Path) -> None:
    def nothing(item: Item) -> dict[str, Any]:
        return {"text": "nobody", "texts": ["nobody"], "mean_logprobs": [-1.0]}

    found = audit(written(tmp_path / "run", offices, nothing), "--after", "2017-Q2")
    assert found.exit_code == 3 and "could not have shown it" in found.stderr


def test_few_facts_or_a_date_outside_the_range_tell_nothing(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))
    few = audit(run, "--after", "2019-Q3")
    assert few.exit_code == 3 and "20 are needed" in few.stderr
    outside = audit(run, "--after", "2024")
    assert outside.exit_code == 2 and "not to both sides of 2024. Build" in outside.stderr
    assert audit(run, "--after", "soon").exit_code == 2


@pytest.mark.parametrize(("end", "status"), [("2016-Q4", "passed"), ("2018-Q4", "failed")])
def test_candidates_that_the_model_was_exposed_to(offices: Benchmark, tmp_path: Path, end: str, status: str) -> None:
    run = candidates_run(tmp_path / "run", offices, end, heard=6, fame=2)
    found = LookAheadAudit(CutoffOf(read_run(run)), Period.parse("2016-Q4"))
    assert found.status == status
    shown = [one for one in found.fact_rows() if one["known"]]
    assert all("standard deviations likelier" in one["evidence"] for one in shown)


def test_models_without_look_ahead_seldom_fail(offices: Benchmark, tmp_path: Path) -> None:
    """Guessers who know old facts and, of later ones, name holders at random."""
    failed = 0
    holders = [item.answers[0] for item in offices.items()]
    knows = knows_up_to(offices, "2017-Q2", knows=1.0)
    for seed in range(12):

        def row(item: Item, seed: int = seed) -> dict[str, Any]:
            draw = random.Random(f"{seed} {item.group}")
            known = knows(item)["text"] if draw.random() < 0.6 else draw.choice(holders)
            return {"text": known, "texts": [known], "mean_logprobs": [-1.0]}

        run = written(tmp_path / str(seed), offices, row)
        failed += LookAheadAudit(CutoffOf(read_run(run)), Period.parse("2017-Q2")).status == "failed"
    assert failed <= 2


def test_the_tail_is_that_of_a_binomial() -> None:
    assert tail(3, 3, 0.1) == pytest.approx(0.001) and tail(1, 10, 0.05) == pytest.approx(1 - 0.95**10)
