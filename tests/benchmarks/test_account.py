"""Every build says what it leaves out: how many facts for which reason, one of them, and what to do about it."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from asof import registry
from asof.benchmarks import GivesAccount, build, read_benchmark
from asof.benchmarks._account import Omission
from asof.cli import asof
from asof.errors import UserError
from asof.facts import Fact, FactStore, FactTable
from asof.timeline import Date
from asof.wording import Wording

Make = Callable[..., FactStore]

# A person's own table: relations in their own words, names as ids, dates of all kinds, and none.
CLUBS = [
    ("FC Alpha", "manager", "Ann Lee", "2015", "2019-06"),
    ("FC Alpha", "manager", "Bo Ek", "2019-07-01", "2021"),
    ("FC Alpha", "manager", "Cy Dunn", "2021-03", ""),
    ("FC Alpha", "owner", "Omni Group", "2001", "2018"),
    ("FC Alpha", "owner", "Zed Capital", "2018-05-01", ""),
    ("Beta United", "headquarters", "Northtown", "1990", "2020"),
    ("Acme Corp", "CEO", "Eve Hall", "", ""),
]
# The same with relations that asof has words for: no date, an odd one, a number, twice the same, a moment, one object.
KNOWN = [
    ("FC Alpha", "P286", "Ann Lee", "2015", "2019-06"),
    ("FC Alpha", "P286", "Bo Ek", "2019-07-01", "2021"),
    ("FC Alpha", "P286", "Bo Ek", "2019-07-01", "2021"),
    ("FC Alpha", "P286", "Cy Dunn", "2021-03", ""),
    ("Beta United", "P286", "Ann Lee", "1950s", "1960"),
    ("Beta United", "P286", "Di Fox", "1961", "1970"),
    ("Beta United", "P127", "Omni Group", "2010", "2019"),
    ("Acme Corp", "P169", "Finn Poe", "2012", "2019"),
    ("Acme Corp", "P169", "Gus Ray", "2019", "2023"),
    ("Acme Corp", "P169", "Eve Hall", "", ""),
    ("Acme Corp", "P2139", "1200", "2012", "2013"),
    ("Acme Corp", "P2139", "1300", "2013", "2014"),
    ("Eve Hall", "P166", "Nobel Prize", "2011", "2011"),
    ("Eve Hall", "mascot", "a bear", "2011", "2015"),
]
WORDS = """
[manager]
present = "{subject} is managed by {object}"
past = "{subject} was managed by {object}"
starts = "{subject} took on {object} as manager"
questions = ["who was the manager of {subject}?"]
[owner]
present = "{subject} belongs to {object}"
past = "{subject} belonged to {object}"
starts = "{subject} was bought by {object}"
"""
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("dynamic-templama", {}),
    ("dynamic-templama", {"protocol": "margatina2023"}),
    ("dynamic-templama", {"facts": 1}),
    ("dynamic-templama", {"subjects": 1}),
    ("templama", {}),
    ("timeqa", {}),
    ("timeqa", {"protocol": "chen2021"}),
    ("timeqa", {"facts": 1}),
    ("timeqa", {"relations": "P286"}),
    ("timestress", {}),
    ("timestress", {"protocol": "program", "facts": 1}),
    ("lama-tk", {}),
    ("lama-tk", {"query": "boundary", "facts": 2}),
    ("lama-tk", {"query": "implicit", "conflicts": False}),
]


def test_every_benchmark_is_tried() -> None:
    assert {name for name, _ in SETTINGS} == set(registry.benchmarks.names())


@pytest.mark.parametrize(("name", "settings"), SETTINGS, ids=str)
def test_every_fact_is_in_an_item_or_left_out_with_reason_example_and_advice(
    base_of: Make, tiny: FactStore, tmp_path: Path, name: str, settings: dict[str, Any]
) -> None:
    words = tmp_path / "words.toml"
    words.write_text(WORDS, encoding="utf-8")
    known = [base_of(KNOWN)] if "relations" in settings else [base_of(KNOWN), base_of(KNOWN + CLUBS), tiny]
    for store in known:
        kind = registry.benchmarks.get(name)(**settings, templates=str(words))
        made = build(tmp_path / "made", kind, store, Wording())
        again = build(tmp_path / "again", kind, store, Wording())
        assert again.description == made.description  # to the example
        groups = set(made.table()["group"].to_pylist())
        facts = list(FactTable(store.with_labels(store.sql("SELECT * FROM facts"), subject="entity",
                                                 relation="relation", object="entity")))  # fmt: skip
        used = [fact for fact in facts if is_in(fact, groups, only_dated="templama" in name)]
        copies = len(used) - len({fact.id for fact in used}) if groups & {fact.id for fact in used} else 0
        left_out = made.account.left_out
        if settings.get("protocol") != "margatina2023":  # of whose pairs only some facts count
            assert len(used) - copies + sum(told.count for told in left_out.values()) == len(facts), str(made.account)
        for reason, told in left_out.items():
            assert told.count > 0 and told.advice.rstrip(".") and reason
            assert told.example.split(":")[0] in {fact.in_names.split(":")[0] for fact in facts}


def is_in(fact: Fact, groups: set[str], *, only_dated: bool) -> bool:
    if fact.id in groups:
        return True
    dated = isinstance(fact.start, Date) or isinstance(fact.end, Date)
    return f"{fact.subject}|{fact.relation}" in groups and (dated or not only_dated)


@pytest.mark.parametrize("name", ["dynamic-templama", "templama", "timeqa", "timestress"])
def test_relations_without_words_are_named_as_the_reason(base_of: Make, tmp_path: Path, name: str) -> None:
    kind = registry.benchmarks.get(name)()
    with pytest.raises(UserError) as refused:
        build(tmp_path / "made", kind, base_of(CLUBS), Wording())
    told = str(refused.value)
    assert re.search(r"Skipped \d+ facts of relations without a (sentence|question) in 'en', for example: ", told)
    assert "for CEO, headquarters, manager, owner in a TOML file" in told and "--set templates=FILE" in told
    assert "no dates" not in told


@pytest.mark.parametrize("name", ["dynamic-templama", "timeqa", "timestress"])
def test_a_file_of_words_makes_any_relation_askable(base_of: Make, tmp_path: Path, name: str) -> None:
    words = tmp_path / "words.toml"
    words.write_text(WORDS, encoding="utf-8")
    made = build(tmp_path / "made", registry.benchmarks.get(name)(templates=str(words)), base_of(CLUBS), Wording())
    assert any("FC Alpha" in item.prompt and "manage" in item.prompt for item in made.items())
    assert not any("Beta United" in item.prompt for item in made.items())
    if name != "dynamic-templama":  # which needs no question
        assert not any("belong" in item.prompt for item in made.items())


def test_a_relation_that_is_named_and_has_no_question_is_told(base_of: Make, tmp_path: Path) -> None:
    words = tmp_path / "words.toml"
    words.write_text(WORDS, encoding="utf-8")
    kind = registry.benchmarks.get("timeqa")(templates=str(words), relations="owner")
    with pytest.raises(
        UserError, match=r"no question for relation 'owner': add questions to its table in .*words.toml"
    ):
        kind.made(base_of(CLUBS), Wording())


def test_the_papers_rules_take_tables_whose_ids_are_names(base_of: Make, tmp_path: Path) -> None:
    kind = registry.benchmarks.get("dynamic-templama")(protocol="margatina2023")
    made = build(tmp_path / "made", kind, base_of(KNOWN), Wording())
    assert {item.tags["subject"] for item in made.items()} == {"FC Alpha", "Acme Corp"}
    assert "of other relations" not in str(made.account)


def test_the_command_says_and_writes_the_same(base_of: Make, tmp_path: Path) -> None:
    words = ["build", "timestress", "--base", str(base_of(KNOWN).folder), "--to", str(tmp_path / "made")]
    said = CliRunner().invoke(asof, words).stderr
    assert "Skipped 2 facts without a start or an end, for example: " in said
    assert "  Give them both in the source of the base" in said
    told = json.loads(CliRunner().invoke(asof, [*words, "--json"]).stdout)["left_out"]
    assert told["without a start or an end"]["count"] == 2
    made = read_benchmark(tmp_path / "made")
    assert made.account.as_row() == told
    assert isinstance(registry.benchmarks.get("timestress")(), GivesAccount)


def test_folders_of_earlier_versions_have_numbers_alone(base_of: Make, tmp_path: Path) -> None:
    kind = registry.benchmarks.get("timestress")()
    build(tmp_path / "made", kind, base_of(KNOWN), Wording())
    path = tmp_path / "made" / "benchmark.toml"
    text = re.sub(r"\n\[left_out.*?(?=\n\[(?!left_out))", "\n", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"\n\[left_out.*", "\n", text, flags=re.DOTALL)
    path.write_text(f'{text}\n[left_out]\n"no end" = 3\n', encoding="utf-8")
    assert read_benchmark(tmp_path / "made").account.left_out == {"no end": Omission(3, "", "")}
    assert str(read_benchmark(tmp_path / "made").account).startswith("Skipped 3 facts no end")
