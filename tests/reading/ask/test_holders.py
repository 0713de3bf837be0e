"""Who held what when, at either end: whole times and parts, years alone, years before Christ, what is only possible."""

import pytest

from asof.errors import UserError
from asof.reading.ask.answer import Holds, Status
from tests.reading.ask.conftest import Asking

NYX = "Harbour of Nyx"


@pytest.mark.parametrize(
    ("when", "texts"),
    [
        ("2005", ["Bo Reed"]),
        ("2003-05", ["Ada Quill"]),
        ("2003", ["Ada Quill", "Bo Reed"]),
        ("2014-06", ["Cy Salt?", "Ada Quill?"]),  # one left and one came in 2014, nobody knows when
        ("2015-2016", ["Ada Quill"]),
        ("before 2000", ["Ada Quill"]),
        (["2003", "since June 2003"], ["Bo Reed"]),
        ("2024", ["Dee Tarn"]),
        ("today", ["Dee Tarn?"]),  # known up to the end of 2024
        ("2030", []),
        ("1990", []),
    ],
)
def test_who_held_it_then(harbour: Asking, when: str | list[str], texts: list[str]) -> None:
    assert harbour.texts("lookup", "harbour master", subject=NYX, when=when) == texts


def test_a_part_of_the_time_is_told_from_the_whole(harbour: Asking) -> None:
    items = harbour("lookup", "harbour master", subject=NYX, when="2003").items
    assert [item.holds for item in items] == [Holds.PART, Holds.PART]
    (item,) = harbour("lookup", "harbour master", subject=NYX, when="2005").items
    assert item.holds is Holds.WHOLE and [str(one.fact.start) for one in item.evidence] == ["2003-06-01"]


@pytest.mark.parametrize(
    ("when", "texts"),
    [("100 BC", ["House of Ur"]), ("44 BC", ["House of Ur", "Priests of An"]), ("10", ["Priests of An"]), ("500", [])],
)
def test_before_christ_and_small_years(harbour: Asking, when: str, texts: list[str]) -> None:
    when = f"AD {when}" if when == "10" else when
    assert harbour.texts("lookup", "owner", subject="Old Keep", when=when) == texts


def test_where_nothing_is_known_the_nearest_is_shown(harbour: Asking) -> None:
    answer = harbour("lookup", "owner", subject="Old Keep", when="500")
    assert answer.status is Status.UNKNOWN
    assert [one.fact.object for one in answer.near] == ["Priests of An", "The Crown"]
    ahead = harbour("lookup", "harbour master", subject=NYX, when="2030")
    assert "after today, 2025-03-01" in ahead.notes[0]


def test_from_the_other_end(harbour: Asking) -> None:
    assert harbour.texts("lookup", "harbour master", object="Bo Reed") == [NYX, "Port Æon"]
    assert harbour.texts("lookup", "harbour master", object="Bo Reed", when="2013") == ["Port Æon"]
    assert harbour.texts("lookup", "^harbour master", subject="Bo Reed", when="2013") == ["Port Æon"]


def test_neither_end(harbour: Asking) -> None:
    assert harbour.texts("lookup", "harbour master", when="2013") == ["Cy Salt", "Bo Reed"]
    assert harbour.texts("lookup", "harbour master", wanted="subject", when="2013") == [NYX, "Port Æon"]


def test_several_names_relations_and_which_of_these(harbour: Asking) -> None:
    assert harbour.texts("lookup", "harbour master", subject=[NYX, "Port Æon"], when="2013") == ["Cy Salt", "Bo Reed"]
    both = ["crane", "harbour master"]
    assert harbour.texts("lookup", both, subject=NYX, when="2000") == ["Red Betty", "Lift 9", "Ada Quill"]
    of_these = {"subject": NYX, "object": ["Bo Reed", "Cy Salt"], "wanted": "object"}
    assert harbour.texts("lookup", "harbour master", **of_these, when="2012") == ["Cy Salt"]
    assert harbour.texts("lookup", "crane", subject=NYX, besides="Old Tom") == ["Red Betty", "Lift 9"]


@pytest.mark.parametrize(
    ("event", "when", "texts"),
    [
        ("start", "2010s", ["Cy Salt", "Ada Quill", "Dee Tarn"]), ("end", "2003", ["Ada Quill"]),
        ("start", "2014-03", ["Ada Quill?"]), ("end", None, ["Ada Quill", "Bo Reed", "Cy Salt"]),
        ("start", "2004", []),
    ],
)  # fmt: skip
def test_what_began_or_ended_then(harbour: Asking, event: str, when: str | None, texts: list[str]) -> None:
    said = {} if when is None else {"when": when}
    assert harbour.texts("lookup", "harbour master", subject=NYX, event=event, **said) == texts


def test_what_is_one_to_another_is_so_both_ways(harbour: Asking) -> None:
    assert harbour.texts("lookup", "partner", subject="Zed Vole") == ["Ada Quill", "Nan Oak"]
    assert harbour.texts("lookup", "partner", object="Zed Vole") == ["Ada Quill", "Nan Oak"]
    harbour.means("partner", symmetric=None)
    assert harbour.texts("lookup", "partner", subject="Zed Vole") == ["Ada Quill", "Nan Oak"], "its name tells"
    harbour.means("partner", symmetric=False)
    assert harbour.texts("lookup", "partner", subject="Zed Vole") == ["Nan Oak"], "the base says that it is not"


def test_the_inverse_answers_where_a_relation_has_nothing(base_of: object) -> None:
    asked = Asking(base_of([("Ann", "mentor of", "Bo", "2001", "2003"), ("Cy", "pupil of", "Ann", "2005", "2006")]))  # type: ignore[operator]
    asked.means("pupil of", inverse="mentor of")
    assert asked.texts("lookup", "pupil of", subject="Bo", when="2002") == ["Ann"]
    assert asked.texts("lookup", "pupil of", subject="Cy") == ["Ann"]


def test_what_cannot_be_asked_says_what_to_mend(harbour: Asking) -> None:
    with pytest.raises(UserError, match=r"has no relation 'harbor mastr'[.] Did you mean 'harbour master'"):
        harbour("lookup", "harbor mastr", subject=NYX)
    with pytest.raises(UserError, match="'soon' is not a valid date"):
        harbour("lookup", "harbour master", subject=NYX, when="soon")
    with pytest.raises(UserError, match="No day is '2003' and '2005' at once"):
        harbour("lookup", "harbour master", subject=NYX, when=["2003", "2005"])
