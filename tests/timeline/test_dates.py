"""Dates: the laws of the calendar, parsing, printing, and what is said of wrong dates."""

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import DateError
from asof.timeline import Date, Open, Period, Precision, in_words, parse_date, parse_end, parse_wikidata, when
from asof.timeline.calendar import calendar_day, day_number, days_in_month, julian_day_number
from tests.timeline.strategies import dates, periods

JULIAN = "http://www.wikidata.org/entity/Q1985786"


@given(dates())
def test_what_is_printed_is_read_back(date: Date) -> None:
    assert parse_date(str(date)) == date
    assert parse_date(in_words(date)) == date
    assert parse_date(when(date)) == date
    assert parse_date(in_words(date, "fr")) == date
    assert parse_date(when(date, "fr")) == date


@given(periods())
def test_a_period_is_read_back(period: Period) -> None:
    assert Period.parse(str(period)) == period


@given(st.dates())
def test_day_numbers_agree_with_the_standard_library(day: datetime.date) -> None:
    number = day_number(day.year, day.month, day.day)
    assert number == (day - datetime.date(1970, 1, 1)).days
    assert calendar_day(number) == (day.year, day.month, day.day)


@given(st.integers(-(2**30), 2**30))
def test_calendar_days_and_numbers_are_inverse_for_all_time(number: int) -> None:
    year, month, day = calendar_day(number)
    assert day_number(year, month, day) == number
    assert 1 <= day <= days_in_month(year, month)


@given(st.lists(st.integers(-(2**30), 2**30), min_size=1))
def test_arrays_give_the_same_days_as_single_numbers(numbers: list[int]) -> None:
    columns = calendar_day(np.array(numbers, dtype=np.int64))
    assert [tuple(int(column[row]) for column in columns) for row in range(len(numbers))] == [
        calendar_day(number) for number in numbers
    ]


def test_julian_days_that_history_knows() -> None:
    assert julian_day_number(1582, 10, 5) == day_number(1582, 10, 15)  # the day after 4 October 1582
    assert julian_day_number(1917, 10, 25) == day_number(1917, 11, 7)  # the October revolution
    assert julian_day_number(200, 3, 1) == day_number(200, 3, 1)  # the calendars agree in the third century
    assert str(parse_wikidata("+1616-04-23T00:00:00Z", precision=11, calendar=JULIAN)) == "1616-05-03"
    assert str(parse_wikidata("+1500-02-29T00:00:00Z", precision=11, calendar=JULIAN)) == "1500-03-10"


def test_a_julian_month_keeps_its_name() -> None:
    assert str(parse_wikidata("+1616-04-00T00:00:00Z", precision=10, calendar=JULIAN)) == "1616-04"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2011", "2011"),
        ("2011-03", "2011-03"),
        ("2011-03-20", "2011-03-20"),
        ("-0044-03-15", "-0044-03-15"),
        ("44 BC", "-0044"),
        ("44 BCE", "-0044"),
        ("44 B.C.", "-0044"),
        ("15 March 44 BC", "-0044-03-15"),
        ("AD 14", "0014"),
        ("14 AD", "0014"),
        ("March 2011", "2011-03"),
        ("Mar 2011", "2011-03"),
        ("Jun, 1970", "1970-06"),
        ("20 March 2011", "2011-03-20"),
        ("20th of March 2011", "2011-03-20"),
        ("March 20, 2011", "2011-03-20"),
        ("Sept. 3, 1939", "1939-09-03"),
        ("+1948-10-15T00:00:00Z", "1948-10-15"),
        ("1990s", "1990s"),
        ("the 1990s", "1990s"),
        ("199X", "1990s"),
        ("40s BC", "40s BCE"),
        ("19th century", "19th century"),
        ("1st century BC", "1st century BCE"),
        ("1952-##-##", "1952"),
        ("2004-05-##", "2004-05"),
        ("19##-##-##", "19XX"),
        ("360-##-##", "0360"),
        ("-431-##-##", "-0431"),
        ("12345", "12345"),
    ],
)
def test_dates_as_people_and_datasets_write_them(text: str, expected: str) -> None:
    assert str(parse_date(text)) == expected


