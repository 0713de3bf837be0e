"""Timelines, snapshots, differences between periods and versions, contradictions."""

from collections import defaultdict
from collections.abc import Callable

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import FactStore
from asof.facts.checks import PROBLEMS, find_problems
from asof.facts.snapshots import difference, snapshot
from asof.facts.timelines import timeline
from asof.facts.versions import version_difference
from asof.timeline import Allen, Date, Interval, Period, possible_allen
from tests.timeline.strategies import dates, periods

Make = Callable[..., FactStore]


def as_dict(table: pa.Table) -> dict[tuple[str, str], set[str]]:
    return {(row["subject"], row["relation"]): set(row["objects"]) for row in table.to_pylist()}


@pytest.mark.parametrize(
    ("subject", "relation", "quarters"),
    [  # table 3 of the drift paper
        (
            "Cristiano Ronaldo",
            "P54",
            {
                "2021-Q2": {"Juventus F.C."},
                "2021-Q3": {"Juventus F.C.", "Manchester United F.C."},
                "2021-Q4": {"Manchester United F.C."},
            },
        ),
        (
            "Italy",
            "P6",
            {
                "2020-Q4": {"Giuseppe Conte"},
                "2021-Q1": {"Giuseppe Conte", "Mario Draghi"},
                "2021-Q2": {"Mario Draghi"},
            },
        ),
    ],
)
def test_the_quarters_of_the_drift_paper(
    tiny: FactStore, subject: str, relation: str, quarters: dict[str, set[str]]
) -> None:
    for quarter, expected in quarters.items():
        assert as_dict(snapshot(tiny, quarter))[subject, relation] == expected


@settings(max_examples=60)
@given(dates(st.integers(1850, 2026)) | periods(), dates(st.integers(1850, 2026)))
def test_a_difference_applied_to_the_first_snapshot_gives_the_second(
    tiny: FactStore, one: Date | Period, other: Date
) -> None:
    earlier, later = sorted((one, other), key=lambda span: span.first)
    world = as_dict(snapshot(tiny, earlier))
    for row in difference(tiny, earlier, later).to_pylist():
        key, before, after = (row["subject"], row["relation"]), set(row["before"]), set(row["after"])
        assert world.get(key, set()) == before
        status = "new" if not before else "deleted" if not after else "unchanged" if before == after else "updated"
        assert row["status"] == status
        world[key] = after
    assert {key: objects for key, objects in world.items() if objects} == as_dict(snapshot(tiny, later))


def test_periods_are_compared_in_the_order_of_time(tiny: FactStore) -> None:
    with pytest.raises(UserError, match="2021-Q2 comes after 2021-Q1"):
        difference(tiny, "2021-Q2", "2021-Q1")


def test_what_came_before_and_after(tiny: FactStore) -> None:
    italy = timeline(tiny, subject="Italy", relation="P6")
    assert [fact.object for fact in italy.facts] == [
        "Matteo Renzi",
        "Paolo Gentiloni",
        "Giuseppe Conte",
        "Mario Draghi",
        "Giorgia Meloni",
    ]
    assert [fact.object for fact in italy.before("Mario Draghi")] == ["Giuseppe Conte"]
    assert [fact.object for fact in italy.after("Mario Draghi")] == ["Giorgia Meloni"]
    assert [fact.object for fact in italy.first] == ["Matteo Renzi"]
    assert [fact.object for fact in italy.last] == ["Giorgia Meloni"]
    assert italy.before("Matteo Renzi") == italy.after("Giorgia Meloni") == italy.after("nobody") == []


def test_somebody_who_came_back(tiny: FactStore) -> None:
    presidents = timeline(tiny, subject="United States", relation="P35")
    assert [fact.object for fact in presidents.after("Benjamin Harrison")] == ["Grover Cleveland"]
    assert [fact.object for fact in presidents.before("Benjamin Harrison")] == ["Grover Cleveland"]
    teams = timeline(tiny, subject="LeBron James", relation="P54")
    assert [fact.object for fact in teams.after("Cleveland Cavaliers")] == ["Los Angeles Lakers"]
    assert [fact.object for fact in teams.after("Miami Heat")] == ["Cleveland Cavaliers"]
    assert teams.gaps == []


def test_gaps_are_days_in_which_surely_nothing_held(tiny: FactStore) -> None:
    ronaldo = timeline(tiny, subject="Cristiano Ronaldo", relation="P54")
    assert [str(gap) for gap in ronaldo.gaps] == ["2022-11-23..2022-12-29"]
    presidents = timeline(tiny, subject="United States", relation="P35")
    assert [str(gap) for gap in presidents.gaps] == ["1897-03-05..2001-01-19"]
    citizen = timeline(tiny, subject="Albert Einstein", relation="P27")
    assert [str(overlap) for overlap in citizen.overlaps] == ["1940-10-01..1955-04-18"]


