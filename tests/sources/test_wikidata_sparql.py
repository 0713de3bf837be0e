"""Facts from real SPARQL engines: what was planned comes out, and the same as out of a dump of the same entities."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import FactStore, Intake, write_base
from asof.facts.fact import end_of_row
from asof.sources import open_source
from asof.sources.wikidata_sparql.endpoint import SparqlEndpoint
from asof.sources.wikidata_sparql.kept import KeptAnswers
from asof.sources.wikidata_sparql.paging import statement_pages
from asof.sources.wikidata_sparql.period import AskedDays
from asof.sources.wikidata_sparql.queries import STATEMENT, StatementRange
from asof.sources.wikidata_sparql.reading import statement_id
from asof.timeline import MAX_DAY, MIN_DAY, Date, Interval, parse_end
from asof.timeline.calendar import calendar_day
from tests.sources.endpoints import oxigraph, virtuoso
from tests.sources.statement_model import ntriples

sys.path.append(str(Path(__file__).parents[2]))
from bench.generated_dump import Plan, Truth, write_dump
from bench.generated_lines import KEPT_QUALIFIER, PROPERTIES

HAND_WRITTEN = "P9999"  # of statements for which the answer is known without thinking
SPELLS = {
    "over": {"P580": ["1990"], "P582": ["1995"]},
    "over in the year before": {"P582": ["1999"]},
    "over in a year that has begun": {"P580": ["1990"], "P582": ["2000"]},
    "over in a month that has begun": {"P582": ["2000-06"]},
    "over in the month before": {"P582": ["2000-05"]},
    "over the day before": {"P582": ["2000-06-14"]},
    "over on the day": {"P582": ["2000-06-15"]},
    "perhaps begun again": {"P580": ["1990", "1998"], "P582": ["1995"]},
    "the wrong way round": {"P580": ["1996"], "P582": ["1990"]},
    "over and not over": {"P580": ["1990"], "P582": ["1995", None]},
    "over in a decade": {"P582": ["1990s"]},
    "a point before": {"P585": ["1995"]},
    "a point that goes on": {"P585": ["1995"], "P582": [None]},
    "two points": {"P585": ["1995", "2001"]},
    "begun later": {"P580": ["2002-01-01"]},
    "begun later, goes on": {"P580": ["2003"], "P582": [None]},
    "begun in the last year": {"P580": ["2001"], "P582": ["2004"]},
    "before Christ": {"P580": ["-0044"]},
}
NOT_ASKED = {
    "over", "over in the year before", "over in the month before", "over the day before", "a point before",
    "begun later", "begun later, goes on",
}  # fmt: skip
ENGINES: dict[str, Callable[..., Any]] = {"oxigraph": oxigraph, "virtuoso": virtuoso}
QUIET = {"tries": 2, "first_wait": 0.01}


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Truth]:
    """A generated dump with all oddities, and the truth about it."""
    path = tmp_path_factory.mktemp("dump") / "entities.json"
    return path, write_dump(path, Plan(entities=200, seed=11, line_bytes=2_000, temporal=0.6))


@pytest.fixture(scope="module", params=ENGINES)
def engine(
    request: pytest.FixtureRequest, dump: tuple[Path, Truth], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of an engine that holds the entities of the dump."""
    triples = ntriples([*entities_of(dump[0]), hand_written()])
    with ENGINES[request.param](triples, tmp_path_factory.mktemp(request.param)) as address:
        yield address


def hand_written() -> dict[str, Any]:
    """An item with one statement for each spell; None stands for no value."""
    statements = [
        {
            "id": f"Q999${number:02d}", "rank": "normal", "type": "statement",
            "mainsnak": snak(HAND_WRITTEN, {"type": "string", "value": name}),
            "qualifiers": {id: [snak(id, dates and time_of(dates)) for dates in texts] for id, texts in spell.items()},
        }
        for number, (name, spell) in enumerate(SPELLS.items())
    ]  # fmt: skip
    return {"type": "item", "id": "Q999", "labels": {}, "claims": {HAND_WRITTEN: statements}}


