"""The parts behind the pages: places on the line of time, completion of names, what is kept; against plain loops."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.facts import FactStore, write_base
from asof.reading.ask.spoken import spoken
from asof.sources import open_source
from asof.timeline import MAX_DAY, MIN_DAY, Bounds, Date, Interval, parse_when
from asof.timeline.calendar import day_number
from asof.web.axis import Axis
from asof.web.paging import Shelf
from asof.web.rendering import fits, link
from asof.web.rows import neighbours
from asof.web.suggestions import Suggestions

days = st.integers(-1_000_000, 800_000)
opens = st.sampled_from([MIN_DAY, MAX_DAY])


@given(st.lists(st.tuples(days, days, days, days), min_size=1, max_size=8), st.booleans(), st.booleans())
def test_every_fact_has_its_place_on_the_line(rows: list[tuple[int, int, int, int]], left: bool, right: bool) -> None:
    bounds = [Bounds(*sorted(row)) for row in rows]
    bounds[0] = bounds[0]._replace(earliest_start=MIN_DAY if left else bounds[0].earliest_start)
    bounds[0] = bounds[0]._replace(latest_end=MAX_DAY if right else bounds[0].latest_end)
    axis = Axis.around(bounds, None)
    for one in bounds:
        bar = axis.bar(one)
        assert bar is not None and 0 <= bar.first < bar.last <= 100
        assert bar.sure is None or bar.first <= bar.sure <= bar.last
        assert bar.unsure is None or bar.first <= bar.unsure <= bar.last
        assert (bar.arrow_left, bar.arrow_right) == (one.earliest_start == MIN_DAY, one.latest_end == MAX_DAY)
    assert 1 <= len(axis.ticks) <= 12
    places = [tick.at for tick in axis.ticks]
    assert places == sorted(places) and all(0 <= place <= 100 for place in places)
    assert len({tick.label for tick in axis.ticks}) == len(places)


def test_a_line_without_dates_and_one_of_a_day() -> None:
    nothing = Interval.parse("unknown", "unknown").bounds()
    axis = Axis.around([nothing], Date.parse("2024-12-31"))
    assert axis.first < Date.parse("2024").last < axis.last and axis.ticks
    bar = axis.bar(nothing)
    assert bar is not None and (bar.first, bar.last, bar.sure) == (0, 100, None)
    day = day_number(2000, 2, 29)
    assert Axis.around([Bounds(day, day, day, day)], None).last - day >= 300
    inverted = Interval.parse("1999", "1990").bounds()
    assert Axis.around([inverted], None).bar(inverted) is None
    near, far = Date.parse("1989"), Date.parse("2900")
    some = Interval.parse("1990", "1995").bounds()
    assert Axis.around([some], None, also=near).first <= near.first
    assert Axis.around([some], None, also=far) == Axis.around([some], None)  # it would squeeze all facts into a dot


@pytest.mark.parametrize("text", ["1995", "1995-01", "1995-03-01", "2021-Q4", "-0001", "0001", "1990s", "19th century"])
def test_the_date_before_the_one_after_is_the_date_itself(text: str) -> None:
    date = parse_when(text)
    found = neighbours(date)
    assert found is not None
    earlier, later = parse_when(found[0]), parse_when(found[1])
    assert earlier.last + 1 == date.first and date.last + 1 == later.first
    for neighbour, side in ((earlier, 1), (later, 0)):
        again = neighbours(neighbour)
        assert again is not None
        assert (parse_when(again[side]).first, parse_when(again[side]).last) == (date.first, date.last)


WORDS = st.sampled_from(["Merk", "merkel", "Angela", "von", "O'Brien", "F.C.", "Élis", "李", "3", "-", "München"])


@settings(max_examples=6)
@given(st.lists(st.lists(WORDS, min_size=1, max_size=4).map(" ".join), min_size=1, max_size=12, unique=True), WORDS)
def test_completion_finds_what_a_plain_loop_finds(names: list[str], typed: str) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        rows = ["subject\trelation\tobject\tstart\tend", *(f"{name}\tP6\tthing\t2001\t2002" for name in names)]
        table = Path(folder) / "rows.tsv"
        table.write_text("\n".join(rows) + "\n", encoding="utf-8")
        write_base(Path(folder) / "base", [open_source(str(table))])
        found = Suggestions(FactStore(Path(folder) / "base")).of(typed, limit=20)
    wanted = spoken(typed)
    expected = {name for name in names if wanted and f" {wanted}" in f" {spoken(name)}"}
    assert {one.id for one in found if not one.is_relation} == expected


def test_what_is_kept_is_made_once_and_dropped_in_turn() -> None:
    shelf, made = Shelf(2), []
    begun = threading.Event()

    def make() -> int:
        begun.wait(5)
        made.append(1)
        return len(made)

    with ThreadPoolExecutor(4) as threads:
        several = [threads.submit(shelf.get, "a", make) for _ in range(4)]
        begun.set()
        assert [one.result() for one in several] == [1, 1, 1, 1]

    def broken() -> int:
        raise ValueError

    for key in range(5):
        with pytest.raises(ValueError):
            shelf.get(key, broken)
    assert shelf.get("b", lambda: 2) == 2 and shelf.get("a", lambda: 9) == 1
    assert shelf.get("c", lambda: 3) == 3 and shelf.get("b", lambda: 4) == 4  # b was asked for longest ago
    assert len(shelf._kept) == len(shelf._being_made) == 2


def test_addresses_quote_everything() -> None:
    assert link("/entity", "a/b?c#d&e f") == "/entity/a%2Fb%3Fc%23d%26e%20f"
    assert link("/", q='"><x>') == "/?q=%22%3E%3Cx%3E" and link("/changes", from_="2020", to="") == "/changes?from=2020"
    assert link("/entity", "\ud800") == "/entity/%3F"
    assert fits("x" * 1000) and not fits("x" * 1001) and not fits("李" * 900)
