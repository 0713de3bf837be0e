"""Rows of many facts at once are the rows of each."""

from collections.abc import Callable
from dataclasses import asdict

import pytest

from asof.facts import FactStore
from asof.facts.row import fact_row
from asof.facts.row_table import rows_table
from asof.timeline import parse_when

ODD = [
    ("Rome", "leader", "Caesar", "-0048", "-0043"),
    ("Rome", "leader", "Nobody", "", ""),
    ("Rome", "leader", "Somebody", "1990s", "2001-02-03"),
    ("Rome", "leader", "Another", "2021", "ongoing"),
    ("Rome", "leader", "Third", "unknown", "2020-05"),
]


@pytest.mark.parametrize("when", [None, "2021", "2021-02-13", "1995", "-0045", "2030"])
def test_of_the_almanac_and_of_odd_facts(
    when: str | None, almanac: FactStore, base_of: Callable[..., FactStore]
) -> None:
    for store in (almanac, base_of(ODD)):
        on = None if when is None else parse_when(when)
        found = store.facts(limit=5000)  # also such as do not hold then
        table = rows_table(found.table, known_to=store.known_by, on=on)
        assert table.to_pylist() == [asdict(fact_row(fact, known_to=store.known_by, on=on)) for fact in found]
