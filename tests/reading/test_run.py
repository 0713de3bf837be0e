"""Readers and language models on the questions of a benchmark: the same run, the same scores."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import Item, read_benchmark
from asof.cli import asof
from asof.errors import UserError
from asof.probes import open_probe
from asof.reading.answers import Answer, Evidence
from asof.reading.as_model import ReaderAsModel
from asof.reading.documents import Document
from asof.runs import read_run
from asof.runs.item_scores import scores_of
from tests.models.tiny_model import make_tiny_model


def command(*args: str) -> Result:
    return CliRunner().invoke(asof, list(args), catch_exceptions=False)


@pytest.fixture(scope="module")
def quiz(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("quiz") / "quiz"
    command("build", "timeqa", "--to", str(folder), "--set", "relations=P6", "--limit", "6")
    return folder


def test_facts_answer_the_questions_that_were_made_of_them(quiz: Path, tmp_path: Path) -> None:
    command("run", str(quiz), "facts:almanac", "--to", str(tmp_path / "run"))
    run = read_run(tmp_path / "run")
    found = {name: result.value for name, result in scores_of(run).results().items()}
    assert len(run.predictions()) == read_benchmark(quiz).items_count
    assert found == pytest.approx({"em": 1, "f1": 1, "em answerable": 1, "em unanswerable": 1})
    assert set(run.table().column_names) >= {"text", "probability", "sentence", "interval", "verdict"}


def test_a_language_model_answers_without_a_page(quiz: Path, tmp_path: Path) -> None:
    model = make_tiny_model(tmp_path / "tiny")
    command("run", str(quiz), str(model), "--limit", "1", "--to", str(tmp_path / "run"), "--set", "most_tokens=3")
    run = read_run(tmp_path / "run")
    assert run.settings["probe"] == "write-answer" and run.settings["most_tokens"] == 3
    assert all(isinstance(text, str) for text in run.predictions().values())


def test_a_reader_of_pages_needs_them(quiz: Path) -> None:
    reader = ReaderAsModel(_Parrot(needs_document=True), {})
    items = list(read_benchmark(quiz).items())
    fit = open_probe("write-answer").fit(items, reader, everything=items)
    assert not fit.items and "build the benchmark with --pages" in str(fit)


def test_items_on_one_document_are_read_together_and_stay_in_order() -> None:
    parrot = _Parrot(needs_document=False)
    reader = ReaderAsModel(parrot, {})
    items = [Item(id=str(n), prompt=f"q{n}", answers=(), group="g", tags={"document": "ab"[n % 2]}) for n in range(5)]
    assert [row["text"] for row in reader.read(items)] == ["q0", "q1", "q2", "q3", "q4"]
    assert parrot.asked == [["q0", "q2", "q4"], ["q1", "q3"]]


def test_room_for_an_answer_there_must_be() -> None:
    item = Item(id="1", prompt="_X_ leads Italy.", answers=("Draghi",), group="g")
    assert open_probe("write-answer").fit([item], _Writes()).items == [item]  # it is asked to complete the sentence
    with pytest.raises(UserError, match="leaves no room for an answer"):
        open_probe("write-answer", {"most_tokens": 0}).fit([item], _Writes())


class _Parrot:
    """A reader that repeats the question, and remembers how it was asked."""

    name = "parrot"

    def __init__(self, *, needs_document: bool) -> None:
        self.needs_document = needs_document
        self.asked: list[list[str]] = []

    def describe(self) -> dict[str, str]:
        return {"kind": "parrot"}

    def read(self, question: str, document: Document) -> Answer:
        return Answer(question, 1.0, evidence=(Evidence(question, "", "", "", "", 1.0),))

    def read_many(self, questions: Any, document: Document) -> list[Answer]:
        self.asked.append(list(questions))
        return [self.read(question, document) for question in questions]


class _Writes:
    can = frozenset({"write"})
