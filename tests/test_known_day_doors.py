"""Five weeks of two tables: on each day, every door gives the rows of the tables that had come by then."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from click.testing import CliRunner

import asof as package
from asof.agents.tools import Tools
from asof.cli import asof
from asof.facts import FactStore, write_base
from asof.facts.update import update_base
from asof.sources import open_source
from asof.timeline import Date
from asof.web.desks import Desks
from asof.web.explorer import Explorer
from tests.web.conftest import served

Row = dict[str, Any]
DAYS = ("2024-05-01", "2024-05-08", "2024-05-15", "2024-05-22", "2024-05-29")
FARES = ["Zone A,fare,2.40,2023-01-01,", "Zone B,fare,3.10,2023-01-01,"]
_FIRST = [
    "North Depot,manager,Ada Birch,2015-03,", "South Depot,manager,Cem Dal,2018-01-01,2022-06-30",
    "South Depot,manager,Eve Fox,2022-07-01,", "Hill Depot,manager,Gus Hay,2010,2019", "Line 7,depot,North Depot,2012,",
    "Line 9,depot,Hill Depot,2011,2019",
]  # fmt: skip
_EDITED = [
    "North Depot,manager,Ada Birch,2015-03,2024-05-10", "North Depot,manager,Ivo Jin,2024-05-11,",
    *(row for row in _FIRST[1:] if "Gus Hay" not in row),
]  # fmt: skip
_RENAMED = [row.replace("South Depot", "Southern Garage") for row in _EDITED]
# In the second week only the order is another; in the fifth what was gone is there again, and otherwise.
WEEKS = (_FIRST, _FIRST[::-1], _EDITED, _RENAMED, [*_RENAMED[::-1], "Hill Depot,manager,Gus Hay,2010,2020"])
THEN = "2024-05-16"  # between the third week and the fourth
QUERY = {"ask": "lookup", "relation": "manager", "subject": "North Depot", "when": "2024-06"}
TEXT = "Ivo Jin is the manager of North Depot. Eve Fox is the manager of South Depot. Is it?"


def table(path: Path, rows: list[str]) -> Any:
    path.write_text("\n".join(["subject,relation,object,start,end", *rows, ""]), encoding="utf-8")
    return open_source(str(path))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("weeks")
    fares = table(place / "fares.csv", FARES)
    write_base(place / "base", [table(place / "depots1.csv", WEEKS[0]), fares], known_by=Date.parse(DAYS[0]))
    for number, (rows, day) in enumerate(zip(WEEKS[1:], DAYS[1:], strict=True), 2):
        source = table(place / f"depots{number}.csv", rows)
        update_base(place / "base", source, known_by=Date.parse(day), replaces="depots1.csv")
    return place / "base"


def shell(*words: str) -> list[Row]:
    ran = CliRunner().invoke(asof, [*words, "--json"])
    assert ran.exit_code == 0, (ran.output, ran.exception)
    return [json.loads(line) for line in ran.stdout.splitlines()]


def plain(frame: Any) -> list[Row]:
    """Return rows as they are everywhere: a frame has dates of Python beside."""
    return [{key: row[key] for key in row if key not in ("start_date", "end_date")} for row in frame.to_pylist()]


@pytest.mark.parametrize("week", range(5))
def test_the_facts_of_a_day_are_the_rows_of_its_tables(folder: Path, week: int) -> None:
    wanted = sorted(tuple(row.split(",")) for row in [*WEEKS[week], *FARES])
    last = DAYS[week + 1] if week < 4 else "2030-01-02"
    for day in (DAYS[week], str(Date.from_day(Date.parse(last).first - 1))):
        rows = shell("facts", "--base", str(folder), "--as-known-on", day)
        keys = ("subject", "relation", "object", "start")
        assert sorted((*(row[key] for key in keys), row["end"] or "") for row in rows) == wanted
        assert all(row["known_from"] <= day <= (row["known_until"] or day) for row in rows)
        assert plain(package.open(folder).as_known_on(day).facts()) == rows


@pytest.fixture(scope="module")
def web(folder: Path) -> Iterator[httpx.Client]:
    desks = Desks(folder, count=1, known_on=Date.parse(THEN))
    with served(Explorer(folder, desks=desks)) as client:
        client.headers["Accept"] = "application/json"
        yield client


def test_every_door_says_what_was_known_then(folder: Path, web: httpx.Client) -> None:
    base, known = ("--base", str(folder)), ("--as-known-on", THEN)
    then, store = package.open(folder).as_known_on(THEN), FactStore(folder, known_on=THEN)
    tools = Tools(store)
    of_north: Row = {"subject": "North Depot", "relation": None, "object": None}
    facts = shell("facts", *base, *known, "--subject", "North Depot", "--on", "2024-06")
    page = web.get("/entity/North%20Depot", params={"on": "2024-06"}).json()
    shown = [row for group in page["groups"] if group["side"] == "subject" for row in group["facts"]]
    assert facts == [row.__dict__ for row in tools.as_of("2024-06", **of_north).facts]
    assert facts == [row for row in shown if row["holds"] != "incorrect"]
    assert [(row["object"], row["known_from"], row["known_until"]) for row in facts] == [
        ("Ivo Jin", "2024-05-15", None)
    ]
    rows = shell("timeline", "South Depot", *base, *known)
    assert rows == [row.__dict__ for row in tools.timeline(**of_north | {"subject": "South Depot"}).facts]
    assert rows == plain(then.timeline("South Depot"))
    assert {row["known_until"] for row in rows} == {"2024-05-21"}
    question = "Who was the manager of North Depot in June 2024?"
    (answer,) = shell("ask", question, *base, *known)
    assert answer == web.get("/ask", params={"q": question}).json() == then.ask(question).answer
    assert [one["text"] for one in answer["answers"]] == ["Ivo Jin"]
    (answer,) = shell("query", json.dumps(QUERY), *base, *known)
    assert answer == web.get("/query", params={"q": json.dumps(QUERY)}).json()
    assert [one["text"] for one in answer["answers"]] == ["Ivo Jin"]
    rows = shell("diff", "2017", "2023", *base, *known)
    assert rows == web.get("/changes", params={"from": "2017", "to": "2023"}).json()["changes"]
    assert {row["subject"] for row in rows} == {"South Depot", "Line 9", "Zone A", "Zone B"}
    rows = shell("check", *base, *known, "--problem", "gap", "--problem", "adjacent")
    assert rows == then.check(problems=["gap", "adjacent"]).to_pylist()
    (told,) = shell("verify", TEXT, "--on", "2024-05", *base, *known)
    assert told == web.get("/verify", params={"text": TEXT, "on": "2024-05"}).json()
    assert told == then.verify(TEXT, on="2024-05").verification


def test_what_became_true_and_what_became_known_are_two_questions(folder: Path) -> None:
    true = shell("diff", "2024-04", "2024-06", "--base", str(folder))
    assert [(row["status"], row["subject"]) for row in true] == [("updated", "North Depot")]

    def known(*days: str) -> list[tuple[str, str, str]]:
        rows = shell("diff", str(folder), *days)
        return sorted((row["change"], row["subject"], row["object"]) for row in rows)

    third = [("ended", "North Depot", "Ada Birch"), ("gone", "Hill Depot", "Gus Hay"),
             ("new", "North Depot", "Ivo Jin")]  # fmt: skip
    assert known("--known-from", "2024-05-08", "--known-until", THEN) == third
    assert known("--known-from", "2024-05-01", "--known-until", "2024-05-14") == []
    fourth = [(change, subject, object) for change, subject in (("gone", "South Depot"), ("new", "Southern Garage"))
              for object in ("Cem Dal", "Eve Fox")]  # fmt: skip
    assert known("--known-from", THEN, "--known-until", "2024-05-22") == fourth
    assert known("--known-from", "2024-05-22") == [("new", "Hill Depot", "Gus Hay")]
