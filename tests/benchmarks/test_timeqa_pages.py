"""Histories and the pages that tell them: which words name an object, and which histories are left out."""

from __future__ import annotations

import bz2
from collections.abc import Callable
from pathlib import Path

import pytest

from asof.benchmarks import Item, build, documents, read_benchmark
from asof.benchmarks.timeqa import TimeQa
from asof.benchmarks.timeqa.history import TextSpan, TimedObject, sure_bounds
from asof.benchmarks.timeqa.mentions import Mentions
from asof.errors import UserError
from asof.facts import FactStore
from asof.pages.text_files import page_of_text
from asof.timeline import Interval
from asof.wording import Wording
from tests.benchmarks.clubs_and_capitals import FACTS as CLUBS_AND_CAPITALS

Make = Callable[..., FactStore]

FACTS = [
    *CLUBS_AND_CAPITALS,
    ("Peru", "P36", "Cusco", "1500", "1535"),
    ("Peru", "P36", "Lima", "1535", "ongoing"),
]
LEBRON = """James is a player.
== Clubs ==
The Cleveland Cavaliers are from Ohio.
He went to the Cleveland Cavaliers in 2003.
In 2010 he joined [[Miami Heat|the Heat]].
"""


def found(text: str, *names: str, start: str = "", end: str = "") -> str | None:
    mentions = Mentions(page_of_text("t", text))
    interval = Interval.parse(start, end)
    place = mentions.find(TimedObject(names[0], names, interval, sure_bounds(interval)))
    return f"{place} {mentions.said(place)}" if place else None


def test_a_link_a_name_or_words_like_it() -> None:
    assert found(LEBRON, "Miami Heat") == "3:18-26 the Heat"
    assert found(LEBRON, "Cleveland Cavaliers") == "1:4-23 Cleveland Cavaliers"
    assert found(LEBRON, "Cleveland Cavaliers", start="2003") == "2:15-34 Cleveland Cavaliers"  # near its date
    assert found(LEBRON, "Cavaliers of Cleveland") == "1:4-23 Cleveland Cavaliers"  # like it
    assert found(LEBRON, "Lakers") is None
    assert found("He led IT there. It was IT.", "IT") is None  # two letters say nothing
    assert found("Romeo loved Rome.", "Rome") == "0:12-16 Rome"
    assert found("She moved to [[Saint Petersburg|Leningrad]].", "Saint Petersburg", "Petrograd") == "0:13-22 Leningrad"


def test_the_best_of_like_words_is_taken() -> None:
    text = "The University of Leeds is old.\nHe taught at Bradford University until 1990.\nThe town has a market."
    assert found(text, "University of Bradford") == "1:13-32 Bradford University"


def items_of(made: Path, store: FactStore, pages: Path, **settings: object) -> list[Item]:
    return list(build(made, TimeQa(pages=str(pages), **settings), store, Wording()).items())  # type: ignore[arg-type]


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "LeBron James.txt").write_text(LEBRON, encoding="utf-8")
    (folder / "Italy.txt").write_text("Turin came first (1861), then Florence; Rome since 1871.", encoding="utf-8")
    (folder / "Peru.txt").write_text("A country.", encoding="utf-8")
    return folder


def test_answers_are_what_the_page_says(base_of: Make, pages: Path, tmp_path: Path) -> None:
    store = base_of(FACTS)
    made = build(tmp_path / "b", TimeQa(pages=str(pages), unanswerable=0.0), store, Wording())
    items = list(made.items())
    texts = documents(made)
    assert set(texts) == {"LeBron James", "Italy"}  # Peru: the page lacks both segments
    lacking = made.account.left_out["of histories of which the page lacks more than half"]
    assert lacking.count == 2 and lacking.advice
    lebron = {str(item.tags["time"]): item for item in items if item.group == "LeBron James|P54"}
    heat = lebron["from July 2010 to July 2014"]
    assert heat.answers == ("the Heat", "Miami Heat") and heat.tags["spans"] == "3:18-26"
    lakers = lebron["from July 2018 to 2023"]
    assert lakers.answers == () and lakers.tags["answerable"] == 0  # true, but not told
    for item in items:
        if item.tags["answerable"]:
            paragraph, _, letters = str(item.tags["spans"]).split("; ")[0].partition(":")
            start, end = map(int, letters.split("-"))
            assert texts[str(item.tags["document"])].paragraphs[int(paragraph)][start:end] == item.answers[0]


