"""A time as people write it is read alike by a question, an option, a page and a tool."""

import json
from datetime import date as calendar_date

import pytest
from click.testing import CliRunner
from hypothesis import given

from asof.agents.tools import Tools
from asof.cli import asof
from asof.errors import DateError
from asof.facts import FactStore
from asof.timeline import Date, Days, Period, parse_when
from asof.timeline.specifier import find_specifiers
from asof.web.rows import neighbours, read_date
from tests.timeline.strategies import dates, periods

TODAY = Date.parse("2024-05-06")
TIMES = {
    "today": "2024-05-06",
    "now": "2024-05-06",
    "yesterday": "2024-05-05",
    "last year": "2023",
    "this year": "2024",
    "last month": "2024-04",
    "this quarter": "2024-Q2",
    "10 years ago": "2014",
    "Q3 2021": "2021-Q3",
    "2021Q3": "2021-Q3",
    "2021-q3": "2021-Q3",
    "third quarter of 2021": "2021-Q3",
    "summer 2020": "2020-06-01..2020-08-31",
    "2011-2012": "2011-01-01..2012-12-31",
    "2011–2012": "2011-01-01..2012-12-31",
    "2012-13": "2012-01-01..2013-12-31",
    "2012-11": "2012-11",
    "1st March 2011": "2011-03-01",
    "March 1, 2011": "2011-03-01",
    "5th century BC": "5th century BCE",
    "between 2005 and 2012": "2005-01-01..2012-12-31",
    "the late 1960s": "1967-01-01..1969-12-31",
    "before 1990": "until 1989-12-31",
    "since 1990": "from 1990-01-01 on",
    "20/03/2011": "2011-03-20",
    "11/22/1963": "1963-11-22",
    "5.5.2011": "2011-05-05",
}


@pytest.mark.parametrize("text", TIMES)
def test_what_a_question_reads_is_read_everywhere(text: str, almanac: FactStore) -> None:
    time = parse_when(text, today=TODAY)
    assert str(time) == TIMES[text]
    assert not isinstance(time, Days) or neighbours(time) is None
    (found,) = find_specifiers(
        f"Who led Italy {text}?" if text[0] in "bs" else f"Who led Italy in {text}?", today=TODAY
    )
    assert (found.days.first, found.days.last) == (time.first, time.last)
    ran = CliRunner().invoke(asof, ["facts", "--subject", "Italy", "--relation", "P6", "--on", text, "--json"])
    held = parse_when(text)  # by the clock, as the command
    said = [json.loads(line)["object"] for line in ran.stdout.splitlines()]
    assert ran.exit_code == 0 and said == [f.object_label for f in almanac.facts(subject="Q38", relation="P6", on=held)]
    assert read_date(text) == held
    tool = Tools(almanac).as_of(text, subject="Italy", relation="P6", object=None, limit=1000)
    assert [fact.object for fact in tool.facts] == said


@given(dates() | periods())
def test_every_time_is_read_as_asof_writes_it(time: Date | Period) -> None:
    read = parse_when(str(time))
    assert (read.first, read.last) == (time.first, time.last)


@given(dates(), dates())
def test_a_stretch_of_days_is_read_as_asof_writes_it(one: Date, other: Date) -> None:
    days = Days(min(one.first, other.first), max(one.last, other.last))
    read = parse_when(str(days))
    assert (read.first, read.last) == (days.first, days.last)


def test_today_is_the_day_of_the_clock() -> None:
    before, read, after = calendar_date.today(), parse_when("today"), calendar_date.today()
    assert str(read) in (str(before), str(after))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "03/04/2011",
            r"'03/04/2011' can be read in two ways: 3 April 2011 \(write 2011-04-03\) or 4 March 2011 \(write 2011-03",
        ),
        ("3.4.2011", r"can be read in two ways: 3 April 2011 \(write 2011-04-03\) or 4 March 2011"),
        ("03/04/11", r"Write the year in full, and first"),
        ("31/31/2011", r"'31/31/2011' is not a valid date"),
        ("2022-06-31", r"2022-06-31 is not a valid date: June 2022 has 30 days"),
        ("2012-2011", r"ends before it starts"),
        ("2012..2011", r"ends before it starts"),
        ("the day we met", r"is not a valid date. Write 2011, .*'Q3 2021', 'summer 2020', 2011-2012"),
        ("2021-Q5", r"'2021-Q5' is not a valid date"),
        ("", r"'' is not a valid date"),
    ],
)
def test_what_cannot_be_read_says_why(text: str, message: str) -> None:
    with pytest.raises(DateError, match=message):
        parse_when(text)
    ran = CliRunner().invoke(asof, ["facts", "--subject", "Italy", "--on", text])
    assert ran.exit_code == 2 and "Invalid value for '--on'" in ran.stderr


def test_periods_and_days_of_other_options(almanac: FactStore) -> None:
    assert str(Period.parse("Q3 2021")) == str(Period.parse("2021Q3")) == "2021-Q3"
    assert str(Period.parse("March 2021")) == "2021-03"
    with pytest.raises(DateError, match="'summer 2020' is not a valid period"):
        Period.parse("summer 2020")
    run = CliRunner().invoke
    arguments = ["diff", "--relation", "P6", "--subject", "Italy", "--json"]
    one, other = (run(asof, [*arguments, *pair]) for pair in (["2020-Q1", "2021-Q1"], ["Q1 2020", "2021Q1"]))
    assert one.exit_code == 0 and one.stdout == other.stdout
    each = run(asof, [*arguments, "--each", "Q1 2021", "2021Q2"])
    assert each.exit_code == 0 and each.stdout == run(asof, [*arguments, "--each", "2021-Q1", "2021-Q2"]).stdout
    asked = run(asof, ["ask", "Who is pope?", "--today", "last year"])
    assert asked.exit_code == 2 and "'last year' is a period. Give a day" in asked.stderr


def test_nothing_then_is_not_taken_for_the_wrong_end() -> None:
    ran = CliRunner().invoke(asof, ["facts", "--subject", "Italy", "--on", "5th century BC"])
    assert "facts of other times would match: omit --on 5th century BCE to see them." in ran.stderr
    assert "--object" not in ran.stderr
    ran = CliRunner().invoke(asof, ["facts", "--subject", "Angela Merkel", "--relation", "P6"])
    assert "ask with --object" in ran.stderr
