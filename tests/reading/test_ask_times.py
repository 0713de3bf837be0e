"""Times in questions: the days that they mean, worked out by hand or with another calendar."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UserError
from asof.timeline import Date
from asof.timeline.calendar import calendar_day
from asof.timeline.specifier import find_specifiers

TODAY = Date.parse("2024-05-01")


def days(text: str) -> list[str]:
    return [str(time.days) for time in find_specifiers(text, today=TODAY)]


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("in March 2021", "2021-03-01..2021-03-31"),
        ("in Jun, 1970", "1970-06-01..1970-06-30"),
        ("on 20 March 2011", "2011-03-20"),
        ("on the 3rd of March, 1990", "1990-03-03"),
        ("on March 21st, 1983", "1983-03-21"),
        ("as of 2010-03-20", "2010-03-20"),
        ("between 2005 and 2012", "2005-01-01..2012-12-31"),
        ("from 1964 to Feb 2016", "1964-01-01..2016-02-29"),
        ("2005–2012", "2005-01-01..2012-12-31"),
        ("in 1990-91", "1990-01-01..1991-12-31"),
        ("in 1990-11", "1990-11-01..1990-11-30"),
        ("before 2000", "until 1999-12-31"),
        ("prior to March 2000", "until 2000-02-29"),
        ("after 1990", "from 1991-01-01 on"),
        ("since 2015", "from 2015-01-01 on"),
        ("from 2010 onwards", "from 2010-01-01 on"),
        ("until 1890", "until 1890-12-31"),
        ("by 2010", "until 2010-12-31"),
        ("in the early 1990s", "1990-01-01..1993-12-31"),
        ("in the mid-1990s", "1994-01-01..1996-12-31"),
        ("in the late 60s", "1967-01-01..1969-12-31"),
        ("in the '90s", "1990-01-01..1999-12-31"),
        ("in the nineties", "1990-01-01..1999-12-31"),
        ("in the 1800s", "1800-01-01..1899-12-31"),
        ("in the 2000s", "2000-01-01..2009-12-31"),
        ("in the 19th century", "1801-01-01..1900-12-31"),
        ("in the nineteenth century", "1801-01-01..1900-12-31"),
        ("in the first half of the 20th century", "1901-01-01..1950-12-31"),
        ("in the 13th century BC", "-1300-01-01..-1201-12-31"),
        ("in 44 BC", "-0044-01-01..-0044-12-31"),
        ("in 100 AD", "0100-01-01..0100-12-31"),
        ("in 69?", "0069-01-01..0069-12-31"),
        ("between 98 and 117", "0098-01-01..0117-12-31"),
        ("between March 44 BC and AD 14", "-0044-03-01..0014-12-31"),
        ("in 2021-Q1", "2021-01-01..2021-03-31"),
        ("in the first quarter of 2021", "2021-01-01..2021-03-31"),
        ("at the end of 1999", "1999-12-31"),
        ("today", "2024-05-01"),
        ("as of now", "2024-05-01"),
        ("last year", "2023-01-01..2023-12-31"),
        ("5 years ago", "2019-01-01..2019-12-31"),
        ("in the year 1066", "1066-01-01..1066-12-31"),
    ],
)
def test_a_time_means_these_days(text: str, meant: str) -> None:
    assert days(text) == [meant]


@pytest.mark.parametrize("text", ["before Theresa May", "in May", "Formula 1", "Apollo 11", "the Price Is Right", "U2"])
def test_what_is_no_time(text: str) -> None:
    assert days(text) == []


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("on 31 June 2010", "June 2010 has 30 days"),
        ("on February 29, 1900", "February 1900 has 28 days"),
        ("on 2021-13-01", "no month 13"),
        ("in the year 0", "there is no year 0"),
        ("on 3/4/2010", r"can be read in two ways: 3 April 2010 \(write 2010-04-03\) or 4 March 2010"),
        ("between 2012 and 2005", "ends before it starts. Give the earlier date first"),
    ],
)
def test_a_time_that_cannot_be_says_so(text: str, complaint: str) -> None:
    with pytest.raises(UserError, match=complaint):
        days(text)


def test_two_times_and_where_they_stand() -> None:
    text = "Who led Italy after 1990 and before 2000?"
    found = find_specifiers(text, today=TODAY)
    assert [text[time.start : time.end] for time in found] == ["after 1990", "before 2000"]


@given(st.dates(datetime.date(1000, 1, 1), datetime.date(2100, 12, 31)), st.integers(0, 4))
def test_every_day_is_read_in_every_form(day: datetime.date, form: int) -> None:
    name = day.strftime("%B")
    texts = (
        f"on {day.isoformat()}",
        f"on {day.day} {name} {day.year}",
        f"on {name} {day.day}, {day.year}",
        f"as of the {day.day}th of {name[:3]} {day.year}",
        f"{name} {day.day} {day.year}",
    )
    (found,) = find_specifiers(f"Who led Italy {texts[form]}?", today=TODAY)
    assert calendar_day(found.days.first) == (day.year, day.month, day.day)
    assert found.days.first == found.days.last
