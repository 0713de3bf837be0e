"""Documents, candidates and which time belongs to which."""

import gzip
import json
from pathlib import Path

import pytest

from asof.benchmarks.timeqa.parts import part_of
from asof.cli import asof
from asof.errors import UserError
from asof.reading.candidates import find_candidates
from asof.reading.documents import Document
from asof.reading.index import NONE, DocumentIndex
from asof.reading.questions import read_questions

PAGE = """The club was founded in 1973 .
Managers
- Ann Lee ( 1973–1981 )
- 1981-1985 - Bo Ek
History
In 1990 , Maj . Cy Fox joined Acme F.C . in Oslo , Norway . Two years later he became director of the Dome .
"""


def test_plain_text_becomes_sections_and_entries() -> None:
    page = Document.from_text(PAGE, title="Club")
    assert [(one.section, one.entry) for one in page.paragraphs] == [
        ("Club", False),
        ("Managers", True),
        ("Managers", True),
        ("History", False),
    ]
    assert [page.text_of(one) for one in page.sentences][-2:] == [
        "In 1990 , Maj . Cy Fox joined Acme F.C . in Oslo , Norway .",
        "Two years later he became director of the Dome .",
    ]


def test_an_empty_document_has_nothing() -> None:
    for text in ("", " \n\n\t"):
        page = Document.from_text(text)
        assert page.sentences == [] and find_candidates(page) == [] and page.words == 0


def test_candidates_are_where_they_say() -> None:
    page = Document.from_text(PAGE, title="Club")
    found = find_candidates(page)
    for one in found:
        paragraph = page.paragraphs[page.sentences[one.sentence].paragraph]
        assert paragraph.text[one.start : one.end] == one.text
    texts = {one.text for one in found}
    assert {"Ann Lee", "Bo Ek", "Cy Fox", "Maj . Cy Fox", "Oslo , Norway", "Oslo", "director", "Dome"} <= texts
    assert "director of the Dome" in texts and "In" not in texts


def test_names_keep_what_stands_in_parentheses_and_places_end_where_another_name_begins() -> None:
    page = Document.from_text("Ann Lee ( Ap ) was born in Lund County , Ohio to Bo Ek ( 1778-1820 ) .", title="Ann")
    texts = {one.text for one in find_candidates(page)}
    assert {"Ann Lee ( Ap )", "Ann Lee", "Lund County , Ohio", "Bo Ek"} <= texts
    assert not any("1778" in text for text in texts)


def test_a_name_ends_where_it_is_told_in_which_place_it_stands() -> None:
    page = Document.from_text("He left Saint Ann School in Oslo for the College of Arts at Lund .", title="Ann")
    found = {one.text: one for one in find_candidates(page)}
    assert found["Saint Ann School"].whole and found["Oslo"].named
    assert "College of Arts at Lund" in found and not any(" in " in text for text in found)


def test_times_are_attached_and_ends_inferred() -> None:
    index = DocumentIndex(Document.from_text(PAGE, title="Club"))
    place = {one.text: number for number, one in enumerate(index.candidates)}
    interval = lambda which, name: str(index.times[which[place[name]]].time.interval)  # noqa: E731
    assert interval(index.attached.near, "Ann Lee") == "1973..1981"
    assert interval(index.attached.near, "Bo Ek") == "1981..1985"
    assert interval(index.attached.left, "Cy Fox") == "1990..1990"
    assert index.attached.right[place["Cy Fox"]] == NONE
    assert interval(index.attached.near, "director") == "1992..1992"  # two years later
    first, last = (days[place["Cy Fox"]] for days in index.inferred)
    assert (first, last) == (index.first_days[index.attached.left[place["Cy Fox"]]], index.first_days[-1])


def rows(**change: object) -> dict[str, object]:
    text = "Club The club plays . Managers . - Ann Lee ( 1973–1981 ) - 1981-1985 - Bo Ek"
    row = {
        "idx": "/wiki/Club#P286#0",
        "question": "Who managed the club in 1975?",
        "context": text,
        "targets": ["Ann Lee"],
        "from": [36],
        "end": [43],
        "paragraphs": [
            {"title": "Club", "text": " The club plays ."},
            {"title": "Managers", "text": "- Ann Lee ( 1973–1981 ) - 1981-1985 - Bo Ek"},
        ],
    }
    return row | change


def test_published_rows_are_read(tmp_path: Path) -> None:
    with gzip.open(tmp_path / "x.hard.json.gzip", "wt", encoding="utf-8") as file:
        file.write(
            json.dumps(rows())
            + "\n"
            + json.dumps(rows(targets=[""], **{"from": [0], "end": [0]}, idx="/wiki/Club#P286#1"))
            + "\n"
        )
    (tmp_path / "x.easy.json").write_text(json.dumps(rows()) + "\n", encoding="utf-8")
    easy, hard, none = read_questions(tmp_path)
    assert (easy.mode, hard.mode, easy.answers, none.answers) == ("easy", "hard", ("Ann Lee",), ())
    assert (hard.entity, hard.history) == ("/wiki/Club", "/wiki/Club#P286")
    assert [one.text for one in hard.document.paragraphs if one.entry] == ["Ann Lee ( 1973–1981 )", "1981-1985 - Bo Ek"]
    assert hard.document.paragraphs[-1].section == "Managers"