def test_years_before_christ_have_no_year_zero() -> None:
    last_day_before = parse_date("-0001-12-31")
    assert last_day_before.last + 1 == parse_date("0001-01-01").first
    assert parse_date("44 BC").year == -43
    assert parse_date("-0001-02-29").precision is Precision.DAY  # 1 BCE is a leap year


def test_decades_and_centuries_have_the_years_that_people_mean() -> None:
    def years(text: str) -> tuple[int, int]:
        date = parse_date(text)
        return calendar_day(date.first)[0], calendar_day(date.last)[0]

    assert years("1990s") == (1990, 1999)
    assert years("0s") == (1, 9)
    assert years("19th century") == (1801, 1900)
    assert years("19XX") == (1900, 1999)
    assert years("40s BC") == (-48, -39)
    assert years("1st century BC") == (-99, 0)
    assert years("2nd millennium") == (1001, 2000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2022-06-31", "2022-06-31 is not a valid date: June 2022 has 30 days."),
        ("30 February 2011", "2011-02-30 is not a valid date: February 2011 has 28 days."),
        ("1900-02-29", "1900-02-29 is not a valid date: February 1900 has 28 days."),
        ("2021-13", "2021-13 is not a valid date: there is no month 13."),
        ("0000", "0000 is not a valid date: there is no year 0. 1 BCE (-0001) is followed by the year 1 (0001)."),
        ("9999999", "9999999 is out of reach: asof keeps years up to 5,000,000 before and after Christ."),
        (
            "yesterday",
            "'yesterday' is not a valid date. Write 2011, 2011-03, 2011-03-20, 'March 2011', '44 BC' or '1990s'.",
        ),
        ("2011-03-20-05", "'2011-03-20-05' is not a valid date."),
        ("", "'' is not a valid date."),
        ("٢٠١١", "'٢٠١١' is not a valid date."),
    ],
)
def test_wrong_dates_name_the_value_and_say_why(text: str, message: str) -> None:
    with pytest.raises(DateError) as error:
        parse_date(text)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("time", "precision", "calendar", "message"),
    [
        ("+2001-00-00T00:00:00Z", 11, "Q1985727", "precision 11 (day) needs a day"),
        ("+2001-00-00T00:00:00Z", 10, "Q1985727", "precision 10 (month) needs a month"),
        ("-4500000000-00-00T00:00:00Z", 3, "Q1985727", "precision 3 is not kept"),
        ("+2001-01-01T00:00:00Z", 11, "Q12345", "neither Gregorian"),
        ("about 2001", 9, "Q1985727", "is not a Wikidata time"),
        ("+0000-00-00T00:00:00Z", 9, "Q1985727", "there is no year 0"),
    ],
)
def test_wrong_wikidata_times(time: str, precision: int, calendar: str, message: str) -> None:
    with pytest.raises(DateError, match=message.replace("(", r"\(").replace(")", r"\)")):
        parse_wikidata(time, precision=precision, calendar=calendar)


def test_legacy_wikidata_years_are_years() -> None:
    assert str(parse_wikidata("+1990-01-01T00:00:00Z", precision=9)) == "1990"
    assert str(parse_wikidata("+1990-01-01T00:00:00Z", precision=8)) == "1990s"
    assert str(parse_wikidata("+2000-01-01T00:00:00Z", precision=6)) == "2nd millennium"


def test_open_ends_stay_what_they_are() -> None:
    assert [parse_end(text) for text in ("ongoing", "Unknown", "", "####-##-##", "not stated")] == [
        Open.ONGOING,
        Open.UNKNOWN,
        Open.NOT_STATED,
        Open.NOT_STATED,
        Open.NOT_STATED,
    ]


def test_printing_as_the_papers_print() -> None:
    assert [when(parse_date(text)) for text in ("2011", "1759-05", "1983-03-21", "44 BC", "2021-02")] == [
        "In 2011",
        "In May 1759",
        "On March 21, 1983",
        "In 44 BCE",
        "In February 2021",
    ]


@given(st.text(max_size=30))
def test_any_text_is_a_date_or_a_clear_error(text: str) -> None:
    try:
        date = parse_date(text)
    except DateError as error:
        assert str(error)
    else:
        assert parse_date(str(date)) == date
