"""Who came before, after and between others, held against plain loops; answers of another kind than was asked for."""

import pytest

from asof.facts import FactStore
from asof.reading.ask.answer import Holds, Status
from asof.reading.ask.reader import QuestionReader

REFUSED = (Status.UNKNOWN, Status.NOT_UNDERSTOOD)


def test_several_are_all_and_one_is_the_nearest(almanac: FactStore, reader: QuestionReader) -> None:
    row = sorted(almanac.facts(subject="Q30", relation="P35"), key=lambda fact: fact.start)  # type: ignore[arg-type, return-value]
    names = [str(fact.object_label) for fact in row]
    for place, name in enumerate(names):
        if names.count(name) > 1 or place < 2:
            continue
        asked = reader.ask(f"Which US presidents came before {name}?")
        assert asked.texts == list(dict.fromkeys(names[:place]))
        assert reader.ask(f"Which US president came right before {name}?").texts == [names[place - 1]]
        between = reader.ask(f"Which US president came between {names[place - 2]} and {name}?")
        if names.count(names[place - 2]) == 1:
            assert between.texts == [names[place - 1]], name


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        (
            "Which popes came between Pius XII and John Paul II?",
            ["Pope John XXIII", "Pope Paul VI", "Pope John Paul I"],
        ),
        ("Who was prime minister of the UK between Cameron and Brown?", []),
        ("Who was prime minister of the UK between Major and Thatcher?", []),
        ("Who was prime minister of the UK between Callaghan and Major?", ["Margaret Thatcher"]),
        ("Who were the two US presidents before Lincoln?", ["Franklin Pierce", "James Buchanan"]),
        ("How many US presidents were there before Lincoln?", ["15"]),
        ("Which team did Messi play for between Barcelona and Inter Miami?", ["Paris Saint-Germain FC"]),
    ],
)
def test_beside_and_between(reader: QuestionReader, question: str, texts: list[str]) -> None:
    assert reader.ask(question).texts == texts


def test_after_an_empty_time_another_may_have_come_between(reader: QuestionReader) -> None:
    (item,) = reader.ask("Which editor of The Spectator came after Nigel Lawson?").items  # 1970, then nobody to 1984
    assert (item.text, item.holds) == ("Charles Moore, Baron Moore of Etchingham", Holds.POSSIBLY)
    assert item.evidence[0].why == "nothing is known of the time between"
    (item,) = reader.ask("Who was editor of The Spectator after Boris Johnson?").items
    assert (item.text, item.holds) == ("Matthew d'Ancona", Holds.ALWAYS)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Was Bonn or Berlin the capital of Germany in 1980?", ["Bonn"]),
        ("Was France a monarchy or a republic in 1820?", ["monarchy"]),
        ("Did Messi play for Barcelona or Real Madrid in 2010?", ["FC Barcelona"]),
        ("Was Obama or Clinton president of the United States in 1950?", []),
        ("Who was prime minister of Italy the day before Mario Draghi took office?", ["Giuseppe Conte"]),
        ("Who was US president the day after Kennedy left office?", ["Lyndon B. Johnson"]),
        ("Did Boris Johnson have American citizenship in 2010?", ["yes"]),
        ("Did Germany have Bonn as its capital in 1980?", ["yes"]),
        ("Who managed Bayern longer, Pep Guardiola or Thomas Tuchel?", ["Pep Guardiola"]),
    ],
)
def test_one_of_two_and_the_day_beside(reader: QuestionReader, question: str, texts: list[str]) -> None:
    assert reader.ask(question).texts == texts


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Which club did Zlatan Ibrahimović play for in 2008?", ["Inter Milan"]),
        ("Which country did Zlatan Ibrahimović play for in 2008?", ["Sweden national football team"]),
        ("Which national team did Zlatan Ibrahimović play for in 2008?", ["Sweden national football team"]),
        ("Which city did Lionel Messi play for in 2008?", []),
        ("Which band did Lionel Messi play for in 2008?", []),
        ("Which NBA team did Michael Jordan play for in 1997?", ["Chicago Bulls"]),
        ("Which baseball team did Michael Jordan play for in 1997?", []),
        ("Which club did Joachim Löw coach in 2014?", []),
        ("Which Italian clubs did Zlatan Ibrahimović play for?", ["Juventus FC", "Inter Milan", "AC Milan"]),
        ("How many Italian clubs did Zlatan Ibrahimović play for?", ["3"]),
        ("Which Chinese club did Lionel Messi play for?", []),
        ("Which English club did Pep Guardiola manage in 2014?", []),
        ("Which orchestra did Leonard Bernstein lead in 1960?", ["New York Philharmonic"]),
        ("Which orchestra did Robert Oppenheimer direct in 1944?", []),
    ],
)
def test_a_thing_of_another_kind_is_no_answer(reader: QuestionReader, question: str, texts: list[str]) -> None:
    assert reader.ask(question).texts == texts


def test_a_word_of_a_name_asks_for_no_kind(reader: QuestionReader) -> None:
    answer = reader.ask("Which teams competed in the National Football League in 1998?")
    assert "Dallas Cowboys" in answer.texts


@pytest.mark.parametrize(
    "question",
    [
        "I was born in 1962 - who was pope?",  # the time stands in what is left out
        "I met Obama. Who was US president before him?",
        "Who will be the next president of the United States?",
        "Who will be president of the United States?",
        "Which countries are between France and Poland?",
        "Which US presidents before Lincoln died in office?",
        "Who was administrator of the CIA in 1990?",  # its head is called otherwise
        "Which seat did Tony Blair hold in the House of Commons?",
    ],
)
def test_what_is_not_known_is_not_passed_over(reader: QuestionReader, question: str) -> None:
    assert reader.ask(question).status in REFUSED
