"""Times that other facts tell: while, when it began or ended, before and after it."""

from typing import Any

import pytest

from tests.reading.ask.conftest import Asking

NYX = "Harbour of Nyx"
BO = {"relation": "harbour master", "subject": NYX, "object": "Bo Reed"}  # 2003-06-01 to 2010-12-31


@pytest.mark.parametrize(
    ("moment", "texts"),
    [
        ("whole", ["Mo Finch", "Jo Lark"]), ("start", ["Mo Finch", "Jo Lark"]), ("end", ["Jo Lark"]),
        ("before", ["Al Wren", "Mo Finch", "Jo Lark"]), ("after", ["Jo Lark", "Mo Finch"]),
        ("after start", ["Mo Finch", "Jo Lark"]), ("before end", ["Al Wren", "Mo Finch", "Jo Lark"]),
        ("day before", ["Mo Finch", "Jo Lark"]), ("day after", ["Jo Lark"]),
    ],
)  # fmt: skip
def test_the_moments_of_a_fact(harbour: Asking, moment: str, texts: list[str]) -> None:
    when = {"facts": BO, "moment": moment}
    assert set(harbour("lookup", "singer", subject="Low Choir", when=when).texts) == set(texts)


def test_a_time_within_a_time(harbour: Asking) -> None:
    while_bo = {"facts": BO | {"when": "2005"}}
    assert harbour.texts("lookup", "winner", subject="Rook Prize", when=while_bo) == []
    crane: dict[str, Any] = {"facts": {"relation": "crane", "subject": NYX, "object": "Red Betty", "when": while_bo}}
    assert harbour.texts("lookup", "harbour master", subject=NYX, when=crane) == ["Bo Reed"]


def test_an_end_that_is_left_open_is_that_of_the_query(harbour: Asking) -> None:
    """Bo Reed was the master of two harbours: of that which the query names, if it names one."""
    when = {"facts": {"relation": "harbour master", "object": "Bo Reed"}}
    assert harbour.texts("lookup", "crane", subject=NYX, when=when) == ["Red Betty", "Lift 9"]


def test_facts_that_are_not_known_tell_no_time(harbour: Asking) -> None:
    when = {"facts": BO | {"object": "Nobody"}}
    answer = harbour("lookup", "crane", subject=NYX, when=when)
    assert answer.texts == [] and "no days of it are known" in answer.notes[0]


def test_the_first_of_a_time(harbour: Asking) -> None:
    which = {"pick": "ordered", "order": 1}
    assert harbour.texts("lookup", "harbour master", subject=NYX, when="since 2005", which=which) == ["Bo Reed"]
    assert harbour.texts("count", "harbour master", subject=NYX, when="since 2005") == ["4"]
