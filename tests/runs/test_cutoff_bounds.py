"""Items selected by what a model can know: ``asof build --after`` and ``--before``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import Benchmark, build, read_benchmark
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.runs.cutoff_bounds import read_cutoff
from asof.timeline import Date
from asof.wording import Wording
from tests.runs.test_cutoff import Offices, knows_up_to, written


@pytest.fixture(scope="module")
def offices(tmp_path_factory: pytest.TempPathFactory, tiny: FactStore) -> Benchmark:
    return build(tmp_path_factory.mktemp("offices") / "offices", Offices(), tiny, Wording())


def built(folder: Path, *words: object) -> Result:
    settings = ["--from", "2020", "--until", "2022", "--set", "relations=P6", "--limit", "60", "--to", str(folder)]
    return CliRunner().invoke(asof, ["build", "dynamic-templama", *settings, *map(str, words)])


def test_what_began_after_and_what_began_by_then_are_all(tmp_path: Path) -> None:
    found = {}
    for name, words in {"all": [], "new": ["--after", "2021-Q2"], "old": ["--before", "2021-Q2"]}.items():
        made = built(tmp_path / name, *words)
        assert made.exit_code == 0, made.output
        found[name] = read_benchmark(tmp_path / name).table().to_pylist()
    assert found["new"] and all(row["since"] > "2021-Q2" for row in found["new"])
    assert found["old"] and all(row["since"] <= "2021-Q2" for row in found["old"])
    assert sorted(row["id"] for row in found["new"] + found["old"]) == sorted(row["id"] for row in found["all"])
    assert "answers that began after 2021-Q2" in built(tmp_path / "again", "--after", "2021-Q2").stderr
    again = built(tmp_path / "new", "--after", "2021-Q3")  # another benchmark: it is not replaced without a word
    assert isinstance(again.exception, UserError) and "holds another benchmark" in str(again.exception)


def test_a_run_or_its_json_may_stand_for_the_cutoff(offices: Benchmark, tmp_path: Path) -> None:
    run = written(tmp_path / "run", offices, knows_up_to(offices, "2017-Q2", knows=0.4))
    printed = CliRunner().invoke(asof, ["cutoff", str(run), "--json"]).stdout
    (tmp_path / "cutoff.json").write_text(printed, encoding="utf-8")
    row = json.loads(printed)
    for given in (run, tmp_path / "cutoff.json"):
        after, before = (read_cutoff(str(given), side=side) for side in ("after", "before"))
        assert after == before
        assert str(Date.from_day(after.high))[:4] == row["high"][:4] and after.low <= after.high
    assert read_cutoff("2017-06-30", side="after").high == Date.parse("2017-06-30").last


def test_what_is_no_cutoff_is_told(offices: Benchmark, tmp_path: Path) -> None:
    newest = written(tmp_path / "newest", offices, knows_up_to(offices, "2019-Q4"))
    with pytest.raises(UserError, match="may be later than its benchmark asks about"):
        read_cutoff(str(newest), side="after")
    nothing = written(tmp_path / "nothing", offices, lambda item: {"text": "x", "texts": [], "mean_logprobs": []})
    with pytest.raises(UserError, match="cannot tell a cutoff: "):
        read_cutoff(str(nothing), side="before")
    (tmp_path / "x.json").write_text("no", encoding="utf-8")
    with pytest.raises(UserError, match="is not what 'asof cutoff RUN --json' prints"):
        read_cutoff(str(tmp_path / "x.json"), side="before")
    with pytest.raises(UserError, match="--after takes a time, a run folder, or a file"):
        read_cutoff("soonish", side="after")
    refused = CliRunner().invoke(asof, ["build", "lama-tk", "--before", "2000", "--to", str(tmp_path / "b")])
    assert isinstance(refused.exception, UserError) and "do not say since when" in str(refused.exception)
