"""Timelines of pages: rows in the order of time, as a table that mine takes; several pages; the reader by default."""

import csv
import json
from pathlib import Path

import pytest

import asof as door
from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.documents import Document
from asof.reading.page_timeline import usual_questions
from asof.reading.readers.temporal import TemporalReader
from asof.reading.temporal_model import save
from asof.reading.training import Settings, train
from tests.reading.test_temporal_reader import items, page
from tests.reading.tiny_readers import WordEncoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = train(items(range(24)), WordEncoder(), settings=Settings(rounds=40, folds=2))
    save(model, tmp_path_factory.mktemp("readers") / "reader")
    return tmp_path_factory.getbasetemp() / "readers0" / "reader"


@pytest.fixture(autouse=True)
def tiny_encoder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", lambda name: tmp_path)
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())


def written(document: Document, path: Path) -> Path:
    path.write_text(
        "\n".join(["Managers", *(f"- {one.text}" for one in document.paragraphs if one.entry)]), encoding="utf-8"
    )
    return path


def read(folder: Path, *words: str) -> None:
    asof.main(["read", *words, "--reader", f"temporal:{folder}"], standalone_mode=False)


def test_a_timeline_lists_who_from_when_until_when(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, managed = page(44)
    path = written(document, tmp_path / "FC_Number.txt")
    read(folder, str(path), "--timeline", "-q", "Who was the manager of the club?", "--json")
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(row["object"], row["start"], row["end"]) for row in rows] == [
        (name, str(one), str(two)) for name, one, two in managed
    ]
    assert all(
        row["subject"] == "FC Number" and row["end_is_told"] and row["object"] in row["sentence"] for row in rows
    )
    assert all(row["section"] == "Managers" and 0 < row["probability"] <= 1 for row in rows)


def test_a_timeline_is_a_table_that_mine_takes(folder: Path, tmp_path: Path) -> None:
    document, managed = page(45)
    path, table = written(document, tmp_path / "club.txt"), tmp_path / "facts.csv"
    read(
        folder, str(path), "--timeline", "-q", "Who was the manager of the club?", "--to", str(table), "--title", "FC X"
    )
    with table.open(encoding="utf-8") as file:
        assert [row["object"] for row in csv.DictReader(file)] == [name for name, _, _ in managed]
    asof.main(["mine", str(table), "--to", str(tmp_path / "base")], standalone_mode=False)
    facts = list(FactStore(tmp_path / "base").facts())
    assert {(fact.subject_label, fact.object_label, str(fact.start)) for fact in facts} == {
        ("FC X", name, str(one)) for name, one, _ in managed
    }


def test_an_end_that_nobody_tells_stays_out_of_the_base(folder: Path, tmp_path: Path) -> None:
    names = [name for name, _, _ in page(45)[1]]
    lines = [f"- {name} ( since {1950 + 10 * place} )" for place, name in enumerate(names)]
    (tmp_path / "club.txt").write_text("\n".join(["Managers", *lines]), encoding="utf-8")
    table = tmp_path / "facts.csv"
    read(folder, str(tmp_path / "club.txt"), "--timeline", "-q", "Who was the manager of the club?", "--to", str(table))
    with table.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows and all(row["end"] == "" and row["source"] == str(tmp_path / "club.txt") for row in rows)
    assert rows[0]["likely_end"] == "1960"  # as finely as the text tells when the next began, not 1960-01
    asof.main(["mine", str(table), "--to", str(tmp_path / "base")], standalone_mode=False)
    facts = list(FactStore(tmp_path / "base").facts())
    assert {str(fact.end) for fact in facts} == {"not stated"} and {fact.source for fact in facts} == {
        rows[0]["source"]
    }


def test_pages_about_people_are_asked_other_things() -> None:
    person = Document.from_text("Ann Lee played for Acme. She left in 1990, and her brother joined.", title="Ann Lee")
    club = Document.from_text("The club was founded in 1950 by workers and plays in Oslo.", title="FC X")
    assert "Where was Ann Lee educated?" in [one.question for one in usual_questions(person)]
    assert "Who was the coach of FC X?" in [one.question for one in usual_questions(club)]
    told = "She led it from 1975. His successor left in 1990, and he was followed by her brother."
    university = Document.from_text(told, title="Harbrook University")
    assert not any("spouse" in one.question for one in usual_questions(university))


