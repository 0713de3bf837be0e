"""Wikidata's times: hand-computed dates, and the same text from JSON and from RDF whatever the time."""

import datetime
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.sources._wikidata_statements import intervals_of
from asof.sources._wikidata_time import date_of_json, date_of_rdf
from asof.timeline import Date, parse_date, parse_wikidata
from tests.sources.statement_model import rdf_time

GREGORIAN = "http://www.wikidata.org/entity/Q1985727"
JULIAN = "http://www.wikidata.org/entity/Q1985786"

# JSON time, precision, calendar, the same time in RDF, our text. Worked out by hand or taken from the documented
# behaviour of Wikibase's export.
EXAMPLES = [
    ("+2011-03-20T00:00:00Z", 11, GREGORIAN, "2011-03-20T00:00:00Z", "2011-03-20"),
    ("+2011-03-00T00:00:00Z", 10, GREGORIAN, "2011-03-01T00:00:00Z", "2011-03"),
    ("+2011-03-31T00:00:00Z", 10, GREGORIAN, "2011-03-01T00:00:00Z", "2011-03"),
    ("+1806-00-00T00:00:00Z", 9, GREGORIAN, "1806-01-01T00:00:00Z", "1806"),
    ("+1806-01-01T00:00:00Z", 9, GREGORIAN, "1806-01-01T00:00:00Z", "1806"),
    ("+00000001806-00-00T00:00:00Z", 9, GREGORIAN, "1806-01-01T00:00:00Z", "1806"),
    ("+1990-00-00T00:00:00Z", 8, GREGORIAN, "1990-01-01T00:00:00Z", "1990s"),
    ("+1995-06-07T00:00:00Z", 8, GREGORIAN, "1995-01-01T00:00:00Z", "1990s"),
    ("+1900-00-00T00:00:00Z", 7, GREGORIAN, "1900-01-01T00:00:00Z", "19th century"),
    ("+1901-00-00T00:00:00Z", 7, GREGORIAN, "1901-01-01T00:00:00Z", "20th century"),
    ("+2000-00-00T00:00:00Z", 6, GREGORIAN, "2000-01-01T00:00:00Z", "2nd millennium"),
    ("+1752-09-02T00:00:00Z", 11, JULIAN, "1752-09-13T00:00:00Z", "1752-09-13"),
    ("+1500-02-29T00:00:00Z", 11, JULIAN, "1500-03-10T00:00:00Z", "1500-03-10"),
    ("+1616-04-00T00:00:00Z", 10, JULIAN, "1616-04-01T00:00:00Z", "1616-04"),
    ("+1616-00-00T00:00:00Z", 9, JULIAN, "1616-01-01T00:00:00Z", "1616"),
    ("-0044-03-15T00:00:00Z", 11, JULIAN, "-0043-03-13T00:00:00Z", "-0044-03-13"),
    ("-0044-03-15T00:00:00Z", 11, GREGORIAN, "-0043-03-15T00:00:00Z", "-0044-03-15"),
    ("-0044-03-00T00:00:00Z", 10, JULIAN, "-0043-03-01T00:00:00Z", "-0044-03"),
    ("-0044-00-00T00:00:00Z", 9, GREGORIAN, "-0043-01-01T00:00:00Z", "-0044"),
    ("-0001-00-00T00:00:00Z", 9, GREGORIAN, "0000-01-01T00:00:00Z", "-0001"),
    ("+0001-01-01T00:00:00Z", 11, JULIAN, "0000-12-30T00:00:00Z", "-0001-12-30"),
    ("-2014-01-05T00:00:00Z", 11, JULIAN, "-2014-12-19T00:00:00Z", "-2015-12-19"),
    ("-0050-00-00T00:00:00Z", 8, GREGORIAN, "-0050-01-01T00:00:00Z", "50s BCE"),
    ("-0050-00-00T00:00:00Z", 7, GREGORIAN, "-0050-01-01T00:00:00Z", "1st century BCE"),
    ("-0200-00-00T00:00:00Z", 7, JULIAN, "-0200-01-01T00:00:00Z", "2nd century BCE"),
    ("-3000-00-00T00:00:00Z", 6, GREGORIAN, "-3000-01-01T00:00:00Z", "3rd millennium BCE"),
    ("-10000-00-00T00:00:00Z", 9, GREGORIAN, "-9999-01-01T00:00:00Z", "-10000"),
    ("+2011-03-20T14:00:00Z", 12, GREGORIAN, "2011-03-20T14:00:00Z", "2011-03-20"),
    ("+2011-03-20T14:05:06Z", 14, GREGORIAN, "2011-03-20T14:05:06Z", "2011-03-20"),
]


