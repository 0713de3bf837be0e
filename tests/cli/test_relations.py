"""``asof relations``: what relations are, from a file, the facts or a person; kept when a base is mined again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import asof as package
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.described import read_described
from tests.foreign_bases import both_ways, successions, written

BESIDE = """relation,label,aliases,one at a time,kind,inverse,complete
manager,head coach,boss|gaffer,yes,office,club managed,
coaches,club managed,,,career,,no
"""


@pytest.fixture
def facts(tmp_path: Path) -> Path:
    chance = np.random.default_rng(5)
    rows = successions(chance, "manager", 80) + both_ways(chance, "twin of", "twin of", 40)
    return written(tmp_path, [*rows, ("Ann", "coaches", "Rovers", "2001", "2002")], "facts.csv")


def run(*words: object) -> tuple[int, list[dict[str, Any]], str]:
    ran = CliRunner().invoke(asof, [*map(str, words), "--json"])
    assert ran.exception is None or isinstance(ran.exception, UserError | SystemExit), ran.exception
    said = str(ran.exception) if isinstance(ran.exception, UserError) else ran.stderr
    return ran.exit_code, [json.loads(line) for line in ran.stdout.splitlines()], said


def test_mine_proposes_and_a_person_confirms(facts: Path, tmp_path: Path) -> None:
    base = tmp_path / "base"
    _, [summary], _ = run("mine", facts, "--to", base)
    proposed = {(one["relation"], one["meaning"], one["value"]) for one in summary["proposed"]}
    assert proposed == {("manager", "one_at_a_time", True), ("twin of", "symmetric", True)}
    _, rows, said = run("relations", base)
    by_name = {row["relation"]: row for row in rows}
    assert by_name["manager"]["meaning"] == "one at a time (proposed)" and "Confirm" in said
    assert by_name["twin of"]["evidence"] == ["80 of 80 stand the other way round, too"]
    _, rows, said = run("relations", base, "--accept")
    assert {row["relation"]: row["meaning"] for row in rows} == {
        "manager": "one at a time", "twin of": "symmetric", "coaches": "",
    }  # fmt: skip
    assert "Confirm" not in said
    assert "has no proposals" in run("relations", base, "--accept")[2]


def test_what_a_person_said_outlives_mining_again_and_what_was_denied_is_not_proposed_again(
    facts: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    run("mine", facts, "--to", base)
    pairs = ("manager:one_at_a_time=no", "manager:alias=boss", "manager:alias=gaffer", "twin of:symmetric=")
    code, _, _ = run("relations", base, *(word for pair in pairs for word in ("--set", pair)))
    before = FactStore(base).relations
    assert code == 0
    assert before["manager"].one_at_a_time is False and before["manager"].aliases == ("boss", "gaffer")
    assert before["twin of"].symmetric is None and before["twin of"].proposed == ()
    _, [summary], _ = run("mine", facts, "--to", base)
    assert summary["proposed"] == []
    assert FactStore(base).relations == before
    assert FactStore(base).manifest.files == {path.name for path in base.iterdir() if path.suffix == ".parquet"}, (
        "files of earlier versions are gone"
    )


@pytest.mark.parametrize("named", [True, False])
def test_a_table_beside_the_facts_says_what_relations_are(facts: Path, tmp_path: Path, named: bool) -> None:
    path = tmp_path / ("said.csv" if named else "relations.csv")
    path.write_text(BESIDE, encoding="utf-8")
    words = ("--relations", path) if named else ()
    code, [summary], _ = run("mine", facts, "--to", tmp_path / "base", *words)
    assert code == 0 and [one["relation"] for one in summary["proposed"]] == ["twin of"]
    relations = FactStore(tmp_path / "base").relations
    manager = relations["manager"]
    assert (manager.label, manager.aliases, manager.one_at_a_time) == ("head coach", ("boss", "gaffer"), True)
    assert (manager.kind, manager.inverse, manager.proposed) == ("office", "coaches", ())
    assert (relations["coaches"].inverse, relations["coaches"].complete) == ("manager", False)


def test_python_reads_the_same_table_and_says_the_same(facts: Path, tmp_path: Path) -> None:
    (tmp_path / "relations.csv").write_text(BESIDE, encoding="utf-8")
    base = package.open(facts)
    assert base.relation("gaffer").label == "head coach"
    run("mine", facts, "--to", tmp_path / "base")
    mine = package.open(tmp_path / "base")
    assert mine.relations().to_pylist() == base.relations().to_pylist() == run("relations", tmp_path / "base")[1]
    assert mine.set_relation("gaffer", one_at_a_time=False, inverse=None).one_at_a_time is False
    assert mine.relation("manager") == FactStore(tmp_path / "base").relations["manager"]
    assert {row["relation"]: row["proposed"] for row in mine.accept_proposals().to_pylist()}["twin of"] == []


@pytest.mark.parametrize(
    ("pair", "said"),
    [
        ("manger:kind=office", r"no relation 'manger'. Did you mean 'manager'"),
        ("manager:kind=offic", r"kind is 'offic'. Did you mean 'office'\? It can be: office, career"),
        ("manager:symetric=yes", r"'symetric' is nothing that a relation has. Did you mean 'symmetric'"),
        ("manager:symmetric=maybe", r"symmetric is 'maybe'. Write yes or no"),
        ("manager=yes", r"'manager=yes' is not a setting. Write RELATION:NAME=VALUE"),
        ("manager:inverse=manager", r"is its own inverse if it is symmetric. Set symmetric instead"),
        ("manager:label=", r"'manager' needs a label"),
    ],
)
def test_a_wrong_setting_changes_nothing_and_says_what_is_wrong(
    facts: Path, tmp_path: Path, pair: str, said: str
) -> None:
    base = tmp_path / "base"
    run("mine", facts, "--to", base)
    before = FactStore(base).manifest
    ran = CliRunner().invoke(asof, ["relations", str(base), "--set", "twin of:kind=membership", "--set", pair])
    assert isinstance(ran.exception, UserError)
    with pytest.raises(UserError, match=said):
        raise ran.exception
    assert FactStore(base).manifest == before


def test_the_almanac_is_not_changed() -> None:
    ran = CliRunner().invoke(asof, ["relations", "--set", "head coach:kind=award"])
    assert "Make a base of your own from it" in str(ran.exception)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("label\nboss\n", "has no column 'relation'. It needs one, and may have: label"),
        ("relation,symetric\nr,yes\n", "has a column 'symetric'. Did you mean 'symmetric'"),
        ("relation,symmetric\n\nr,ja\n", "line 3: symmetric is 'ja'. Write yes or no"),
        ("relation,kind\nr,office\nr,place\n", "line 3: 'r' stands in an earlier line, too"),
        ("relation,kind\n,office\n", "line 2: the relation has no name"),
        ("relation,kind\nr,office,x\n", "line 2: 3 columns instead of 2"),
    ],
)
def test_a_wrong_table_of_relations_is_told_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "relations.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=said.replace("?", r"\?")):
        read_described(path)


def test_a_misspelt_relation_of_the_table_is_told(facts: Path, tmp_path: Path) -> None:
    (tmp_path / "relations.csv").write_text("relation,kind\nmanger,office\n", encoding="utf-8")
    ran = CliRunner().invoke(asof, ["mine", str(facts), "--to", str(tmp_path / "base")])
    assert "No fact has its relation 'manger'. Did you mean 'manager'?" in ran.stderr
