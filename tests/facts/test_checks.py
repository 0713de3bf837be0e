"""Problems of bases that are not ours: planted ones are found, what is in order is left alone, ids stay."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from asof.facts import FactStore, InversionPolicy, write_base
from asof.facts.checks import find_problems
from asof.facts.problem_row import PROBLEMS, problem_row
from asof.facts.rewrite import set_fine, set_relations
from asof.sources import open_source
from asof.timeline import Date
from tests.foreign_bases import Row, base_of, day, successions, written


def _found(store: FactStore, *problems: str, **asked: Any) -> list[tuple[str, ...]]:
    rows = map(problem_row, find_problems(store, problems=problems or PROBLEMS, **asked).to_pylist())
    return [(row.problem, row.subject, row.object) for row in rows]


def leases(years: int = 2, flats: int = 40) -> list[Row]:
    """Flats that are let for some years each, without a pause."""
    rows = []
    for flat in range(flats):
        begins = list(range(1990 + flat % 3, 2020, years))
        rows += [
            (f"flat {flat}", "let to", f"tenant {flat}.{begin}", f"{begin}-03-01", f"{end}-02-28")
            for begin, end in pairwise(begins)
        ]
    return rows


def test_two_holders_are_found_of_what_is_proposed_and_said_to_be_so(tmp_path: Path) -> None:
    rows = [*leases(), ("flat 7", "let to", "tenant x", "2001-04-01", "2002-04-01")]
    store = base_of(tmp_path, rows)
    assert store.relations["let to"].proposed == ("one_at_a_time",)
    [row] = map(problem_row, find_problems(store, problems=["two-holders"]).to_pylist())
    assert row.proposed and row.why == "one at a time is proposed, not confirmed"
    assert {row.object, row.other} == {"tenant 7.2001", "tenant x"}
    set_relations(store.folder, {"let to": {"one_at_a_time": True}})
    [confirmed] = map(problem_row, find_problems(FactStore(store.folder), problems=["two-holders"]).to_pylist())
    assert (confirmed.id, confirmed.proposed, confirmed.why) == (row.id, False, None)
    set_relations(store.folder, {"let to": {"one_at_a_time": False}})
    assert _found(FactStore(store.folder), "two-holders", "gap") == []


def test_the_same_fact_in_two_times(tmp_path: Path) -> None:
    rows = [
        ("Vase", "lent to", "Louvre", "2001-01-01", "2003-01-01"),
        ("Vase", "lent to", "Louvre", "2002-06-01", "2004-01-01"),  # overlaps
        ("Bust", "lent to", "Prado", "2001-01-01", "2002-01-01"),
        ("Bust", "lent to", "Prado", "2002-01-02", "2003-01-01"),  # touches
        ("Ring", "lent to", "Prado", "2001-01-01", "2002-01-01"),
        ("Ring", "lent to", "Prado", "2005-01-01", "2006-01-01"),  # came back later
        ("Cup", "lent to", "Prado", "2001", "2002"),
        ("Cup", "lent to", "Prado", "2002", "2003"),  # may touch or not: nothing is sure
        ("Coin", "lent to", "Prado", "2001", "2002"),
        ("Coin", "lent to", "Prado", "2001", "2002"),  # the very same
        ("Coin", "lent to", "Prado", "2001", "2002"),
    ]
    assert _found(base_of(tmp_path, rows)) == [
        ("repeated", "Coin", "Prado"), ("overlapping", "Vase", "Louvre"), ("adjacent", "Bust", "Prado"),
    ]  # fmt: skip


def test_lengths_far_from_those_of_the_relation_are_unlikely(tmp_path: Path) -> None:
    rows = [
        *leases(),
        ("flat x", "let to", "Ann", "1950-01-01", "2019-01-01"),
        ("flat y", "let to", "Bob", "1999", "ongoing"),
    ]
    rows += [("flat z", "let to", "Eve", "2001-05-01", "2001-05-09"), ("flat w", "let to", "Fay", "2001", "2007")]
    found = map(problem_row, find_problems(base_of(tmp_path, rows), problems=["unlikely-length"]).to_pylist())
    whys = {row.object: row.why for row in found}
    assert whys == {
        "Ann": "69 years; half of 550 last 2.0 years",
        "Bob": "ongoing for 25 years; half of 550 last 2.0 years",
        "Eve": "9 days; half of 550 last 2.0 years",
    }


@pytest.mark.parametrize("shape", ["exponential", "lognormal", "uniform", "instants"])
def test_lengths_that_are_merely_uneven_are_not_unlikely(tmp_path: Path, shape: str) -> None:
    chance = np.random.default_rng(3)
    lengths = {
        "exponential": chance.exponential(900, 1000), "lognormal": chance.lognormal(6, 1, 1000),
        "uniform": chance.uniform(1, 2000, 1000), "instants": np.zeros(1000),
    }[shape]  # fmt: skip
    begins = chance.integers(0, 15_000, 1000)
    rows = [(f"s{n}", "r", f"o{n}", day(b), day(b + x)) for n, (b, x) in enumerate(zip(begins, lengths, strict=True))]
    assert len(_found(base_of(tmp_path, rows), "unlikely-length")) <= 3


def test_names_that_look_like_one_thing(tmp_path: Path) -> None:
    rows = [
        ("Acme Ltd", "led by", "Ann Lee", "2001", "2002"), ("ACME Ltd.", "led by", "Bob Day", "2002", "2003"),
        ("Acme Ltd", "led by", "Lee, Ann", "2003", "2004"),
        *(("Rhinebeck United", "coach", f"coach {n}", f"{1990 + n}", f"{1991 + n}") for n in range(6)),
        ("Rhinebek United", "coach", "coach x", "1999", "2000"),  # once, where the other is there often
        ("England", "king", "Henry VII of England", "1485", "1509"),
        ("England", "king", "Henry VIII of England", "1509", "1547"),
        ("unit number 1", "leased to", "Bob", "2001", "2002"), ("unit number 2", "leased to", "Bob", "2001", "2002"),
        ("Delta Works", "led by", "Mara Dietz", "2001", "2002"),
        ("Delta Works", "led by", "Tara Dietz", "2003", "2004"),
        ("Eve Müller", "spouse of", "Jan", "2001", "2002"), ("Delta Works", "maker", "eve muller", "2001", "2002"),
    ]  # fmt: skip
    found = map(problem_row, find_problems(base_of(tmp_path, rows), problems=["alike-names"]).to_pylist())
    assert {(row.subject, row.object): row.why for row in found} == {
        ("ACME Ltd.", "Acme Ltd"): "written alike",
        ("Ann Lee", "Lee, Ann"): "written alike, and they share 1 on the other side of a relation",
        ("Rhinebeck United", "Rhinebek United"): "a letter differs, and one stands in 1 of 7 facts",
    }


def test_names_of_ids_that_a_source_gives_are_namesakes_unless_they_share_a_neighbour(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "subject,subject_label,relation,object,object_label,start,end\n"
        "c1,Acme,led by,p1,John Smith,2001,2002\nc2,Bolt,led by,p2,John Smith,2001,2002\n"
        "c3,Coral,led by,p3,Jane Doe,2001,2002\nc3,Coral,led by,p4,Jané Doe,2002,2003\n",
        encoding="utf-8",
    )
    write_base(tmp_path / "base", [open_source(str(path))], known_by=Date.parse("2024"))
    assert _found(FactStore(tmp_path / "base"), "alike-names") == [("alike-names", "Jane Doe", "Jané Doe")]


def test_many_names_of_one_pattern_are_no_errors(tmp_path: Path) -> None:
    letters = "abcdefghijklmnopqrstuvwxyz"
    rows = [("Fleet", "has", f"vessel m{letter}rgate", "2001", "2002") for letter in letters]
    assert _found(base_of(tmp_path, rows), "alike-names") == []


def test_ids_stay_when_a_base_is_mined_again_later_in_another_order(tmp_path: Path) -> None:
    chance = np.random.default_rng(1)
    rows = [*successions(chance, "manager", 200, wrong=0.1), ("m", "x", "y", "2005", "2001")]
    rows += [("a", "b", "c", "2001", "")] * 3 + [
        (f"s{n}", "manager", f"on {n}", "2010", "ongoing") for n in range(2)
    ] * 2

    def ids(known_by: str) -> set[str]:
        random.Random(known_by).shuffle(rows)
        path = written(tmp_path, rows)
        write_base(
            tmp_path / "base", [open_source(str(path))], known_by=Date.parse(known_by), inverted=InversionPolicy.KEEP
        )
        set_relations(tmp_path / "base", {"manager": {"one_at_a_time": True}})
        found = find_problems(FactStore(tmp_path / "base"), problems=PROBLEMS)
        assert len(set(found["id"].to_pylist())) == found.num_rows > 20
        return set(found["id"].to_pylist())

    assert ids("2024-01-01") == ids("2024-12-31")


def test_what_is_noted_as_fine_is_left_out_and_outlives_mining_again(tmp_path: Path) -> None:
    rows = [*leases(), ("flat 7", "let to", "tenant x", "2001-04-01", "2002-04-01")]
    store = base_of(tmp_path, rows)
    [row] = find_problems(store, problems=["two-holders"]).to_pylist()
    set_fine(store.folder, {row["id"]: "sublet"})
    again = base_of(tmp_path, [*rows, ("flat 8", "let to", "tenant y", "2022", "2023")])
    assert _found(again, "two-holders") == []
    [noted] = find_problems(again, problems=["two-holders"], with_fine=True).to_pylist()
    assert (noted["id"], noted["fine"]) == (row["id"], "sublet")
    set_fine(store.folder, {row["id"]: None})
    assert len(_found(FactStore(store.folder), "two-holders")) == 1


def test_problems_of_one_subject_or_relation(tmp_path: Path) -> None:
    rows = [("A B", "r", "o", "2001-01-01", "2003-01-01"), ("A B", "r", "o", "2002-01-01", "2004-01-01")]
    rows += [("b, a", "r", "o", "2001-01-01", "2003-01-01"), ("C", "q", "o", "2001-01-01", "2001-01-01")] * 2
    store = base_of(tmp_path, rows)
    both = {("overlapping", "A B", "o"), ("alike-names", "A B", "b, a")}
    assert set(_found(store, subject="A B")) == both
    assert set(_found(store, subject="b, a")) == {("repeated", "b, a", "o"), ("alike-names", "A B", "b, a")}
    assert set(_found(store, relation="q")) == {("repeated", "C", "o")}
