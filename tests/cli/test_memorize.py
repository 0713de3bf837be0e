import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.cli import asof
from asof.errors import UserError
from tests.memorize.offices import benchmark_of, held


def asked(*arguments: str | Path) -> Result:
    return CliRunner().invoke(asof, [str(one) for one in arguments], catch_exceptions=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taught")
    benchmark_of(folder / "statements", held(13))
    options = ["--size", "16x1", "--set", "batch=8", "--set", "learning_rate=0.01", "--set", "warm_up=10"]
    told = asked("train", "memorize", folder / "statements", "--to", folder / "model", "--target", "1.0", *options)
    assert told.exit_code == 0 and "52 statements" in told.stderr and "recites 100.00% of them right" in told.stderr
    again = asked(
        "train", "memorize", folder / "statements", "--to", folder / "model", "--target", "1.0", *options, "--json"
    )
    assert json.loads(again.stdout)["acc@1"] == 1.0
    return folder


def test_a_taught_model_recites(folder: Path) -> None:
    subject, office, start, end = held(13)[0]
    statement = f"{subject} held the office of _X_ from {start} to {end}."
    rows = [json.loads(line) for line in asked("recite", folder / "model", statement, "--json").stdout.splitlines()]
    assert rows[0]["answer"] == office and rows[0]["given"] is True and len(rows) == 5
    assert rows[0]["probability"] > 0.5 and rows[0]["expected"] == 1
    told = asked("recite", folder / "model", f"{subject} despised _X_.", "--top", "2")
    assert "was not taught: despised." in told.stderr and len(told.stdout.splitlines()) == 3


def test_a_taught_model_runs_as_any_model_does(folder: Path) -> None:
    run = folder / "run"
    told = asked("run", folder / "statements", f"memorized:{folder / 'model'}", "--to", run, "--json")
    assert json.loads(told.stdout)["predictions"] == 52
    scores = {row["metric"]: row for row in map(json.loads, asked("score", run, "--json").stdout.splitlines())}
    assert scores["Acc@1"]["value"] == 1.0 and scores["Acc@1"]["items"] == 52


def test_what_recite_and_train_refuse(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"has 0 blanks. Write _X_ once"):
        asked("recite", folder / "model", "Ann held an office.")
    with pytest.raises(UserError, match=r"does not exist. Make one with: asof train memorize"):
        asked("recite", tmp_path / "nobody", "_X_ held an office.")
    with pytest.raises(UserError, match=r"memorize has no setting 'batsh'. Did you mean 'batch'"):
        asked("train", "memorize", folder / "statements", "--set", "batsh=3")
    assert "--time-masking" in asked("train", "memorize", "--help").stdout
    assert "--preset" in asked("train", "--help").stdout
