"""What ``asof mine`` does with losses: good rows are kept, a large loss is never a success and replaces nothing."""

import json
from pathlib import Path

import pytest
from bench.generated_dump import Plan, write_dump
from click.testing import CliRunner, Result

from asof.cli.mine import command
from asof.facts import FactStore
from asof.facts.losses import DataLossError
from tests.cli.test_commands import asof

HEADER = "subject,relation,object,start,end\n"


def messy(folder: Path, *, good: int, bad: int) -> Path:
    """A table as people keep it: some dates are written in a way that nobody can be sure of."""
    path = folder / "messy.csv"
    rows = [f"s{number},r,o,2001,2002\n" for number in range(good)]
    path.write_text(HEADER + "".join(rows) + "x,r,o,03/04/2011,\n" * bad, encoding="utf-8")
    return path


def mine(*words: object) -> Result:
    return CliRunner().invoke(command, [*map(str, words), "--json"])


def test_a_large_loss_writes_nothing_and_exits_with_3(tmp_path: Path) -> None:
    path, base = messy(tmp_path, good=116, bad=184), tmp_path / "base"
    ran = asof("mine", str(path), "--to", str(base))
    assert ran.returncode == 3
    assert f"no base was written to {base}" in ran.stderr
    assert "184 of 300 rows were not taken (61.33%, more than the 5.00% allowed)" in ran.stderr
    assert "184 rows: the start can be read in several ways" in ran.stderr
    assert "messy.csv, line 118: '03/04/2011' can be read as 3 April 2011 or 4 March 2011" in ran.stderr
    assert not base.exists()


def test_a_large_loss_does_not_replace_a_base_unless_it_is_allowed(tmp_path: Path) -> None:
    base = tmp_path / "base"
    assert mine(messy(tmp_path, good=300, bad=0), "--to", base).exit_code == 0
    path = messy(tmp_path, good=116, bad=184)
    ran = asof("mine", str(path), "--to", str(base), "--json")
    assert ran.returncode == 3
    assert f"so the base in {base} was not replaced" in ran.stderr and "--max-rejects 100%" in ran.stderr
    told = json.loads(ran.stdout)
    assert told["replaced"] is False
    [loss] = told["losses"]
    assert (loss["what"], loss["count"], loss["of"], loss["share"]) == ("rows were not taken", 184, 300, 0.613333)
    assert len(Path(loss["kept"]).read_text(encoding="utf-8").splitlines()) == 184
    assert len(FactStore(base).facts()) == 300
    assert told["refused"][0]["count"] == 184 and told["refused"][0]["lines"] == [118, 119, 120]
    allowed = mine(path, "--to", base, "--max-rejects", "62%")
    assert allowed.exit_code == 0
    assert json.loads(allowed.stdout)["losses"] == [loss]
    assert len(FactStore(base).facts()) == 116


def test_a_small_loss_is_told_and_no_error(tmp_path: Path) -> None:
    ran = mine(messy(tmp_path, good=190, bad=10), "--to", tmp_path / "base")
    assert ran.exit_code == 0
    assert json.loads(ran.stdout)["losses"][0]["count"] == 10
    fewer = mine(
        messy(tmp_path, good=190, bad=10), "--to", tmp_path / "other", "--most-lost", "0.049"
    )  # the earlier name
    assert isinstance(fewer.exception, DataLossError)
    none = mine(messy(tmp_path, good=190, bad=0), "--to", tmp_path / "none")
    assert (none.exit_code, json.loads(none.stdout)["losses"]) == (0, [])


def test_a_dry_run_tells_losses_too(tmp_path: Path) -> None:
    ran = mine(messy(tmp_path, good=1, bad=1), "--to", tmp_path / "base", "--dry-run")
    assert ran.exit_code == 3
    [loss] = json.loads(ran.stdout)["losses"]
    assert (loss["count"], loss["kept"]) == (1, None)


def test_lost_blocks_of_a_dump_are_an_error_above_their_share(tmp_path: Path) -> None:
    path, base = tmp_path / "d.json.gz", tmp_path / "base"
    write_dump(path, Plan(entities=400, seed=6, line_bytes=4_000, temporal=0.5, batch=40))
    whole = path.read_bytes()
    assert mine(path, "--to", base, "--processes", 1, "--max-rejects", "10%").exit_code == 0
    before = FactStore(base).manifest.hash
    middle = len(whole) // 2
    path.write_bytes(whole[:middle] + bytes(200) + whole[middle + 200 :])
    refused = mine(path, "--to", base, "--processes", 1)
    assert isinstance(refused.exception, DataLossError)
    losses = {loss["what"]: loss for loss in json.loads(refused.stdout)["losses"]}
    lost = losses["bytes of d.json.gz could not be read"]
    assert 200 < lost["count"] < lost["of"] == len(whole)
    assert any("bytes of the file are lost" in line for line in Path(lost["kept"]).read_text().splitlines())
    assert FactStore(base).manifest.hash == before
    allowed = mine(path, "--to", base, "--processes", 1, "--most-lost", "50%")  # goes on with what is mined
    assert allowed.exit_code == 0
    assert FactStore(base).manifest.hash != before


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--max-rejects", "5"), "'5' is not a share between 0% and 100%. Write 5% or 0.05."),
        (("--max-rejects", "few"), "'few' is not a share"),
        (("--memory", "10"), "'10' is not a size. Write a number and a unit, as in 500MB or 2GB."),
        (("--memory", "1MB"), "1MB is too small: give 100MB or more."),
    ],
)
def test_a_share_or_a_size_that_is_none_is_refused(tmp_path: Path, words: tuple[str, str], message: str) -> None:
    ran = mine(messy(tmp_path, good=1, bad=0), "--to", tmp_path / "base", *words)
    assert ran.exit_code == 2
    assert message in ran.output


def test_sizes_and_shares_are_read(tmp_path: Path) -> None:
    path = messy(tmp_path, good=1, bad=0)
    for number, words in enumerate((("--memory", "1.5 GiB"), ("--memory", "100mb"), ("--most-lost", "0.1 %"))):
        assert mine(path, "--to", tmp_path / str(number), *words).exit_code == 0
