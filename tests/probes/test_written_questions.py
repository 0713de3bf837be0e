"""Written answers to every benchmark: how items are asked, and what came back: right, outdated, too early, or none."""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import asof
from asof.benchmarks import BLANK, AnswerTimes, Item, read_benchmark
from asof.errors import UserError
from asof.facts import FactStore
from asof.probes.write_answer import WRONG_DATE, WriteAnswer, question_for
from asof.reports import write_report
from asof.runs import read_run
from asof.runs.compare import compare_runs
from asof.runs.item_scores import scores_of

YEARS = {2019: "Giuseppe Conte", 2020: "Giuseppe Conte", 2021: "Mario Draghi", 2023: "Giorgia Meloni"}
SAID = {
    "2019": "Mario Draghi",
    "2020": "**Giuseppe Conte**.",
    "2021": "It was Giuseppe Conte.",
    "2023": "I don't know.",
}


class Writer:
    """Says to each year what stands in a table."""

    name, can = "writer", frozenset({"write"})

    def __init__(self) -> None:
        self.asked: list[str] = []

    def describe(self) -> dict[str, str]:
        return {"kind": "writer"}

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str]) -> list[str]:
        self.asked += prompts
        return [next((text for year, text in SAID.items() if year in prompt), "Matteo Renzi") for prompt in prompts]


def heads() -> list[Item]:
    return [
        Item(
            id=f"Q38 P6 @ {year}", prompt=f"{BLANK} is the head of the government of Italy.",
            answers=(name, name.split()[-1]), group="Q38|P6", tags={
                "subject": "Q38", "relation": "P6", "subject_label": "Italy", "period": f"{year}", "previous": None,
                "first_day": year * 365, "last_day": year * 365 + 364,
            },
        )
        for year, name in YEARS.items()
    ]  # fmt: skip


def test_blanks_are_dated_questions_in_the_language_of_the_sentence() -> None:
    first = heads()[0]
    asked = "In 2019, who was the head of the government of Italy? Answer with the name only."
    assert question_for(first) == asked
    dated = Item(id="1", prompt=f"In 2019, {BLANK} was the head of the government of Italy.", **_like(first))
    assert question_for(dated) == asked
    french = Item(id="1", prompt=f"{BLANK} est le chef du gouvernement de l'Italie.", **_like(first))
    own = Item(id="1", prompt=f"Italy obeys {BLANK}.", **_like(first))
    assert (
        question_for(own) == "Complete the sentence: In 2019: Italy obeys ____. Answer with what fits the blank only."
    )
    assert BLANK not in question_for(french)
    recited = Item(id="1", prompt=f"Ann led Acme from {BLANK} to 2005.", answers=("2001",), group="1")
    assert question_for(recited).startswith("Complete the sentence: Ann led Acme from ____ to 2005.")
    plain = Item(id="1", prompt="Who led Acme in 2005?", answers=("Ann",), group="1")
    assert question_for(plain) == plain.prompt


def test_of_each_fact_the_latest_times_in_all_wordings() -> None:
    items = heads() + [replace(item, id=f"{item.id} #2", prompt=f"{BLANK} leads Italy.") for item in heads()]
    fit = WriteAnswer(latest=2).fit(items, Writer())
    assert sorted({str(item.tags["period"]) for item in fit.items}) == ["2021", "2023"] and len(fit.items) == 4
    assert len(WriteAnswer(latest=2, per_fact=1).fit(items, Writer()).items) == 1
    with pytest.raises(UserError, match="latest = 0 asks nothing"):
        WriteAnswer(latest=0).fit(items, Writer())
    timeless = [Item(id="1", prompt="Who led Acme in 2005?", answers=("Ann",), group="1")]
    with pytest.raises(UserError, match=r"latest = 1 chooses among times, and item '1' names none"):
        WriteAnswer(latest=1).fit(timeless, Writer())


def _like(item: Item) -> dict[str, object]:
    return {"answers": item.answers, "group": item.group, "tags": item.tags}


def test_a_verdict_says_when_an_answer_was_right() -> None:
    times = AnswerTimes((item.answers, item.tags) for item in heads())
    by_year = {item.tags["period"]: item for item in heads()}

    def judged(year: str, text: str) -> tuple[str, str]:
        found = times.judge([text], by_year[year].answers, by_year[year].tags)
        return found.verdict, found.why

    assert judged("2021", "draghi") == ("right", "")
    assert judged("2021", "Conte") == ("outdated", "was right until 2020")
    assert judged("2021", "Giorgia Meloni") == ("too early", "right only from 2023")
    assert judged("2021", "Ann Lee") == ("else", "")
    assert judged("2021", " ") == ("refused", "")
    before = by_year["2019"].tags | {"previous": "Paolo Gentiloni"}
    assert times.judge(["Paolo Gentiloni"], ("Conte",), before).verdict == "outdated"
    other = {**by_year["2019"].tags, "subject": "Q142"}
    more = AnswerTimes([*((item.answers, item.tags) for item in heads()), (["Édouard Philippe"], other)])
    assert more.judge(["Edouard Philippe"], ("Conte",), by_year["2019"].tags).verdict == "another candidate"