def test_the_likeliest_of_several_pages_is_given_and_named(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document, managed = page(44)
    tells, silent = written(document, tmp_path / "tells.txt"), tmp_path / "silent.txt"
    silent.write_text("It rained in Oslo all day, and nobody went out.", encoding="utf-8")
    name, one, _ = managed[0]
    question = f"Who was the manager of the club in Jun {one + 1}?"
    for order in ([tells, silent], [silent, tells]):
        read(folder, *map(str, order), "-q", question, "--json")
        told = json.loads(capsys.readouterr().out)
        assert told["text"] == name and told["document"] == str(tells)
    read(folder, str(silent), str(silent), "-q", question)
    assert capsys.readouterr().out == "The documents do not answer this question.\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["a.txt"], "Nothing was asked"),
        (["a.txt", "b.txt", "-q", "Who led it in 1990?", "--title", "X"], "there are 2"),
        (["a.txt", "-q", "Who led it in 1990?", "--to", "x.csv"], "Add --timeline"),
        (["a.txt", "--timeline", "--reader", "facts:almanac"], "tells no timelines"),
    ],
)
def test_what_does_not_go_together_is_said(tmp_path: Path, words: list[str], told: str) -> None:
    (tmp_path / "a.txt").write_text("Ann led it in 1990.", encoding="utf-8")
    words = [str(tmp_path / word) if word.endswith(".txt") else word for word in words]
    with pytest.raises(UserError, match=told):
        asof.main(["read", *words], standalone_mode=False)


@pytest.mark.parametrize(
    "text", ["İ", "İİ led the club in 1990 .", "قاد النادي في 1990 .", "a | b\n1990 | 1995\n" * 40, "x " * 30_000]
)
def test_odd_pages_are_read(folder: Path, tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "odd.txt").write_text(text, encoding="utf-8")
    read(folder, str(tmp_path / "odd.txt"), "-q", "Who led it in 1990?", "--json")
    read(folder, str(tmp_path / "odd.txt"), "--timeline", "--json")
    assert json.loads(capsys.readouterr().out.splitlines()[0])["question"] == "Who led it in 1990?"


def test_the_door_reads_with_a_named_reader(folder: Path) -> None:
    document, managed = page(44)
    text = "\n".join(["Managers", *(f"- {one.text}" for one in document.paragraphs if one.entry)])
    name, one, _ = managed[0]
    assert (
        door.read(text, f"Who was the manager of the club in Jun {one + 1}?", reader=f"temporal:{folder}").text == name
    )
    assert TemporalReader(folder).describe()["reader"] == f"temporal:{folder}"


def test_of_a_book_the_parts_that_matter_are_read_and_found_again(folder: Path) -> None:
    document, managed = page(44)
    rain = "It rained in Oslo all day and all night , and nobody who lived there was surprised by that .\n"
    told = "\n".join(f"- {one.text}" for one in document.paragraphs if one.entry)
    book = Document.from_text(
        f"Weather\n{rain * 1500}\nManagers\n{told}\nMore weather\n{rain * 1500}", title="FC Number 44"
    )
    name, one, _ = managed[0]
    (answer,) = TemporalReader(folder).read_many([f"Who was the manager of the club in Jun {one + 1}?"], book)
    assert book.words > 50_000 and answer.text == name and answer.span
    place = answer.span
    assert book.paragraphs[place.paragraph].text[place.start : place.end] == name


@pytest.mark.parametrize("text", ["Ann Lee " * 600, "A" * 300_000, "Ann Lee led it in 1990. " * 9000])
def test_text_without_sentences_or_without_end_is_read(folder: Path, text: str) -> None:
    (answer,) = TemporalReader(folder).read_many(["Who led it in 1990?"], Document.from_text(text, title="x"))
    assert answer.text in text and (not answer.span or answer.span.end - answer.span.start == len(answer.text))
