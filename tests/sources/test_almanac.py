"""The almanac against itself, against history's rules, and against independent tables."""

import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from asof.facts import FactStore, find_entity, write_base
from asof.facts.checks import CONTRADICTIONS, find_problems
from asof.facts.timelines import Timeline, timeline
from asof.sources.almanac import Almanac, almanac_base
from asof.timeline import Date

TABLES = Path(__file__).parents[2] / "src" / "asof" / "sources" / "almanac"
KINDS = {
    "human", "country", "union", "city", "place", "organisation", "company", "political party", "university",
    "newspaper",
    "sports team", "band", "position", "currency", "venue", "work", "fictional character", "award", "language",
    "form of government", "name",
}  # fmt: skip

# Two at a time of what is one at a time, as history has it. A new pair here needs a reason.
REAL_PAIRS = {
    ("Kingdom of England", "Mary II", "William III of England"),  # joint sovereigns
    ("Russia", "Ivan V of Russia", "Peter the Great"),  # joint tsars
    ("Spain", "Manuel Azaña", "Francisco Franco"),  # two sides of a civil war
    ("France", "Pierre Laval", "Charles de Gaulle"),  # Vichy and Algiers
    ("Social Democratic Party of Germany", "Norbert Walter-Borjans", "Saskia Esken"),  # joint chairs
    ("Social Democratic Party of Germany", "Saskia Esken", "Lars Klingbeil"),
    ("Bayreuth Festival", "Wieland Wagner", "Wolfgang Wagner"),  # joint directors
    ("Bayreuth Festival", "Eva Wagner-Pasquier", "Katharina Wagner"),
    ("Philadelphia Orchestra", "Leopold Stokowski", "Eugene Ormandy"),
    ("Liverpool F.C.", "Roy Evans", "Gérard Houllier"),  # joint managers
    ("Italy national football team", "Fulvio Bernardini", "Enzo Bearzot"),
    ("Boston Celtics", "Ime Udoka", "Joe Mazzulla"),  # one was suspended
    ("Muhammad Ali Jinnah", "Indian National Congress", "All-India Muslim League"),
}


def rows(folder: str) -> list[tuple[str, int, list[str]]]:
    return [
        (path.name, number, line.split("\t"))
        for path in sorted((TABLES / folder).glob("*.tsv"))
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1)
        if number > 1 and line and not line.startswith("# ")
    ]


def line_of(store: FactStore, subject: str, relation: str) -> Timeline:
    return timeline(store, subject=find_entity(store, subject).id, relation=relation)


def spells(found: Timeline) -> list[tuple[str, str, str]]:
    return [(fact.object_label or "", str(fact.start), str(fact.end)) for fact in found.facts]


def test_it_is_as_large_as_promised(almanac: FactStore) -> None:
    assert len(rows("facts")) >= 14_000
    assert len({name.split("_")[0] for name, _, _ in rows("facts")}) >= 25
    spans = almanac.sql("SELECT min(start_first) AS first, max(start_first) AS last FROM facts").to_pylist()[0]
    assert (spans["last"] - spans["first"]) / 365.25 > 4_000
    terms = almanac.sql("SELECT count(*) AS n FROM facts WHERE source = 'almanac/us_legislators'").to_pylist()[0]["n"]
    assert terms == 42_976 + 125  # legislators, presidents and vice presidents


def test_every_row_is_taken(tmp_path: Path) -> None:
    _, intake = write_base(tmp_path / "base", [Almanac()])
    assert intake.rejects.shown == []


def test_tables_are_well_formed() -> None:
    for table, line, cells in rows("facts"):
        assert len(cells) == 4, f"{table}, line {line}"
        assert re.match(r"P[0-9]+_[a-z_]+\.tsv$", table)
    names: Counter[str] = Counter()
    ids = defaultdict(list)
    for table, line, cells in rows("entities"):
        name, id, kind, fame, aliases, description = cells
        names[name] += 1
        assert kind in KINDS and table == f"{kind.replace(' ', '_')}.tsv", f"{table}, line {line}"
        assert fame in ("1", "2", "3", "4", "5") and description, f"{table}, line {line}"
        assert cells == [cell.strip() for cell in cells], f"{table}, line {line}"
        assert all(aliases.split("|")) or not aliases, f"{table}, line {line}"
        if id:
            assert re.fullmatch(r"Q[1-9][0-9]*", id), f"{table}, line {line}"
            ids[id].append(name)
    assert [name for name, count in names.items() if count > 1] == []
    assert {id: named for id, named in ids.items() if len(named) > 1} == {}
    used = {name for _, _, cells in rows("facts") for name in cells[:2]}
    assert used <= set(names)


def test_nothing_contradicts_itself(almanac: FactStore) -> None:
    found = find_problems(almanac, problems=CONTRADICTIONS).to_pylist()
    others = [(row["problem"], row["subject_label"]) for row in found if row["problem"] != "two-holders"]
    assert others == [("overlapping", "Charles Linza McNary")]  # as the package of legislators has it
    found = [row for row in found if row["problem"] == "two-holders"]
    pairs = {(row["subject_label"], row["object_label"], row["other_label"]) for row in found}
    assert pairs <= REAL_PAIRS


