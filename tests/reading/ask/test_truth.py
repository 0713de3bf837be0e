"""Yes, for a part, possibly; and no, but only where the base would know."""

from asof.reading.ask.answer import Holds, Status
from tests.reading.ask.conftest import Asking

NYX = "Harbour of Nyx"


def test_yes_and_for_a_part_and_possibly(harbour: Asking) -> None:
    crane = {"subject": NYX, "object": "Old Tom"}
    assert harbour.texts("yes-no", "crane", **crane, when="1980") == ["yes"]
    assert harbour.texts("yes-no", "crane", **crane, when="1985-1995") == ["yes, for a part of that time"]
    assert harbour.texts("yes-no", "crane", **crane, when="1990-06") == ["possibly?"]
    assert harbour.texts("yes-no", "crane", **crane) == ["yes"]
    assert harbour.texts("yes-no", "crane", subject=NYX, when="1960") == ["yes"], "was there one at all"


def test_no_where_it_was_so_at_another_time(harbour: Asking) -> None:
    answer = harbour("yes-no", "crane", subject=NYX, object="Old Tom", when="2000")
    assert answer.texts == ["no"] and [one.fact.object for one in answer.near] == ["Old Tom"]


def test_no_where_another_had_that_place(harbour: Asking) -> None:
    (item,) = harbour("yes-no", "owner", subject="Old Keep", object="Bo Reed", when="1200").items
    assert (item.text, item.holds) == ("no", Holds.WHOLE)
    assert [one.fact.object for one in item.evidence] == ["The Crown"]


def test_unknown_where_others_could_have_it_too(harbour: Asking) -> None:
    for asked in (
        {"relation": "crane", "subject": NYX, "object": "Bo Reed", "when": "1980"},  # many cranes at a time
        {"relation": "owner", "subject": "Old Keep", "object": "Bo Reed", "when": "0800"},  # nobody known then
        {"relation": "owner", "subject": "Old Keep", "object": "A Stranger", "when": "1200"},  # nobody of this name
        {"relation": "owner", "subject": "Old Keep", "object": "Bo Reed"},  # no time
        {"relation": "harbour master", "subject": NYX, "object": "Dee Tarn", "when": "2030"},  # not yet
        {"relation": "harbour master", "subject": NYX, "when": "1990"},  # nobody known then
    ):
        assert harbour("yes-no", **asked).status is Status.UNKNOWN, asked


def test_a_complete_timeline_knows_that_nobody_was(harbour: Asking) -> None:
    assert harbour.texts("yes-no", "owner", subject="Old Keep", when="0800") == []
    harbour.means("owner", complete=True)
    harbour.means("crane", complete=True)
    assert harbour.texts("yes-no", "owner", subject="Old Keep", when="0800") == ["no"]
    assert harbour.texts("yes-no", "owner", subject="Old Keep", object="Bo Reed", when="0800") == ["no"]
    assert harbour.texts("yes-no", "owner", subject="Old Keep", when="1800") == [], "after the last that is known"
    answer = harbour("yes-no", "crane", subject=NYX, object="Bo Reed", when="1980")
    assert answer.texts == ["no"] and [one.fact.object for one in answer.near] == ["Old Tom", "Red Betty"]


def test_what_is_only_proposed_is_said(harbour: Asking) -> None:
    harbour.means("owner", proposed=("one_at_a_time",))
    answer = harbour("yes-no", "owner", subject="Old Keep", object="Bo Reed", when="1200")
    assert answer.texts == ["no"] and "confirmed by nobody" in answer.notes[0]


def test_whether_it_was_the_first(harbour: Asking) -> None:
    first = {"pick": "ordered", "order": 1}
    asked = {"relation": "harbour master", "subject": NYX, "which": first}
    yes = harbour("yes-no", object="Ada Quill", **asked)
    assert yes.texts == ["yes"] and yes.hedge == "the first known here"
    assert harbour("yes-no", object="Cy Salt", **asked).texts == ["no"]
    third = harbour("yes-no", object="Bo Reed", **asked | {"which": {"pick": "ordered", "order": 3}})
    assert third.status is Status.UNKNOWN, "others may have come before"
