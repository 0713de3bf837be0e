"""A base takes newer states and remembers what it said; what did not change is not written; a kill harms nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

import asof
from asof.cli import asof as command
from asof.errors import FailedCheckError, UserError
from asof.facts import FactStore, write_base
from asof.facts.accepted import AcceptedFact, write_accepted
from asof.facts.losses import DataLossError
from asof.facts.manifest import damaged_files
from asof.facts.prune import prune_history
from asof.facts.update import BaseUpdate, update_base
from asof.sources import open_source
from asof.timeline import Date

HEADER = "subject,relation,object,start,end\n"
MAY = HEADER + "Ürün,led by,Ann,2001,2010\nÜrün,led by,Bob,2010,\nZed,led by,Eve,2015,\nZed,led by,Eve,2015,\n"
JUNE = HEADER + "Ürün,led by,Ann,2001,2010\nÜrün,led by,Bob,2010,2024\nÜrün,led by,Cy,2024,\nNew,works at,Eve,2020,\n"


def table(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text, encoding="utf-8")
    return str(folder / name)


@pytest.fixture
def base(tmp_path: Path) -> Path:
    write_base(tmp_path / "base", [open_source(table(tmp_path, "may.csv", MAY))], known_by=Date.parse("2024-05-01"))
    return tmp_path / "base"


def take(base: Path, name: str, text: str, day: str, **options: object) -> BaseUpdate:
    source = open_source(table(base.parent, name, text))
    return update_base(base, source, known_by=Date.parse(day), **options)  # type: ignore[arg-type]


def said(base: Path, known_on: str | None = None) -> list[str]:
    return [str(fact) for fact in FactStore(base, known_on=known_on).facts()]


def test_a_newer_table_adds_closes_and_remembers(base: Path) -> None:
    done = take(base, "june.csv", JUNE, "2024-06-01")
    assert (done.version.added, done.version.closed, done.version.unchanged) == (3, 3, 1)
    now = ["New works at Eve 2020..not stated", "Ürün led by Ann 2001..2010", "Ürün led by Bob 2010..2024",
           "Ürün led by Cy 2024..not stated"]  # fmt: skip
    then = ["Zed led by Eve 2015..not stated"] * 2 + ["Ürün led by Ann 2001..2010", "Ürün led by Bob 2010..not stated"]
    assert said(base) == said(base, "2024-06-01") == said(base, "2030") == now
    assert said(base, "2024-05-01") == said(base, "2024-05-31") == then
    store = FactStore(base)
    days = {str(fact): (str(fact.known_from), fact.known_until) for fact in store.facts(subject="Ürün")}
    assert days["Ürün led by Ann 2001..2010"] == ("2024-05-01", None)
    assert days["Ürün led by Cy 2024..not stated"] == ("2024-06-01", None)
    gone = [str(fact.known_until) for fact in store.as_known_on("2024-05-20").facts(subject="Ürün", on="2025")]
    assert gone == ["2024-05-31"]
    assert str(store.as_known_on("2024-05-20").known_by) == "2024-05-01"
    assert not damaged_files(base, store.manifest)


def test_each_source_of_rows_gives_the_same(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    for day in ("2024-05-20", "2024-06-02"):
        store = FactStore(base, known_on=day)
        for subject in ("Ürün", "Zed", "New"):
            by_key = sorted(map(str, store.rows("facts", subject).to_pylist()))
            bounds = "earliest_start, latest_start, earliest_end, latest_end"
            query = f"SELECT * EXCLUDE ({bounds}) FROM facts WHERE subject = $s"
            assert by_key == sorted(map(str, store.sql(query, {"s": subject}).to_pylist()))


def test_what_is_asked_before_the_first_version_is_refused(base: Path) -> None:
    with pytest.raises(
        UserError, match=r"says nothing about what was known on 2024-04: its first version is of 2024-05-01"
    ):
        FactStore(base, known_on="2024-04")


def test_entities_and_names_follow(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    whole = base.parent / "whole"
    write_base(whole, [open_source(str(base.parent / "june.csv"))])
    query = "SELECT * FROM {} ORDER BY ALL"
    for name in ("entities", "names", "relations"):
        here, there = (FactStore(folder).sql(query.format(name)).to_pylist() for folder in (base, whole))
        assert [row for row in here if "Zed" not in str(row) and "zed" not in str(row)] == there
    assert FactStore(base).entity("Zed").popularity == 0  # what is forgotten by nobody keeps its name


def test_what_did_not_change_is_not_written_again(tmp_path: Path) -> None:
    rows = "".join(f"s{number:06d},r,o{number % 50},1990,2000\n" for number in range(150_000))
    write_base(
        tmp_path / "base", [open_source(table(tmp_path, "a.csv", HEADER + rows))], known_by=Date.parse("2024-05-01")
    )
    before = {path.name for path in (tmp_path / "base").iterdir()}
    changed = rows.replace("s000007,r,o7,1990,2000", "s000007,r,o7,1990,2001")
    done = take(tmp_path / "base", "b.csv", HEADER + changed, "2024-05-02")
    assert (done.version.added, done.version.closed, done.version.unchanged) == (1, 1, 149_999)
    kept = {part.path for part in done.manifest.tables["facts"]} & before
    assert len(kept) == len(done.manifest.tables["facts"]) - 1
    assert [part.path for part in done.manifest.tables["names"]] == [
        part.path for part in done.manifest.tables["names"] if part.path in before
    ]


def test_a_base_of_the_earlier_form_is_upgraded_without_loss(base: Path) -> None:
    manifest = json.loads((base / "manifest.json").read_text())
    for key in ("versions", "feeds", "mining", "hash_then"):
        del manifest[key]
    for parts in manifest["tables"].values():
        for part in parts:
            del part["with_known_from"]
    (base / "manifest.json").write_text(json.dumps(manifest | {"format": 3}))
    before = said(base)
    take(base, "june.csv", JUNE, "2024-06-01")
    assert said(base, "2024-05-15") == before


def test_within_a_day_the_last_version_counts(base: Path) -> None:
    done = take(base, "june.csv", JUNE, "2024-05-01")
    assert "both of 2024-05-01" in done.notes[0]
    assert said(base, "2024-05-01") == said(base) and "history" not in done.manifest.tables
    take(base, "may2.csv", MAY, "2024-05-03")
    take(base, "june2.csv", JUNE, "2024-05-03")
    assert said(base, "2024-05-02") == said(base, "2024-05-03") == said(base)


def test_what_is_older_replaces_nothing(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    with pytest.raises(UserError, match=r"may2.csv is of 2024-05-20, and .* is current to 2024-06-01: what is older"):
        take(base, "may2.csv", MAY, "2024-05-20")


def test_a_part_of_a_table_does_not_close_the_rest(tmp_path: Path) -> None:
    rows = "".join(f"s{number},r,o,1990,2000\n" for number in range(100))
    write_base(
        tmp_path / "base", [open_source(table(tmp_path, "a.csv", HEADER + rows))], known_by=Date.parse("2024-05-01")
    )
    with pytest.raises(FailedCheckError, match=r"says nothing of 99 of the 100 subjects .* --max-gone 100%"):
        take(tmp_path / "base", "b.csv", HEADER + "s1,r,o,1990,2000\n", "2024-06-01")
    assert len(said(tmp_path / "base")) == 100
    assert (
        take(tmp_path / "base", "b.csv", HEADER + "s1,r,o,1990,2000\n", "2024-06-01", max_gone=1).version.closed == 99
    )


def test_bad_rows_do_not_close_good_facts(base: Path) -> None:
    with pytest.raises(DataLossError):
        take(base, "bad.csv", JUNE + "Zed,led by,Eve,2015-99-99,\nZed,led by,Eve,long ago,\n", "2024-06-01")
    with pytest.raises(UserError, match=r"none.csv gave no facts, so .* was not changed"):
        take(base, "none.csv", HEADER, "2024-06-01")
    assert len(said(base)) == 4


def test_a_row_that_cannot_be_read_closes_nothing(base: Path) -> None:
    july = JUNE.replace("Ann,2001,2010", "Ann,2001,2010-02-30").replace("Bob,2010,2024", "Bob,sometime,2024")
    done = take(base, "july.csv", july, "2024-07-01", max_rejects=1)
    assert (done.version.added, done.version.closed, done.version.unchanged) == (2, 2, 2)
    assert {"Ürün led by Ann 2001..2010", "Ürün led by Bob 2010..not stated"} < set(said(base))
    assert "Zed led by Eve 2015..not stated" not in said(base)
    assert done.notes[0].startswith("Kept as before: 2 facts, named in rows of july.csv that could not be read.")
    take(base, "august.csv", JUNE, "2024-08-01")
    assert "Ürün led by Bob 2010..2024" in said(base) and "Ürün led by Bob 2010..not stated" not in said(base)


def test_a_second_copy_of_a_row_comes_and_goes_alone(base: Path) -> None:
    twice = MAY + "Ürün,led by,Ann,2001,2010\n" * 2
    assert take(base, "june.csv", twice, "2024-06-01").version.added == 2
    assert take(base, "july.csv", MAY, "2024-07-01").version.closed == 2
    days = [str(fact.known_from) for fact in FactStore(base).facts(subject="Ürün", object="Ann")]
    assert days == ["2024-05-01"]


def test_of_several_sources_one_is_replaced(tmp_path: Path) -> None:
    sources = [
        open_source(table(tmp_path, "a.csv", MAY)),
        open_source(table(tmp_path, "b.csv", HEADER + "X,r,Y,1990,\n")),
    ]
    base = tmp_path / "base"
    write_base(base, sources, known_by=Date.parse("2024-05-01"))
    with pytest.raises(UserError, match=r"come from a.csv, b.csv: say which of them june.csv replaces"):
        take(base, "june.csv", JUNE, "2024-06-01")
    with pytest.raises(UserError, match=r"'c.csv' is none of them. Give --replaces 'a.csv'"):
        take(base, "june.csv", JUNE, "2024-06-01", replaces="c.csv")
    take(base, "june.csv", JUNE, "2024-06-01", replaces="a.csv")
    assert "X r Y 1990..not stated" in said(base) and len(said(base)) == 5
    take(base, "july.csv", MAY, "2024-07-01", replaces="a.csv")
    assert sorted(said(base)) == sorted(said(base, "2024-05-01"))


def test_the_only_source_of_a_base_may_be_named(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    done = take(base, "july.csv", JUNE, "2024-07-01", replaces="may.csv")
    assert (done.version.added, done.version.closed, done.version.unchanged) == (0, 0, 4)
    take(base, "august.csv", MAY, "2024-08-01", replaces="may.csv")
    assert sorted(said(base)) == sorted(said(base, "2024-05-01"))


def test_mining_over_what_is_remembered_is_refused(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    with pytest.raises(UserError, match=r"keeps what it said since 2024-05-01, in 2 versions; .* asof update"):
        write_base(base, [open_source(str(base.parent / "june.csv"))])


def test_history_is_pruned(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    take(base, "july.csv", MAY, "2024-07-01")
    june, july = said(base, "2024-06-15"), said(base)
    _, forgotten = prune_history(base, Date.parse("2024-06-10"))
    assert forgotten == 3
    assert (said(base, "2024-06-15"), said(base)) == (june, july)
    with pytest.raises(UserError, match="its first version is of 2024-06-10"):
        said(base, "2024-06-09")
    assert {str(fact.known_from) for fact in FactStore(base, known_on="2024-06-15").facts()} == {"2024-06-10"}
    with pytest.raises(UserError, match="is of 2024-07-01: give that day or an earlier one"):
        prune_history(base, Date.parse("2025"))
    with pytest.raises(UserError, match="has nothing to forget: its first version is of 2024-06-10"):
        prune_history(base, Date.parse("2024-06-01"))


_KILLED = """
import os, signal, sys
import pyarrow.parquet as pq
from pathlib import Path
from asof.facts import manifest, update
from asof.sources import open_source
from asof.timeline import Date
left = int(sys.argv[3])
def counted(kind, name):
    real = getattr(kind, name)
    def call(*args, **options):
        global left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **options)
    setattr(kind, name, call)
