"""What a name means is left to the facts: one of several has such a fact, or all have, and then they are listed."""

from pathlib import Path

import pytest

from asof.facts import FactStore, write_base
from asof.reading.ask.answer import Status
from asof.reading.ask.evaluate import evaluate
from asof.reading.ask.query import Lookup, YesNo
from asof.sources import open_source
from tests.conftest import KNOWN_BY
from tests.reading.ask.conftest import TODAY, Asking

NYX = "Harbour of Nyx"


@pytest.fixture
def named(tmp_path: Path) -> Asking:
    """A country and a player of one name; two towns of another."""
    header = "subject\tsubject_label\trelation\tobject\tobject_label\tstart\tend"
    rows = [
        ("q1", "Jordan", "capital", "q2", "Amman", "1950", "ongoing"),
        ("q3", "Jordan", "team", "q4", "Bulls", "1984", "1998"),
        ("q5", "Elm", "mayor", "q8", "Ann Lee", "2000", "2004"),
        ("q6", "Elm", "mayor", "q7", "Bo Lee", "2001", "2003"),
    ]
    (tmp_path / "t.tsv").write_text("\n".join([header, *("\t".join(row) for row in rows)]) + "\n", encoding="utf-8")
    write_base(tmp_path / "base", [open_source(str(tmp_path / "t.tsv"))], known_by=KNOWN_BY)
    return Asking(FactStore(tmp_path / "base"))


def test_the_facts_tell_which_of_a_name_is_meant(named: Asking) -> None:
    assert named.texts("lookup", "capital", subject="Jordan", when="1990") == ["Amman"]
    assert named.texts("lookup", "team", subject="jordan", when="1990") == ["Bulls"]


def test_where_they_do_not_tell_the_candidates_are_listed(named: Asking) -> None:
    answer = named("lookup", "mayor", subject="Elm", when="2002")
    assert answer.status is Status.AMBIGUOUS and answer.unclear == "Elm"
    assert {one.id for one in answer.candidates} == {"q5", "q6"}
    query = Lookup(relation="mayor", subject="Elm", when="2002")
    chosen = evaluate(query, named.store, today=TODAY, entities=["q6"])
    assert chosen.texts == ["Bo Lee"] and chosen.entities == ("q6",)
    assert named.texts("lookup", "mayor", subject="q5") == ["Ann Lee"], "an id is never unclear"
    pair = YesNo(relation="mayor", subject="Elm", object="Bo Lee", when="2002")
    assert evaluate(pair, named.store, today=TODAY).texts == ["yes"], "the other end tells"


def test_a_last_name_is_enough_where_one_fits(named: Asking, harbour: Asking) -> None:
    assert named.texts("lookup", "team", subject="Jordan", object="Bulls") == ["Bulls"]
    assert harbour.texts("lookup", "harbour master", object="Salt") == [NYX]
    unclear = harbour("lookup", "harbour master", object="Reed")
    assert unclear.status is Status.AMBIGUOUS and {one.id for one in unclear.candidates} == {"Bo Reed", "Eli Reed"}
    after = {"pick": "neighbour", "side": "after", "of": "Reed"}
    assert harbour.texts("lookup", "harbour master", subject=NYX, which=after) == ["Cy Salt"]
    assert harbour.texts("yes-no", "harbour master", subject=NYX, object="Reed", when="2005") == ["yes"]


def test_case_and_accents_do_not_matter(harbour: Asking) -> None:
    assert harbour.texts("lookup", "partner", subject="kim odell") == ["Ada Quill"]
    assert harbour.texts("lookup", "harbour master", subject="HARBOUR OF NYX", when="2005") == ["Bo Reed"]


def test_an_unknown_name_gets_a_guess(harbour: Asking) -> None:
    answer = harbour("lookup", "harbour master", subject="Harbor of Nyx")
    assert answer.status is Status.UNKNOWN and [one.label for one in answer.candidates] == [NYX]
    assert "has nothing called 'Harbor of Nyx'" in answer.notes[0]
    nothing = harbour("lookup", "crane", subject="Bo Reed")
    none, known = nothing.notes
    assert none == "base1 has no fact of 'crane' about 'Bo Reed'."
    assert known.startswith("It has facts with 'Bo Reed' as object of: harbour master. See: asof facts --base ")
    assert known.endswith("base1 --object 'Bo Reed'")


def test_the_answer_says_how_it_was_read(harbour: Asking) -> None:
    answer = harbour("lookup", "harbour master", subject=NYX, when="2005")
    assert answer.read_as == {
        "kind": "which", "subject": NYX, "relation": "harbour master", "when": "2005 (2005-01-01..2005-12-31)",
        "words": "who or what was 'harbour master' of 'Harbour of Nyx' in the time '2005'",
    }  # fmt: skip
    assert answer.query == {"ask": "lookup", "relation": "harbour master", "subject": NYX, "when": "2005"}
    assert answer.question == answer.read_as["words"] and str(answer.known_to) == "2024-12-31"