def snak(property: str, value: Any) -> dict[str, Any]:
    there: dict[str, Any] = {"snaktype": "value", "datavalue": value} if value else {"snaktype": "novalue"}
    return there | {"property": property, "datatype": "string" if property == HAND_WRITTEN else "time"}


def time_of(text: str) -> dict[str, Any]:
    precision = 8 if text.endswith("s") else 9 + text.lstrip("-").count("-")
    year, *rest = text.removesuffix("s").lstrip("-").split("-")
    day = "-".join([year, *rest, *["00"] * (2 - len(rest))])
    time = f"{'-' if text.startswith('-') else '+'}{day}T00:00:00Z"
    calendar = "http://www.wikidata.org/entity/Q1985727"
    return {"type": "time", "value": {"time": time, "precision": precision, "calendarmodel": calendar}}


def entities_of(path: Path) -> list[dict[str, Any]]:
    lines = (line.rstrip(",\n") for line in path.read_text(encoding="utf-8").splitlines())
    entities = [json.loads(line) for line in lines if line not in ("[", "]", "")]
    return [entity for entity in entities if entity.get("type") in ("item", "property")]


def facts(store: FactStore) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = store.sql("SELECT * EXCLUDE (source) FROM facts ORDER BY ALL").to_pylist()
    return rows


def entities(store: FactStore) -> dict[str, dict[str, Any]]:
    rows = store.sql("SELECT * FROM entities").to_pylist()
    return {row["id"]: row | {"aliases": sorted(row["aliases"])} for row in rows}


def planned(truth: Truth) -> list[tuple[str, ...]]:
    names = ("subject", "relation", "object", "rank", "statement", "best", "qualifiers", "start", "end")
    return sorted(tuple(str(fact[name]) for name in names) for fact in truth.facts)


def found(store: FactStore) -> list[tuple[str, ...]]:
    names = ("subject", "relation", "object", "rank", "statement", "best", "qualifiers")
    ends = ((row, end_of_row(row, "start"), end_of_row(row, "end")) for row in facts(store))
    return sorted((*(str(row[name]) for name in names), str(start), str(end)) for row, start, end in ends)


def test_what_was_planned_comes_out(engine: str, dump: tuple[Path, Truth], tmp_path: Path) -> None:
    truth = dump[1]
    source = open_source(engine, relation=list(PROPERTIES), qualifiers=[KEPT_QUALIFIER], **QUIET)
    _, intake = write_base(tmp_path / "base", [source])
    store = FactStore(tmp_path / "base")
    assert found(store) == planned(truth)
    there = entities(store)
    for id, entity in truth.mentioned().items():
        assert {name: there[id][name] for name in entity} == entity | {"aliases": sorted(entity["aliases"])}
    left_out = ("deprecated", "objects without value", "quantities", "media", "coordinates", "without a date")
    assert source.counts == {name: truth.counts[name] for name in left_out}  # type: ignore[attr-defined]
    assert intake.rejects.count == truth.counts["rejected"]


def test_a_dump_and_an_endpoint_give_the_same_base(engine: str, dump: tuple[Path, Truth], tmp_path: Path) -> None:
    settings = {
        "relation": list(PROPERTIES),
        "numbers": True,
        "qualifiers": [KEPT_QUALIFIER],
        "languages": ["de", "en"],
    }
    for name, place, more in (("asked", engine, QUIET), ("read", str(dump[0]), {})):
        source = open_source(place, **settings, **more)
        write_base(tmp_path / name, [source], known_by=Date.parse("2026-10-01"))
    asked, read = FactStore(tmp_path / "asked"), FactStore(tmp_path / "read")
    assert facts(asked) == facts(read)
    assert entities(asked) == entities(read)
    labels = asked.sql("FROM labels ORDER BY id, language").to_pylist()
    assert labels == read.sql("FROM labels ORDER BY id, language").to_pylist()
    assert any(row["id"].startswith("Q") and row["language"] == "en" for row in labels)
    assert asked.manifest.language == read.manifest.language == "de"
    assert asked.sql("FROM relations ORDER BY id").to_pylist() == read.sql("FROM relations ORDER BY id").to_pylist()


