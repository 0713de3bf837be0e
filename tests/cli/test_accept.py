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
    path = decided(tmp_path, ("Acme", "Ann", "2001", "2004", "end", "reject"))
    assert "accepts nothing" in str(accept(path, base, "--to", tmp_path / "new").exception)
    assert "Where to? Give a folder" in str(accept(path, base).exception)
    assert "Which model?" in str(CliRunner().invoke(asof, ["complete"]).exception)
