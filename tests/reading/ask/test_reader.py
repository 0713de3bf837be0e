"""The reader of questions: what it makes of words, on a base of two companies."""

import pytest

from asof.facts import FactStore
from asof.reading.ask import in_words
from asof.reading.ask.answer import Status
from asof.reading.ask.example import example_reader, read
from asof.reading.ask.kinds import kinds
from asof.reading.ask.query import Lookup
from asof.reading.ask.reader import QuestionReader
from asof.timeline import Date


@pytest.mark.parametrize(
    "question",
    [
        "Who managed Acme in 2014?",
        "who was acmes manager in 2014",
        "Acme's manager in 2014?",
        "manager of Acme 2014",
        "By whom was Acme managed in 2014?",
        "Okay, could you tell me who the manager of Acme was in 2014, please?",
    ],
)
def test_one_relation_is_asked_for_in_many_ways(question: str) -> None:
    assert example_reader().ask(question).texts == ["Ann Lee"]


@pytest.mark.parametrize(
    "question",
    [
        "Where did Ann Lee marry?",
        "Who ran for manager of Acme in 2014?",
        "Which companies did Ann Lee occupy?",
        "Who was the landlord of Acme in 2014?",
        "How many of the 2,098,460 shares of Acme did Bo Ek have?",
        "Who managed Acme and what colour is Bolt?",
    ],
)
def test_a_relation_that_the_base_does_not_have_gets_no_answer_from_another(question: str) -> None:
    answer = example_reader().ask(question)
    assert (answer.status is Status.ANSWERED, answer.texts) == (False, [])
    assert answer.notes


def test_all_readings_are_told_with_the_best_first() -> None:
    readings = example_reader().read("Who managed Acme in 2014?")
    assert readings[0].query == Lookup(relation="manager", subject="Acme", when="in 2014")
    assert all(one.score <= 0 and in_words(one.query) for one in readings)


def test_every_kind_says_what_it_is() -> None:
    for name in kinds.names():
        assert kinds.summary(name).endswith((".", ":"))
        assert kinds.get(name)() is not None


def test_a_missing_apostrophe_is_told() -> None:
    assert "Read as: acme's" in example_reader().ask("acmes manager 2014").notes


def test_a_base_brings_its_own_words(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("own") / "acme"
    store = example_reader().store
    folder.mkdir()
    for file in store.folder.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    (folder / "lexicon.en.toml").write_text('[verbs]\n"O skippers S" = "manager"\n', encoding="utf-8")
    reader = QuestionReader(FactStore(folder), today=Date.parse("2024-12-01"))
    assert reader.ask("Who skippers Acme?").texts == ["Cy Day"]
    assert read("Who skippers Acme?") == "nothing"