def test_how_two_facts_lie_in_time(tiny: FactStore) -> None:
    conte, draghi = (
        next(iter(tiny.facts(subject="Italy", object=name))) for name in ("Giuseppe Conte", "Mario Draghi")
    )
    assert possible_allen(conte.interval, draghi.interval) == {Allen.OVERLAPS}  # they share the day of the handover
    bulls = next(iter(tiny.facts(subject="Jimmy Butler")))
    merkel = next(iter(tiny.facts(object="Angela Merkel")))
    assert possible_allen(bulls.interval, merkel.interval) == {Allen.DURING}


def test_contradictions_are_found(base_of: Make) -> None:
    store = base_of(
        [
            ("A", "P6", "one", "2000-01-01", "2005-01-01"),
            ("A", "P6", "two", "2004-06-01", "2008-01-01"),  # seven months beside "one"
            ("A", "P6", "three", "2008-01-01", "2010-01-01"),  # the day of the handover is no contradiction
            ("A", "P6", "four", "2012-01-01", "2013-01-01"),  # two years after "three"
            ("B", "P6", "five", "2000", "2005"),
            ("B", "P6", "six", "2005", "2009"),  # some time in 2005: may be right
            ("C", "P54", "team", "2001", "2004"),
            ("C", "P54", "team", "2001", "2004"),
            ("C", "P54", "other team", "2002", "2003"),  # many at a time are allowed
            ("D", "P6", "seven", "2010", "2001"),
        ],
        inverted="keep",
    )
    found = find_problems(store, problems=PROBLEMS).to_pylist()
    told = [
        (
            row["problem"],
            row["subject"],
            row["object"],
            row["other"],
            *(str(Date.from_day(row[k])) for k in ("first", "last")),
        )
        for row in found
    ]
    assert told == [
        ("inverted", "D", "seven", "seven", "2001-12-31", "2010-01-01"),
        ("two-holders", "A", "one", "two", "2004-06-01", "2005-01-01"),
        ("repeated", "C", "team", "team", "2001-01-01", "2004-12-31"),
        ("gap", "A", "three", "four", "2010-01-02", "2011-12-31"),
    ]
    assert find_problems(store, subject="B").num_rows == 0


spells = st.lists(
    st.tuples(st.sampled_from("abc"), st.integers(0, 60), st.integers(0, 20)), min_size=1, max_size=12, unique=True
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(spells)
def test_two_holders_are_found_exactly_when_a_day_has_two(base_of: Make, rows: list[tuple[str, int, int]]) -> None:
    day = Date.parse("2000-01-01").first
    facts = [
        ("A", "P6", holder, str(Date.from_day(day + start)), str(Date.from_day(day + start + length)))
        for holder, start, length in rows
    ]
    store = base_of(facts)
    holders = defaultdict(set)
    for holder, start, length in rows:
        for held in range(start, start + length):  # without the last day, which may be a handover
            holders[held].add(holder)
    twice = any(len(names) > 1 for names in holders.values())
    assert (find_problems(store, problems=["two-holders"]).num_rows > 0) == twice


def test_two_versions_of_a_base(base_of: Make) -> None:
    old = base_of(
        [
            ("Italy", "P6", "Draghi", "2021-02-13", "ongoing"),
            ("Italy", "P6", "Conte", "2018-06-01", "2021-02-13"),
            ("Italy", "P36", "Rome", "1871", "ongoing"),
            ("Atlantis", "P36", "Poseidonis", "", ""),
        ]
    )
    new = base_of(
        [
            ("Italy", "P6", "Draghi", "2021-02-13", "2022-10-22"),
            ("Italy", "P6", "Conte", "2018-06-01", "2021-02"),
            ("Italy", "P36", "Rome", "1871", "ongoing"),
            ("Italy", "P6", "Meloni", "2022-10-22", "ongoing"),
        ]
    )
    told = [(row["change"], row["object"]) for row in version_difference(old, new).to_pylist()]
    assert told == [("new", "Meloni"), ("ended", "Draghi"), ("changed", "Conte"), ("gone", "Poseidonis")]
    assert version_difference(new, new).num_rows == 0


statements = st.lists(
    st.tuples(st.sampled_from("xyz"), st.sampled_from("ab"), st.integers(2000, 2004), st.integers(2004, 2008)),
    max_size=8,
)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(statements, statements)
def test_a_version_difference_applied_to_the_old_base_gives_the_new_one(
    base_of: Make, one: list[tuple[str, str, int, int]], other: list[tuple[str, str, int, int]]
) -> None:
    anchor = ("anchor", "P6", "anchor", "1900", "1901")
    old, new = (
        base_of([anchor, *((s, "P6", o, str(start), str(end)) for s, o, start, end in rows)]) for rows in (one, other)
    )

    def content(store: FactStore) -> list[tuple[str, str, str]]:
        return sorted((fact.subject, fact.object, str(fact.interval)) for fact in store.facts())

    world = content(old)
    for row in version_difference(old, new).to_pylist():
        for version in (name for name in ("old", "new") if row[f"{name}_start_precision"]):
            start, end = (Date.of(Date.from_day(row[f"{version}_{which}_first"]).year) for which in ("start", "end"))
            entry = (row["subject"], row["object"], str(Interval(start, end)))
            world.remove(entry) if version == "old" else world.append(entry)
    assert sorted(world) == content(new)
