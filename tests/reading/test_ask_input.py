"""What people (and programs) may type: hostile text, unclear names, names with signs in them, damaged lists."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.errors import UserError
from asof.facts import FactStore
from asof.reading.answers import open_reader
from asof.reading.ask.answer import Holds, Status
from asof.reading.ask.name_index import NameIndex
from asof.reading.ask.reader import QuestionReader, ask
from asof.reading.ask.spoken import SPOKEN, spoken
from asof.reading.ask.words import cleaned, words_of
from asof.reading.documents import Document
from asof.timeline import Date

TODAY = Date.parse("2024-12-01")


@pytest.mark.parametrize("text", ["", "   ", "???", "\x00\x01\x1b", "​", "…!"])
def test_an_empty_question_gets_an_example(reader: QuestionReader, text: str) -> None:
    with pytest.raises(UserError, match=r"The question is empty\. Ask, for example"):
        reader.ask(text)


def test_a_book_is_no_question(reader: QuestionReader) -> None:
    with pytest.raises(UserError, match="has 102,400 characters; asof reads questions of up to 1,000"):
        reader.ask("a" * 102_400)


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert('president of France')</script>",
        "'; DROP TABLE facts; --",
        "Who was president of France' OR '1'='1 in 1985?",
        "{subject} {object} %s %(x)s ${7*7}",
        "谁是1985年的法国总统？",
        "من كان رئيس فرنسا عام 1985؟",
        "Кто был президентом Франции в 1985 году?",
        "🤷 🇫🇷 1985",
        "who " * 240,
        "of the of the of the in at by",
        "before after before after",
        "first last first",
        "president president president of France",
        "France Germany Italy Spain",
        "../../etc/passwd",
        "Q142 P35",
    ],
)
def test_hostile_text_is_not_understood_and_harms_nothing(reader: QuestionReader, text: str) -> None:
    answer = reader.ask(text)
    assert answer.status in (Status.NOT_UNDERSTOOD, Status.UNKNOWN)
    assert answer.items == () and answer.notes
    assert reader.ask("Who was president of France in 1985?").texts == ["François Mitterrand"]


@settings(max_examples=60)
@given(text=st.text(max_size=80))
def test_any_text_gets_an_answer_or_a_reason(reader: QuestionReader, text: str) -> None:
    try:
        answer = reader.ask(text)
    except UserError as error:
        assert str(error)
    else:
        assert answer.items or answer.notes or answer.candidates


KNOWN_WORDS = [
    "who",
    "was",
    "the",
    "president",
    "of",
    "France",
    "in 1985",
    "before",
    "after",
    "first",
    "Italy's",
    "when",
]


@settings(max_examples=100)
@given(words=st.lists(st.sampled_from(KNOWN_WORDS), max_size=9))
def test_any_order_of_known_words_is_answered_from_facts_or_not_at_all(
    reader: QuestionReader, words: list[str]
) -> None:
    try:
        answer = reader.ask(" ".join(words))
    except UserError:
        return
    for item in answer.items:
        assert item.evidence or item.text == "no"


def test_a_name_that_fits_several_people_lists_them(almanac: FactStore) -> None:
    question = "Which position did John Smith hold in 1840?"
    answer = ask(almanac, question)
    assert answer.status is Status.AMBIGUOUS
    assert {entity.label for entity in answer.candidates} == {"John Smith"}
    assert len({entity.description for entity in answer.candidates}) == len(answer.candidates) >= 3
    chosen = ask(almanac, question, entities=["bioguide:S000565"])
    assert chosen.status is Status.ANSWERED
    assert all("Vermont" in text for text in chosen.texts)


def test_a_part_of_a_name_is_looked_for_among_the_facts(reader: QuestionReader) -> None:
    assert reader.ask("Who was president of the United States before Lincoln?").texts == ["James Buchanan"]
    unclear = reader.ask("Who was president of the United States before Bush?")
    assert {entity.label for entity in unclear.candidates} == {"George W. Bush", "George H. W. Bush"}


def test_what_is_ongoing_is_known_up_to_the_day_of_the_base(almanac: FactStore) -> None:
    reader = QuestionReader(almanac, today=Date.parse("2030-01-01"))
    item = reader.ask("Who is the prime minister of Italy?").items[0]
    assert (item.text, item.holds) == ("Giorgia Meloni", Holds.POSSIBLY)
    assert item.evidence[0].why == "unconfirmed since 2024-12-31"


def test_a_title_that_nobody_had_is_not_given_to_another(reader: QuestionReader) -> None:
    answer = reader.ask("Who was the king of France in 1985?")
    assert (answer.status, answer.texts) == (Status.UNKNOWN, [])
    assert [one.fact.object_label for one in answer.near] == ["François Mitterrand"]
    assert "another title" in answer.notes[0]


def test_an_unknown_time_shows_what_is_nearest(reader: QuestionReader) -> None:
    answer = reader.ask("Who was the CEO of Apple in 1950?")
    assert answer.status is Status.UNKNOWN
    assert [one.fact.object_label for one in answer.near] == ["Michael Scott"]


def test_a_question_of_another_base_uses_the_labels_of_its_relations(base_of: Callable[..., FactStore]) -> None:
    store = base_of(
        [
            ("Castle Blandings", "lord of the manor", "Clarence", "1890", "1920"),
            ("Castle Blandings", "lord of the manor", "George", "1920", "ongoing"),
        ]
    )
    assert ask(store, "Who was the lord of the manor of Castle Blandings in 1900?").texts == ["Clarence"]
    assert ask(store, "Who was Castle Blandings's lord of the manor after Clarence?").texts == ["George"]


def test_a_damaged_list_is_made_again(base_of: Callable[..., FactStore], own_cache: Path) -> None:
    folder = base_of([("Ruritania", "P6", "Rudolf Rassendyll", "1890", "1894")]).folder
    question = "Who was prime minister of Ruritania in 1892?"
    assert ask(FactStore(folder), question).texts == ["Rudolf Rassendyll"]
    lists = list((own_cache / "ask").glob(f"*{FactStore(folder).manifest.hash[:16]}*"))
    for damage in (lambda content: content[:-40], lambda content: b""):
        for path in lists:
            content = path.read_bytes()
            path.unlink()  # what is open may still be read
            path.write_bytes(damage(content))
        assert ask(FactStore(folder), question).texts == ["Rudolf Rassendyll"]


def test_an_empty_base_knows_nothing(base_of: Callable[..., FactStore]) -> None:
    store = base_of([("a", "P6", "b", "1890", "1894")])
    assert ask(store, "Who was president of France in 1985?").status is not Status.ANSWERED


def test_names_are_compared_alike_in_python_and_in_sql(almanac: FactStore) -> None:
    query = f"SELECT label, {SPOKEN.format('label')} AS said FROM entities"
    assert all(spoken(row["label"]) == row["said"] for row in almanac.sql(query).to_pylist())


def test_a_list_finds_every_name_of_the_base(almanac: FactStore) -> None:
    index = NameIndex(almanac)
    rows = almanac.sql("SELECT label, id FROM entities USING SAMPLE reservoir(300 ROWS) REPEATABLE (1)").to_pylist()
    for row in rows:
        assert index.entities(spoken(row["label"]))[row["id"]] is True
        words = words_of(cleaned(row["label"]))
        assert (len(words), spoken(row["label"])) in list(index.names_from(words)) or not words


def test_it_is_a_reader_like_those_of_documents(almanac: FactStore) -> None:
    reader = open_reader("facts:almanac")
    document = Document.from_text("Nothing to the point.")
    told, unknown, unread = reader.read_many(
        ["Who was the prime minister of Italy in March 2021?", "Who led Italy in 1500?", "hello"], document
    )
    assert (told.text, told.evidence[0].interval) == ("Mario Draghi", "2021-02-13..2022-10-22")
    assert (unknown.text, unread.text) == ("", "")
    assert reader.describe()["base"] == almanac.manifest.hash


def test_a_row_of_an_answer_is_plain(reader: QuestionReader) -> None:
    row = reader.ask("Who was the prime minister of Italy before Mario Draghi?").as_row()
    assert row["status"] == "answered"
    assert row["answers"][0]["text"] == "Giuseppe Conte"
    assert row["answers"][0]["facts"][0] == {
        "subject": "Italy", "relation": "head of government", "object": "Giuseppe Conte", "subject_id": "Q38",
        "relation_id": "P6", "object_id": row["answers"][0]["id"], "start": "2018-06-01", "end": "2021-02-13",
        "start_precision": "day", "end_precision": "day", "holds": None, "why": None, "known_to": "2024-12-31",
        "rank": "normal", "source": "almanac/P6_head_of_government.tsv", "statement": None, "possibly": None,
        "earliest_start": 17683, "latest_start": 17683, "earliest_end": 18671, "latest_end": 18671,
        "known_from": "2024-12-31", "known_until": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "Who is president of the United States in 2050?",
        "Was Joe Biden president of the United States in 2040?",
        "Who was prime minister of Italy on 1 January 2031?",
    ],
)
def test_of_the_future_nothing_is_said(reader: QuestionReader, question: str) -> None:
    answer = reader.ask(question)
    assert (answer.status, answer.texts) == (Status.UNKNOWN, [])
    assert answer.notes == ("That is after today, 2024-12-01: almanac cannot know it.",)


def test_a_fact_that_reaches_into_the_future_by_its_own_dates_holds_there(base_of: Callable[..., FactStore]) -> None:
    store = base_of(
        [
            ("Acme", "lord of the manor", "Ann Lee", "2020-01-01", "2029-12-31"),
            ("Bolt", "lord of the manor", "Bo Ek", "2020-01-01", "ongoing"),
        ]
    )
    assert ask(store, "Who was the lord of the manor of Acme in 2028?", today=TODAY).texts == ["Ann Lee"]
    assert ask(store, "Who was the lord of the manor of Bolt in 2028?", today=TODAY).status is Status.UNKNOWN


@pytest.mark.parametrize(
    ("question", "texts", "note"),
    [
        ("How long did Shinzo Abe last as prime minister of Japan?", ["365 days", "7.7 years"], ""),
        ("How long has Giorgia Meloni been prime minister of Italy?", ["2.1 years up to today, if it still holds"], ""),
        ("Who was mayor of New York in 2000?", ["Rudy Giuliani"], "'New York' is taken for New York City (Q60)."),
        ("Who was governor of New York in 2000?", ["George Pataki"], ""),
        ("who preceeded Emmanuel Macron as president of France?", ["François Hollande"], "Read as: who preceded"),
        (
            "Which president of France resigned in 1969?",
            ["Charles de Gaulle", "Alain Poher"],
            "when something ended, not how",
        ),
        (
            "When Margaret Thatcher was prime minister of the UK, who was president of France?",
            ["Valéry Giscard d'Estaing", "François Mitterrand"],
            "",
        ),
        ("Who led the FBI in 2016?", ["James Comey"], ""),
        ("Who used to own Chelsea?", ["Ken Bates", "Roman Abramovich"], ""),  # but no longer does
        ("Who used to play at Anfield?", ["Everton F.C."], ""),
        ("What currency did Germany use to have?", ["German Mark"], ""),
        ("What currency is used to pay in Peru?", ["Peruvian Sol"], ""),
        ("When did Real Madrid sack Mourinho?", ["2013-06"], "when something ended, not how"),
        ("Which band did Morrissey sing for?", ["The Smiths"], "who was in a band, not what they did there"),
        ("When did Brad and Angelina split up?", ["2019"], ""),
        ("When did Henry and Anne divorce?", [], "'Henry and Anne' is ambiguous; it may be one of 2."),
        ("Who was in charge of Italy in March 2021?", ["Sergio Mattarella", "Mario Draghi"], ""),  # not of its team
        ("who was potus in jan 1945", ["Franklin D. Roosevelt"], ""),
        ("Who was in charge of Arsenal in 2010?", ["Arsène Wenger"], ""),
        ("When was Jacques Chirac prime minister?", ["1974-05-27..1976-08", "1986-03-20..1988-05-10"], ""),
        ("When was Jacques Chirac mayor?", ["1977-03..1995-05-16"], ""),  # of Paris: no country has a mayor
        ("When was Willy Brandt chancellor?", ["1969-10..1974-05-07"], ""),  # but no city has a chancellor
        ("Was Boris Johnson prime minister in 2010?", [], "it has a fact under another title"),
        ("Was George Pataki mayor of New York in 2000?", [], "it has a fact under another title"),
        ("Was Rudy Giuliani mayor of New York in 2000?", ["yes"], ""),
        ("When did Boeing relocate to Chicago?", ["2001-09"], ""),
        ("Who was Henry VIII's second wife?", ["Anne Boleyn"], ""),  # all six are there
        ("Who was Henry VIII's twelfth wife?", [], "'twelfth'"),
        ("Who was Henry VIII's 12th wife?", [], "almanac has no matching fact"),
        ("Who was queen Elizabeth the second married to in 1960?", [], "not what they ask together"),
    ],
)
def test_words_that_change_what_is_asked(reader: QuestionReader, question: str, texts: list[str], note: str) -> None:
    answer = reader.ask(question)
    assert answer.texts == texts
    assert note in " ".join(answer.notes)