def test_facts_with_two_ends_know_what_held_in_between() -> None:
    rows = [
        ((name,), {"subject": "Acme", "relation": "head", "start": start, "end": end, "date": date})
        for name, start, end, date in (("Ann", "1990", "1999", "1995"), ("Ben", "2000", "2009", "2003-05"))
    ]  # fmt: skip
    times = AnswerTimes(rows)
    tags = rows[1][1]
    assert times.judge(["Ann"], ("Ben",), tags).why == "was right until 1999"
    assert times.judge(["Ben"], ("Ann",), rows[0][1]).why == "right only from 2000"
    both = AnswerTimes([*rows, (("Cy",), {**tags, "start": "2001", "end": "2005"})])
    assert both.judge(["Cy"], ("Ben",), tags).verdict == "right"
    assert both.other(("Ben",), tags) == "Ann"  # Cy was right, too


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("written")
    asof.build("dynamic-templama", first="2019", last="2023", by="year", relations="P6", facts=40, to=folder / "heads")
    asof.run(folder / "heads", Writer(), probe="write-answer", to=folder / "run")
    return folder / "run"


def test_a_run_is_scored_by_what_came_back_and_again_without_the_model(run_folder: Path) -> None:
    run = read_run(run_folder)
    found = scores_of(run).results()
    assert {"em", "f1", "right", "outdated", "too early", "another candidate", "refused"} == set(found)
    assert 0 < found["right"].value < 0.2 and 0.2 <= found["refused"].value <= 0.8
    assert found["another candidate"].value > 0.2  # who leads Italy leads no other country
    rows = [json.loads(line) for line in run.predictions_path.read_text(encoding="utf-8").splitlines()]
    assert all(set(row) == {"id", "text", "written"} for row in rows)  # nothing that depends on what is right
    italy = {row["id"]: row for row in rows if row["id"].startswith("Q38 ")}
    assert italy["Q38 P6 @ 2020"]["text"] == "Giuseppe Conte"
    assert compare_runs(run, run).differences[0].difference == 0


def test_the_page_shows_what_came_back(run_folder: Path, tmp_path: Path) -> None:
    page = write_report([run_folder], tmp_path / "page").read_text(encoding="utf-8")
    assert "What came back" in page and "right only from 2021" in page
    assert page.count("outdated") >= 4 and "Giuseppe Conte" in page


def test_right_dates_only_and_so_many_of_a_fact(tmp_path: Path) -> None:
    built = asof.build("timestress", facts=3, to=tmp_path / "stress", stride=0.25).benchmark
    items = list(built.items())
    fit = WriteAnswer(per_fact=2).fit(items, Writer())
    assert len(fit.items) == 6 and {item.tags["verdict"] for item in fit.items} == {"correct"}
    assert WRONG_DATE in fit.left_out.values()
    assert all(question_for(item).endswith("? Answer with the name only.") for item in fit.items)
    assert any(len(item.answers) > 1 for item in items)  # all names of an object
    with pytest.raises(UserError, match="per_fact = 0 asks nothing"):
        WriteAnswer(per_fact=0).fit(items, Writer())


@pytest.mark.parametrize("probe", ["choose", "yes-no"])
@pytest.mark.parametrize("kind", ["stress", "heads"])
def test_a_model_that_only_writes_can_choose(kind: str, probe: str, tmp_path: Path) -> None:
    """From the function of a notebook to scores, a comparison and a page; the second run knows more."""
    if kind == "stress":
        asof.build("timestress", facts=4, to=tmp_path / kind, stride=0.25)
    else:
        asof.build(
            "dynamic-templama", first="2019", last="2023", by="year", relations="P6", facts=6, to=tmp_path / kind
        )
    seen: list[str] = []

    def says_first(prompt: str) -> str:
        seen.append(prompt)
        return "1" if "1." in prompt else "Yes."

    def unsure(prompt: str) -> str:
        return "I cannot say."

    runs = [
        asof.run(tmp_path / kind, model, probe=probe, to=tmp_path / model.__name__, per_fact=3)
        for model in (says_first, unsure)
    ]
    facts = read_benchmark(tmp_path / kind).groups_count
    assert len(seen) <= 48 * facts  # tens of questions for a fact
    scores = {row["metric"]: row for row in runs[0].scores().to_pandas().to_dict("records")}
    win = next(name for name in scores if name.startswith("win-rate"))
    assert scores[win]["value"] == 0.5 and scores["no answer"]["value"] == 0
    assert scores["first place" if probe == "choose" else "yes to wrong"]["value"] == 1
    compared = {row["measure"]: row for row in asof.compare(*runs).to_pandas().to_dict("records")}
    assert compared["no answer"]["difference"] == 1
    page = asof.report(runs, tmp_path / "page").path.read_text(encoding="utf-8")
    assert "Right against wrong" in page and "Likings" in page and "Sample of pairs" in page
    with pytest.raises(UserError, match="holds a run with seed = 0, not 1"):
        asof.run(tmp_path / kind, says_first, probe=probe, to=tmp_path / "says_first", seed=1)


def test_every_benchmark_declares_a_probe_that_any_model_can_do(tiny: FactStore) -> None:
    from asof.benchmarks import declared
    from asof.registry import benchmarks, probes

    for name in benchmarks.names():
        for probe in declared(name).probes:
            assert probe in probes.names()
        assert any("write" in probes.get(probe).needs for probe in declared(name).probes), name