counted(pq.ParquetWriter, "close")
counted(update, "sync_folder")
counted(manifest.Manifest, "put_in_place")
update.update_base(Path(sys.argv[1]), open_source(sys.argv[2]), known_by=Date.parse("2024-06-01"))
print("done")
"""


@pytest.mark.slow
def test_killed_at_any_moment_the_old_base_stands(base: Path) -> None:
    before, newer = said(base), table(base.parent, "june.csv", JUNE)
    for left in range(0, 100, 3):
        ran = subprocess.run(
            [sys.executable, "-c", _KILLED, str(base), newer, str(left)], capture_output=True, text=True
        )
        if "done" in ran.stdout:
            break
        assert ran.returncode == -9, ran.stderr
        assert said(base) == before
    assert left >= 12
    assert said(base, "2024-05-15") == before
    assert len(FactStore(base).manifest.versions) == 2


def run(*words: str) -> tuple[int, str, str]:
    ran = CliRunner().invoke(command, words)
    return ran.exit_code, ran.stdout, ran.stderr


def test_the_command_line(base: Path) -> None:
    newer = table(base.parent, "june.csv", JUNE)
    code, _, told = run("update", str(base), newer, "--known-by", "2024-06-01")
    assert code == 0 and "3 facts added, 3 closed, 1 unchanged" in told
    code, out, _ = run("facts", "--base", str(base), "--subject", "Ürün", "--as-known-on", "2024-05-15", "--json")
    assert [json.loads(line)["known_until"] for line in out.splitlines()] == [None, "2024-05-31"]
    code, out, told = run("diff", str(base), "--known-from", "2024-05-15", "--json")
    assert [json.loads(line)["change"] for line in out.splitlines()] == ["new", "new", "ended", "gone", "gone"]
    assert run("diff", str(base), "--known-from", "2024-05-15", "--known-until", "2024-05-20")[1] == ""
    _, out, _ = run("ask", "Who led Ürün in 2025?", "--base", str(base), "--as-known-on", "2024-05-15", "--json")
    answers = json.loads(out)
    assert answers["answers"] and answers["known_to"] == "2024-05-01"
    assert run("timeline", "Ürün", "--base", str(base), "--as-known-on", "2024-05-15")[1].count("led by") >= 2
    assert run("diff", "2023", "2025", "--base", str(base), "--as-known-on", "2024-05-15")[0] == 0
    code, _, told = run("update", str(base))
    assert code == 2
    code, _, told = run("update", str(base), "--forget-before", "2024-06-01")
    assert "forgot 3 closed facts" in told


def test_a_text_is_verified_as_known_on_a_day(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    words = ("verify", "Zed is led by Eve.", "--base", str(base), "--on", "2024-05-01")
    assert run(*words)[1].startswith("unknown")
    assert run(*words, "--as-known-on", "2024-05-20")[1].startswith("possibly holds")


def test_the_command_says_what_is_wrong(base: Path) -> None:
    outcome = CliRunner().invoke(command, ["diff", str(base), "--known-from", "2024-05-15"])
    assert isinstance(outcome.exception, UserError) and "has one version, of 2024-05-01" in str(outcome.exception)
    assert CliRunner().invoke(command, ["diff", str(base), "--known-until", "2024-05-15"]).exit_code != 0
    missing = CliRunner().invoke(command, ["update", str(base.parent / "no"), str(base.parent / "may.csv")])
    assert "does not exist" in str(missing.exception) and not (base.parent / "no").exists()


def test_python(base: Path) -> None:
    opened = asof.open(base)
    done = opened.update(table(base.parent, "june.csv", JUNE), known_by="2024-06-01")
    assert done.version.added == 3
    then = opened.as_known_on("2024-05-15")
    assert len(then) == 4 and len(then.facts("Zed")) == 2 and not len(opened.facts("Zed"))
    assert "as known on 2024-05-15" in repr(then)
    assert sorted(opened.diff(known_from="2024-05-15")["change"]) == ["ended", "gone", "gone", "new", "new"]
    assert [row["day"] for row in opened.versions().to_pylist()] == ["2024-05-01", "2024-06-01"]
    with pytest.raises(UserError, match="as known on 2024-05-15 is past"):
        then.update(str(base.parent / "june.csv"))
    with pytest.raises(UserError, match="Give two periods"):
        opened.diff("2021")


def test_a_benchmark_as_known_on_a_day_names_the_base_of_then(base: Path, base_of: Callable[..., FactStore]) -> None:
    before = FactStore(base).manifest.hash
    take(base, "june.csv", JUNE, "2024-06-01")
    after = FactStore(base).manifest.hash
    take(base, "july.csv", MAY, "2024-07-01")
    assert FactStore(base, known_on="2024-05-20").manifest.hash == before
    assert FactStore(base, known_on="2024-06-20").manifest.hash == after


_SENTENCES = {"present": "{subject} has {object}", "past": "{subject} had {object}", "starts": "{subject} got {object}"}


@pytest.mark.slow
def test_a_benchmark_as_known_on_a_day_is_made_again_to_the_byte(tmp_path: Path) -> None:
    rows = [f"City{n},mayor,P{n}_{k},{1990 + 8 * k},{1996 + 8 * k}\n" for n in range(12) for k in range(3)]
    newer = [row.replace("P3_1", "Nobody") for row in rows[:-3]] + ["City1,mayor,New One,2020-01-05,2023\n"]
    write_base(
        tmp_path / "base", [open_source(table(tmp_path, "a.csv", HEADER + "".join(rows)))], known_by=Date.parse("2024")
    )
    base = asof.open(tmp_path / "base")
    settings = {"first": "1991", "until": "1999", "by": "year", "templates": {"mayor": _SENTENCES}}
    asof.build("dynamic-templama", base, to=tmp_path / "then", **settings)
    base.update(table(tmp_path, "b.csv", HEADER + "".join(newer)), known_by="2025-02-01")
    asof.build("dynamic-templama", base.as_known_on("2024-06-01"), to=tmp_path / "again", **settings)
    asof.build("dynamic-templama", base, to=tmp_path / "now", **settings)
    files = {
        name: {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        for name in ("then", "again", "now")
    }
    assert files["then"] == files["again"] != files["now"]


def test_what_is_accepted_is_remembered_too(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    added = AcceptedFact(subject="Zed", relation="led by", object="Ann", start="2020", end="2021", filled="object")
    filled = AcceptedFact(subject="Ürün", relation="led by", object="Cy", start="2024", end="2025", filled="end")
    done = write_accepted(FactStore(base), [added, filled], base, source="accepted.tsv")
    assert (done.added, done.filled, done.refused) == (1, 1, [])
    assert {"Zed led by Ann 2020..2021", "Ürün led by Cy 2024..2025"} <= set(said(base))
    assert "Ürün led by Cy 2024..not stated" in said(base, "2024-06-10") and "Zed led by Ann 2020..2021" not in said(
        base, "2024-06-10"
    )


def test_a_source_that_keeps_to_a_relation_says_nothing_of_others(base: Path) -> None:
    take(base, "june.csv", JUNE, "2024-06-01")
    coaches = "subject,object,start,end\nNew,Max,2022,\n"
    source = open_source(table(base.parent, "coaches.csv", coaches), relation="works at")
    update_base(base, source, known_by=Date.parse("2024-07-01"))
    assert [fact for fact in said(base) if "works at" in fact] == ["New works at Max 2022..not stated"]
    assert len([fact for fact in said(base) if "led by" in fact]) == 3