def text_or_reason(read: Callable[[], object]) -> str:
    try:
        return str(read())
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


@pytest.mark.parametrize("calendar", [GREGORIAN, JULIAN, "Q1"])
def test_plain_times_are_written_without_a_date_in_between_and_alike(calendar: str) -> None:
    years = ["+2023", "+2024", "+1900", "+1901", "+0001", "+0009", "+0100", "-0001", "-0044", "-0100", "+0000", "-0000"]
    for year, month, day in product(
        years, ["00", "01", "02", "04", "12", "13"], ["00", "01", "28", "29", "30", "31", "32"]
    ):
        for precision in range(5, 12):
            time = f"{year}-{month}-{day}T00:00:00Z"
            expected = text_or_reason(lambda: parse_wikidata(time, precision=precision, calendar=calendar))  # noqa: B023
            assert text_or_reason(lambda: date_of_json(time, precision, calendar)) == expected  # noqa: B023


@pytest.mark.parametrize(("time", "precision", "calendar", "rdf", "text"), EXAMPLES)
def test_json_and_rdf_give_the_date_that_was_meant(
    time: str, precision: int, calendar: str, rdf: str, text: str
) -> None:
    assert date_of_json(time, precision, calendar) == text
    assert date_of_json(time, precision, calendar.rsplit("/", 1)[-1]) == text
    assert rdf_time(time, precision, calendar) == (rdf, True)
    assert date_of_rdf(rdf, precision, calendar) == text


@pytest.mark.parametrize(("time", "text"), [("-43-03-13T00:00:00Z", "-0044-03-13"), ("-43-03-13", "-0044-03-13")])
def test_virtuoso_writes_years_without_zeros(time: str, text: str) -> None:
    assert date_of_rdf(time, 11, JULIAN) == text


def test_other_spellings_of_the_time_zone_are_read() -> None:
    assert date_of_rdf("2011-03-20T00:00:00+00:00", 11, GREGORIAN) == "2011-03-20"
    assert date_of_rdf("2011-03-20T00:00:00.000Z", 11, GREGORIAN) == "2011-03-20"


