"""``asof cutoff`` from end to end: runs with known answers, their verdicts, controls, and exit codes."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import BLANK, Benchmark, Item, build
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.runs import read_run
from asof.runs.cutoff import CutoffOf
from asof.runs.cutoff_history import read_histories
from asof.runs.folder import Run, open_run
from asof.timeline import Period
from asof.wording import Wording
from asof.wording.answer_names import names_of_answers

QUARTERS = [str(period) for period in Period.parse("2015-Q1").to(Period.parse("2019-Q4"))]


@dataclass(frozen=True, kw_only=True)
class Offices:
    """Offices that change hands at random, and some that never do; every holder has an alias."""

    name: ClassVar[str] = "dynamic-templama"
    paper: ClassVar[str] = "none"
    probe: ClassVar[str] = "fill-many"

    changing: int = 120
    lasting: int = 40
    seed: int = 0

    def items(self, store: FactStore, say: Wording) -> Iterator[Item]:
        for number in range(self.changing + self.lasting):
            draw = random.Random(f"{self.seed} {number}")
            changes = (
                sorted(draw.sample(range(1, len(QUARTERS)), 1 + draw.randrange(2))) if number < self.changing else []
            )
            for place, period in enumerate(QUARTERS):
                holder = sum(change <= place for change in changes)
                held = [holder - 1, holder] if place in changes else [holder]  # both, in the quarter of the change
                names = [f"Holder {number} {one}" for one in reversed(held)]
                yield Item(
                    id=f"{number} {period}", prompt=f"{BLANK} holds office {number}.", group=f"{number}|r{number % 2}",
                    answers=(*names, *(f"H{name[6:]}" for name in names)),
                    tags={
                        "relation": f"r{number % 2}", "relation_label": ("mayor", "judge")[number % 2],
                        "period": period,
                        "split": None if not place else "updated" if place in changes else "unchanged",
                        "previous": "Founder" if not holder else f"Holder {number} {holder - 1}",
                    },
                )  # fmt: skip


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(), tiny, Wording())


def written(
    folder: Path, benchmark: Benchmark, rows: Callable[[Item], dict[str, Any]], probe: str = "fill-many"
) -> Path:
    """Write a run folder whose predictions are known."""
    settings = {"benchmark": str(benchmark.folder.resolve()), "benchmark_name": benchmark.name, "model": folder.name}
    run: Run = open_run(folder, settings | {"items_sha256": benchmark.items_sha256, "probe": probe}, {})
    lines = [json.dumps({"id": item.id} | rows(item)) for item in benchmark.items()]
    run.predictions_path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def knows_up_to(benchmark: Benchmark, end: str, *, knows: float = 0.8) -> Callable[[Item], dict[str, Any]]:
    """Answer as the world was at the end of a quarter, or with nonsense."""
    at_end = {item.group: item.answers for item in benchmark.items() if item.tags["period"] == end}

    def row(item: Item) -> dict[str, Any]:
        draw = random.Random(item.group)
        text = at_end[item.group][0] if draw.random() < knows else "nobody"
        return {"text": text, "texts": [text], "mean_logprobs": [-1.0]}

    return row


def cutoff(*words: object) -> Result:
    return CliRunner().invoke(asof, ["cutoff", *map(str, words)])


def test_a_model_that_knows_the_world_up_to_a_quarter(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))
    found = cutoff(run, "--json")
    row = json.loads(found.stdout)
    assert (found.exit_code, row["status"], row["cutoff"]) == (0, "estimated", "2017-Q2")
    assert row["low"] <= "2017-Q2" <= row["high"] and row["lag"] < 0.3
    assert 0.7 < row["known"] < 0.9 and row["guessing"] == 0
    assert row["unchanged"] == pytest.approx(row["known"], abs=0.2) and row["unchanged_facts"] == 40
    assert "answers as the world was up to 2017-Q2" in cutoff(run).stderr


def test_one_answer_in_twenty_periods_counts_once(offices: Benchmark, tmp_path: Path) -> None:
    found = CutoffOf(read_run(written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))))
    assert len(found.answers) == 160
    assert found.overall.facts == sum(one.preferred is not None and one.fact.changes for one in found.answers)


def test_by_relation_by_period_and_by_fact(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2", knows=1.0))
    relations = [json.loads(line) for line in cutoff(run, "--by", "relation", "--json").stdout.splitlines()]
    assert [row["relation"] for row in relations] == ["all", "mayor", "judge"]
    assert all(row["low"] <= "2017-Q2" <= row["high"] for row in relations)
    curve = {row["period"]: row for row in map(json.loads, cutoff(run, "--by", "period", "--json").stdout.splitlines())}
    assert list(curve) == QUARTERS
    assert curve["2017-Q2"]["correct"] == 1 and curve["2016-Q1"]["new"] == 1 and curve["2018-Q1"]["previous"] == 1
    assert curve["2019-Q4"]["outdated"] + curve["2019-Q4"]["correct"] == pytest.approx(1)
    assert curve["2015-Q1"]["early"] > 0.3
    facts = [json.loads(line) for line in cutoff(run, "--by", "fact", "--json").stdout.splitlines()]
    old = [row for row in facts if row["verdict"] != "correct"]
    assert len(facts) == 120 and all(row["verdict"] >= "outdated, true until 2017-Q2" for row in old)


def test_the_check_for_ci(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))
    assert cutoff(run, "--fail-if-older-than", "2017-Q1").exit_code == 0
    assert cutoff(run, "--fail-if-older-than", "2017").exit_code == 0  # the interval is not wholly before 2017
    failed = cutoff(run, "--fail-if-older-than", "2019-Q1")
    assert failed.exit_code == 3 and "the model is older than 2019-Q1" in failed.stderr
    bad = cutoff(run, "--fail-if-older-than", "2019-Q7")
    assert bad.exit_code == 2 and "'2019-Q7' is not a valid period" in bad.stderr
    assert cutoff(tmp_path / "nowhere").exit_code == 2


def test_a_model_that_knows_nothing_gets_no_date(offices: Benchmark, tmp_path: Path) -> None:
    items = {item.group: item.answers[0] for item in offices.items()}

    def of_another(item: Item) -> dict[str, Any]:
        text = random.Random(item.group).choice(list(items.values()))
        return {"text": text, "texts": [text], "mean_logprobs": [-1.0]}

    run = written(tmp_path / "run", offices, of_another)
    found = cutoff(run, "--fail-if-older-than", "2016")
    assert found.exit_code == 3 and "cannot tell" in found.stdout and "cannot tell" in found.stderr


def test_few_changes_get_no_date(tmp_path: Path, tiny: FactStore) -> None:
    few = build(tmp_path / "few", Offices(changing=12), tiny, Wording())
    row = json.loads(cutoff(written(tmp_path / "run", few, knows_up_to(few, "2017-Q2", knows=1)), "--json").stdout)
    assert (row["cutoff"], row["facts"]) == ("cannot tell", 12) and "only 12 changed facts" in row["why"]


@pytest.mark.parametrize(
    ("end", "status", "said"), [("2019-Q4", "newer", "or later"), ("2015-Q1", "older", "or earlier")]
)
def test_a_cutoff_outside_the_range_is_said_to_be(
    offices: Benchmark, tmp_path: Path, end: str, status: str, said: str
) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, end))
    row = json.loads(cutoff(run, "--json").stdout)
    assert row["status"] == status and row["cutoff"].endswith(said)
    assert cutoff(run, "--fail-if-older-than", "2025-Q1").exit_code == 3
    assert cutoff(run, "--fail-if-older-than", "2018-Q1").exit_code == (0 if status == "newer" else 3)


@pytest.mark.parametrize(("end", "status"), [("2019-Q3", "newer"), ("2015-Q1", "older")])
def test_a_cutoff_just_inside_the_range_is_told(offices: Benchmark, tmp_path: Path, end: str, status: str) -> None:
    """Nearly always the last answer (or the first) is as good an account of it, and says the same."""
    run = written(tmp_path / "run", offices, knows_up_to(offices, end))
    row = json.loads(cutoff(run, "--json").stdout)
    assert row["status"] == status and row["low"] <= end <= row["high"]
    assert row["beyond"] == ("later" if status == "newer" else "earlier")


def test_who_guesses_among_the_answers_of_a_fact_has_no_cutoff(offices: Benchmark, tmp_path: Path) -> None:
    names = {fact.group: fact.names for fact in read_histories(offices.table()).facts}
    for seed in range(8):
        draws = {group: random.Random(f"{seed} {group}").choice(some) for group, some in names.items()}
        run = written(tmp_path / str(seed), offices, lambda item, draws=draws: {"text": draws[item.group]})  # type: ignore[misc]
        assert CutoffOf(read_run(run)).overall.status == "unknown"


def candidates_run(folder: Path, benchmark: Benchmark, end: str, *, heard: float, fame: float) -> Path:
    """A run with candidates: names differ in fame, current answers score well, what has just begun only a little."""
    names = {fact.group: fact.names for fact in read_histories(benchmark.table()).facts}
    starts = {
        (fact.group, name): QUARTERS[int(right.argmax())]
        for fact in read_histories(benchmark.table()).facts
        for name, right in zip(fact.names, fact.holds, strict=True)
    }

    def row(item: Item) -> dict[str, Any]:
        draw = random.Random(item.group)
        others = [group for group in names if group != item.group and group.endswith(item.group[-2:])]
        chosen = list(names[item.group]) + [name for group in draw.sample(others, 8) for name in names[group]]
        scores = []
        for name in chosen:
            score = -12 + draw.gauss(0, 0.7) + fame * random.Random(name).gauss(0, 1)
            if name in names[item.group] and starts[item.group, name] <= end:
                score += heard * (1 + 0.4 * (names[item.group].index(name) == 0))  # the oldest was read most often
            scores.append(min(-0.01, score))
        best = chosen[scores.index(max(scores))]
        right = [name in item.answers for name in chosen]
        answer = chosen[right.index(True)]
        return {
            "rank": 1,
            "answer": answer,
            "right": right,
            "best": best,
            "candidates": chosen,
            "logprobs": scores,
            "tokens": [1] * len(chosen),
        }

    return written(folder, benchmark, row, "pseudo-likelihood")


def test_what_was_heard_of_is_found_where_old_answers_are_still_given(offices: Benchmark, tmp_path: Path) -> None:
    run = candidates_run(tmp_path / "run", offices, "2017-Q4", heard=6, fame=2)
    heard = json.loads(cutoff(run, "--json").stdout)
    assert (heard["reading"], heard["cutoff"]) == ("exposed", "2017-Q4")
    assert heard["newer_for_wrong_subjects"] == pytest.approx(0.5, abs=0.1)
    given = json.loads(cutoff(run, "--json", "--reading", "answered").stdout)
    assert given["cutoff"] == "cannot tell" or given["cutoff"] < "2017-Q4"
    texts = written(tmp_path / "texts", offices, knows_up_to(offices, "2017-Q2"))
    refused = cutoff(texts, "--reading", "exposed")
    assert refused.exit_code == 2 and "Use --probe pseudo-likelihood, or --reading answered" in refused.stderr


@pytest.mark.parametrize(("former", "now"), [("heard", "exposed"), ("given", "answered")])
def test_readings_are_also_accepted_by_their_former_names(
    offices: Benchmark, tmp_path: Path, former: str, now: str
) -> None:
    run = candidates_run(tmp_path / "run", offices, "2017-Q4", heard=6, fame=2)
    assert cutoff(run, "--json", "--reading", former).stdout == cutoff(run, "--json", "--reading", now).stdout
    assert CutoffOf(read_run(run), reading=former).reading == now  # type: ignore[arg-type]


def test_a_reading_that_does_not_exist_is_refused(offices: Benchmark, tmp_path: Path) -> None:
    run = candidates_run(tmp_path / "run", offices, "2017-Q4", heard=6, fame=2)
    with pytest.raises(UserError, match=r"'told' is not a reading of a cutoff\. Write one of: exposed, answered"):
        CutoffOf(read_run(run), reading="told")  # type: ignore[arg-type]


def test_cutoff_and_score_say_what_each_counts(offices: Benchmark, tmp_path: Path) -> None:
    run = candidates_run(tmp_path / "run", offices, "2017-Q4", heard=6, fame=4)
    rows = [json.loads(line) for line in cutoff(run, "--by", "fact", "--json").stdout.splitlines()]
    correct = sum(row["verdict"] == "correct" for row in rows)
    as_they_are = sum(row["likeliest"] in row["right"] for row in rows)
    assert as_they_are != correct  # names differ in fame
    told = cutoff(run, "--by", "fact").stderr
    assert f"{correct} of 120 facts that changed, by likelihoods relative to other subjects" in told
    assert f"; {as_they_are} by plain likelihoods." in told
    plain = cutoff(run, "--by", "fact", "--contrast", "none")
    assert f"Correct in the last period: {as_they_are} of 120 facts that changed. 'asof score'" in plain.stderr
    scored = CliRunner().invoke(asof, ["score", str(run)])
    assert scored.exit_code == 0 and "by likelihoods as they are; cutoff first takes" in scored.stderr
    texts = written(tmp_path / "texts", offices, knows_up_to(offices, "2017-Q2"))
    told = CliRunner().invoke(asof, ["score", str(texts)]).stderr
    assert "These are means over items" in told and "likelihoods" not in told


def test_candidates_without_knowledge_get_no_date(offices: Benchmark, tmp_path: Path) -> None:
    run = candidates_run(tmp_path / "run", offices, "2017-Q4", heard=0, fame=2)
    for reading in ("heard", "given"):
        row = json.loads(cutoff(run, "--json", "--reading", reading).stdout)
        assert row["cutoff"] == "cannot tell", row


def test_a_run_of_another_kind_is_refused(offices: Benchmark, tmp_path: Path, tiny: FactStore) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2"))
    path = run / "settings.toml"
    path.write_text(path.read_text().replace("fill-many", "find-span"))
    assert cutoff(run).exit_code == 2


def test_aliases_that_answers_share_are_no_answer_of_their_own() -> None:
    assert names_of_answers([["A", "X"], ["A", "B", "X"], ["B", "X"]]) == ["A", "B"]
    assert names_of_answers([["A"], ["A"]]) == ["A"]
    assert names_of_answers([["A", "C"], ["C"]]) == ["A", "C"]
