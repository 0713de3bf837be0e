"""The line of time of a document: each state holds until the next one begins; all dates of a state mean the same."""

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from asof.reading.answer_types import LOOKS
from asof.reading.documents import Document
from asof.reading.features import AskedQuestion, Features, Matrix
from asof.reading.index import FAR_FUTURE, FAR_PAST, DocumentIndex
from asof.reading.line_features import of_line
from asof.reading.line_of_time import LineOfTime, line_of_time
from asof.reading.own_times import OwnTime, own_time
from asof.reading.times.asked import asked_time
from asof.timeline import Date
from tests.reading.tiny_readers import WordEncoder

TEXT = """Managers
Ann Stone became manager in 1960 .
In 1971 Bo Field took over .
Cy Brook led the club until 1995 .
The club won a cup in 1965 in Oslo ."""
NAMES = ("Ann Stone", "Bo Field", "Cy Brook")


def line_of(names: tuple[str, ...]) -> tuple[DocumentIndex, np.ndarray, LineOfTime]:
    index = DocumentIndex(Document.from_text(TEXT, title="FC Example"))
    texts = np.array([candidate.text for candidate in index.candidates])
    matter = np.isin(texts, names).astype(np.float32)
    return index, texts, line_of_time(index, matter, texts)


def test_a_state_holds_until_the_next_one_that_matters() -> None:
    _, texts, line = line_of(NAMES)
    held = {name: (line.first[texts == name][0], line.last[texts == name][0]) for name in NAMES}
    assert held["Ann Stone"] == (Date.of(1960).first, Date.of(1971).first)  # the cup of 1965 ends nothing
    assert held["Bo Field"] == (Date.of(1971).first, FAR_FUTURE)
    assert held["Cy Brook"] == (Date.of(1971).first, Date.of(1995).last)
    assert line.borders.tolist() == [Date.of(1960).first, Date.of(1971).first, Date.of(1996).first]


def test_nothing_that_matters_leaves_everything_open() -> None:
    index, texts, line = line_of(())
    assert not len(line.matters) and not len(line.borders)
    columns = of_line(index, asked_time("Who led it in 1965?"), np.zeros(len(texts), np.float32), texts, line)
    assert all(len(column) == len(texts) for column in columns.values())


@given(st.integers(1961, 1969), st.sampled_from(["May", "Oct"]), st.integers(1961, 1969))
def test_all_dates_of_a_state_are_widened_to_the_same(one: int, month: str, other: int) -> None:
    _, _, line = line_of(NAMES)
    wide = [line.widened(asked_time(f"Who led it in {month} {year}?")) for year in (one, other)]
    assert {(time.first, time.last) for time in wide} == {(Date.of(1960).first, Date.of(1971).first)}


def asked_question(text: str) -> AskedQuestion:
    vector = WordEncoder().vectors([text])[0]
    no_answers = np.zeros((0, len(vector)), np.float32)
    fits = np.zeros(len(LOOKS), np.float32)
    return AskedQuestion(text, asked_time(text), vector, no_answers, np.zeros(0, np.float32), fits)


@given(st.integers(1961, 1969), st.sampled_from(["May", "Oct"]), st.integers(1961, 1969))
def test_times_inside_a_state_are_also_asked_as_the_whole_state(one: int, month: str, other: int) -> None:
    features = Features(DocumentIndex(Document.from_text(TEXT, title="FC Example"), WordEncoder()))
    matter = np.isin(features.texts, [name.lower() for name in NAMES]).astype(np.float32)

    def rows(when: str) -> list[Matrix]:
        return features.of(asked_question(f"Who led it {when}?"), matter)

    (_, state), (_, same) = rows(f"in {month} {one}"), rows(f"between Jan {other} and {month} {other}")
    assert np.array_equal(state, same, equal_nan=True)
    assert len(rows("from 1960 to 1971")) == len(rows("before 1965")) == len(rows("")) == 1