def may_hold(fact: dict[str, Any], since: Date | None, until: Date | None) -> bool:
    bounds = Interval.parse(fact["start"], fact["end"]).bounds()
    return not (since and bounds.latest_end < since.first) and not (until and bounds.earliest_start > until.last)


def test_only_what_may_hold_in_the_period_comes(
    engine: str, dump: tuple[Path, Truth], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same facts as when all are asked for and looked at afterwards, with fewer rows asked for."""
    since, until = Date.parse("1850"), Date.parse("1900-06")
    counted: list[int] = []
    real = SparqlEndpoint.ask
    monkeypatch.setattr(
        SparqlEndpoint, "ask", lambda self, query: (rows := real(self, query), counted.append(len(rows)))[0]
    )

    def asked() -> tuple[set[tuple[str, ...]], int]:
        counted.clear()
        source = open_source(engine, relation=["P39", "P54"], since=since, until=until, **QUIET)
        rows = [row for batch in source.facts(Intake()) for row in batch.to_pylist()]
        return {tuple(str(value) for value in row.values()) for row in rows}, sum(counted)

    few, few_rows = asked()
    monkeypatch.setattr(AskedDays, "clauses", lambda days: "")
    same, all_rows = asked()
    assert few == same
    expected = [fact for fact in dump[1].facts if fact["relation"] in ("P39", "P54") and may_hold(fact, since, until)]
    assert len(few) == len(expected) > 0
    assert few_rows < 0.75 * all_rows


def test_what_surely_lies_outside_is_not_asked_for(engine: str) -> None:
    endpoint = SparqlEndpoint(engine, KeptAnswers(None, ""), timeout=60, tries=2, first_wait=0.01, longest_wait=1)
    days = AskedDays(Date.parse("2000-06-15").first, Date.parse("2001").last)
    pages = statement_pages(endpoint, StatementRange(HAND_WRITTEN, days=days), limit=5)
    asked = {row["object"]["value"] for page in pages for row in page}
    endpoint.close()
    assert set(SPELLS) - asked == NOT_ASKED


def borders(facts: list[dict[str, Any]]) -> list[tuple[Date | None, Date | None]]:
    """Return periods that end or begin exactly at dates of facts, of each precision, and a day beside them."""
    found: dict[tuple[str, str, int], tuple[Date | None, Date | None]] = {}
    for fact in facts:
        for role in ("start", "end"):
            date = parse_end(fact[role])
            if isinstance(date, Date) and 100 < calendar_day(date.first)[0] < 9_000:
                for step in (0, 1):
                    since, until = day_of(date.last + step), day_of(date.first - step)
                    found.setdefault(
                        (role, str(date.precision), step), (None, until) if role == "start" else (since, None)
                    )
    return list(found.values())


def day_of(number: int) -> Date:
    return Date.of(*calendar_day(number))


def test_nothing_is_lost_at_a_border(engine: str, dump: tuple[Path, Truth]) -> None:
    facts = [fact for fact in dump[1].facts if fact["relation"] in ("P39", "P54", "P6")]
    kept = KeptAnswers(None, "")
    endpoint = SparqlEndpoint(engine, kept, timeout=60, tries=2, first_wait=0.01, longest_wait=1)
    needless = all_outside = 0
    for since, until in borders(facts):
        days = AskedDays(since.first if since else MIN_DAY, until.last if until else MAX_DAY)
        asked: set[str] = set()
        for relation in ("P39", "P54", "P6"):
            for page in statement_pages(endpoint, StatementRange(relation, days=days), limit=5_000):
                asked |= {statement_id(row["id"]["value"]) for row in page}
        expected = {fact["statement"] for fact in facts if may_hold(fact, since, until)}
        assert expected <= asked, (since, until)
        outside = {fact["statement"] for fact in facts} - expected
        needless, all_outside = needless + len(asked & outside), all_outside + len(outside)
    endpoint.close()
    assert needless < 0.7 * all_outside  # decades, several spells, years before Christ: one in two is odd here


def test_a_period_before_christ_is_looked_at_afterwards() -> None:
    caesar = Date.parse("44 BC")
    assert AskedDays(caesar.first, caesar.last).clauses() == AskedDays().clauses() == ""
    assert (
        AskedDays(caesar.first, Date.parse("2000").last).clauses() == AskedDays(last=Date.parse("2000").last).clauses()
    )


def test_only_the_subjects_that_were_named_come(engine: str, dump: tuple[Path, Truth], tmp_path: Path) -> None:
    subjects = sorted({fact["subject"] for fact in dump[1].facts if fact["relation"] == "P39"})[:5]
    (tmp_path / "subjects.txt").write_text(f"# some\n{subjects[0]}\n\nwd:{subjects[1]}\n", encoding="utf-8")
    named = [f"@{tmp_path / 'subjects.txt'}", f"http://www.wikidata.org/entity/{subjects[2]}", *subjects[2:]]
    source = open_source(engine, relation=["P39"], subject=named, **QUIET)
    taken = sorted(row["statement"] for batch in source.facts(Intake()) for row in batch.to_pylist())
    planned = [fact for fact in dump[1].facts if fact["relation"] == "P39" and fact["subject"] in subjects]
    assert taken == sorted(fact["statement"] for fact in planned)


addresses = st.builds(
    lambda subject, rest: f"{STATEMENT}{subject}-{rest}",
    st.sampled_from(["Q1", "q1", "Q10", "Q76", "Q100", "Q9999999", "P5", "L3", "Q2"]),
    st.text("0123456789abcdefABCDEF-", min_size=1, max_size=12),
)


@given(st.lists(addresses, min_size=1, unique=True), st.integers(1, 3), st.sampled_from([(), ("Q76",)]))
def test_the_parts_of_a_stretch_cover_it_and_do_not_overlap(
    there: list[str], depth: int, subjects: tuple[str, ...]
) -> None:
    stretches = [StatementRange("P39", subjects)]
    for _ in range(depth):
        stretches = [part for stretch in stretches[:8] for part in stretch.parts()] + stretches[8:]
    for address in there:
        within = [part for part in stretches if part.low <= address and (not part.high or address < part.high)]
        assert len(within) == 1


def test_subjects_are_halved_before_addresses_are_cut() -> None:
    parts = StatementRange("P39", ("Q1", "Q2", "Q3"), after="x").parts()
    assert [part.subjects for part in parts] == [("Q1",), ("Q2", "Q3")]
    assert {part.after for part in parts} == {"x"}
    smallest = StatementRange("P39", ("Q1",))
    while smallest.parts():
        smallest = smallest.parts()[3]
    assert str(smallest).startswith("P39 of Q1, addresses from Q1-3")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"query.example/sparql has billions of statements.*--relation P39"),
        ({"relation": ["Q39"]}, r"'Q39' is not a relation id. Write a Wikidata id, such as P39"),
        ({"relation": ["P39"], "subject": ["Barack Obama"]}, r"'Barack Obama' is not a subject.*such as Q76"),
        ({"relation": ["P39"], "subject": ["@/no/such/file"]}, r"/no/such/file does not exist.*one subject a line"),
        ({"relation": ["P39} DROP ALL {"]}, r"is not a relation id"),
        ({"relation": ["P39"], "languages": ['en") . #']}, r"is not a language code"),
        ({"relation": ["P39"], "without_relation": ["P6"]}, r"has no setting 'without_relation'"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_sent(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_source("https://query.example/sparql", **settings)


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "subjects.txt").write_text("Q1\nObama\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"subjects.txt, line 2: 'Obama' is not a subject id"):
        open_source("https://query.example/sparql", relation=["P39"], subject=[f"@{tmp_path / 'subjects.txt'}"])


def test_without_httpx_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from asof.sources import open_source\nfrom asof.facts import Intake\n"
        "next(open_source('https://query.example/sparql', relation=['P39']).facts(Intake()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "A SPARQL endpoint needs httpx. Install it with: pip install 'asof[endpoint]'" in ran.stderr
