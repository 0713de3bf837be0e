"""The page says what the scores say, shows names as text, and explains what it cannot show."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from asof.benchmarks import Benchmark, build
from asof.benchmarks.timestress import TimeStress
from asof.errors import UserError
from asof.facts import FactStore
from asof.metrics import Result
from asof.reports import write_report
from asof.reports.figures import ReportedRun
from asof.reports.numbered_run import read_numbered
from asof.runs import read_run
from asof.runs.scores.timestress import PRECISIONS, TimeStressScores
from asof.wording import Wording
from tests.reports.conftest import MakeRun, nothing_at_all
from tests.reports.reader import Reader


def page_of(*runs: Path) -> Reader:
    return Reader(write_report(list(runs), runs[0].parent / "page").read_text(encoding="utf-8"))


def written(result: Result) -> str:
    return f"{result.value:.3f} [{result.low:.3f}, {result.high:.3f}] n = {result.n}"


def test_the_numbers_are_those_of_the_scores(make_run: MakeRun) -> None:
    folder = make_run(knows=0.6)
    scores = TimeStressScores(read_run(folder).table())
    page = page_of(folder)
    results = scores.results()
    levels = [*PRECISIONS, "global"]
    assert page.tables["The numbers: win rate and robustness"][1:] == [
        ["A", "small", "win rate", *(written(results[f"win-rate {level}"]) for level in levels)],
        ["A", "small", "robustness", *(written(results[f"robustness {level}"]) for level in levels)],
    ]
    assert 0 < results["robustness global"].value < 1 and results["win-rate year"].low < results["win-rate year"].high
    assert page.tables["The numbers: log-probability by α"][1:] == [
        ["A", f"{alpha:g}", f"{mean:+.4f}", f"{n:,}"] for alpha, mean, n in scores.mean_logprob_by_alpha()
    ]
    for _, a, b, said in page.tables["The numbers: transfer"][1:]:
        assert said.startswith(f"{scores.transfer()[a, b]:.3f} [")
        assert said.endswith(f"n = {sum(fact.robust[b] == 1 for fact in scores.facts)}")


def test_far_failures_are_those_of_the_scores(make_run: MakeRun) -> None:
    folder = make_run(knows=0.6)
    (run,) = read_numbered(ReportedRun, [folder], seed=0)
    failing = [fact for fact in run.scores.facts if run.preferred_wrong[fact.fact]]
    assert failing
    for fact in failing:  # the α that the histogram counts give the shares that the metric gives
        alphas = run.preferred_wrong[fact.fact]
        for beyond, share in fact.far.items():
            assert sum(abs(alpha) >= beyond for alpha in alphas) / len(alphas) == share
    preferred, chance = page_of(folder).tables["The numbers: all facts"][1:]
    assert preferred[3] == str(sum(map(len, run.preferred_wrong.values())))
    assert chance[3] == str(sum(len(run.wrong_years[fact.fact]) for fact in failing))
    assert preferred[4].endswith(f"n = {len(failing)}") and chance[4].endswith(f"n = {len(failing)}")
    assert preferred[5] < chance[5]  # the formula prefers near years, so fewer of its failures are far


def test_every_fact_is_in_the_table_with_all_its_dates(make_run: MakeRun, benchmark: Benchmark) -> None:
    folder = make_run()
    scores = TimeStressScores(read_run(folder).table())
    html = write_report([folder], folder.parent / "page").read_text(encoding="utf-8")
    rows = Reader(html).tables["Table of facts"][1:]
    assert len(rows) == len(scores.facts) == benchmark.groups_count
    assert sorted(row[2] for row in rows) == sorted(f"{fact.measures['win-rate global']:.3f}" for fact in scores.facts)
    data = [json.loads(found) for found in re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', html)]
    assert sum(len(run["logprob"]) for fact in data for run in fact["runs"]) == benchmark.items_count
    for fact in data:
        asked = fact["dates"][0]
        lengths = {len(asked["date"].split(" ")), *(len(asked[name]) for name in ("precision", "verdict", "alpha"))}
        assert lengths == {len(fact["runs"][0]["logprob"])}
        assert asked["alpha"] == sorted(asked["alpha"])


def test_the_top_says_what_was_run(make_run: MakeRun, benchmark: Benchmark) -> None:
    text = page_of(make_run(model="/home/me/secret/small-model", facts=7)).text
    for said in ("small-model", "almanac", "longer_than = 30.0", "7 scored of 9", "chance 0.5", "only 7 facts"):
        assert said in text
    assert f"answered of {benchmark.items_count:,}" in text
    assert "secret" not in text  # a page to share does not tell where things lie on this machine


def test_several_runs_and_formats(make_run: MakeRun) -> None:
    runs = [make_run("a", knows=0.4), make_run("b", format="chat"), make_run("c", model="org/large", knows=9, facts=5)]
    page = page_of(*runs)
    assert [row[:3:2] for row in page.tables["The numbers: win rate and robustness"][1::2]] == [
        ["A", "win rate"], ["B", "win rate"], ["C", "win rate"],
    ]  # fmt: skip
    assert "not scored the same facts (5 in common)" in page.text
    differences = page.tables["The numbers: paired differences"][1:]
    assert len(differences) == 8 and {row[1] for row in differences} == {"B chat − A raw"}
    assert page.tables["Table of facts"][0][2:] == [
        f"{key} {name}" for key in "ABC" for name in ("win rate", "known at")
    ]
    assert sum(row[6] == "not asked" for row in page.tables["Table of facts"]) == 4
    assert {row[2] for row in page.tables["The numbers: popularity"][1:]} == {"4.47", "5"}
    assert "Formats" not in page_of(runs[0], runs[2]).text


def test_runs_of_the_same_model_are_told_apart(make_run: MakeRun) -> None:
    page = page_of(make_run("first"), make_run("second", knows=2))
    assert [row[1] for row in page.tables["The numbers: win rate and robustness"][1::2]] == [
        "small, first",
        "small, second",
    ]


def test_names_are_text_even_when_they_look_like_markup(
    base_of: Callable[..., FactStore], make_run: MakeRun, tmp_path: Path
) -> None:
    subject, object = "<script>alert(1)</script>", '"><img src=x onerror=alert(2)>'
    base = base_of([(subject, "P39", object, "1950", "1970"), ("]]>&lt;", "P39", "</title><b>'", "1900", "1940")])
    hostile = build(tmp_path / "hostile", TimeStress(stride=0.2), base, Wording(language="en"))
    page = page_of(make_run(on=hostile, model="a</style></script><script>alert(3)</script>", format="<i>"))
    shown = [row[0] for row in page.tables["Table of facts"][1:]]
    assert any(subject in name and object in name for name in shown)
    assert not {tag for tag, _ in page.tags} & {"img", "b", "i"}
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    scripts = [attributes for tag, attributes in page.tags if tag == "script"]
    assert [found.get("type") for found in scripts] == ["application/json"] * 2 + [None]
    policy = next(found["content"] or "" for _, found in page.tags if "http-equiv" in found)
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_statements_without_a_date_are_not_among_the_dates(
    base_of: Callable[..., FactStore], make_run: MakeRun, tmp_path: Path
) -> None:
    base = base_of([("Anna", "P39", "mayor", "1950", "1970"), ("Bo", "P39", "judge", "1900", "1940")])
    asked = build(tmp_path / "asked", TimeStress(stride=0.2, protocol="program"), base, Wording(language="en"))
    assert "none" in asked.table()["precision"].to_pylist()
    page = page_of(make_run(on=asked))
    assert len(page.tables["Table of facts"]) == 3
    assert "no context" not in page.text


def test_nothing_known_is_said(make_run: MakeRun) -> None:
    page = page_of(make_run(knows=-1))
    assert page.text.count("no fact known at") == 6
    assert "No such fact has a preferred wrong year." in page.text


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")  # means over minus infinity are no numbers
def test_an_impossible_answer_is_minus_infinity(make_run: MakeRun) -> None:
    folder = make_run(logprob=nothing_at_all)
    html = write_report([folder], folder.parent / "page").read_text(encoding="utf-8")
    assert "Infinity" not in html.split("<footer>")[0] and '"logprob":[null' in html
    assert "No wrong year is preferred." in html


def test_the_same_runs_give_the_same_page(make_run: MakeRun, tmp_path: Path) -> None:
    folder = make_run()
    first, again = (write_report([folder], tmp_path / name).read_bytes() for name in ("p", "p"))
    assert first == again
    assert [path.name for path in (tmp_path / "p").iterdir()] == ["index.html"]


def test_what_cannot_be_shown_is_explained(make_run: MakeRun, tmp_path: Path) -> None:
    empty, whole = make_run("empty", facts=0), make_run("whole")
    with pytest.raises(UserError, match=r"empty has no fact yet .* asof run .*middle-ages org/small --to .*empty"):
        write_report([whole, empty], tmp_path / "page")
    assert not (tmp_path / "page").exists()
    with pytest.raises(UserError, match="whole is given twice"):
        write_report([whole, whole], tmp_path / "page")
    with pytest.raises(UserError, match=r"nowhere is not a run folder"):
        write_report([tmp_path / "nowhere"], tmp_path / "page")
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "index.html").write_text("my own page", encoding="utf-8")
    with pytest.raises(UserError, match="not a page that asof wrote"):
        write_report([whole], tmp_path / "site")
    with pytest.raises(UserError, match="is a file"):
        write_report([whole], tmp_path / "site" / "index.html")
