"""A first, a last, a count or a longest is said outright only where the base promises that nothing is missing."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from click.testing import CliRunner

from asof.agents.tools import Tools
from asof.cli import asof
from asof.facts import FactStore, Intake, write_base
from asof.facts.completeness import Completeness
from asof.facts.schema import TIMELINES
from asof.reading.ask.answer import Status
from asof.reading.ask.reader import QuestionReader
from asof.sources import open_source
from asof.sources.almanac import Almanac
from asof.timeline import Date
from asof.web.ask import ask_page


@pytest.mark.parametrize(
    "question",
    [
        "Who was the first president of Chile?",
        "Who was the first manager of the New York Yankees?",
        "Who was the last king of France?",
        "Who was the third president of Chile?",
        "Who was the longest-serving president of Brazil?",
        "How many presidents has Chile had?",
        "How many presidents did Chile have before 1970?",
        "Who was the first prime minister of the United Kingdom?",  # people count from Walpole, not from 1801
        "How many times was Silvio Berlusconi prime minister of Italy?",
        "When did the first president of Chile take office?",
    ],
)
def test_what_may_be_missing_is_hedged(reader: QuestionReader, question: str) -> None:
    answer = reader.ask(question)
    assert answer.status is Status.ANSWERED and answer.complete is False
    assert answer.hedge in ("the first known here", "the last known here", "of those known here")
    assert any("does not state that its timeline is complete" in note for note in answer.notes)


@pytest.mark.parametrize(
    ("question", "texts"),
    [
        ("Who was the first president of the United States?", ["George Washington"]),
        ("Who was the 16th president of the United States?", ["Abraham Lincoln"]),
        ("Who was Henry VIII's third wife?", ["Jane Seymour"]),
        ("How many CEOs has Apple had?", ["7"]),
        ("Who was the longest-serving chancellor of Germany?", ["Otto von Bismarck"]),
        ("Who has won the most Ballon d'Ors?", ["Lionel Messi"]),
        ("Who was the last vice president of the United States?", ["JD Vance"]),
    ],
)
def test_what_is_promised_is_said_outright(reader: QuestionReader, question: str, texts: list[str]) -> None:
    answer = reader.ask(question)
    assert (answer.texts, answer.complete, answer.hedge) == (texts, True, "")


@pytest.mark.parametrize(
    "question", ["Who was president of Chile in 1971?", "When did Salvador Allende become president of Chile?"]
)
def test_other_questions_depend_on_their_own_facts(reader: QuestionReader, question: str) -> None:
    assert reader.ask(question).complete is None


def test_a_title_that_is_not_told_of_everyone_is_a_doubt_of_its_own(reader: QuestionReader) -> None:
    answer = reader.ask("How many chancellors has Germany had since 1949?")  # one of them stood in for nine days
    assert answer.complete is False
    assert any("does not say of everyone there that the title is right" in note for note in answer.notes)


def test_every_door_says_so(almanac: FactStore, reader: QuestionReader) -> None:
    question = "Who was the first president of Chile?"
    ran = CliRunner().invoke(asof, ["ask", question])
    assert ran.stdout.splitlines()[0] == "The first known here: Gabriel González Videla."
    assert (
        "almanac may lack some facts: it does not state that its timeline is complete (head of state of Chile)."
        in ran.stderr
    )
    row = json.loads(CliRunner().invoke(asof, ["ask", question, "--json"]).stdout)
    page = ask_page(reader, question, entities=(), today=None).answer
    tool = Tools(almanac).ask(question, today=None)
    for complete, hedge in ((row["complete"], row["hedge"]), (page.complete, page.hedge), (tool.complete, tool.hedge)):
        assert (complete, hedge) == (False, "the first known here")


class Marked:
    """A table of facts whose source promises something of its timelines."""

    def __init__(self, table: Path, **promised: bool) -> None:
        self._source, self._promised = open_source(str(table)), promised
        self.name, self.known_by = "marked", Date.parse("2024-12-31")

    def facts(self, intake: Intake) -> Iterator[pa.RecordBatch]:
        return self._source.facts(intake)

    def entities(self) -> list[pa.RecordBatch]:
        return list(self._source.entities())

    def relations(self) -> list[pa.RecordBatch]:
        return list(self._source.relations())

    def timelines(self) -> list[pa.RecordBatch]:
        row = {"entity": "Acme", "role": "subject", "relation": "P169"} | self._promised
        return [pa.RecordBatch.from_pylist([row], schema=TIMELINES)]


def test_any_base_can_carry_the_promise(tmp_path: Path, base_of: Callable[..., FactStore]) -> None:
    rows = [("Acme", "P169", "Ann", "2001", "2010"), ("Acme", "P169", "Bob", "2010", "ongoing")]
    plain = base_of(rows)
    assert "timelines" not in plain.manifest.tables and plain.completeness == {}
    write_base(tmp_path / "marked", [Marked(next(tmp_path.glob("rows*.tsv")), first=True, last=False, between=False)])
    marked = FactStore(tmp_path / "marked")
    assert marked.completeness == {("P169", "subject", "Acme"): Completeness(first=True)}
    for store, complete in ((plain, False), (marked, True)):
        answer = QuestionReader(store).ask("Who was the first CEO of Acme?")
        assert (answer.texts, answer.complete) == (["Ann"], complete)
    assert QuestionReader(marked).ask("How many CEOs has Acme had?").complete is False


def test_the_promises_of_the_almanac_are_about_facts_that_it_has(almanac: FactStore) -> None:
    (batch,) = Almanac().timelines()
    assert batch.num_rows == len(almanac.completeness) > 10
    for (relation, role, entity), promised in almanac.completeness.items():
        assert len(almanac.facts(relation=relation, **{role: entity})) > 2  # type: ignore[arg-type]
        assert any(promised)
