"""The feed of a real HTTP server: page by page, in disorder, failing; nothing is ever lost by it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts.update import BaseUpdate, update_base
from asof.sources.changes import WikibaseChanges
from asof.sources.wikidata_dump import WikidataDump
from asof.timeline import Date
from tests.sources.changing_wiki import Wiki, day_of
from tests.sources.test_changes import facts_in, mined
from tests.sources.wikibase_server import WikibaseServer, serving

QUICK: dict[str, Any] = {"timeout": 0.3, "tries": 3, "first_wait": 0.01, "longest_wait": 0.1}


@pytest.fixture
def server(tmp_path: Path) -> Iterator[WikibaseServer]:
    wiki = Wiki(Random(11), size=10)
    mined(wiki, tmp_path, day_of(0))
    with serving(WikibaseServer(wiki)) as running:
        yield running


def update(folder: Path, server: WikibaseServer, **settings: Any) -> BaseUpdate:
    return update_base(folder / "base", WikibaseChanges(server.address, **QUICK | settings))


def facts(folder: Path) -> Counter[Any]:
    return facts_in(FactStore(folder / "base"))


def test_a_feed_is_followed_from_where_it_stopped(tmp_path: Path, server: WikibaseServer) -> None:
    server.twice = True
    server.order = lambda rows: Random(3).sample(rows, len(rows))
    merged = deleted = 0
    for day in range(1, 6):
        server.wiki.edit(day, 9)
        done = update(tmp_path, server)
        assert facts(tmp_path) == server.wiki.truth()
        assert done.version.day == day_of(day)
        merged += done.counts["merged"]
        deleted += done.counts["deleted"]
    assert merged and deleted
    server.asked.clear()
    before = (tmp_path / "base" / "manifest.json").read_text()
    done = update(tmp_path, server)
    assert set(server.asked) - {"feed"} <= {one.id for one in server.wiki.now.values() if one.target or not one.is_live}
    assert (done.version.added, done.version.closed) == (0, 0)
    files = {part.path for parts in done.manifest.tables.values() for part in parts}
    assert all(name in before for name in files if not name.startswith("revisions"))  # nothing else is written again
    for day in range(1, 6):
        assert FactStore(tmp_path / "base", known_on=day_of(day)).known_by == Date.parse(day_of(day))
    assert all("asof/" in user for user in server.users)


@pytest.mark.parametrize("fault", ["429", "500", "503", "timeout", "cut", "closed", "html"])
def test_what_fails_is_asked_again(tmp_path: Path, server: WikibaseServer, fault: str) -> None:
    server.wiki.edit(1, 4)
    server.faults = [fault, fault, "", fault, fault, "", fault]
    done = update(tmp_path, server)
    assert facts(tmp_path) == server.wiki.truth()
    assert not server.faults and not done.counts["pending"]


@pytest.mark.parametrize("fault", ["500", "timeout", "cut", "html", "404"])
def test_a_failing_entity_keeps_its_facts_and_is_asked_for_again(
    tmp_path: Path, server: WikibaseServer, fault: str
) -> None:
    before = facts(tmp_path)
    server.wiki.edit(1, 9)
    chosen = next(
        one.id for one in server.wiki.now.values() if one.day == 1 and one.is_live and one.id in {r[0] for r in before}
    )
    server.always[chosen] = fault
    done = update(tmp_path, server)
    assert done.counts["pending"] == 1 and chosen in done.notes[0]
    kept = Counter({row: count for row, count in facts(tmp_path).items() if row[0] == chosen})
    assert kept == Counter({row: count for row, count in before.items() if row[0] == chosen})
    assert done.manifest.feeds[server.address]["pending"].keys() == {chosen}
    server.always.clear()
    assert not update(tmp_path, server).counts["pending"]
    assert facts(tmp_path) == server.wiki.truth()


def test_a_feed_that_breaks_off_goes_on_there(tmp_path: Path, server: WikibaseServer) -> None:
    for day in (1, 2, 3):
        server.wiki.edit(day, 6)
    whole = server.api

    def breaking(query: dict[str, str]) -> dict[str, Any]:
        return whole(query) if "rccontinue" not in query or query["rccontinue"] < "20240501|9" else {"odd": 1}

    server.api = breaking  # type: ignore[method-assign]
    done = update(tmp_path, server)
    assert "broke off" in " ".join(done.notes)
    server.api = whole  # type: ignore[method-assign]
    update(tmp_path, server)
    assert facts(tmp_path) == server.wiki.truth()


def test_a_feed_that_does_not_answer_changes_nothing(tmp_path: Path, server: WikibaseServer) -> None:
    server.wiki.edit(1, 4)
    before = (tmp_path / "base" / "manifest.json").read_bytes()
    server.faults = ["500", "timeout", "cut"]
    with pytest.raises(UserError, match=r"gave no recent changes: .*base is unchanged; run the same command again"):
        update(tmp_path, server)
    assert (tmp_path / "base" / "manifest.json").read_bytes() == before
    with pytest.raises(UserError, match="Take them into a base with: asof update BASE http"):
        write_base(tmp_path / "other", [WikibaseChanges(server.address, **QUICK)])


def test_an_answer_that_is_behind_the_feed_is_not_believed(tmp_path: Path, server: WikibaseServer) -> None:
    old = {id: server.entity(id) for id in server.wiki.now}
    server.wiki.edit(1, 6)
    fresh, server.entity = server.entity, old.get  # type: ignore[method-assign]
    done = update(tmp_path, server)
    assert done.counts["pending"]
    server.entity = fresh  # type: ignore[method-assign]
    update(tmp_path, server)
    assert facts(tmp_path) == server.wiki.truth()


def test_what_is_restored_has_its_facts_again(tmp_path: Path, server: WikibaseServer) -> None:
    one = next(one for one in server.wiki.now.values() if one.rows())
    server.wiki._put(one.id, 1, None)
    update(tmp_path, server)
    assert not any(row[0] == one.id for row in facts(tmp_path))
    server.wiki.now[one.id] = one
    listed = server.changes
    back = {
        "type": "log",
        "ns": 0,
        "title": one.id,
        "rcid": 999,
        "revid": 0,
        "logtype": "delete",
        "logaction": "restore",
    }
    server.changes = lambda begin: [*listed(begin), back | {"timestamp": f"{day_of(2)}T10:00:00Z"}]  # type: ignore[method-assign]
    update(tmp_path, server)
    assert facts(tmp_path) == server.wiki.truth()


def test_a_dump_replaces_nothing_that_the_feed_knows_better(tmp_path: Path, server: WikibaseServer) -> None:
    server.wiki.edit(1, 8)
    path = server.wiki.dump(tmp_path / "wikidata-20240502-all.json")
    server.wiki.edit(2, 8)
    update(tmp_path, server)
    truth = server.wiki.truth()
    update_base(tmp_path / "base", WikidataDump(str(path), processes=1), known_by=Date.parse(day_of(2)), max_gone=1)
    assert facts(tmp_path) == truth


def test_a_feed_without_changes_says_nothing_new(tmp_path: Path, server: WikibaseServer) -> None:
    server.wiki.edit(1, 5)
    update(tmp_path, server)
    versions = FactStore(tmp_path / "base").manifest.versions
    server.changes = lambda begin: []  # type: ignore[method-assign]
    done = update(tmp_path, server)
    assert (done.version.day, done.version.known_by, done.version.entities) == (day_of(1), day_of(1), 0)
    assert [one.day for one in done.manifest.versions] == [one.day for one in versions]
