"""Changes taken in day by day give the same base as the last state mined whole, and each day can be asked again."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from xml.sax.saxutils import escape

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof.cli import asof
from asof.errors import UserError
from asof.facts import FactStore, write_base
from asof.facts.fact import end_of_row
from asof.facts.losses import DataLossError
from asof.facts.update import update_base
from asof.sources import open_source
from asof.sources.wikidata_dump import WikidataDump
from asof.timeline import Date
from tests.sources.changing_wiki import Revision, Row, Wiki, day_of, write_entities, write_export

DAYS = 10


def facts_in(store: FactStore) -> Counter[Row]:
    """Return the facts of a base as the wiki writes them, by SQL."""
    rows = store.sql("SELECT * FROM facts").to_pylist()
    return Counter(_row(row) for row in rows)


def _row(row: dict[str, object]) -> Row:
    ends = (end_of_row(row, side) for side in ("start", "end"))
    start, end = ("" if str(end) == "not stated" else str(end) for end in ends)
    return str(row["subject"]), str(row["relation"]), str(row["object"]), start, end


def mined(wiki: Wiki, folder: Path, known_by: str) -> Path:
    """Mine the wiki as it is."""
    source = WikidataDump(str(wiki.dump(folder / "all.json")), processes=1)
    write_base(folder / "base", [source], known_by=Date.parse(known_by))
    return folder / "base"


def disordered(random: Random, revisions: list[Revision]) -> list[Revision]:
    """Mix the changes of a day, some of them twice; the last word on a deletion keeps its place."""
    mixed = [*revisions, *random.sample(revisions, len(revisions) // 3)]
    random.shuffle(mixed)
    last = {one.id: one for one in revisions}
    return [*(one for one in mixed if one.is_live or one.target), *(one for one in last.values() if one.claims is None)]


@settings(max_examples=2, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10_000))
def test_ten_days_of_changes_equal_mining_the_last_state(tmp_path_factory: pytest.TempPathFactory, seed: int) -> None:
    folder, random = tmp_path_factory.mktemp("wiki"), Random(seed)
    wiki = Wiki(random)
    base = mined(wiki, folder, day_of(0))
    truth = [wiki.truth()]
    late: list[Revision] = []
    for day in range(1, DAYS):
        changes = disordered(random, wiki.edit(day, 8))
        brought = [*late, *changes]
        late = random.sample([one for one in changes if one.is_live], min(2, sum(one.is_live for one in changes)))
        source = open_source(str(write_entities(folder / f"day-{day}", brought)))
        update_base(base, source, known_by=Date.parse(day_of(day)))
        truth.append(wiki.truth())
        assert facts_in(FactStore(base)) == truth[-1]
    whole = folder / "whole"
    whole.mkdir()
    again = FactStore(mined(wiki, whole, day_of(DAYS - 1)))
    store = FactStore(base)
    query = "SELECT * EXCLUDE (known_from, source) FROM facts ORDER BY ALL"
    assert store.sql(query).to_pylist() == again.sql(query).to_pylist()
    subjects = "(SELECT subject AS id FROM facts)"
    mentioned = f"SELECT id, label, aliases, popularity FROM entities SEMI JOIN {subjects} f USING (id) ORDER BY id"
    assert store.sql(mentioned).to_pylist() == again.sql(mentioned).to_pylist()
    for day, facts in enumerate(truth):
        then = store.as_known_on(day_of(day))
        assert facts_in(then) == facts
        assert str(then.known_by) == day_of(day)
        found = then.rows("facts", *({row[0] for row in facts} | {"Q1"})).to_pylist()
        assert Counter(map(_row, found)) == facts


def test_daily_dumps_equal_mining_the_last_state(tmp_path: Path) -> None:
    for seed in range(3):
        folder, random = tmp_path / str(seed), Random(seed)
        folder.mkdir()
        wiki = Wiki(random)
        base = mined(wiki, folder, day_of(0))
        for day in range(1, 5):
            revisions = wiki.edit(day, 8)
            ending = random.choice((".xml", ".xml.gz", ".xml.bz2"))
            path = write_export(
                folder / f"wikidatawiki-day-{day}-pages-meta-hist-incr{ending}", disordered(random, revisions)
            )
            done = update_base(base, open_source(str(path)))
            gone = {one.id for one in wiki.now.values() if one.claims is None}  # no dump tells of deletions
            there = Counter({row: n for row, n in facts_in(FactStore(base)).items() if row[0] not in gone})
            assert there == wiki.truth()
            assert done.version.day == day_of(day)


ENTITIES = Path(__file__).parents[1] / "data" / "entities"  # one made-up entity in Wikidata's schema, in two revisions


def _without_known(base: Path) -> list[dict[str, object]]:
    return FactStore(base).sql("SELECT * EXCLUDE (known_from, known_until, source) FROM facts ORDER BY ALL").to_pylist()


def _exported(path: Path, into: Path) -> Path:
    """Write entity JSON as the text of a page, where snaks have no datatype and empty maps are lists."""
    entity = json.loads(path.read_text())["entities"]["Q9001"]
    number, modified = entity["lastrevid"], entity["modified"]
    stored = {
        name: entity[name] or [] for name in ("type", "id", "labels", "descriptions", "aliases", "claims", "sitelinks")
    }
    text = re.sub(r', "datatype": "[a-zA-Z-]+"', "", json.dumps(stored))
    page = (
        f"<page><title>Q9001</title><ns>0</ns><revision><id>{number}</id><timestamp>{modified}</timestamp>"
        f"<text>{escape(text)}</text></revision></page>"
    )
    into.write_text(f'<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/">{page}</mediawiki>')
    return into


def test_documents_in_wikidatas_schema_are_read_alike_in_every_form(tmp_path: Path) -> None:
    first, second = (ENTITIES / f"Q9001_{name}.json" for name in ("first", "second"))
    for name in ("json", "xml"):
        write_base(tmp_path / name, [open_source(str(first))])
    assert [str(fact) for fact in FactStore(tmp_path / "json").facts()] == [
        "Q9001 P26 Q9002 80s BCE..not stated",
        "Q9001 P39 Q20056508 -0064-12-30..unknown",
        "Q9001 P973 https://example.org/fictus.pdf 2020-05..2020-05",
    ]
    assert FactStore(tmp_path / "json").entity("Q9001").label == "Aulus Fictus"
    update_base(tmp_path / "json", open_source(str(second)))
    update_base(tmp_path / "xml", open_source(str(_exported(second, tmp_path / "day.xml"))))
    assert _without_known(tmp_path / "json") == _without_known(tmp_path / "xml")
    for name in ("json", "xml"):
        store = FactStore(tmp_path / name)
        assert store.entity("Q9001").label == "Aulus Fictus Maior"
        assert [row["known_from"] is not None for row in store.rows("facts", "Q9001").to_pylist()].count(True) >= 1
        older = update_base(tmp_path / name, open_source(str(first)))
        assert older.older == 1 and FactStore(tmp_path / name).entity("Q9001").label == "Aulus Fictus Maior"


def test_what_cannot_be_read_keeps_its_facts(tmp_path: Path) -> None:
    wiki = Wiki(Random(4), size=40)
    base = mined(wiki, tmp_path, day_of(0))
    before = facts_in(FactStore(base))
    folder = write_entities(tmp_path / "day", list(wiki.now.values()))
    (folder / "0003.json").write_text((folder / "0003.json").read_text()[:150])
    (folder / "0005.json").write_text("<html>busy</html>")
    done = update_base(base, open_source(str(folder)), known_by=Date.parse(day_of(1)))
    assert facts_in(FactStore(base)) == before
    assert done.intake.rejects.count == 1 and "not JSON, or cut" in done.intake.rejects.shown[0]
    for path in folder.iterdir():
        path.write_text(path.read_text()[:120])
    with pytest.raises(DataLossError, match="documents that could not be read"):
        update_base(base, open_source(str(folder)), known_by=Date.parse(day_of(2)))
    hidden = tmp_path / "hidden.xml"
    page = (
        "<page><title>Q1</title><revision><id>99999</id><timestamp>2024-05-09T00:00:00Z</timestamp>{}</revision></page>"
    )
    pages = page.format('<text deleted="deleted" />') + page.replace("Q1", "Talk:Q1").format("<text>no entity</text>")
    hidden.write_text(f"<mediawiki>{pages}</mediawiki>")
    with pytest.raises(DataLossError):
        update_base(base, open_source(str(hidden)))
    assert update_base(base, open_source(str(hidden)), max_rejects=1).intake.rejects.count == 1
    assert facts_in(FactStore(base)) == before
    strange = hidden.read_text().replace("Talk:Q1", "Q2").replace("no entity", '{"type":"item","id":"Q1","claims":{}}')
    hidden.write_text(strange)
    done = update_base(base, open_source(str(hidden)), max_rejects=1)
    assert "what it says is not of Q2" in done.intake.rejects.shown[1] and facts_in(FactStore(base)) == before
    whole = write_export(tmp_path / "cut.xml.bz2", list(wiki.now.values()))
    whole.write_bytes(whole.read_bytes()[:-40])
    with pytest.raises(UserError, match=r"cut.xml.bz2 is cut or broken after [0-9]+ pages .* --accept-cut"):
        update_base(base, open_source(str(whole)))


def test_an_answer_of_the_api_may_say_first_that_it_is_one(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text(json.dumps({"success": 1} | json.loads((ENTITIES / "Q9001_first.json").read_text())))
    write_base(tmp_path / "base", [open_source(str(path))])
    assert FactStore(tmp_path / "base").entity("Q9001").label == "Aulus Fictus"


def test_files_of_entities_are_one_source(tmp_path: Path) -> None:
    wiki = Wiki(Random(5), size=6)
    base = mined(wiki, tmp_path, day_of(0))
    files = sorted(write_entities(tmp_path / "day", wiki.edit(1, 5)).iterdir())
    ran = CliRunner().invoke(asof, ["update", str(base), *map(str, files), "--known-by", day_of(1), "--json"])
    told = json.loads(ran.stdout)
    assert facts_in(FactStore(base)) == wiki.truth()
    assert told["source"] == f"0000.json and {len(files) - 1} more" and told["updated"] and told["day"] == day_of(1)
    moved = next(one for one in wiki.now.values() if one.is_live)
    wiki.now[moved.id].target = "Q99"
    (tmp_path / f"{moved.id}.json").write_text(
        json.dumps({"entities": {"Q99": {"type": "item", "id": "Q99", "lastrevid": 1}}})
    )
    ran = CliRunner().invoke(asof, ["update", str(base), str(tmp_path / f"{moved.id}.json"), "--known-by", day_of(2)])
    assert "1 merged" in ran.stderr and facts_in(FactStore(base)) == wiki.truth()
