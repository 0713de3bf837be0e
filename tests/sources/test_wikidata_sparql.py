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
from asof.sources.wikidata_sparql.queries import STATEMENT, Stretch
from asof.timeline import Date, Interval
from tests.sources.endpoints import oxigraph, virtuoso
from tests.sources.statement_model import ntriples

sys.path.append(str(Path(__file__).parents[2]))
from bench.generated_dump import Plan, Truth, write_dump
from bench.generated_lines import KEPT_QUALIFIER, PROPERTIES

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
    with ENGINES[request.param](ntriples(entities_of(dump[0])), tmp_path_factory.mktemp(request.param)) as address:
        yield address


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
    assert asked.sql("FROM relations ORDER BY id").to_pylist() == read.sql("FROM relations ORDER BY id").to_pylist()


def test_only_what_may_hold_in_the_period_comes(engine: str, dump: tuple[Path, Truth]) -> None:
    since, until = Date.parse("1850"), Date.parse("1900-06")
    source = open_source(engine, relation=["P39", "P54"], since=since, until=until, **QUIET)
    taken = {row["statement"] for batch in source.facts(Intake()) for row in batch.to_pylist()}
    expected, outside = set(), 0
    for fact in dump[1].facts:
        bounds = Interval.parse(fact["start"], fact["end"]).bounds()
        if fact["relation"] in ("P39", "P54"):
            if bounds.latest_end >= since.first and bounds.earliest_start <= until.last:
                expected.add(fact["statement"])
            else:
                outside += 1
    assert taken == expected
    assert outside > 0
    assert source.counts["outside the period"] == outside  # type: ignore[attr-defined]


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
    stretches = [Stretch("P39", subjects)]
    for _ in range(depth):
        stretches = [part for stretch in stretches[:8] for part in stretch.parts()] + stretches[8:]
    for address in there:
        within = [part for part in stretches if part.low <= address and (not part.high or address < part.high)]
        assert len(within) == 1


def test_subjects_are_halved_before_addresses_are_cut() -> None:
    parts = Stretch("P39", ("Q1", "Q2", "Q3"), after="x").parts()
    assert [part.subjects for part in parts] == [("Q1",), ("Q2", "Q3")]
    assert {part.after for part in parts} == {"x"}
    smallest = Stretch("P39", ("Q1",))
    while smallest.parts():
        smallest = smallest.parts()[3]
    assert str(smallest).startswith("P39 of Q1, addresses from Q1-3")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, r"query.example/sparql has billions of statements.*--relation P39"),
        ({"relation": ["Q39"]}, r"'Q39' is no relation. Write an id of Wikidata, such as P39"),
        ({"relation": ["P39"], "subject": ["Barack Obama"]}, r"'Barack Obama' is no subject.*such as Q76"),
        ({"relation": ["P39"], "subject": ["@/no/such/file"]}, r"/no/such/file does not exist.*one subject a line"),
        ({"relation": ["P39} DROP ALL {"]}, r"is no relation"),
        ({"relation": ["P39"], "languages": ['en") . #']}, r"is no language"),
        ({"relation": ["P39"], "without_relation": ["P6"]}, r"has no setting 'without_relation'"),
    ],
)
def test_what_cannot_be_asked_is_said_before_anything_is_sent(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        open_source("https://query.example/sparql", **settings)


def test_a_bad_line_of_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "subjects.txt").write_text("Q1\nObama\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"subjects.txt, line 2: 'Obama' is no subject"):
        open_source("https://query.example/sparql", relation=["P39"], subject=[f"@{tmp_path / 'subjects.txt'}"])


def test_without_httpx_the_message_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['httpx'] = None\n"
        "from asof.sources import open_source\nfrom asof.facts import Intake\n"
        "next(open_source('https://query.example/sparql', relation=['P39']).facts(Intake()))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "A SPARQL endpoint needs httpx. Install it with: pip install 'asof[endpoint]'" in ran.stderr
