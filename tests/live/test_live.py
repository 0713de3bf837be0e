"""Live look-ups at a real server: the dates as a base has them, politely, with an age; never silence taken for no."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from asof.errors import UserError
from asof.facts import FactStore
from asof.live import LiveEntities, WikibaseServer, open_live
from asof.live.wikibase import SpentBudgetError
from asof.places.place import BusyPlaceError, TimedOutError
from tests.live.wikibase_server import Wiki, document, nora, statement, time_snak, wikibase


@pytest.fixture
def wiki(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Wiki]:
    monkeypatch.setenv("ASOF_CACHE", str(tmp_path / "cache"))
    with wikibase() as running:
        yield running


def opened(wiki: Wiki, **settings: Any) -> LiveEntities:
    return open_live(wiki.address, **({"pause": 0.0} | settings))


def rows(store: FactStore, **asked: Any) -> list[tuple[str, ...]]:
    found = [fact.as_row(known_to=store.known_by) for fact in store.facts(**asked)]
    return [tuple(str(row[name]) for name in ("relation", "object", "start", "end", "end_precision")) for row in found]


def test_an_entity_has_its_dates_with_their_precision(wiki: Wiki) -> None:
    entity = opened(wiki).entity("Q11")
    assert rows(entity.store) == [
        ("member of political party", "Harbour Party", "None", "None", "ongoing"),
        ("position held", "mayor of Port Anne", "2001", "2005-06", "month"),
        ("position held", "prime minister of Kesteria", "2019-03-14", "None", "not stated"),
    ]
    assert rows(entity.store, on="2003")[1][1] == "mayor of Port Anne"
    assert entity.store.entity("Q11").label == "Nora Vale"
    assert str(entity.store.known_by) == f"{datetime.now(UTC):%Y-%m-%d}"
    assert entity.note.startswith(f"Looked up live: {opened(wiki).name}, Q11, revision 100, fetched 20")
    assert wiki.asked == ["Q11.json", "wbgetentities"]
    assert not entity.stale


def test_what_was_fetched_is_fresh_for_a_while_in_other_processes_too(wiki: Wiki) -> None:
    opened(wiki).entity("Q11")
    wiki.asked.clear()
    assert opened(wiki).entity("Q11").store.count() == 3
    assert wiki.asked == []
    wiki.documents["Q11"] = nora(revision=101, ended=True)
    later = opened(wiki, hours=0.0).entity("Q11")
    assert later.revision == 101 and wiki.asked == ["Q11.json"]  # names are known
    assert rows(later.store)[2] == ("position held", "prime minister of Kesteria", "2019-03-14", "2026-09", "month")


@pytest.mark.parametrize("faults", [[503], ["cut"], ["late"], [429], [500]])
def test_a_fault_on_the_way_is_asked_again(wiki: Wiki, faults: list[str | int]) -> None:
    wiki.faults, wiki.late = faults, 0.3
    patience = 0.2 if faults == ["late"] else 10.0
    assert opened(wiki, timeout=patience).entity("Q11").store.count() == 3


def test_a_time_out_is_no_answer(wiki: Wiki) -> None:
    wiki.faults, wiki.late = ["late"] * 4, 0.4
    with pytest.raises(TimedOutError, match=r"timed out: no answer about Q11 within 0\.05 s\. That says nothing about"):
        opened(wiki, timeout=0.05).entity("Q11")
    wiki.faults = []
    time.sleep(0.5)
    assert opened(wiki).entity("Q11").store.count() == 3  # nothing was kept of the failure


def test_an_answer_that_drips_is_a_time_out(wiki: Wiki) -> None:
    wiki.faults, wiki.late = ["drip"], 0.05
    with pytest.raises(TimedOutError, match=r"timed out: no answer about Q11 within 0\.2 s\. That says nothing about"):
        opened(wiki, timeout=0.2).entity("Q11")


def test_an_older_copy_is_shown_with_its_age_where_the_server_fails(wiki: Wiki) -> None:
    live = opened(wiki)
    folder = live.entity("Q11").store.folder.parent
    told = (folder / "fetched.json").read_text(encoding="utf-8")
    before = datetime.now(UTC) - timedelta(days=3, hours=1)
    at = live.entity("Q11").fetched.isoformat()
    (folder / "fetched.json").write_text(told.replace(at, before.isoformat()), encoding="utf-8")
    wiki.faults = [503, 503]
    stale = opened(wiki).entity("Q11")
    assert stale.stale and stale.store.count() == 3
    assert "(3 days ago). Stale:" in stale.note and "status 503" in stale.note
    assert not opened(wiki).entity("Q11").stale


def test_what_the_server_says_is_told_apart(wiki: Wiki) -> None:
    live = opened(wiki, tries=1)
    with pytest.raises(UserError, match=r"has no entity Q404: it never existed, or was deleted"):
        live.entity("Q404")
    assert live.entity("Q17").store.count() == 0  # it is there and has no dated statement: PHP writes [] for no claims
    assert live.entity("Q90").id == "Q11"  # it was merged
    for fault in ("page", "odd"):
        wiki.faults = [fault]
        with pytest.raises(UserError, match="did not answer as a Wikibase does"):
            live.entity("Q12")
    wiki.documents["Q12"] = document("Q12/../../evil", {})
    with pytest.raises(UserError, match=r"'Q12/\.\./\.\./evil' is not the id of an item"):
        live.entity("Q12")
    wiki.faults = [403]
    with pytest.raises(UserError, match="answered with status 403"):
        live.entity("Q12")
    wiki.faults = ["cut"]
    with pytest.raises(BusyPlaceError, match=r"could not be asked about Q12: .* bytes came \(1 try\)"):
        live.entity("Q12")
    with pytest.raises(BusyPlaceError, match="does not respond"):
        open_live("http://127.0.0.1:9").entity("Q1")


def test_names_that_time_out_leave_ids_in_their_place(wiki: Wiki) -> None:
    wiki.faults = ["", 404]  # a server that has no api.php
    assert {row[1] for row in rows(opened(wiki, hours=0.0).entity("Q11").store)} == {"Q13", "Q14", "Q15"}
    wiki.faults = ["", 503, 503]
    found = rows(opened(wiki, hours=0.0).entity("Q11").store)
    assert {row[1] for row in found} == {"Q13", "Q14", "Q15"}


def test_a_name_that_means_one_thing_will_do(wiki: Wiki) -> None:
    live = opened(wiki)
    assert live.entity("old nora").id == "Q11"
    with pytest.raises(UserError, match=r"(?s)'Nora Vale' is ambiguous.*Q11 .*politician.*Q16 .*sailing ship"):
        live.entity("Nora Vale")
    with pytest.raises(UserError, match="has nothing called 'Zork'"):
        live.entity("Zork")


def test_a_budget_is_kept_and_what_is_fresh_costs_none(wiki: Wiki) -> None:
    live = opened(wiki, budget=2)
    live.entity("Q11")
    live.entity("Q11")
    assert live.server.sent == 2
    with pytest.raises(SpentBudgetError, match=r"Q12 was not looked up: the 2 requests an hour to .* are spent"):
        live.entity("Q12")


def test_the_server_hears_who_asks_and_not_too_fast(wiki: Wiki, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASOF_CONTACT", "ann@example.org")
    begun = time.monotonic()
    opened(wiki, pause=0.15).entity("Q11")
    assert time.monotonic() - begun > 0.15
    assert wiki.agents == {"asof/0.2.0 (temporal facts; ann@example.org)"}


def test_addresses_are_read(wiki: Wiki) -> None:
    assert WikibaseServer("wikidata").name == "www.wikidata.org"
    assert WikibaseServer("https://ann:secret@wiki.example:81/wiki/").name == "wiki.example:81"
    with pytest.raises(UserError, match="is not the address of a Wikibase"):
        WikibaseServer("wikidatta")
    with pytest.raises(UserError, match="is a SPARQL endpoint"):
        WikibaseServer("https://query.wikidata.org/sparql")
    assert open_live(f"{wiki.address}/wiki/", pause=0.0).entity("Q12").store.count() == 0


def test_statements_that_cannot_be_read_are_told(wiki: Wiki) -> None:
    wiki.documents["Q12"] = document("Q12", {"P39": "odd"})  # type: ignore[dict-item]
    with pytest.raises(UserError, match="None of 1 rows could be read"):
        opened(wiki).entity("Q12")
    claims = nora()["claims"]
    claims["P39"].append(statement("P39", "Q14", time_snak("P580", "+2001-02-31T00:00:00Z", 11), id="Q11$no-day"))
    wiki.documents["Q11"] = document("Q11", claims)
    entity = opened(wiki).entity("Q11")
    assert entity.store.count() == 3 and "Statements that could not be read: 1." in entity.note
