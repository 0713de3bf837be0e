"""What facts suggest of relations: found where it is so but for a few errors, never where all is by chance."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from asof.facts.proposed import LEAST, evidence_in
from tests.foreign_bases import Row, base_of, both_ways, by_chance, day, successions


def _proposed(folder: Path, rows: list[Row]) -> dict[str, dict[str, object]]:
    relations = base_of(folder, rows).relations.values()
    return {one.id: {name: getattr(one, name) for name in one.proposed} for one in relations}


def test_nothing_is_proposed_of_relations_whose_facts_are_drawn_by_chance(tmp_path: Path) -> None:
    chance = np.random.default_rng(20)
    rows = [row for number in range(120) for row in by_chance(chance, f"r{number}")]
    proposed = _proposed(tmp_path, rows)
    assert len(proposed) == 120
    assert not any(proposed.values()), proposed


@pytest.mark.parametrize("precision", ["day", "month", "year"])
def test_holders_who_follow_each_other_are_found_in_spite_of_errors(tmp_path: Path, precision: str) -> None:
    chance = np.random.default_rng(21)
    sizes = {f"r{number}": size for number, size in enumerate((100, 200, 400) * 10)}
    rows = [
        row for name, size in sizes.items() for row in successions(chance, name, size, wrong=0.01, precision=precision)
    ]
    proposed = _proposed(tmp_path, rows)
    assert [said for said in proposed.values() if said == {"one_at_a_time": True}] == [{"one_at_a_time": True}] * 30


def test_the_evidence_counts_what_speaks_against_it(tmp_path: Path) -> None:
    rows = [
        (f"s{n}", "boss", f"b{n}.{k}", f"{1950 + 5 * k}", f"{1955 + 5 * k}") for n, k in product(range(50), range(9))
    ]
    rows += [("s1", "boss", "x", "1976-02", "1984"), ("s2", "boss", "y", "1976-02", "1984")]
    [evidence] = evidence_in(base_of(tmp_path, rows))
    assert (evidence.meaning, evidence.value, evidence.cases - evidence.fits) == ("one_at_a_time", True, 4)
    assert evidence.in_words == "398 of 402 began when the one before had ended; 4 overlap"


def test_too_few_successions_prove_nothing(tmp_path: Path) -> None:
    def rows(successors: int) -> list[Row]:
        return [("s", "boss", f"b{k}", day(1000 * k), day(1000 * (k + 1))) for k in range(successors + 1)]

    (tmp_path / "few").mkdir()
    assert _proposed(tmp_path / "few", rows(LEAST - 1)) == {"boss": {}}
    assert _proposed(tmp_path, rows(LEAST)) == {"boss": {"one_at_a_time": True}}


def test_awards_of_a_year_say_nothing_of_one_at_a_time(tmp_path: Path) -> None:
    rows = [(f"s{n}", "won", f"prize {k}", f"{1950 + k}", f"{1950 + k}") for n, k in product(range(20), range(20))]
    assert _proposed(tmp_path, rows) == {"won": {}}


def test_pairs_that_stand_both_ways_are_symmetric_or_inverse_in_spite_of_errors(tmp_path: Path) -> None:
    chance = np.random.default_rng(22)
    rows = both_ways(chance, "married to", "married to", 60, missing=0.03)
    rows += both_ways(chance, "leads", "led by", 60, missing=0.03)
    rows += both_ways(chance, "praises", "scolds", 60, missing=0.6)
    rows += both_ways(chance, "few", "fewer", 20)
    assert _proposed(tmp_path, rows) == {
        "married to": {"symmetric": True}, "leads": {"inverse": "led by"}, "led by": {"inverse": "leads"},
        "praises": {}, "scolds": {}, "few": {}, "fewer": {},
    }  # fmt: skip


def test_pairs_that_meet_because_everything_is_paired_with_everything_are_no_inverse(tmp_path: Path) -> None:
    teams = [f"team {number}" for number in range(12)]
    rows = [(one, said, other, "2001", "2002") for said in ("beats", "envies") for one, other in product(teams, teams)]
    assert _proposed(tmp_path, [row for row in rows if row[0] != row[2]]) == {"beats": {}, "envies": {}}


def test_what_a_source_says_is_not_proposed(tmp_path: Path) -> None:
    rows = [(f"Q{n}", "P26", f"Q{n + 1000}", "1999", "2004") for n in range(60)]
    rows += [(f"Q{n + 1000}", "P26", f"Q{n}", "1999", "2004") for n in range(60)]
    relation = base_of(tmp_path, rows).relations["P26"]
    assert relation.symmetric and relation.proposed == ()
