"""Every page as HTML and as JSON, through a real server; what it says is held against the base itself."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest

from asof.facts import FactStore
from asof.facts.checks import find_problems
from asof.facts.snapshots import difference
from asof.reading.ask.reader import ask
from asof.timeline import Verdict
from tests.web.conftest import Site

PAGES = [
    "/", "/?q=merkel", "/entity/Q567", "/entity/Q567?on=1995", "/relation/P6", "/relation/P39?subject=biden&on=1990",
    "/changes?from=2020-Q1&to=2021-Q1", "/check", "/check?problem=gap", "/ask?q=Who was pope in 1978?", "/runs",
    "/verify", "/verify?text=Mario Draghi is the prime minister of Italy.&on=2024-05",
    "/runs/knows-much", "/runs/by-period", "/compare?a=knows-little&b=knows-much", "/proposals", "/api",
]  # fmt: skip


class Outline(HTMLParser):
    """Which elements stand open at the end, all ids, and whether every control has a name."""

    EMPTY = frozenset(("meta", "link", "input", "br", "img", "line", "rect", "path", "use", "stop", "circle"))

    def __init__(self, page: str) -> None:
        super().__init__()
        self.opened: list[str] = []
        self.ids: list[str] = []
        self.headings: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.ids.append(str(given["id"]))
        if tag not in self.EMPTY:
            self.opened.append(tag)
        if tag == "h1":
            self.headings.append(tag)
        assert "style" not in given and not any(name.startswith("on") for name in given if name), tag

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.EMPTY:
            assert self.opened.pop() == tag


@pytest.mark.parametrize("address", PAGES)
def test_every_page_is_html_and_json(site: Site, address: str) -> None:
    page = site.client.get(address)
    assert page.status_code == 200 and page.headers["content-type"].startswith("text/html")
    outline = Outline(page.text)
    assert outline.opened == [] and len(outline.headings) == 1
    assert len(outline.ids) == len(set(outline.ids))
    assert "http://" not in page.text.replace("http://www.w3.org/", "").replace(site.address, "")
    assert "https://" not in page.text and "nan" not in page.text.split()
    both = [
        site.client.get(address, headers={"Accept": "application/json"}),
        site.client.get(f"{address}{'&' if '?' in address else '?'}format=json"),
    ]
    assert both[0].json() == both[1].json()
    assert both[0].headers["content-type"] == "application/json"


def named(row: dict[str, Any]) -> str:
    """The id of a fact without a statement, of its row."""
    start, end = (row[side] or row[f"{side}_precision"] for side in ("start", "end"))
    return f"{row['subject_id']} {row['relation_id']} {row['object_id']} {start}..{end}"


def test_an_entity_on_a_date_is_what_the_base_says(site: Site, almanac: FactStore) -> None:
    for id, on in (("Q567", "1995"), ("Q38", "2021-02"), ("Q142", "2021-Q1"), ("Q19546", "44 BC"), ("Q183", "1990s")):
        page = site.json(f"/entity/{id}", on=on)
        shown = [row for group in page["groups"] for row in group["facts"]]
        for side in ("subject", "object"):
            found = almanac.facts(**{side: id}, on=on)
            wanted = {(fact.id, str(worth)) for fact, worth in zip(found, found.verdicts, strict=True)}
            rows = [row for group in page["groups"] if group["side"] == side for row in group["facts"]]
            assert len(rows) == len(almanac.facts(**{side: id}))
            held = {
                (row["statement"] or named(row), row["holds"])
                for row in rows if row["holds"] != str(Verdict.INCORRECT)
            }  # fmt: skip
            assert held == wanted
        assert sum(page["counts"].values()) == len(shown) == page["facts_count"] + page["named_by_count"]


def test_a_relation_goes_page_by_page(site: Site, almanac: FactStore) -> None:
    first = site.json("/relation/P35")
    rows = [row for page in range(1, first["pages"] + 1) for row in site.json("/relation/P35", page=page)["facts"]]
    assert len(rows) == first["rows"] == len(almanac.facts(relation="P35"))
    assert len({tuple(map(str, row.values())) for row in rows}) == len(rows)
    on = site.json("/relation/P35", on="1985", subject="franc")["facts"]
    assert {row["object"] for row in on if row["subject_id"] == "Q142"} == {"François Mitterrand"}
    assert site.json("/relation/P35", subject="Q142")["rows"] == len(almanac.facts(relation="P35", subject="Q142"))
    assert site.client.get("/relation/P35?page=9999").status_code == 404
    assert site.client.get("/relation/P35?page=0").status_code == 422


def test_changes_and_contradictions_are_those_of_the_base(site: Site, almanac: FactStore) -> None:
    table = difference(almanac, "2020-Q1", "2021-Q1").to_pylist()
    first = site.json("/changes", **{"from": "2020-Q1", "to": "2021-Q1"})
    for status, count in first["counts"].items():
        assert count == sum(row["status"] == status for row in table)
    italy = site.json("/changes", **{"from": "2020-Q1", "to": "2021-Q1", "relation": "P6", "status": "updated"})
    row = next(row for row in italy["changes"] if row["subject_id"] == "Q38")
    assert row["before"] == ["Giuseppe Conte"]
    assert set(row["after"]) == {"Giuseppe Conte", "Mario Draghi"}
    checked = site.json("/check")
    assert checked["rows"] == find_problems(almanac).num_rows
    assert checked["counts"]["gap"] == find_problems(almanac, problems=["gap"]).num_rows > 0
    assert "comes after" in site.client.get("/changes?from=2021&to=2020").text


def test_questions_are_answered_with_evidence_or_with_a_choice(site: Site, almanac: FactStore) -> None:
    page = site.json("/ask", q="Who was the prime minister of Italy before Mario Draghi?")
    assert [one["text"] for one in page["answers"]] == ask(almanac, page["question"]).texts == ["Giuseppe Conte"]
    assert page["answers"][0]["facts"][0]["end"] == "2021-02-13"
    unclear = "Which position did John Smith hold in 1840?"
    page = site.json("/ask", q=unclear)
    assert page["status"] == "ambiguous" and len(page["candidates"]) == 3
    chosen = site.json("/ask", q=unclear, entity=page["candidates"][0]["id"])
    assert chosen["status"] == "answered" and "Vermont" in chosen["answers"][0]["text"]
    assert site.json("/ask", q="Why is the sky blue?")["status"] == "not understood"


def test_names_are_completed(site: Site) -> None:
    found = site.json("/suggest", q="merk")
    assert found[0] == {
        "id": "Q567", "label": "Angela Merkel", "kind": "human", "description": "chancellor of Germany 2005-2021",
        "is_relation": False,
    }  # fmt: skip
    assert [one["label"] for one in site.json("/suggest", q="ELIS b") if "Borne" in one["label"]] == []
    assert site.json("/suggest", q="élisabeth bo")[0]["label"] == "Élisabeth Borne"
    assert site.json("/suggest", q="head of gov")[0] == {
        "id": "P6", "label": "head of government", "kind": "relation", "description": None, "is_relation": True,
    }  # fmt: skip
    assert len(site.json("/suggest", q="a", limit=20)) <= 22
    assert site.json("/suggest", q="") == site.json("/suggest", q="!?") == []
    assert site.json("/", q="Angla Merkle")["near"][0]["label"] == "Angela Merkel"


def test_runs_tell_their_numbers(site: Site) -> None:
    names = [run["name"] for run in site.json("/runs")["runs"]]
    assert names == ["knows-little", "knows-much", "by-period"]
    much = site.json("/runs/knows-much")
    assert much["results"]["win-rate global"]["value"] > 0.8 and len(much["facts"]) == 3
    one = site.json("/runs/knows-much", fact=much["facts"][0]["fact"])
    assert {"date", "precision", "verdict", "alpha", "logprob"} == set(one["dates"][0])
    assert one["facts"] is None and len(one["dates"]) > 20
    cutoff = site.json("/runs/by-period")
    assert cutoff["cutoff"]["best"] and len(cutoff["curve"]) > 10
    compared = site.json("/compare", a="knows-little", b="knows-much")["differences"]
    assert next(row for row in compared if row["measure"] == "win-rate global")["difference"] > 0
    assert "their measures differ" in site.client.get("/compare?a=by-period&b=knows-much").text


def test_the_api_is_described(site: Site) -> None:
    schema = site.client.get("/openapi.json").json()
    assert set(schema["paths"]) == {
        "/", "/suggest", "/entity/{id}", "/relation/{id}", "/changes", "/check", "/ask", "/query", "/query/schema",
        "/verify",        "/runs", "/runs/{name}",
        "/compare", "/proposals", "/api",
    }  # fmt: skip
    page = site.client.get("/api").text
    for path, methods in schema["paths"].items():
        for method, said in methods.items():
            assert f"{method.upper()} {path}" in page and said["description"]
            reply = said["responses"]["200"]["content"]["application/json"]["schema"]
            assert path == "/api" or reply
            assert all(one.get("description") for one in said.get("parameters", []))
    assert site.client.get("/docs").status_code == site.client.get("/redoc").status_code == 404
