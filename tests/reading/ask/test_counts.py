"""First, last and third; how many and how often; how long; the longest; which of two. A base may lack some."""

from typing import Any

import pytest

from asof.reading.ask.answer import Status
from tests.reading.ask.conftest import Asking, BaseOf

NYX = "Harbour of Nyx"


@pytest.mark.parametrize(
    ("which", "texts"),
    [
        ({"order": 1}, ["Ada Quill"]), ({"order": 2}, ["Bo Reed"]), ({"order": -1}, ["Dee Tarn"]),
        ({"order": -2}, ["Ada Quill"]), ({"order": 9}, []), ({"order": 1, "count": 2}, ["Ada Quill", "Bo Reed"]),
        ({"order": -1, "count": 2}, ["Ada Quill", "Dee Tarn"]), ({"order": 4, "count": 0}, ["Ada Quill", "Dee Tarn"]),
    ],
)  # fmt: skip
def test_the_place_in_the_order_of_time(harbour: Asking, which: dict[str, int], texts: list[str]) -> None:
    answer = harbour("lookup", "harbour master", subject=NYX, which={"pick": "ordered"} | which)
    assert answer.texts == texts
    assert answer.complete is (False if texts else None) and bool(answer.hedge) is bool(texts)


def test_what_the_dates_do_not_tell_is_possible_or_unknown(base_of: BaseOf) -> None:
    asked = Asking(base_of([("X", "head", "A", "1900", "1905"), ("X", "head", "B", "1900", "1910")]))
    assert asked.texts("lookup", "head", subject="X", which={"pick": "ordered", "order": 1}) == ["A?", "B?"]
    assert asked.texts("lookup", "head", subject="X", which={"pick": "ordered", "order": 2}) == []


def test_a_complete_timeline_needs_no_hedge(base_of: BaseOf) -> None:
    asked = Asking(base_of([("X", "head", "A", "1900", "1905"), ("X", "head", "B", "1905", "1910")]))
    asked.means("head", complete=True)
    second = asked("lookup", "head", subject="X", which={"pick": "ordered", "order": 2})
    assert (second.texts, second.complete) == (["B"], False), "somebody may have come before the first one known"


@pytest.mark.parametrize(
    ("most", "texts"), [("longest", ["Ada Quill"]), ("shortest", ["Cy Salt"]), ("most often", ["Ada Quill"])]
)
def test_extremes_count_all_times_of_one_together(harbour: Asking, most: str, texts: list[str]) -> None:
    which = {"pick": "extreme", "most": most}
    assert harbour.texts("lookup", "harbour master", subject=NYX, which=which) == texts


def test_answers_and_times_are_counted_apart(harbour: Asking) -> None:
    assert harbour.texts("count", "harbour master", subject=NYX) == ["4"]
    assert harbour.texts("count", "harbour master", subject=NYX, what="times") == ["5"]
    assert harbour.texts("count", "harbour master", subject=NYX, object="Ada Quill") == ["2"]
    assert harbour.texts("count", "winner", subject="Rook Prize", object="Mo Finch") == ["2"]
    assert harbour.texts("count", "harbour master", subject=NYX, when="2014-06") == ["2?"]


def test_terms_that_touch_are_one_but_not_prizes(harbour: Asking) -> None:
    pair = {"subject": "Low Choir", "object": "Mo Finch"}
    assert harbour.texts("duration", "singer", **pair) == ["7.0 years", "181 days"]
    assert harbour.texts("when", "singer", **pair) == [
        "2001-01-01..2004-12-31", "2005-01-01..2007-12-31", "2012-01-01..2012-06-30",
    ]  # fmt: skip
    assert len(harbour.texts("duration", "winner", subject="Rook Prize", object="Mo Finch")) == 2
    ongoing = harbour.texts("duration", "harbour master", subject=NYX, object="Dee Tarn")
    assert ongoing == ["5.8 years up to today, if it still holds"]
    assert harbour.texts("duration", "harbour master", subject=NYX, object="Cy Salt") == [
        "between 3.0 years and 4.0 years"
    ]
    assert harbour.texts("duration", "singer", subject="Low Choir", object="Al Wren") == ["unknown"]


def test_when_it_began_and_ended(harbour: Asking) -> None:
    pair: dict[str, Any] = {"subject": NYX, "object": "Ada Quill"}
    assert harbour.texts("when", "harbour master", **pair) == ["1998..2003-05-31", "2014..2019-04-30"]
    assert harbour.texts("when", "harbour master", **pair, event="start") == ["1998", "2014"]
    assert harbour.texts("when", "harbour master", **pair, event="end") == ["2003-05-31", "2019-04-30"]
    assert harbour("when", "harbour master", subject=NYX, object="Dee Tarn", event="end").status is Status.UNKNOWN
    assert harbour.texts("when", "owner", subject="Old Keep", object="Priests of An") == ["-0044-03-15..0017"]


def test_which_of_two(harbour: Asking) -> None:
    def two(by: str, one: str, other: str, **more: Any) -> list[str]:
        pair = ({"relation": "harbour master", "subject": NYX, "object": name} for name in (one, other))
        return harbour.texts("compare", one=next(pair), other=next(pair), by=by, **more)

    assert two("longer", "Bo Reed", "Cy Salt") == ["Bo Reed"]
    assert two("shorter", "Bo Reed", "Cy Salt") == ["Cy Salt"]
    assert two("earlier", "Bo Reed", "Cy Salt") == ["Bo Reed"] and two("later", "Bo Reed", "Cy Salt") == ["Cy Salt"]
    assert two("more often", "Bo Reed", "Ada Quill") == ["Ada Quill"]
    assert two("longer", "Bo Reed", "Cy Salt", yes_no=True) == ["yes"]
    assert two("longer", "Cy Salt", "Bo Reed", yes_no=True) == ["no"]
    assert two("longer", "Bo Reed", "Nobody") == []
