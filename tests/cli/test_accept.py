"""``asof complete --accept``: decisions written into a new version of a base, and nothing else changed."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from asof.cli import asof
from asof.facts import FactStore
from asof.facts.rewrite import set_relations
from tests.foreign_bases import base_of

_COLUMNS = ["subject", "relation", "object", "start", "end", "proposed", "probability"]
_IDS = ["subject_id", "relation_id", "object_id", "decision", "decided"]


@pytest.fixture
def base(tmp_path: Path) -> Path:
    rows = [
        ("Acme", "led by", "Ann", "2001-05-02", ""), ("Acme", "led by", "Bob", "2004", "ongoing"),
        ("Bolt", "led by", "Eve", "", "1999"), ("Coral", "led by", "Jan", "2001", ""),
        ("Coral", "led by", "Jan", "2001", "unknown"),
    ]  # fmt: skip
    folder = base_of(tmp_path, rows).folder
    set_relations(folder, {"led by": {"kind": "office"}})
    return folder


def decided(folder: Path, *rows: tuple[str, str, str, str, str, str]) -> Path:
    path = folder / "decisions.tsv"
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", lineterminator="\n")
        table.writerow([*_COLUMNS, *_IDS])
        for subject, object, start, end, proposed, decision in rows:
            ids = (subject, "led by", object)
            table.writerow([*ids, start, end, proposed, "0.9", *ids, decision, "2026-11-18T00:00:00+00:00"])
    return path


def accept(path: Path, base: Path, *words: str | Path) -> Result:
    return CliRunner().invoke(asof, ["complete", "--accept", str(path), "--base", str(base), *map(str, words)])


def test_what_was_accepted_is_written_and_the_rest_stays(base: Path, tmp_path: Path) -> None:
    path = decided(
        tmp_path,
        ("Acme", "Ann", "2001", "2004", "end", "accept"),
        ("Bolt", "Eve", "1990", "1999", "start", "accept"),
        ("Bolt", "Bob", "1999", "2003", "object", "accept"),
        ("Acme", "Bob", "2004", "2009", "end", "accept"),  # it is ongoing
        ("Coral", "Jan", "2001", "2005", "end", "accept"),  # two facts lack it
        ("Coral", "Nobody", "2001", "2005", "object", "accept"),
        ("Coral", "Eve", "2001", "2005", "object", "reject"),
    )
    before = list(FactStore(base).facts())
    new = tmp_path / "new"
    dry = json.loads(accept(path, base, "--dry-run", "--json").stdout)
    assert (dry["added"], dry["filled"]) == (1, 2) and not new.exists()
    said = json.loads(accept(path, base, "--to", new, "--json").stdout)
    assert (said["added"], said["filled"]) == (1, 2)
    assert {one["reason"] for one in said["refused"]} == {
        "0 facts of the base lack that end and fit", "2 facts of the base lack that end and fit",
        "the base knows nothing with the id 'Nobody'",
    }  # fmt: skip
    store = FactStore(new)
    facts = {(fact.subject, fact.object): fact for fact in store.facts()}
    assert str(facts["Acme", "Ann"].interval) == "2001-05-02..2004"
    assert facts["Acme", "Ann"].source == "decisions.tsv"
    assert str(facts["Bolt", "Eve"].interval) == "1990..1999"
    assert str(facts["Bolt", "Bob"].interval) == "1999..2003"
    kept = {str(fact) for fact in before if fact.subject == "Coral" or fact.object == "Bob"}
    assert kept <= {str(fact) for fact in store.facts()}
    assert len(list(store.facts())) == len(before) + 1
    assert store.manifest.told == {"led by": {"kind": "office"}} and store.relations["led by"].kind == "office"
    assert store.known_by == FactStore(base).known_by


def test_the_base_itself_can_be_replaced_and_is_the_same_to_the_byte(base: Path, tmp_path: Path) -> None:
    path = decided(tmp_path, ("Acme", "Ann", "2001", "2004", "end", "accept"))
    accept(path, base, "--to", tmp_path / "new")
    assert accept(path, base, "--to", base).exit_code == 0
    assert FactStore(base).manifest == FactStore(tmp_path / "new").manifest
    again = accept(path, base, "--to", base)
    assert "Of 1 accepted proposal, 0 added as facts, 0 filled in" in again.stderr
    assert "Acme led by Ann 2001..2004: 0 facts of the base lack that end and fit." in again.stderr


def test_what_is_missing_is_told(base: Path, tmp_path: Path) -> None:
    path = decided(tmp_path)
    assert "decides nothing" in str(accept(path, base, "--to", tmp_path / "new").exception)
    assert "Where to? Give a folder" in str(accept(path, base).exception)
    assert "Which model?" in str(CliRunner().invoke(asof, ["complete"]).exception)


def test_what_was_rejected_is_remembered_by_the_base_and_by_its_next_version(base: Path, tmp_path: Path) -> None:
    path = decided(tmp_path, ("Acme", "Ann", "2001", "2004", "end", "reject"))
    said = accept(path, base, "--to", base, "--dry-run").stderr
    assert "1 rejected proposal would be remembered" in said and not FactStore(base).manifest.rejected
    before = list(FactStore(base).facts())
    assert "1 rejected proposal remembered and not made again" in accept(path, base, "--to", base).stderr
    assert FactStore(base).manifest.rejected == ["Acme|led by|Ann|2001|2004|end"]
    assert list(FactStore(base).facts()) == before
    (tmp_path / "later").mkdir()
    other = decided(tmp_path / "later", ("Acme", "Ann", "2001", "2003", "end", "accept"),
                    ("Bolt", "Eve", "1990", "1999", "start", "reject"))  # fmt: skip
    assert accept(other, base, "--to", tmp_path / "new").exit_code == 0
    assert FactStore(tmp_path / "new").manifest.rejected == [
        "Acme|led by|Ann|2001|2004|end", "Bolt|led by|Eve|1990|1999|start",
    ]  # fmt: skip
    set_relations(tmp_path / "new", {"led by": {"kind": "post"}})
    assert len(FactStore(tmp_path / "new").manifest.rejected) == 2


def test_an_update_that_undoes_what_was_accepted_says_so(base: Path, tmp_path: Path) -> None:
    path = decided(tmp_path, ("Acme", "Ann", "2001-05-02", "2004", "end", "accept"))
    assert accept(path, base, "--to", base).exit_code == 0
    assert FactStore(base).manifest.accepted == ["decisions.tsv"]
    newer = tmp_path / "newer.csv"
    newer.write_text(
        "subject,relation,object,start,end\nAcme,led by,Ann,2001-05-02,\nAcme,led by,Bob,2004,ongoing\n"
        "Bolt,led by,Eve,,1999\nCoral,led by,Jan,2001,\nCoral,led by,Jan,2001,unknown\n"
    )
    ran = CliRunner().invoke(asof, ["update", str(base), str(newer)])
    assert ran.exit_code == 0, ran.output
    said = " ".join(ran.stderr.split())
    assert "1 accepted fact (of decisions.tsv) stood otherwise, or not, in newer.csv" in said
    again = accept(path, base, "--to", base)
    assert "1 filled in" in again.stderr
    assert FactStore(base).manifest.accepted == ["decisions.tsv"]


def proposed(folder: Path, *objects: str) -> Path:
    path = folder / "proposals.tsv"
    head = "\t".join([*_COLUMNS, "reason", *_IDS[:3]])
    lines = [f"Acme\tled by\t{one}\t2001\t2004\tend\t0.9\tas {one} said\tAcme\tled by\t{one}" for one in objects]
    path.write_text("\n".join([head, *lines]) + "\n", encoding="utf-8")
    return path


def test_proposals_are_decided_one_by_one_in_the_shell(tmp_path: Path) -> None:
    table, path = proposed(tmp_path, "Ann", "Bob", "Eve"), tmp_path / "decisions.tsv"

    def review(*keys: str) -> Result:
        command = ["complete", "--review", str(table), "--to", str(path)]
        return CliRunner().invoke(asof, command, input="".join(f"{key}\n" for key in keys))

    first = review("a", "r", "u", "s", "q")
    assert first.exit_code == 0, first.exception
    assert "1 of 3: Acme, led by: Ann, 2001 to [2004]  (0.9)" in first.stderr and "as Ann said" in first.stderr
    assert "1 accepted and 0 rejected; 2 of 3 proposals left" in first.stderr
    again = review("x", "r")  # an unknown key is asked for again; then the input ends
    assert "1 of 2: Acme, led by: Bob" in again.stderr and "1 accepted and 1 rejected; 1 of 3" in again.stderr
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert [(row["object"], row["decision"], row["reason"]) for row in rows] == [
        ("Ann", "accept", "as Ann said"), ("Bob", "reject", "as Bob said"),
    ]  # fmt: skip
    nowhere = CliRunner().invoke(asof, ["complete", "--review", str(table)])
    assert "Where to? Name a table for your decisions" in str(nowhere.exception)
