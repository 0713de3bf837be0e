"""A watch over three releases: what is due is done once, what fails stays apart, bounds decide the exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import tomli_w
from click.testing import CliRunner, Result

import asof as door
from asof.benchmarks import BenchmarkTables, read_benchmark, save, tables_of
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.probes.fill_one import FillOne
from asof.probes.write_answer import prompt_for
from asof.watches.file import read_watch
from asof.watches.status import watch_status
from asof.watches.watching import run_watch
from tests.models.completions_server import CompletionsServer, serving
from tests.models.tiny_model import make_tiny_model
from tests.watches.conftest import DAYS, AskedModels, Releases, base_with
from tests.watches.releases import OFFICES, QUARTERS, TEMPLATES, change_of, rows, trained, write_watch


def command(*words: object) -> Result:
    return CliRunner().invoke(asof, ["watch", *map(str, words)])


def checks(path: Path) -> list[dict[str, Any]]:
    shown = command("status", path, "--json")
    assert shown.exit_code == 0, shown.output
    return [json.loads(line) for line in shown.stdout.splitlines()]


def test_each_release_is_asked_once_and_only_new_facts_are_asked_again(
    tmp_path: Path, releases: Releases, asked: AskedModels
) -> None:
    base_with(rows(OFFICES - 8), tmp_path)
    path = write_watch(tmp_path, tmp_path / "base", releases[:2])
    due = command("run", path, "--dry-run")
    assert due.stdout.count("never asked") == 2 and not asked.calls and not (tmp_path / "watch-history").exists()

    assert command("run", path).exit_code == 0
    of_facts = (OFFICES - 8) * 2  # the old and the new holder of each
    assert len(asked.blanks) == 2 * of_facts and set(asked.blanks.values()) == {1}
    assert [row["state"] for row in checks(path)] == ["up to date"] * 2
    before = asked.calls
    assert command("run", path).exit_code == 0 and asked.calls == before

    write_watch(tmp_path, tmp_path / "base", releases)  # a release
    assert "new release" in command("run", path, "--dry-run").stdout
    assert command("run", path).exit_code == 0
    assert len(asked.blanks) == 3 * of_facts and set(asked.blanks.values()) == {1}

    store = base_with(rows(), tmp_path)  # and facts
    assert command("run", path, "--dry-run").stdout.count(f"new facts in {store.manifest.name}") == 3
    assert command("run", path).exit_code == 0
    assert len(asked.blanks) == 3 * 2 * OFFICES and set(asked.blanks.values()) == {1}
    rows_now = checks(path)
    per_fact = len(QUARTERS)
    assert {(row["asked"], row["reused"]) for row in rows_now} == {(8 * per_fact, (OFFICES - 8) * per_fact)}
    assert len(list((tmp_path / "watch-history" / "benchmarks" / "offices").glob("*/benchmark.toml"))) == 2


@pytest.mark.slow
def test_another_model_under_the_same_name_is_asked_anew(
    tmp_path: Path, offices: FactStore, asked: AskedModels
) -> None:
    place = trained(tmp_path / "model", 2)
    path = write_watch(tmp_path, offices.folder, [("1.0", DAYS["1.0"], place)])
    assert command("run", path).exit_code == 0
    trained(place, 9)
    assert "the model's files changed" in command("run", path, "--dry-run").stdout
    assert command("run", path).exit_code == 0
    assert set(asked.blanks.values()) == {2}
    [row] = checks(path)
    assert row["state"] == "up to date" and row["cutoff"].startswith(("2020-Q1", "2020-Q2", "2020-Q3"))


def test_a_session_that_is_stopped_goes_on_where_it_was(
    tmp_path: Path, releases: Releases, offices: FactStore, asked: AskedModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_watch(tmp_path, offices.folder, releases)
    monkeypatch.setattr(sys, "argv", ["asof", "watch", "run", str(path)])
    monkeypatch.setattr(FillOne, "items_per_step", 300)
    asked.stop_after = 3  # each release has two steps: this is within the second
    stopped = command("run", path)
    assert "All answers so far are kept" in str(stopped.exception) and "asof watch run" in str(stopped.exception)
    states = [row["state"] for row in checks(path)]
    assert states == ["up to date", "due: not finished", "due: new release"]
    asked.stop_after = None
    assert command("run", path).exit_code == 0
    kept = [watch_run / "predictions.jsonl" for watch_run in (tmp_path / "watch-history" / "runs").glob("*/*-*/")]
    for file in kept:
        ids = [json.loads(line)["id"] for line in file.read_text(encoding="utf-8").splitlines()]
        assert len(ids) == len(set(ids)) == OFFICES * len(QUARTERS)
    assert len(kept) == 3 and asked.calls == 6


def test_bounds_are_kept_or_broken_and_the_exit_code_says_so(
    tmp_path: Path, releases: Releases, offices: FactStore
) -> None:
    kept = [
        {"benchmark": "offices", "cutoff_not_older_than": "2020-Q2"},
        {"benchmark": "offices", "metric": "accuracy", "at_least": 0.5},
        {"benchmark": "offices", "metric": "accuracy", "worse_by_at_most": 0.3},
    ]
    path = write_watch(tmp_path, offices.folder, releases, bound=kept)
    ran = command("run", path, "--markdown", tmp_path / "s.md", "--junit", tmp_path / "s.xml")
    assert ran.exit_code == 0, ran.output
    assert ran.stderr.count("holds: bert 3.0") == 3

    broken = [
        {"benchmark": "offices", "cutoff_not_older_than": "2023-Q1"},
        {"benchmark": "offices", "metric": "accuracy", "at_least": 0.9},
        {"benchmark": "offices", "metric": "accuracy", "at_most": 0.1},
        # Of early quarters the newest release knows less: it answers as the world is now.
        {"benchmark": "offices", "metric": "accuracy", "worse_by_at_most": 0.0},
    ]
    path = write_watch(tmp_path, offices.folder, releases[::-1], bound=broken)  # the day counts, not the order
    ran = command("run", path, "--markdown", tmp_path / "s.md", "--junit", tmp_path / "s.xml")
    assert ran.exit_code == 3
    assert ran.stderr.count("BROKEN: bert 3.0 on offices") == 4, ran.stderr
    summary = (tmp_path / "s.md").read_text(encoding="utf-8")
    assert "4 of 4 bounds are broken" in summary and "| broken | bert 3.0 |" in summary
    suite = ElementTree.fromstring((tmp_path / "s.xml").read_text(encoding="utf-8"))  # noqa: S314
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("7", "4", "0")
    assert len(suite.findall("testcase/failure")) == 4


def test_a_metric_that_is_none_is_not_passed_over(tmp_path: Path, releases: Releases, offices: FactStore) -> None:
    bound = [{"benchmark": "offices", "metric": "acuracy", "at_least": 0.5}]
    path = write_watch(tmp_path, offices.folder, releases[:1], bound=bound)
    ran = command("run", path)
    assert ran.exit_code == 1 and "Did you mean 'accuracy'?" in ran.stderr


def test_the_cutoffs_are_those_of_the_text_that_the_releases_were_trained_on(
    tmp_path: Path, releases: Releases, offices: FactStore
) -> None:
    path = write_watch(tmp_path, offices.folder, releases)
    assert command("run", path).exit_code == 0
    found = door.watch(path).cutoffs()
    quarters = list(map(str, QUARTERS))
    for row, end in zip(found, (3, 7, 10), strict=True):
        assert abs(quarters.index(row["cutoff"]) - end) <= 1 and row["low"] <= quarters[end] <= row["high"]
    changed = door.watch(path).changed()
    assert {row["turn"] for row in changed} == {"newly right"}  # a later text knows all that an earlier one does
    learnt = {int(row["subject"].removeprefix("office")) for row in changed if row["release"] == "2.0"}
    surely = {office for office in range(OFFICES) if 4 <= change_of(office) <= 6}  # a change in the last one is a tie
    assert surely <= learnt and all(3 <= change_of(office) <= 7 for office in learnt)
    assert all(row["after"] == f"new{row['subject'].removeprefix('office')}" for row in changed)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CompletionsServer]:
    with serving(make_tiny_model(tmp_path_factory.mktemp("tiny"))) as started:
        yield started


QUIZ = {
    "name": "quiz", "build": "timeqa", "settings": {"relations": "P6", "limit": 1},
    "probes": [{"name": "write-answer", "settings": {"most_tokens": 2}}],
}  # fmt: skip


def endpoint(server: CompletionsServer, **settings: Any) -> dict[str, Any]:
    patience = {"tries": 1, "in_flight": 1, "prompts_per_request": 1} | settings
    return {
        "name": "served",
        "location": f"openai-completions:{server.place}",
        "settings": patience,
        "benchmarks": ["quiz"],
    }


def questions(path: Path) -> Counter[str]:
    """What a model is to be asked of the quiz, each as often as there are items with it."""
    [folder] = (path.parent / "watch-history" / "benchmarks" / "quiz").glob("*/")
    return Counter(prompt_for(item.prompt) for item in read_benchmark(folder).items())


@pytest.mark.slow
def test_a_server_that_is_down_stops_no_other_model(
    tmp_path: Path, releases: Releases, offices: FactStore, server: CompletionsServer, asked: AskedModels
) -> None:
    server.behave()
    server.always = "500:out of memory"
    of_releases = [("1.0", DAYS["1.0"], releases[0][2])]
    path = write_watch(tmp_path, offices.folder, of_releases, models=[endpoint(server)], benchmarks=[QUIZ])
    text = path.read_text(encoding="utf-8").replace('name = "bert"', 'name = "bert"\nbenchmarks = ["offices"]')
    path.write_text(text, encoding="utf-8")
    ran = command("run", path)
    assert ran.exit_code == 1 and "out of memory" in ran.stderr and "1 check could not be done" in ran.stderr
    assert [row["state"] for row in checks(path)] == ["up to date", "due: not finished"]
    assert "out of memory" in checks(path)[1]["failure"]
    calls = asked.calls
    server.behave()
    assert command("run", path).exit_code == 0
    assert asked.calls == calls and server.asked == questions(path)


@pytest.mark.slow
def test_killed_and_started_again_it_asks_the_rest_and_two_at_once_are_told(
    tmp_path: Path, offices: FactStore, server: CompletionsServer
) -> None:
    server.behave()
    server.faults, server.always = [None] * 8, "slow"  # eight answers, which are two times four at once, then silence
    path = write_watch(tmp_path, offices.folder, [], models=[endpoint(server)], benchmarks=[QUIZ])
    words = [sys.executable, "-m", "asof", "watch", "run", str(path)]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ))
    try:
        until = time.monotonic() + 120
        while len(server.calls) < 9 and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.05)
        second = command("run", path)
        assert "Another asof process is writing to" in str(second.exception)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert server.asked.total() == 8
    server.released.set()
    server.faults, server.always = [], None
    assert command("run", path).exit_code == 0
    [row] = checks(path)
    assert row["state"] == "up to date" and server.asked == questions(path)


@pytest.mark.slow
def test_a_model_that_moves_is_asked_anew_on_each_date_of_the_schedule(
    tmp_path: Path, offices: FactStore, server: CompletionsServer
) -> None:
    server.behave()
    moving = endpoint(server) | {"moving": True}
    path = write_watch(
        tmp_path, offices.folder, [], models=[moving], benchmarks=[QUIZ], when={"every_days": 30}
    )  # fmt: skip
    watch, first = read_watch(path), date(2026, 1, 1)
    for day, times in ((0, 1), (10, 1), (30, 2), (31, 2)):
        run_watch(watch, today=first + timedelta(days=day))
        assert server.asked == Counter({text: times * count for text, count in questions(path).items()})
    status = watch_status(watch, today=first + timedelta(days=31))
    assert [one.release for one in status.tracks[0].outcomes] == ["2026-01-01", "2026-01-31"]
    assert not status.plan.due and status.exit_code == 0


def test_a_history_may_be_moved(tmp_path: Path, releases: Releases, offices: FactStore, asked: AskedModels) -> None:
    path = write_watch(tmp_path / "here", offices.folder, releases[:1], benchmark={"limit": 10})
    assert command("run", path).exit_code == 0
    calls = asked.calls
    (tmp_path / "here").rename(tmp_path / "there")
    moved = write_watch(tmp_path / "there", offices.folder, releases[:1], benchmark={"limit": 12})
    assert checks(moved)[0]["state"] == "due: about 10 facts so far, 12 wanted"
    assert command("run", moved).exit_code == 0
    assert asked.calls == calls + 1 and len(asked.blanks) == 2 * 12 and set(asked.blanks.values()) == {1}


def test_a_folder_that_was_built_is_kept_as_it_was(tmp_path: Path, releases: Releases, offices: FactStore) -> None:
    settings: dict[str, Any] = {"until": "2020-Q4", "templates": TEMPLATES}
    door.build("dynamic-templama", offices, to=tmp_path / "quarters", first="2019-Q1", **settings)
    given = {"name": "offices", "folder": "quarters", "probes": ["fill-one"]}
    path = write_watch(tmp_path, offices.folder, releases[:1])
    text = path.read_text(encoding="utf-8")
    path.write_text(text[: text.index("[[benchmark]]")] + tomli_w.dumps({"benchmark": [given]}), encoding="utf-8")
    assert command("run", path).exit_code == 0
    door.build("dynamic-templama", offices, to=tmp_path / "quarters", first="2018-Q1", **settings)
    assert checks(path)[0]["state"] == "due: the benchmark was rebuilt"
    assert command("run", path).exit_code == 0
    [row] = checks(path)
    # 2019-Q1 is no longer the first quarter, so its items say something else of themselves.
    assert (row["asked"], row["reused"]) == (5 * OFFICES, 7 * OFFICES)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[model]]\nname='a'\nlocation='x'\nrelase='1'\n", r"model 1 \('a'\): 'relase' is not known\. Did you mean"),
        ("[[modl]]\nname='a'", r"at the top: 'modl' is not known\. Did you mean 'model'\?"),
        ("[[model]]\nname='a'\nlocation='x'", r"'benchmark' is missing"),
        ("[when]\nevery_day=3", r"when: 'every_day' is not known\. Did you mean 'every_days'\?"),
        ("[[bound]]\nbenchmark='b'\nat_least=0.5", "bound 1: name the metric"),
        ("[[bound]]\nbenchmark='b'\nmetric='m'\nat_least=0.5\nat_most=1.0", "a bound says one thing"),
        ("[[bound]]\nbenchmark='b'\ncutoff_not_older_than='soon'", "'soon' is not a valid period"),
        ("[[benchmark]]\nname='b'", "give either folder"),
        ("[[benchmark]]\nname='b'\nbuild='x'\nlimit='many'", "Expected `int"),
        ("a = ", "cannot be read"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_the_file_is_told_with_its_place(text: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        read_watch(path)


GOOD = "[[model]]\nname='a'\nlocation='x'\n[[benchmark]]\nname='b'\nbuild='timestress'\n"


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("probes=['anser-likelihood']", "Did you mean 'answer-likelihood'?"),
        ("probes=[{name='answer-likelihood', settings={fromat='chat'}}]", "setting 'fromat'. Did you mean 'format'?"),
        ("[[bound]]\nbenchmark='c'\nmetric='m'\nat_least=0.5", "bound 1: no benchmark is called 'c'"),
        ("settings={limt=3}", "timestress has no setting 'limt'. Did you mean 'limit'?"),
        ("[[model]]\nname='a'\nlocation='y'", "two entries are called model 'a'"),
        ("[[model]]\nname='a b'\nlocation='y'", "'a b' cannot be the name of a folder"),
        ("[[benchmark]]\nname='c'\nbuild='timestres'", "Did you mean 'timestress'?"),
    ],
)  # fmt: skip
def test_names_in_the_file_are_looked_up(more: str, told: str, tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    path.write_text(GOOD + more, encoding="utf-8")
    with pytest.raises(UserError) as raised:
        read_watch(path)
    assert told in str(raised.value)


def test_a_base_that_is_gone_is_told_and_exits_with_1(tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    path.write_text(GOOD.replace("build", "base='nowhere'\nbuild"), encoding="utf-8")
    ran = command("run", path)
    assert ran.exit_code == 1 and "nowhere" in ran.stderr


def test_the_example_is_a_watch(tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    made = command("init", path, "--model", "org/small", "--model", "gguf:a.gguf", "--not-older-than", "2024-Q1")
    assert made.exit_code == 0
    watch = read_watch(path)
    assert [(one.name, one.location) for one in watch.models] == [("small", "org/small"), ("a", "gguf:a.gguf")]
    assert watch.bounds[0].cutoff_not_older_than == "2024-Q1"
    assert "--overwrite" in str(command("init", path).exception)
    uncommented = path.read_text(encoding="utf-8").replace("\n# ", "\n")  # what it offers is what is known
    options = [
        line for line in uncommented.splitlines() if line.startswith(("every_days", "on =", "moving", "retired"))
    ]
    assert len(options) == 4


def test_a_missing_file_names_the_command_that_writes_one(tmp_path: Path) -> None:
    assert "asof watch init" in str(command("run", tmp_path / "watch.toml").exception)
    assert "asof watch run" in str(_page_of_nothing(tmp_path))


def _page_of_nothing(tmp_path: Path) -> BaseException | None:
    path = tmp_path / "w.toml"
    path.write_text(GOOD, encoding="utf-8")
    return command("page", path, "--to", tmp_path / "page").exception


def test_a_written_answer_counts_also_when_other_answers_are_accepted(
    tmp_path: Path, offices: FactStore, server: CompletionsServer
) -> None:
    server.behave()
    path = write_watch(tmp_path, offices.folder, [], models=[endpoint(server)], benchmarks=[QUIZ])
    assert command("run", path).exit_code == 0
    once = Counter(server.asked)
    [folder] = (tmp_path / "watch-history" / "benchmarks" / "quiz").glob("*/")
    corrected = [replace(item, answers=(*item.answers, "somebody else")) for item in read_benchmark(folder).items()]
    about = {**read_benchmark(folder).description}
    save(tmp_path / "corrected", BenchmarkTables(tables_of(corrected), read_benchmark(folder).account), about)
    quiz = {"name": "quiz", "folder": "corrected", "probes": QUIZ["probes"]}
    path = write_watch(tmp_path, offices.folder, [], models=[endpoint(server)], benchmarks=[quiz])
    assert command("run", path).exit_code == 0
    [row] = checks(path)
    assert server.asked == once and (row["asked"], row["reused"]) == (0, len(corrected))


def test_the_example_for_a_chat_server_asks_what_it_can_answer(tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    assert command("init", path, "--model", "openai-chat:http://127.0.0.1:1/v1#m").exit_code == 0
    (benchmark,) = read_watch(path).benchmarks
    assert [(one.name, one.settings) for one in benchmark.asked_with] == [("choose", {"per_fact": 3})]
    assert 'metric = "win-rate"' in path.read_text(encoding="utf-8")


def test_settings_may_be_lists(tmp_path: Path) -> None:
    path = tmp_path / "watch.toml"
    command("init", path, "--model", "org/small")
    text = path.read_text(encoding="utf-8").replace('"last quarter"}', '"last quarter", relations = ["P6", "P35"]}')
    path.write_text(text, encoding="utf-8")
    assert read_watch(path).benchmarks[0].settings["relations"] == "P6,P35"
