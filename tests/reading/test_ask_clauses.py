"""Clauses that tell a time or a neighbour, one that replaced another, returns and changes, and states of a time."""

import pytest

from asof.reading.ask.answer import Holds, Status
from asof.reading.ask.reader import QuestionReader

REFUSED = (Status.UNKNOWN, Status.NOT_UNDERSTOOD)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        # a clause with a time of its own, or in a question that has one
        ("Who was pope when Reagan became US president in January 1981?", ["Pope John Paul II"]),
        ("In 1985, who was prime minister of the UK when Reagan was president?", ["Margaret Thatcher"]),
        # an office that belongs to a place named before
        (
            "Who was prime minister of Australia when John Kerr was Governor-General?",
            ["Gough Whitlam", "Malcolm Fraser"],
        ),
        ("Who was vice president during the Reagan presidency?", ["George H. W. Bush"]),
        ("Who was Nixon's vice president?", ["Spiro Agnew", "Gerald Ford"]),
        # what stands beside a name
        ("What currency did Germany use before it adopted the euro?", ["German Mark"]),
        ("Which team did Tom Brady play for before joining Tampa Bay?", ["New England Patriots"]),
        ("Who became US president after Lincoln was assassinated?", ["Andrew Johnson"]),
        ("Who became king when Edward VIII abdicated?", ["George VI"]),
        ("Who did Elizabeth Taylor marry after divorcing Eddie Fisher?", ["Richard Burton"]),
        # one that replaced another
        ("When did Merkel succeed Schröder as chancellor of Germany?", ["2005-11-22"]),
        ("When did Tim Cook take over from Steve Jobs at Apple?", ["2011-08-24"]),
        ("When did Boeing move its headquarters from Seattle to Chicago?", ["2001-09"]),
        ("Did Hollande succeed Sarkozy as president of France?", ["yes"]),
        ("Did Macron succeed Sarkozy as president of France?", ["no"]),
        # again, and otherwise than before
        ("When did LeBron return to Cleveland?", ["2014-07"]),
        ("When did Hong Kong go back to China?", ["1997-07-01"]),
        ("When was Leningrad renamed Saint Petersburg?", ["1991-09-06"]),
        ("When did Burma change its name?", ["1989-06-18"]),
        ("When did Madonna and Sean Penn get divorced?", ["1989"]),
        # a state in a part of its time, an office in its country
        ("Who was the last chancellor of West Germany?", ["Helmut Kohl"]),
        ("Who was leader of the opposition in the UK in May 1990?", ["Neil Kinnock"]),
        ("Which country ruled Hong Kong in 1900?", ["United Kingdom"]),
        ("Leningrad was the name of which city?", ["Saint Petersburg"]),
        ("How many times was Donald Rumsfeld secretary of defense?", ["2"]),
        ("Who was the last tsar of Russia?", ["Nicholas II"]),
        # terms that follow each other are one time
        ("How long was Strom Thurmond a senator?", ["47.9 years"]),
        ("When did Barack Obama leave the Senate?", ["2008-11-16"]),
        ("When did Nancy Pelosi join the House of Representatives?", ["1987-01-06"]),
    ],
)
def test_what_a_clause_tells(question: str, texts: list[str], reader: QuestionReader) -> None:
    assert reader.ask(question).texts == texts


@pytest.mark.parametrize(
    "question",
    [
        "Who was prime minister of the UK after Churchill died?",  # he had not been it for ten years
        "Who was president of the US when Elvis died?",
        "When did Tim Cook take over from Bill Gates?",
        "When did Obama succeed Clinton as president of the United States?",
        "Who was pope when Reagan became US president in January 1990?",
        "When did Ronaldo go back to Sporting?",  # he was there once
        "Where did Elvis go to school?",
        "What changed in Germany in 1990?",
        "Who changed the currency of Germany?",
        "Did Chelsea sack Mourinho?",  # he left, but how?
        "When was Mourinho sacked?",  # by whom? he left five clubs
        "Who drummed for Nirvana?",
        "Did Dave Grohl drum for Foo Fighters?",
    ],
)
def test_what_the_facts_do_not_tell_is_not_guessed(question: str, reader: QuestionReader) -> None:
    answer = reader.ask(question)
    assert (answer.status in REFUSED, answer.texts) == (True, [])


def test_what_may_be_is_counted_apart(reader: QuestionReader) -> None:
    items = reader.ask("How many popes were there in the year 827?").items
    assert [(item.text, item.holds) for item in items] == [("3", Holds.ALWAYS), ("4", Holds.POSSIBLY)]
