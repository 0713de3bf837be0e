"""Times that are called by a name, and all but the one that is named."""

import pytest

from asof.reading.ask.answer import Status
from asof.reading.ask.reader import QuestionReader

REFUSED = (Status.UNKNOWN, Status.NOT_UNDERSTOOD)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("who was pope in ww2", ["Pope Pius XII"]),
        ("Who was UK prime minister at the outbreak of the First World War?", ["H. H. Asquith"]),
        ("Who was the US president when World War II ended?", ["Harry S. Truman"]),
        ("Who was US president during the Cuban Missile Crisis?", ["John F. Kennedy"]),
        ("Who was the British prime minister during the Falklands War?", ["Margaret Thatcher"]),
        # events of a day
        ("who was the us president when the berlin wall fell", ["George H. W. Bush"]),
        ("who was governor of texas when kennedy was shot", ["John Connally"]),
        ("Who was mayor of New York City during 9/11?", ["Rudy Giuliani"]),
        ("Who was president of France when the Treaty of Rome was signed?", ["René Coty"]),
        ("who was us president when the war of 1812 began", ["James Madison"]),
        # all but one
        ("Who else anchored Weekend Update in 2005 besides Tina Fey?", ["Amy Poehler"]),
        ("Besides Tina Fey, who else anchored Weekend Update in 2005?", ["Amy Poehler"]),
        ("Who else was CEO of Oracle together with Safra Catz in 2016?", ["Mark Hurd"]),
        ("Apart from Turin, which cities have been the capital of Italy?", ["Florence", "Rome"]),
        ("Which other clubs did Messi play for besides Barcelona?", ["Paris Saint-Germain FC", "Inter Miami CF"]),
    ],
)
def test_it_is_answered(question: str, texts: list[str], reader: QuestionReader) -> None:
    answer = reader.ask(question)
    assert (str(answer.status), answer.texts) == ("answered", texts)


def test_how_an_era_was_read_is_said(reader: QuestionReader) -> None:
    answer = reader.ask("Who was pope before WWI?")
    assert "The First World War is taken as 28 July 1914 to 11 November 1918." in answer.notes
    assert "Pope Pius X" in answer.texts and "Pope Benedict XV" not in answer.texts


@pytest.mark.parametrize(
    "question",
    [
        "Who else was president of France besides Macron in 2020?",  # nobody
        "Who else was president of France besides Merkel in 2020?",  # she was not
        "Who was pope during the Emu War?",
        "Who won the Second World War?",
        "Who was attorney general when Robert Kennedy was shot?",  # that was another Kennedy
        "What countries did Germany occupy in WW2?",  # no post
        "When did Alaska become a state?",  # where it lay is something else
    ],
)
def test_it_is_refused(question: str, reader: QuestionReader) -> None:
    answer = reader.ask(question)
    assert answer.status in REFUSED
    assert not answer.texts and answer.notes


def test_before_a_time_is_not_on_its_first_day(reader: QuestionReader) -> None:
    answer = reader.ask("What was Nixon's position before he was president?")
    assert answer.texts[-1] == "Vice President of the United States"


def test_a_middle_name_may_be_missing(reader: QuestionReader) -> None:
    assert reader.ask("When did George Bush leave office?").status is Status.AMBIGUOUS
    assert reader.ask("When did John Kennedy become president?").texts == ["1961-01-20"]
