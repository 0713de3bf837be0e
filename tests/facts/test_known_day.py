"""The day up to which a base is known: until then "ongoing" is sure, afterwards it is only possible."""

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pyarrow as pa
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from asof.agents.tools import Tools
from asof.cli import asof
from asof.facts import FACTS, FactStore
from asof.facts.manifest import MANIFEST
from asof.facts.row import fact_row
from asof.facts.store import bounds_of, bounds_sql, latest_stated_sql
from asof.reading.ask.answer import Holds
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Bounds, Date, End, Interval, Verdict, latest_stated_day
from tests.timeline.strategies import dates, intervals

ROWS = [("Acme", "P169", "Ann", "2001", "2010-05-01"), ("Acme", "P169", "Bob", "2010-05-01", "ongoing")]


def without_day(store: FactStore) -> FactStore:
    """Open a base again whose manifest states no day, as those of older versions and of some sources."""
    path = store.folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"known_by": None}), encoding="utf-8")
    return FactStore(store.folder)


def facts_table(held: list[Interval]) -> pa.Table:
    def columns(which: str, ends: list[End]) -> dict[str, list[object]]:
        return {
            f"{which}_first": [end.first if isinstance(end, Date) else None for end in ends],
            f"{which}_last": [end.last if isinstance(end, Date) else None for end in ends],
            f"{which}_precision": [str(end.precision) if isinstance(end, Date) else str(end) for end in ends],
        }

    ends = columns("start", [one.start for one in held]) | columns("end", [one.end for one in held])
    return pa.table({name: pa.array(values, FACTS.field(name).type) for name, values in ends.items()})


@given(st.lists(intervals(), min_size=1, max_size=20), st.none() | dates(st.integers(1900, 2100)))
def test_one_rule_in_python_numpy_and_sql(held: list[Interval], known_by: Date | None) -> None:
    facts = facts_table(held)
    one_by_one = [interval.bounds(known_by=known_by) for interval in held]
    assert [Bounds(*map(int, row)) for row in zip(*bounds_of(facts, known_by), strict=True)] == one_by_one
    found = duckdb.sql(f"SELECT {bounds_sql(known_by)} FROM facts").fetchall()
    assert [Bounds(*row) for row in found] == one_by_one


@given(st.lists(intervals(), max_size=20), dates(st.integers(-200, 2100)))
def test_the_latest_stated_day_is_the_same_in_python_and_sql(held: list[Interval], today: Date) -> None:
    facts = facts_table(held)
    day = duckdb.sql(latest_stated_sql("SELECT * FROM facts", today)).fetchall()[0][0]
    assert (None if day is None else Date.from_day(day)) == latest_stated_day(held, today)
    assert len(facts) == len(held)


@given(intervals(), dates(), st.none() | dates())
def test_ongoing_is_never_correct_after_the_known_day(held: Interval, date: Date, known_by: Date | None) -> None:
    bounds = held.bounds(known_by=known_by)
    beyond = isinstance(held.start, Date) and date.last > max(
        held.start.last, known_by.last if known_by else date.first
    )
    if not isinstance(held.end, Date) and beyond:
        assert not bounds.covers(date)


def test_a_base_without_a_day_takes_the_latest_date_of_its_facts(base_of: Callable[..., FactStore]) -> None:
    store = without_day(base_of([*ROWS, ("Acme", "P159", "Bonn", "2009", "2999-12-31")]))
    assert store.manifest.known_by is None
    assert store.known_by == Date.parse("2010-05-01")  # what is planned for 2999 shows nothing
    assert store.known_by_in_words == "2010-05-01 (the latest date in its facts)"
    assert without_day(base_of([("a", "b", "c", "", "ongoing")])).known_by is None


def test_what_is_ongoing_is_possible_in_2500_at_every_door(base_of: Callable[..., FactStore]) -> None:
    store = without_day(base_of(ROWS))
    found = store.facts(subject="Acme", on="2500")
    assert [fact.object for fact in found] == ["Bob"] and found.verdicts == [Verdict.TRANSITIONAL]
    assert not len(store.facts(on="2500", surely=True)) and not len(store.facts(during="2500", surely=True))
    row = fact_row(next(iter(found)), known_to=store.known_by, on=Date.parse("2500"))
    assert (row.holds, row.possibly, row.why) == ("transitional", True, "possibly: unconfirmed since 2010-05-01")
    (fact,) = Tools(store).as_of("2500", subject="Acme", relation=None, object=None).facts
    assert (fact.holds, fact.why) == ("transitional", "possibly: unconfirmed since 2010-05-01")
    told = Tools(store).changes("2009", "2500", subject=None, relation=None).notes[0]
    assert "data current to 2010-05-01" in told and told.endswith("are unconfirmed afterwards.")
    (item,) = QuestionReader(store, today=Date.parse("2024-05-01")).ask("Who was CEO of Acme in 2020?").items
    assert item.holds is Holds.POSSIBLY and item.evidence[0].why == "unconfirmed since 2010-05-01"


def test_the_commands_name_the_day(base_of: Callable[..., FactStore], tmp_path: Path) -> None:
    folder = str(without_day(base_of(ROWS)).folder)

    def run(*arguments: str) -> tuple[str, str]:
        ran = CliRunner().invoke(asof, [*arguments, "--base", folder], catch_exceptions=False)
        assert ran.exit_code == 0
        return ran.stdout, ran.stderr

    out, said = run("facts", "--on", "2500", "--json")
    assert (
        json.loads(out)["holds"] == "transitional"
        and json.loads(out)["why"] == "possibly: unconfirmed since 2010-05-01"
    )
    assert "has data current to 2010-05-01 (the latest date in its facts): facts that were ongoing then" in said
    assert "data current to" not in run("facts", "--on", "2009")[1]
    assert "Data current to 2010-05-01 (the latest date in its facts)." in run("timeline", "Acme")[1]
    assert "are unconfirmed afterwards. Omit such facts with --surely." in run("diff", "2009", "2500")[1]
    assert "data current to" not in run("diff", "2009", "2500", "--surely")[1]