@pytest.mark.parametrize(
    ("time", "precision", "calendar", "reason"),
    [
        ("+0000-00-00T00:00:00Z", 9, GREGORIAN, "there is no year 0"),
        ("+0000-05-05T00:00:00Z", 11, GREGORIAN, "there is no year 0"),
        ("+2022-06-31T00:00:00Z", 11, GREGORIAN, "2022-06-31 is not a valid date: June 2022 has 30 days"),
        ("+2022-02-29T00:00:00Z", 11, GREGORIAN, "February 2022 has 28 days"),
        ("+2022-13-01T00:00:00Z", 10, GREGORIAN, "no month 13"),
        ("+2022-00-00T00:00:00Z", 11, GREGORIAN, "needs a day"),
        ("+2022-00-00T00:00:00Z", 10, GREGORIAN, "needs a month"),
        ("-13798000000-00-00T00:00:00Z", 3, GREGORIAN, "precision 3 is not kept"),
        ("-13798000000-00-00T00:00:00Z", 9, GREGORIAN, "out of reach"),
        ("+2011-03-20T00:00:00Z", 11, "http://www.wikidata.org/entity/Q12138", "Q12138.*neither Gregorian"),
        ("March 2011", 10, GREGORIAN, "'March 2011' is not a Wikidata time"),
        ("", 11, GREGORIAN, "'' is not a Wikidata time"),
        ("+2011-03-20Tnoon", 11, GREGORIAN, "is not a Wikidata time"),
    ],
)
def test_nonsense_is_refused_by_name(time: str, precision: int, calendar: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        date_of_json(time, precision, calendar)


@pytest.mark.parametrize("time", ["+0000-00-00T00:00:00Z", "nonsense", "", "2011", "http://www.wikidata.org/x"])
def test_nonsense_in_rdf_is_refused_too(time: str) -> None:
    with pytest.raises(ValueError, match=r"no year 0|is no"):
        date_of_rdf(time, 11, GREGORIAN)


years = st.one_of(st.integers(-4700, -1), st.integers(1, 9999))


@st.composite
def times(draw: st.DrawFn) -> tuple[str, int, str]:
    year, month = draw(years), draw(st.integers(1, 12))
    day = draw(st.integers(1, 28))
    precision = draw(st.integers(6, 14))
    if precision < 10 and draw(st.booleans()):
        month = day = 0
    if precision == 10 and draw(st.booleans()):
        day = 0
    time = f"{'+' if year > 0 else '-'}{abs(year):04d}-{month:02d}-{day:02d}T00:00:00Z"
    return time, precision, draw(st.sampled_from([GREGORIAN, JULIAN]))


@given(times())
def test_both_ways_give_one_text_that_our_dates_read_back(time: tuple[str, int, str]) -> None:
    text = date_of_json(*time)
    rdf, is_clean = rdf_time(*time)
    assert is_clean
    assert date_of_rdf(rdf, *time[1:]) == text
    assert str(parse_date(text)) == text


@given(st.dates(), st.sampled_from([11, 10, 9]))
def test_dates_of_python_come_back(date: datetime.date, precision: int) -> None:
    text = date_of_json(f"+{date.isoformat()}T00:00:00Z", precision, GREGORIAN)
    assert text == date.isoformat()[: {11: 10, 10: 7, 9: 4}[precision]]


@given(years, st.integers(1, 12), st.integers(1, 28))
def test_a_julian_day_lies_where_its_century_says(year: int, month: int, day: int) -> None:
    """The rule of thumb in textbooks: centuries - centuries // 4 - 2 days, in years that begin in March."""
    time = f"{'+' if year > 0 else '-'}{abs(year):04d}-{month:02d}-{day:02d}T00:00:00Z"
    shift = parse_date(date_of_json(time, 11, JULIAN)).first - parse_date(date_of_json(time, 11, GREGORIAN)).first
    century = ((year if year > 0 else year + 1) - (month <= 2)) // 100
    assert shift == century - century // 4 - 2


@pytest.mark.parametrize(
    ("starts", "ends", "points", "pairs"),
    [
        ([], [], [], []),
        (["2009"], [], [], [("2009", "")]),
        ([], ["2009"], [], [("", "2009")]),
        ([""], [], ["2001"], [("2001", "2001")]),
        (["2009"], ["2005"], [], [("2009", "2005")]),  # left for the intake to judge
        (["2009"], ["2010"], ["2009-05"], [("2009", "2010")]),
        ([], [], ["2012", "2010", "2012"], [("2010", "2010"), ("2012", "2012")]),
        (["2000", "2005"], ["2010", "2005"], [], [("2000", "2005"), ("2005", "2010")]),
        (["2005-03", "2007"], ["2005", "2008"], [], [("2005-03", "2005"), ("2007", "2008")]),
        (["2000", "2005"], ["2007"], [], [("2000", ""), ("2005", "2007")]),
        (["2000"], ["2005", "2007"], [], [("2000", "2005"), ("", "2007")]),
        (["2000"], ["1990", "2007"], [], [("2000", "2007"), ("", "1990")]),
        (["2000", "2010"], ["2005", "ongoing"], [], [("2000", "2005"), ("2010", "ongoing")]),
        (["2000", "2010"], ["unknown"], [], [("2000", ""), ("2010", "unknown")]),
        (["unknown", "2010"], ["2005", "2012"], [], [("unknown", "2005"), ("2010", "2012")]),
        (["-0060", "-0044"], ["-0050", "-0040"], [], [("-0060", "-0050"), ("-0044", "-0040")]),
    ],
)
def test_starts_find_their_ends(
    starts: list[str], ends: list[str], points: list[str], pairs: list[tuple[str, str]]
) -> None:
    assert intervals_of(starts, ends, points) == pairs
    assert intervals_of(starts[::-1], ends[::-1], points[::-1]) == pairs


@given(st.lists(st.integers(1, 4000), unique=True, min_size=2, max_size=16))
def test_intervals_apart_come_back_whole(days: list[int]) -> None:
    texts = [str(Date.from_day(day)) for day in sorted(days)]
    starts, ends = texts[0::2], texts[1::2]
    expected = [(start, end) for start, end in zip(starts, [*ends, ""], strict=False)]
    assert intervals_of(starts, ends, []) == expected


texts = st.lists(st.sampled_from(["1999", "2001-05", "2001-05-06", "2001", "1990s", "unknown"]), max_size=5)


@given(texts, texts)
def test_no_value_is_lost_and_none_stands_twice(starts: list[str], ends: list[str]) -> None:
    pairs = intervals_of(starts, ends, [])
    assert sorted(start for start, _ in pairs if start) == sorted(set(starts))
    assert sorted(end for _, end in pairs if end) == sorted(set(ends))
