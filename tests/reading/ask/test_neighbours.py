"""Right before and after, all on one side, between two; by time, also where one overlaps the next."""

from typing import Any

import pytest

from asof.reading.ask.answer import Holds, Status
from tests.reading.ask.conftest import Asking, BaseOf

NYX = "Harbour of Nyx"


def beside(side: str, of: str | None = None, **more: Any) -> dict[str, Any]:
    return {"pick": "neighbour", "side": side} | ({"of": of} if of else {}) | more


@pytest.mark.parametrize(
    ("which", "texts"),
    [
        (beside("before", "Bo Reed"), ["Ada Quill"]),
        (beside("after", "Bo Reed"), ["Cy Salt"]),
        (beside("before", "Ada Quill"), ["Cy Salt"]),  # the second time; nobody is known before the first
        (beside("after", "Ada Quill"), ["Bo Reed", "Dee Tarn"]),  # each time
        (beside("before", "Cy Salt", all=True), ["Ada Quill", "Bo Reed"]),
        (beside("after", "Bo Reed", until="Dee Tarn"), ["Cy Salt", "Ada Quill"]),
        (beside("after", "Dee Tarn", until="Bo Reed"), ["Cy Salt", "Ada Quill"]),
        (beside("before", "Dee Tarn", count=2), ["Cy Salt", "Ada Quill"]),
        (beside("before"), ["Ada Quill"]),  # before whoever holds it today
        (beside("after", "Dee Tarn"), []),
    ],
)
def test_beside_another(harbour: Asking, which: dict[str, Any], texts: list[str]) -> None:
    assert harbour.texts("lookup", "harbour master", subject=NYX, which=which) == texts


def test_without_a_place_the_timelines_of_the_name_are_meant(harbour: Asking) -> None:
    assert harbour.texts("lookup", "harbour master", which=beside("after", "Bo Reed")) == ["Cy Salt", "Eli Reed"]
    assert harbour.texts("lookup", "harbour master", object="Bo Reed", which=beside("after", NYX)) == ["Port Æon"]


def test_overlapping_neighbours_and_shared_offices(base_of: BaseOf) -> None:
    rows = [
        ("Duo", "lead", "A", "2000-01-01", "2004-12-31"), ("Duo", "lead", "B", "2000-01-01", "2006-12-31"),
        ("Duo", "lead", "C", "2005-01-01", "2010-12-31"), ("Duo", "lead", "D", "2007-01-01", "2012-12-31"),
        ("Lira", "coin", "old", "1900", "2002-02-28"), ("Lira", "coin", "new", "1999-01-01", "ongoing"),
    ]  # fmt: skip
    asked = Asking(base_of(rows))
    assert asked.texts("lookup", "lead", subject="Duo", which=beside("after", "A")) == ["C"]
    assert asked.texts("lookup", "lead", subject="Duo", which=beside("before", "D")) == ["B"]
    assert asked.texts("lookup", "coin", subject="Lira", which=beside("after", "old")) == ["new"]
    assert asked.texts("lookup", "coin", subject="Lira", which=beside("before", "new")) == ["old"]


def test_a_gap_of_years_makes_it_only_possible_where_a_place_is_seldom_empty(base_of: BaseOf) -> None:
    asked = Asking(base_of([("X", "tenant", "A", "1900", "1905"), ("X", "tenant", "B", "1950", "1960")]))
    after = {"subject": "X", "which": beside("after", "A")}
    assert asked.texts("lookup", "tenant", **after) == ["B"]
    asked.means("tenant", kind="office")
    (item,) = asked("lookup", "tenant", **after).items
    assert item.holds is Holds.POSSIBLY and item.evidence[0].why == "nothing is known of the time between"


def test_when_and_whether_somebody_came_next(harbour: Asking) -> None:
    pair = {"subject": NYX, "object": "Cy Salt", "which": beside("after", "Bo Reed")}
    assert harbour.texts("when", "harbour master", **pair, event="start") == ["2011-01-01"]
    assert harbour.texts("yes-no", "harbour master", **pair) == ["yes"]
    other = harbour("yes-no", "harbour master", **pair | {"object": "Dee Tarn"})
    assert other.texts == ["no"] and [one.fact.object for one in other.near] == ["Cy Salt"]
    nobody = harbour("yes-no", "harbour master", **pair | {"object": "Bo Reed", "which": beside("after", "Dee Tarn")})
    assert nobody.status is Status.UNKNOWN, "that nobody is known does not mean that it was not he"


def test_a_neighbour_who_is_not_there(harbour: Asking) -> None:
    answer = harbour("lookup", "harbour master", subject=NYX, which=beside("after", "Nobody At All"))
    assert answer.status is Status.UNKNOWN and "right after Nobody At All" in answer.notes[0]
