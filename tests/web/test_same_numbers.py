"""The command, the report and the explorer show the same numbers."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from asof.benchmarks import read_benchmark
from asof.cli import asof
from asof.reports import write_report
from asof.reports.dynamic_templama.runs import PeriodRun
from asof.reports.html import cell
from asof.runs import read_run
from asof.runs.item_scores import scores_of
from tests.web.conftest import Site


def rows(*words: str | Path) -> list[dict[str, Any]]:
    ran = CliRunner().invoke(asof, [*map(str, words), "--json"])
    assert ran.exit_code == 0, ran.output
    return [json.loads(line) for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("name", ["knows-much", "by-period"])
def test_of_a_run(site: Site, tmp_path: Path, name: str) -> None:
    folder = site.review.parent / name
    shown = site.json(f"/runs/{name}")["results"]
    scored = {row["metric"]: row for row in rows("score", folder)}
    assert scored.keys() == shown.keys()
    for measure, row in scored.items():
        web = shown[measure]
        assert [row[key] for key in ("value", "low", "high")] == [
            round(web[key], 4) for key in ("value", "low", "high")
        ]
        assert (row["interval"], row["facts"], row.get("items", row["facts"])) == (
            web["interval"], web["facts"], web["n"],
        )  # fmt: skip
    page = write_report([folder], tmp_path / "page").read_text(encoding="utf-8")
    results = scores_of(read_run(folder)).results()
    if name == "knows-much":
        assert all(
            cell(result) in page and cell(result) == shown[measure]["said"] for measure, result in results.items()
        )
    else:
        run = read_run(folder)
        placed = PeriodRun(0, name, run, read_benchmark(Path(run.settings["benchmark"])), 0)
        assert {measure: placed.result(measure) for measure in results} == results


def test_of_a_comparison(site: Site) -> None:
    runs = [site.review.parent / name for name in ("knows-little", "knows-much")]
    page = site.json("/compare", a="knows-little", b="knows-much")
    said = rows("compare", *runs)
    assert len(said) == len(page["differences"]) == 8
    for one, other in zip(said, page["differences"], strict=True):
        assert {key: one[key] for key in other} == {
            key: round(value, 4) if isinstance(value, float) else value for key, value in other.items()
        }
        assert (one["facts"], one["shared_facts"], one["notes"]) == (page["facts"], page["shared_facts"], page["notes"])
    text = site.client.get("/compare?a=knows-little&b=knows-much").text
    assert "the 3 that both have are compared" in text and "Only 3 facts are compared" in text
    same = site.json("/compare", a="knows-much", b="knows-much")["differences"]
    assert all(row["difference"] == 0 and row["p"] == row["p_holm"] == 1 for row in same)
