"""Intervals, verdicts and Allen's relations against slow, independent computations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import DateError
from asof.timeline import (
    Allen,
    Bounds,
    Date,
    Interval,
    Open,
    Period,
    Verdict,
    allen,
    parse_date,
    possible_allen,
    verdict,
    verdicts,
)
from tests.timeline.strategies import dates, intervals, periods


@given(dates() | periods(), dates() | periods())
def test_exactly_one_allen_relation_holds_and_its_inverse_the_other_way(one: Date, other: Date) -> None:
    a, b, c, d = one.first, one.last + 1, other.first, other.last + 1
    definitions = {  # Allen 1983, on half-open stretches
        Allen.BEFORE: b < c,
        Allen.MEETS: b == c,
        Allen.OVERLAPS: a < c < b < d,
        Allen.STARTS: a == c and b < d,
        Allen.DURING: c < a and b < d,
        Allen.FINISHES: c < a and b == d,
        Allen.EQUALS: a == c and b == d,
        Allen.FINISHED_BY: a < c and b == d,
        Allen.CONTAINS: a < c and d < b,
        Allen.STARTED_BY: a == c and d < b,
        Allen.OVERLAPPED_BY: c < a < d < b,
        Allen.MET_BY: a == d,
        Allen.AFTER: d < a,
    }
    holding = [relation for relation, holds in definitions.items() if holds]
    assert holding == [allen(one, other)]
    assert allen(other, one) is allen(one, other).inverse


small_days = st.integers(0, 5)


@given(st.tuples(*[st.tuples(small_days, small_days)] * 4))
def test_possible_allen_relations_are_those_of_all_choices(ranges: tuple[tuple[int, int], ...]) -> None:
    """Try every choice of days inside the imprecise ends, in a time of six days."""
    (a1, a2), (b1, b2), (c1, c2), (d1, d2) = (tuple(sorted(pair)) for pair in ranges)
    brute = {
        allen(Day(a, b), Day(c, d))
        for a in range(a1, a2 + 1)
        for b in range(b1, b2 + 1)
        for c in range(c1, c2 + 1)
        for d in range(d1, d2 + 1)
        if a <= b and c <= d
    }
    one, other = Between(Bounds(a1, a2, b1, b2)), Between(Bounds(c1, c2, d1, d2))
    assert possible_allen(one, other) == brute


@given(intervals(near=True), intervals(near=True))
def test_some_allen_relation_is_always_possible(one: Interval, other: Interval) -> None:
    relations = possible_allen(one, other)
    assert relations
    assert {relation.inverse for relation in relations} == possible_allen(other, one)


@pytest.mark.parametrize(
    ("date", "start", "end", "expected"),
    [
        # Section 3 of the TimeStress paper.
        ("2020", "2019-01", "2021", "correct"),
        ("2019-01-01", "2019-02", "2020", "incorrect"),
        ("2021", "2021-08-08", "2023-04-03", "transitional"),
        # Its table 1.
        ("1983-03-21", "1948-10-15", "2006-12-26", "correct"),
        ("1759-05", "1520", "1918", "correct"),
        ("1989-06-17", "2011", "2017-06-22", "incorrect"),
        ("1789-03-31", "1922-12-30", "1991-08-31", "incorrect"),
        ("1865", "1865-04-15", "1869-03-04", "transitional"),
        ("2014", "2007-05", "2014-10", "transitional"),
    ],
)
def test_the_verdicts_of_the_timestress_paper(date: str, start: str, end: str, expected: str) -> None:
    assert str(verdict(parse_date(date), Interval.parse(start, end))) == expected
    assert str(verdict(parse_date(date), Interval.parse(start, end), whole_ends=True)) == expected


def test_an_imprecise_end_is_transitional_unless_it_counts_in_full() -> None:
    interval = Interval.parse("2011", "2017-06-22")
    assert verdict(parse_date("2011"), interval) is Verdict.TRANSITIONAL
    assert verdict(parse_date("2011"), interval, whole_ends=True) is Verdict.CORRECT
    assert verdict(parse_date("2012"), interval) is Verdict.CORRECT


def test_what_is_ongoing_is_sure_until_the_day_it_was_checked() -> None:
    interval, checked = Interval.parse("2019", "ongoing"), parse_date("2024-12-31")
    assert verdict(parse_date("2024"), interval, known_by=checked) is Verdict.CORRECT
    assert verdict(parse_date("2025"), interval, known_by=checked) is Verdict.TRANSITIONAL
    assert verdict(parse_date("2500"), interval) is Verdict.TRANSITIONAL  # without a day nothing is sure
    assert verdict(parse_date("2018"), interval, known_by=checked) is Verdict.INCORRECT


def test_open_ends_make_dates_possible_not_sure() -> None:
    for end in ("unknown", ""):
        assert verdict(parse_date("2015"), Interval.parse("2010-01-01", end)) is Verdict.TRANSITIONAL
        assert verdict(parse_date("2009"), Interval.parse("2010-01-01", end)) is Verdict.INCORRECT
        assert verdict(parse_date("2010-01-01"), Interval.parse("2010-01-01", end)) is Verdict.CORRECT
    assert verdict(parse_date("1900"), Interval.parse("unknown", "1950")) is Verdict.TRANSITIONAL
    assert verdict(parse_date("1951"), Interval.parse("unknown", "1950")) is Verdict.INCORRECT


def test_a_start_cannot_be_ongoing() -> None:
    with pytest.raises(DateError, match="A start cannot be 'ongoing'"):
        Interval(Open.ONGOING, Open.UNKNOWN)


@given(st.lists(st.tuples(dates(), intervals()), min_size=1, max_size=20), st.booleans())
def test_verdicts_over_columns_are_the_verdicts_one_by_one(pairs: list[tuple[Date, Interval]], whole: bool) -> None:
    known_by = parse_date("2000-06")
    first, last = (np.array([getattr(date, name) for date, _ in pairs]) for name in ("first", "last"))
    columns = np.array([interval.bounds(known_by=known_by) for _, interval in pairs]).T
    assert verdicts(first, last, *columns, whole_ends=whole).tolist() == [
        verdict(date, interval, known_by=known_by, whole_ends=whole) for date, interval in pairs
    ]


@given(dates(), intervals())
def test_the_verdict_agrees_with_every_reading_of_the_ends(date: Date, interval: Interval) -> None:
    """Correct means true for every choice of the ends, incorrect false for every choice: try the extreme choices."""
    bounds = interval.bounds()
    starts, ends = (bounds.earliest_start, bounds.latest_start), (bounds.earliest_end, bounds.latest_end)
    choices = [(start, end) for start in starts for end in ends if start <= end]
    judged = verdict(date, interval)
    if judged is Verdict.CORRECT:
        assert all(start <= date.first and date.last <= end for start, end in choices)
    if judged is Verdict.INCORRECT:
        assert all(end < date.first or date.last < start for start, end in choices)


class Day:
    """A stretch of small day numbers."""

    def __init__(self, first: int, last: int) -> None:
        self.first, self.last = first, last


class Between(Interval):
    """An interval with bounds that no calendar has."""

    def __init__(self, bounds: Bounds) -> None:
        object.__setattr__(self, "start", Open.UNKNOWN)
        object.__setattr__(self, "end", Open.UNKNOWN)
        self.__dict__["fixed"] = bounds

    def bounds(self, *, known_by: Date | None = None) -> Bounds:
        fixed: Bounds = self.__dict__["fixed"]
        return fixed


def test_quarters_as_table_3_of_the_drift_paper_uses_them() -> None:
    juventus = Interval.parse("2018-07-10", "2021-08-31")
    united = Interval.parse("2021-08-31", "2022-11-22")
    for quarter, expected in (("2021-Q2", [True, False]), ("2021-Q3", [True, True]), ("2021-Q4", [False, True])):
        period = Period.parse(quarter)
        assert [spell.bounds().possibly_meets(period) for spell in (juventus, united)] == expected
