"""``asof build timeqa`` with pages, and ``asof annotate``: what a person reads on the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.annotation.work import Decision, open_work, read_spans
from asof.benchmarks import read_benchmark
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore

FACTS = [
    ("Italy", "P36", "Turin", "1861-03-17", "1865-02-03"),
    ("Italy", "P36", "Florence", "1865-02-03", "1871"),
    ("Italy", "P36", "Rome", "1871", "ongoing"),
]


def run(*argv: object) -> Result:
    return CliRunner().invoke(asof, [str(word) for word in argv], catch_exceptions=False)


@pytest.fixture
def folder(base_of: Callable[..., FactStore], tmp_path: Path) -> Path:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "Italy.txt").write_text("Turin (1861), Florence (1865) and Rome (1871).", encoding="utf-8")
    base = base_of(FACTS).folder
    ran = run("build", "timeqa", "--base", base, "--to", tmp_path / "read", "--pages", pages, "--seed", 3)
    assert ran.exit_code == 0 and "holds" in ran.stderr
    run("build", "timeqa", "--base", base, "--to", tmp_path / "plain", "--protocol", "chen2021")
    return tmp_path


def test_agreement_and_merging_on_the_command_line(folder: Path) -> None:
    bench = read_benchmark(folder / "read")
    items = list(bench.items())
    for name in ("anna", "bo"):
        with open_work(bench, name) as work:
            for place, item in enumerate(items):
                spans = read_spans(str(item.tags["spans"]))
                work.decide(Decision(item.id, () if name == "bo" and place == 0 else spans))
    ran = run("annotate", bench.folder, "--agreement", "--json")
    rows = {row["agreement"]: row for row in map(json.loads, ran.stdout.splitlines())}
    assert rows["same spans"]["value"] == round(1 - 1 / len(items), 3) and rows["same spans"]["items"] == len(items)
    assert f"bo: {len(items)} items, " in ran.stderr
    ran = run("annotate", bench.folder, "--merge", "--to", folder / "new", "--json")
    told = json.loads(ran.stdout)
    assert told["items"] == len(items) - 1 and told["disputed"] == [items[0].id]
    ran = run("annotate", bench.folder, "--merge", "--to", folder / "new")
    assert f"holds {len(items) - 1} items, 0 of them corrected." in ran.stderr
    assert "1 item is not there: annotators disagree." in ran.stderr


def test_what_cannot_be_annotated_is_told(folder: Path) -> None:
    with pytest.raises(UserError, match=r"has no text to annotate\. Build it with pages"):
        run("annotate", folder / "plain", "--as", "anna")
    with pytest.raises(UserError, match="Nobody has annotated"):
        run("annotate", folder / "read", "--agreement")
    with pytest.raises(UserError, match="Give a folder for the new benchmark"):
        run("annotate", folder / "read", "--merge")
    with pytest.raises(UserError, match="'3/2' is not a valid share"):
        run("annotate", folder / "read", "--share", "3/2")
    with pytest.raises(UserError, match="The share 2/2 is empty"):
        run("annotate", folder / "read", "--as", "anna", "--share", "2/2", "--overlap", "0")
    bench = read_benchmark(folder / "read")
    with open_work(bench, "anna") as work:
        work.decide(Decision(next(iter(bench.items())).id, ()))
    with pytest.raises(UserError, match="No item was annotated by two people"):
        run("annotate", folder / "read", "--agreement")


def test_other_benchmarks_take_no_pages(folder: Path) -> None:
    with pytest.raises(UserError, match="timestress takes no --pages"):
        run("build", "timestress", "--pages", folder / "pages", "--to", folder / "x")