def test_questions_that_do_not_say_where_answers_stand_are_read(tmp_path: Path) -> None:
    row = rows()
    del row["from"], row["end"]  # as in the published dev and test files
    (tmp_path / "test.hard.json").write_text(json.dumps(row) + "\n", encoding="utf-8")
    (one,) = read_questions(tmp_path)
    assert one.answers == ("Ann Lee",) and one.document.paragraphs


def test_headings_inside_a_text_head_what_follows() -> None:
    page = Document.from_sections(
        "Club",
        [
            (
                "History",
                "It was . Rome ( 1990 - 1995 ) . It won ( 3 - 1 ) cups . - Ann Lee ( 1990 ) . He left - ill .",
            ),
            ("Heads", "Former heads : 1 . Cy Fox ( 1967–2015 ) 2 . Di Orr ( 2015–2017 )"),
        ],
    )
    assert [(one.section, one.text, one.entry) for one in page.paragraphs] == [
        ("History", "It was .", False),
        ("Rome ( 1990 - 1995 )", "Rome ( 1990 - 1995 ) .", False),
        ("Rome ( 1990 - 1995 )", "It won ( 3 - 1 ) cups .", False),
        ("Rome ( 1990 - 1995 )", "Ann Lee ( 1990 ) .", True),
        ("Rome ( 1990 - 1995 )", "He left - ill .", False),
        ("Heads", "Former heads :", False),
        ("Heads", "Cy Fox ( 1967–2015 )", True),
        ("Heads", "Di Orr ( 2015–2017 )", True),
    ]
    index = DocumentIndex(page)
    (place,) = [place for place, one in enumerate(index.candidates) if one.text == "cups"]
    assert str(index.times[index.attached.heading[place]].time.interval) == "1990..1995"


@pytest.mark.parametrize("text", ["a" * 50_000, "1 . A " * 9_000, "( - A" * 9_000, "? - " * 9_000, "A . " * 9_000])
def test_a_page_of_nothing_but_marks_keeps_its_letters(text: str) -> None:
    page = Document.from_sections("Page", [("Marks", text)])
    kept = "".join(one.text for one in page.paragraphs)
    assert kept.count("A") + kept.count("a") == text.count("A") + text.count("a")


def test_when_somebody_lived_is_no_time_of_an_office() -> None:
    page = Document.from_text("Heads\n- 1964 - Cy Fox ( 1923–2010 ) , chemist\n- Di Orr ( 1850–1920 )", title="School")
    assert [str(one.time.interval) for one in DocumentIndex(page).times] == ["1964..1964", "1850..1920"]


def test_nothing_learns_from_the_test_part(tmp_path: Path) -> None:
    link = next(link for link in (f"/wiki/Club_{number}" for number in range(99)) if part_of(link) == "test")
    path = tmp_path / "x.easy.json"
    path.write_text(json.dumps(rows(idx=f"{link}#P286#0")) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="no question outside the test part"):
        read_questions(path)
    path.write_text(json.dumps(rows()) + "\n" + json.dumps(rows(idx=f"{link}#P286#0")), encoding="utf-8")
    assert [item.entity for item in read_questions(path)] == ["/wiki/Club"]


def test_a_benchmark_folder_gives_the_questions_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "x.easy.json").write_text(json.dumps(rows()) + "\n", encoding="utf-8")
    for part in (part_of("/wiki/Club"), "train+dev"):
        words = ["build", "timeqa", "--to", str(tmp_path / part), "--set", f"files={tmp_path}", "--set", f"part={part}"]
        asof.main(words, standalone_mode=False)
        (one,), (other,) = read_questions(tmp_path / part), read_questions(tmp_path)
        assert (one.question, one.answers, one.document, one.mode) == (
            other.question, other.answers, other.document, other.mode
        )  # fmt: skip
    with pytest.raises(UserError, match="no facts for timeqa"):
        words = ["build", "timeqa", "--to", str(tmp_path / "none"), "--set", f"files={tmp_path}", "--set", "part=test"]
        asof.main(words, standalone_mode=False)


def test_broken_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no TimeQA questions"):
        read_questions(tmp_path)
    path = tmp_path / "x.easy.json"
    path.write_text(json.dumps(rows()) + "\n{", encoding="utf-8")
    with pytest.raises(UserError, match="is not valid JSON"):
        read_questions(path)
    path.write_text('{"idx": "a"}\n', encoding="utf-8")
    with pytest.raises(UserError, match="line 1 is neither an annotated history"):
        read_questions(path)
    cut = gzip.compress(json.dumps(rows()).encode())[:-20]
    path.write_bytes(cut)
    with pytest.raises(UserError, match="Could not read"):
        read_questions(path)


def test_from_one_place_to_another_are_two() -> None:
    page = Document.from_text("In 1978 it moved from the Old Hall to the New Arena . He wrote Letters to Ann .")
    found = [candidate.text for candidate in find_candidates(page)]
    assert {"Old Hall", "New Arena", "Letters to Ann"} <= set(found) and "Old Hall to the New Arena" not in found


def test_a_name_with_a_nickname_is_a_candidate() -> None:
    page = Document.from_text('- 1960: Friedrich "Fritz" Hollmann\n- 1971: Bo “Bobby” Ek, "Acme" and Cy Dee')
    whole = [candidate.text for candidate in find_candidates(page) if candidate.whole]
    assert 'Friedrich "Fritz" Hollmann' in whole and "Bo “Bobby” Ek" in whole
    assert not any("Acme" in one and "Ek" in one for one in whole)