@given(st.integers(1900, 2020), st.integers(0, 30))
def test_a_widened_time_has_the_asked_one_in_it(year: int, years: int) -> None:
    _, _, line = line_of(NAMES)
    asked = asked_time(f"Who led it from {year} to {year + years}?")
    wide = line.widened(asked)
    assert wide.first <= asked.first + 31 and asked.last - 31 <= wide.last


@given(st.lists(st.integers(0, 400), max_size=6, unique=True), st.integers(0, 400), st.integers(0, 60))
def test_a_widened_time_is_never_empty(borders: list[int], first: int, length: int) -> None:
    line = LineOfTime(np.zeros(0), np.zeros(0), np.zeros(0), np.array(sorted(borders), dtype=np.int64))
    asked = replace(asked_time("Who led it in 1965?"), first=first, last=first + length)
    assert line.widened(asked).first < line.widened(asked).last


days = st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abc")), max_size=6)


@given(days, st.lists(st.tuples(st.integers(0, 50), st.sampled_from("abcd")), min_size=1, max_size=6))
def test_the_next_start_is_that_of_a_plain_loop(began: list[tuple[int, str]], asked: list[tuple[int, str]]) -> None:
    from asof.reading.line_of_time import _next, _previous

    began = sorted(began)
    starts = np.array([day for day, _ in began], dtype=np.int64)
    whose = np.array([name for _, name in began], dtype=np.str_)
    when, texts = np.array([day for day, _ in asked]), np.array([name for _, name in asked])
    later = [min((day for day, name in began if day >= one and name != own), default=FAR_FUTURE) for one, own in asked]
    before = [max((day for day, name in began if day < one and name != own), default=FAR_PAST) for one, own in asked]
    assert _next(starts, whose, when, texts).tolist() == later
    assert _previous(starts, whose, when, texts).tolist() == before


LEFT = """Heads
Ann Stone , who retired in 2006 , had led it for long .
Bo Field left Acme in 1990 and was elected mayor in 1992 , an office that he held until 1999 .
From 2010 it was led by Cy Brook .
Dee Marsh stayed at her post until 1898 ; she was followed by her cousin Eva Wood ."""


def own(name: str, question: str = "Who led it in 2008?") -> OwnTime:
    index = DocumentIndex(Document.from_text(LEFT, title="It"))
    (place,) = [place for place, one in enumerate(index.candidates) if one.text == name]
    return own_time(index, place, asked_time(question))


def test_who_retired_was_there_before() -> None:
    assert own("Ann Stone") == ("not stated..2006", "lies outside the asked time")
    assert own("Ann Stone", "Who led it in 2001?").verdict == "ended after the asked time; no start is told"
    assert own("Acme", "Where was he in 1995?").lies_outside
    assert own("Bo Field", "Who led it in 1995?").interval == "1990.. before 1992"  # what he left, not he, ended


def test_an_end_in_the_same_sentence_is_told() -> None:
    assert own("mayor", "What was he in 1995?") == ("1992..1999", "covers the asked time")


def test_a_time_that_begins_later_speaks_against_an_answer() -> None:
    assert own("Cy Brook").lies_outside
    assert own("Cy Brook", "Who led it in 2012?").verdict == "began before the asked time; no end is told"
    assert own("mayor", "What was he from 1992 to 1999?").verdict == "is the asked time"


def test_who_followed_began_when_the_other_ended() -> None:
    assert own("Dee Marsh", "Who led it in 1890?").interval == "not stated..1898"
    assert own("Eva Wood", "Who led it in 1890?").lies_outside
    assert own("Eva Wood", "Who led it in 1899?").interval == "1898..not stated"
    index = DocumentIndex(Document.from_text(LEFT, title="It"))
    matter = np.array([one.text in ("Dee Marsh", "Eva Wood") for one in index.candidates], np.float32)
    texts = np.array([one.text for one in index.candidates])
    line = line_of_time(index, matter, texts)
    assert line.first[texts == "Eva Wood"][0] == Date.of(1898).last