def test_there_is_one_us_president_at_a_time_and_never_none(almanac: FactStore) -> None:
    presidents = line_of(almanac, "United States", "P35")
    assert presidents.gaps == presidents.overlaps == []
    assert spells(presidents)[0] == ("George Washington", "1789-04-30", "1797-03-04")
    assert len(presidents.facts) == 47
    assert spells(line_of(almanac, "United States", "P6")) == spells(presidents)


@pytest.mark.parametrize(
    ("office", "hand_written"),
    [
        ("President of the United States", ("United States", "P35")),
        ("Vice President of the United States", ("Vice President of the United States", "P1308")),
    ],
)
def test_hand_written_terms_agree_with_those_of_the_package(
    almanac: FactStore, office: str, hand_written: tuple[str, str]
) -> None:
    """Two tables that know nothing of each other: the terms of the package joined give the spells of ours."""
    office_id = find_entity(almanac, office).id
    packaged = almanac.sql(
        "SELECT * FROM facts WHERE object = $office AND source = 'almanac/us_legislators' ORDER BY start_first",
        {"office": office_id},
    ).to_pylist()
    joined: list[list[object]] = []
    for row in packaged:
        if joined and joined[-1][0] == row["subject"] and joined[-1][2] == row["start_first"]:
            joined[-1][2] = row["end_first"]
        else:
            joined.append([row["subject"], row["start_first"], row["end_first"]])
    ours = [
        [fact.object, fact.start.first, fact.end.first]
        for fact in line_of(almanac, *hand_written).facts
        if isinstance(fact.start, Date)
        and isinstance(fact.end, Date)
        and fact.end.last <= Date.parse("2017-01-20").last
    ]
    assert ours == joined


def test_the_see_of_rome_is_empty_only_when_history_says_so(almanac: FactStore) -> None:
    popes = line_of(almanac, "Pope", "P1308")
    assert 262 <= len(popes.facts) <= 268
    dated = [fact for fact in popes.facts if isinstance(fact.start, Date) and fact.start.year >= 200]
    years = {str(gap)[:4] for gap in Timeline(dated).gaps if gap.last - gap.first > 250}
    # under persecution; waiting for Constantinople's consent; quarrels with emperors; long conclaves; Constance
    assert years <= {
        "0250", "0258", "0304", "0305", "0308", "0310", "0555", "0574", "0638", "0639", "1085",
        "1241", "1268", "1287", "1292", "1304", "1314", "1415",
    }  # fmt: skip
    assert {"1268", "1292", "1314", "1415"} <= years


@pytest.mark.parametrize(
    ("country", "relation", "since"),
    [
        ("United Kingdom", "P6", "1812"),
        ("United Kingdom", "P35", "1801"),
        ("Germany", "P6", "1949-09-15"),
        ("Italy", "P6", "1946-07"),
        ("Canada", "P6", "1867"),
        ("Australia", "P6", "1901"),
        ("Japan", "P35", "1867"),
        ("France", "P35", "1958"),
    ],
)
def test_well_known_lines_have_no_gap_of_a_month(almanac: FactStore, country: str, relation: str, since: str) -> None:
    gaps = [gap for gap in line_of(almanac, country, relation).gaps if gap.first >= Date.parse(since).first]
    assert [str(gap) for gap in gaps if gap.last - gap.first > 31] == []


@pytest.mark.parametrize(
    ("subject", "relation", "on", "expected"),
    [
        ("United States", "P35", "2011", {"Barack Obama"}),
        ("Italy", "P6", "2021-03", {"Mario Draghi"}),
        ("Italy", "P6", "2021-Q1", {"Giuseppe Conte", "Mario Draghi"}),
        ("Cristiano Ronaldo", "P54", "2021-Q2", {"Juventus FC", "Portugal national football team"}),
        ("Roman emperor", "P1308", "10 BC", {"Augustus"}),
        ("Germany", "P36", "1980", {"Bonn"}),
        ("Samarkand", "P17", "1950", {"Soviet Union"}),
        ("Betty Ford", "P26", "1983-03-21", {"Gerald Ford"}),
        ("Apple Inc.", "P169", "1999", {"Steve Jobs"}),
    ],
)
def test_what_everybody_knows(almanac: FactStore, subject: str, relation: str, on: str, expected: set[str]) -> None:
    facts = almanac.facts(subject=find_entity(almanac, subject).id, relation=relation, on=on)
    assert {fact.object_label for fact in facts} == expected


def test_the_beatles_in_1965(almanac: FactStore) -> None:
    members = almanac.facts(object=find_entity(almanac, "The Beatles").id, relation="P463", on="1965")
    assert {fact.subject_label for fact in members} == {
        "John Lennon",
        "Paul McCartney",
        "George Harrison",
        "Ringo Starr",
    }


def test_it_is_made_once_and_found_again() -> None:
    folder = almanac_base()
    before = (folder / "manifest.json").stat().st_mtime_ns
    assert almanac_base() == folder
    assert (folder / "manifest.json").stat().st_mtime_ns == before
