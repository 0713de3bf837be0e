"""Times in running text: forms, anchors, and what a question asks about."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.reading.times.asked import asked_time
from asof.reading.times.expressions import find_times
from asof.timeline import Date, Interval


def told(text: str) -> list[str]:
    return [f"{time.kind} {time.interval}" for time in find_times(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1947-1949", ["range 1947..1949"]),
        ("the 2010-11 season", ["range 2010..2011"]),
        ("( 1999–00 )", ["range 1999..2000"]),
        ("February 4 , 2005 – September 8 , 2005", ["range 2005-02-04..2005-09-08"]),
        ("from June to September 1879", ["range 1879-06..1879-09"]),
        ("between 1947 and 1952", ["range 1947..1952"]),
        ("in 1904 , 1908 and 1912", ["at 1904..1904", "at 1908..1908", "at 1912..1912"]),
        ("since 1 March 2020", ["from 2020-03-01..not stated"]),
        ("lived there until 1827", ["until not stated..1827"]),
        ("?-1827 - George Peter", ["until not stated..1827"]),
        ("1796- ? - John Laird", ["from 1796..unknown"]),
        ("2017-present", ["from 2017..ongoing"]),
        ("( 1 January 2021 – )", ["from 2021-01-01..ongoing"]),
        ("04/2014 - 08/2019 Statistician", ["range 2014-04..2019-08"]),
        ("09/2019 - today", ["from 2019-09..ongoing"]),
        ("1.4.2014 to 31.8.2019", ["range 2014-04-01..2019-08-31"]),
        ("8/31/2019 and 31/8/2019", ["at 2019-08-31..2019-08-31", "at 2019-08-31..2019-08-31"]),
        ("on 7/8/2019", ["at 2019..2019"]),  # July or August: nobody knows
        ("13/2019 and 1/2/3 and 10.5 2019", ["at 2019..2019"]),
        ("in 196 AD", ["at 0196..0196"]),
        ("in 44 BC", ["at -0044..-0044"]),
        ("from 196 to 220", ["range 0196..0220"]),
        ("In 1947 he won . The following year he left", ["at 1947..1947", "at 1948..1948"]),
        ("In 1947 he won ; three years earlier he began", ["at 1947..1947", "at 1944..1944"]),
        ("in 1974 ; later that year , in October", ["at 1974..1974", "at 1974..1974", "at 1974-10..1974-10"]),
        ("during World War II", ["range 1939-09..1945-09"]),
        ("$1990 and 1,945 men and 30 February 2001x", []),
    ],
)
def test_forms_of_times(text: str, expected: list[str]) -> None:
    assert told(text) == expected


def test_what_hangs_on_nothing_is_left_alone() -> None:
    assert find_times("Two years later he left . That year he won .") == []
    anchor = find_times("1947")[0]
    assert [str(time.interval) for time in find_times("Two years later he left .", anchor=anchor)] == ["1949..1949"]
    assert not find_times("Two years later he left .", anchor=anchor)[0].stated


def test_late_and_early_are_shares_of_a_decade() -> None:
    early, late = (find_times(f"in the {share} 1980s")[0] for share in ("early", "late"))
    assert Date.of(1980).first == early.first < early.last < Date.of(1985).first
    assert Date.of(1985).first < late.first < late.last == Date.of(1989).last


@given(st.integers(1000, 2090), st.integers(0, 9), st.sampled_from(["–", " – ", " to ", "-"]))
def test_every_range_is_found_whole(year: int, length: int, sign: str) -> None:
    found = find_times(f"He led it {'from ' if 'to' in sign else '( '}{year}{sign}{year + length} .")
    assert [time.interval for time in found] == [Interval(Date.of(year), Date.of(year + length))]


@given(st.text(max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    times = find_times(text)
    assert all(one.end <= two.start for one, two in pairwise(times))
    assert all(0 <= time.start < time.end <= len(text) for time in times)
    asked_time(text)


@pytest.mark.parametrize(
    ("question", "type", "text", "rest"),
    [
        ("Who owned it from 1975 to Feb 2016?", "from-to", "1975 to Feb 2016", "Who owned it?"),
        ("Who owned it between Nov 1918 and Jul 1919?", "between", "Nov 1918 and Jul 1919", "Who owned it?"),
        ("Who owned it before Mar 1811?", "before", "Mar 1811", "Who owned it?"),
        ("After serving, what did he do after Nov 1996?", "after", "Nov 1996", "After serving, what did he do?"),
        ("What was it in early 2000s?", "in part of decade", "early 2000s", "What was it?"),
        ("Which firm made the 1940's C38 in Feb 1943?", "in", "Feb 1943", "Which firm made the 1940's C38?"),
        ("In the time period from 1978 to 1989, who managed it?", "from-to", "1978 to 1989", "who managed it?"),
        ("Who owned it?", "none", "", "Who owned it?"),
    ],
)
def test_the_time_of_a_question(question: str, type: str, text: str, rest: str) -> None:
    asked = asked_time(question)
    assert (asked.type, asked.text, asked.rest) == (type, text, rest)
