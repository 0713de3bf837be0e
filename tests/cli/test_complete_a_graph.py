"""The how-to "complete a graph" on a made-up world whose truth is known: from a messy table to a reviewed version."""

import csv
import importlib
from itertools import pairwise
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from click.testing import CliRunner

from asof.cli import asof
from asof.facts import FactStore
from asof.timeline import Date
from tests.cli.test_completion import ask

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture
def careers(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(BENCH))
    return importlib.import_module("careers")


@pytest.mark.slow
def test_a_table_becomes_proposals_that_are_as_right_as_they_say(careers: ModuleType, tmp_path: Path) -> None:
    truth = careers.world(2500, 5)
    careers.write_table(truth, tmp_path / "guilds.csv", 5)
    base, model, table = tmp_path / "guilds", tmp_path / "model", tmp_path / "proposals.tsv"
    columns = "subject=person or shop,relation=what,object=whom,start=from,end=till"
    assert ask("mine", str(tmp_path / "guilds.csv"), "--to", str(base), "--columns", columns).exit_code == 0
    small = ("--rank", "8", "--epochs", "3")
    assert ask("train", "timeplex-base", str(base), "--to", str(model), *small).exit_code == 0
    proposed = ask("complete", str(model), "--to", str(table), "--least", "0.2")
    assert "works for:" in proposed.stderr and "should be right" in proposed.stderr
    answers = list(careers.judged(truth, table))
    dates = [(float(row["probability"]), right) for row, right in answers if row["proposed"] != "object"]
    sure, right = (np.array(column, float) for column in zip(*dates, strict=True))
    assert len(dates) > 150 and right[:50].mean() > 0.95
    assert right.mean() == pytest.approx(sure.mean(), abs=0.06)
    for row, _ in answers:
        assert row["reason"] or row["proposed"] == "object"
        assert not row["start"] or not row["end"] or int(row["start"]) <= int(row["end"]) <= careers.THIS_YEAR
    decisions = tmp_path / "decisions.tsv"
    with decisions.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, delimiter="\t", lineterminator="\n")
        out.writerow([*answers[0][0], "decision", "decided"])
        for number, (row, _) in enumerate(answers[:40]):
            out.writerow([*row.values(), "reject" if number % 4 == 0 else "accept", "2026-11-19"])
    new = tmp_path / "guilds-2"
    written = ask("complete", "--accept", str(decisions), "--base", str(base), "--to", str(new))
    assert "Of 30 accepted proposals" in written.stderr and "10 rejected proposals remembered" in written.stderr
    lacks = [
        sum(not isinstance(end, Date) for fact in FactStore(one).facts() for end in (fact.start, fact.end))
        for one in (base, new)
    ]
    assert lacks[0] - lacks[1] > 20
    again = ask("complete", str(model), "--least", "0.2", "--decided", str(decisions))
    assert "40 proposals decided before and left out." in again.stderr


@pytest.mark.slow
def test_what_the_base_remembers_is_not_proposed_again(careers: ModuleType, tmp_path: Path) -> None:
    truth = careers.world(600, 6)
    careers.write_table(truth, tmp_path / "guilds.csv", 6)
    base, model, table = tmp_path / "guilds", tmp_path / "model", tmp_path / "proposals.tsv"
    columns = "subject=person or shop,relation=what,object=whom,start=from,end=till"
    ask("mine", str(tmp_path / "guilds.csv"), "--to", str(base), "--columns", columns)
    ask("train", "timeplex-base", str(base), "--to", str(model), "--rank", "2", "--epochs", "1")
    ask("complete", str(model), "--to", str(table), "--group", "subject")
    rows = list(csv.DictReader(table.open(encoding="utf-8"), delimiter="\t"))
    subjects = [row["subject"] for row in rows]
    assert sum(one != other for one, other in pairwise(subjects)) + 1 == len(set(subjects))
    decisions = tmp_path / "decisions.tsv"
    review = ["complete", "--review", str(table), "--to", str(decisions)]
    assert ask(*review).exit_code == 0  # the input has ended at once
    CliRunner().invoke(asof, review, input="r\nr\nq\n")
    assert ask("complete", "--accept", str(decisions), "--base", str(base), "--to", str(base)).exit_code == 0
    again = ask("complete", str(model), "--json")
    assert "2 proposals decided before and left out." in again.stderr
    assert len(again.stdout.splitlines()) == len(rows) - 2
