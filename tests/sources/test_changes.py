"""Changes taken in day by day give the same base as the last state mined whole, and each day can be asked again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof.facts import FactStore, write_base
from asof.facts.fact import end_of_row
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


@settings(max_examples=5, deadline=None, suppress_health_check=list(HealthCheck))
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
    for query in ("SELECT * EXCLUDE (known_from, source) FROM facts ORDER BY ALL",):
        assert store.sql(query).to_pylist() == again.sql(query).to_pylist()
    mentioned = "SELECT id, label, aliases, popularity FROM entities SEMI JOIN (SELECT subject AS id FROM facts) f USING (id) ORDER BY id"
    assert store.sql(mentioned).to_pylist() == again.sql(mentioned).to_pylist()
    for day, facts in enumerate(truth):
        then = store.as_known_on(day_of(day))
        assert facts_in(then) == facts
        assert str(then.known_by) == day_of(day)
        subjects = {row[0] for row in facts} | {"Q1"}
        found = then.rows("facts", *subjects).to_pylist()
        assert Counter(map(_row, found)) == facts


def test_daily_dumps_equal_mining_the_last_state(tmp_path: Path) -> None:
    for seed in range(3):
        folder, random = tmp_path / str(seed), Random(seed)
        folder.mkdir()
        wiki = Wiki(random)
        base = mined(wiki, folder, day_of(0))
        for day in range(1, 5):
            revisions = [one for one in wiki.edit(day, 8)]
            ending = random.choice((".xml", ".xml.gz", ".xml.bz2"))
            path = write_export(
                folder / f"wikidatawiki-day-{day}-pages-meta-hist-incr{ending}", disordered(random, revisions)
            )
            done = update_base(base, open_source(str(path)))
            gone = {one.id for one in wiki.now.values() if one.claims is None}  # no dump tells of deletions
            there = Counter({row: n for row, n in facts_in(FactStore(base)).items() if row[0] not in gone})
            assert there == wiki.truth()
            assert done.version.day == day_of(day)