def test_a_question_of_which_the_page_has_half_the_answers_is_not_asked(base_of: Make, tmp_path: Path) -> None:
    store = base_of(
        [
            ("X", "P54", "Real Madrid", "2000", "2010"),
            ("X", "P54", "Spain", "2002", "2008"),  # at the same time, and not told
            ("X", "P54", "Chelsea", "2011", "2014"),
        ]
    )
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "X.txt").write_text("Real Madrid in 2000, Chelsea in 2011.", encoding="utf-8")
    for seed in range(4):
        for item in items_of(tmp_path / "b", store, tmp_path / "p", seed=seed):
            inside = item.tags["specifier"] in ("in", "between") and "2002" < str(item.tags["time"])[-4:] < "2008"
            assert not (inside and "Real Madrid" in item.answers)
    published = items_of(tmp_path / "b", store, tmp_path / "p", protocol="chen2021", levels="easy")
    assert {item.tags["time"]: item.answers for item in published}["from 2002 to 2008"] == ()


def test_relations_that_dominate_are_sampled_down(base_of: Make, tmp_path: Path) -> None:
    rows, folder = [], tmp_path / "many"
    folder.mkdir()
    for number in range(30):
        rows += [(f"P{number}", "P54", "Ajax", "1990", "1995"), (f"P{number}", "P54", "Bari", "1995", "2000")]
        (folder / f"P{number}.txt").write_text("Ajax from 1990, Bari from 1995.", encoding="utf-8")
    rows += [("Land", "P36", "Ulm", "1990", "1995"), ("Land", "P36", "Bonn", "1995", "2000")]
    (folder / "Land.txt").write_text("Ulm, then Bonn.", encoding="utf-8")
    store = base_of(rows)
    items = items_of(tmp_path / "b", store, folder, per_relation=4)
    groups = {item.group for item in items}
    assert len(groups) == 5 and "Land|P36" in groups
    plain = {item.group for item in TimeQa(per_relation=4).items(store, Wording())}
    assert groups == plain  # the recipe draws the same


def test_a_dump_of_wikipedia(base_of: Make, tmp_path: Path) -> None:
    pytest.importorskip("mwparserfromhell", reason="mwparserfromhell is not installed: pip install 'asof[pages]'")
    text = "* [[Cleveland Cavaliers|Cavs]] (2003–2010)\n* [[Miami Heat]] (2010–2014)\n* the Lakers"
    xml = (
        '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/"><page><title>LeBron James</title><ns>0</ns>'
        f"<revision><text>{text}</text></revision></page><page><title>Cut</title>"
    )
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(bz2.compress(xml.encode()))
    made = build(tmp_path / "b", TimeQa(pages=str(path), unanswerable=0.0), base_of(FACTS), Wording())
    first = next(iter(made.items()))
    assert first.answers == ("Cavs", "Cleveland Cavaliers") and first.tags["spans"] == "0:0-4"
    assert documents(made)["LeBron James"].paragraphs[0] == "Cavs (2003–2010)"
    assert any("is cut or broken" in note for note in made.account.notes)


def test_a_build_that_fails_leaves_the_old_one(
    base_of: Make, pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = base_of(FACTS)
    kind = TimeQa(pages=str(pages))
    old = build(tmp_path / "b", kind, store, Wording())

    def full_disk(*_: object, **__: object) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr("asof.benchmarks._folder.pq.write_table", full_disk)
    with pytest.raises(OSError, match="No space left"):
        build(tmp_path / "b", TimeQa(pages=str(pages), seed=7), store, Wording())
    monkeypatch.undo()
    again = read_benchmark(tmp_path / "b")
    assert again.items_sha256 == old.items_sha256 and len(documents(again)) == 2


def test_pages_of_other_subjects_are_told(base_of: Make, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "Nobody.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UserError, match="has no page of a subject of"):
        items_of(tmp_path / "b", base_of(FACTS), tmp_path / "p")


def test_place_is_written_as_the_tag_has_it() -> None:
    assert str(TextSpan(3, 18, 26)) == "3:18-26"
