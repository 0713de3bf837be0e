"""Which gold answers of a benchmark have expired, and the changes of many periods, as a user meets them."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

HEADER = ["subject", "relation", "object", "start", "end", "statement"]
OLD = [
    ["Italy", "P6", "Draghi", "2011-02-13", "2016-10-22", ""],
    ["Italy", "P6", "Conte the Elder", "2003-06-01", "2009", ""],
    ["France", "P6", "Castex", "2000-07-03", "2008-05-16", "F1"],
    ["Spain", "P6", "Rajoy", "2004", "2012", "S1"],
]


def asof(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "asof", *args], capture_output=True, text=True, cwd=cwd)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("versions")
    newer = [list(row) for row in OLD if row[0] != "Spain"]  # gone
    newer[1][4] = "2009-05"  # a more precise end
    for name, rows in (("old", OLD), ("new", newer)):
        lines = ["\t".join(row) for row in [HEADER, *rows]]
        (folder / f"{name}.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
        assert asof("mine", f"{name}.tsv", "--to", name, cwd=folder).returncode == 0
    built = asof("build", "timestress", "--base", "old", "--to", "bench", cwd=folder)
    assert "about 4 facts" in built.stderr, built.stderr
    return folder


def test_expired_answers_are_counted_and_shown(folder: Path) -> None:
    ran = asof("diff", "old", "new", "--benchmark", "bench", "--json", cwd=folder)
    counts, *rows = [json.loads(line) for line in ran.stdout.splitlines()]
    items = pq.read_table(folder / "bench" / "items.parquet")["group"].to_pylist()
    assert [(row["change"], row["object"], row["items"]) for row in rows] == [
        ("changed", "Conte the Elder", items.count("Italy P6 Conte the Elder 2003-06-01..2009")),
        ("gone", "Rajoy", items.count("S1")),
    ]
    assert counts == {
        "facts": 4,
        "items": len(items),
        "expired_facts": 2,
        "expired_items": sum(row["items"] for row in rows),
        "ended": 0,
        "changed": 1,
        "gone": 1,
        "unknown": 0,
    }
    assert "Expired in bench: 2 facts of 4" in ran.stderr


def test_a_benchmark_of_another_base_is_noticed(folder: Path) -> None:
    ran = asof("diff", "new", "new", "--benchmark", "bench", cwd=folder)
    assert "Expired in bench: 0 facts of 4" in ran.stderr
    assert "Not in new: 2 facts of the benchmark. Was it built from this base?" in ran.stderr


def test_items_on_some_days_expire_when_others_hold_in_them(folder: Path) -> None:
    made = ["--from", "2003", "--until", "2013", "--by", "year", "--to", "yearly"]
    assert asof("build", "dynamic-templama", "--base", "old", *made, cwd=folder).returncode == 0
    ran = asof("diff", "old", "new", "--benchmark", "yearly", "--json", cwd=folder)
    counts, *rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(row["change"], row["object"], row["items"]) for row in rows] == [("gone", "Rajoy", 9)]  # 2004 to 2012
    assert (counts["facts"], counts["expired_facts"], counts["expired_items"], counts["unknown"]) == (3, 1, 9, 0)


def test_the_changes_of_many_periods(folder: Path) -> None:
    ran = asof("diff", "2002", "2005", "--each", "--base", "old", "--json", cwd=folder)
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [(row["period"], row["status"], row["subject"]) for row in rows] == [
        ("2003", "new", "Italy"),
        ("2004", "new", "Spain"),
    ]
    assert "0 updated, 2 new, 0 deleted." in ran.stderr
    written = asof("diff", "2002", "2005", "--each", "--base", "old", "--to", "changes", cwd=folder)
    assert "changes holds 2 changes." in written.stderr
    assert pq.read_table(folder / "changes")["period"].to_pylist() == ["2003", "2004"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("2002", "2005", "--benchmark", "bench"), "--benchmark compares two bases"),
        (("2002", "2005", "--to", "x"), "--to goes with --each"),
        (("2002-03-01", "2005", "--each"), "--each goes from period to period"),
        (("old", "new", "--benchmark", "old"), "old is not a benchmark folder"),
    ],
)
def test_mistakes_are_explained(folder: Path, args: tuple[str, ...], message: str) -> None:
    ran = asof("diff", *args, cwd=folder)
    assert ran.returncode == 1
    assert message in ran.stderr and "Traceback" not in ran.stderr
