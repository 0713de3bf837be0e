"""Runs on questions about pages: who sees the pages, what a stop costs, what one odd page costs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from asof.benchmarks import (
    Account,
    Benchmark,
    BenchmarkDocument,
    BenchmarkTables,
    Item,
    documents,
    documents_table,
    read_benchmark,
    save,
    tables_of,
)
from asof.cli import asof
from asof.errors import UserError
from asof.models.transformers_causal import TransformersCausal
from asof.probes.write_answer import WriteAnswer
from asof.reading.answers import Answer
from asof.reading.as_model import ReaderAsModel, with_documents
from asof.reading.documents import Document
from asof.runs import read_run, run
from asof.runs.item_scores import scores_of
from tests.models.completions_server import MODEL, serving
from tests.models.tiny_model import make_tiny_model

PAGES = ("Ajax", "Basel", "Celtic")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve questions on three pages, each page longer than the passages that are shown of it."""
    filling = tuple(f"In {1900 + n} nothing happened . " * 20 for n in range(9))
    texts = [
        BenchmarkDocument(id, id, (f"{id} was led by Ann Lee from 1990 to 1995 .", *filling), ("",) * 10)
        for id in PAGES
    ]
    items = [
        Item(
            id=f"{id}{n}", prompt=f"Who led {id} in {1990 + n}?", answers=("Ann Lee",), group=id, tags={"document": id}
        )
        for id in PAGES
        for n in range(4)
    ]
    made = BenchmarkTables(tables_of(items), Account(), documents=documents_table(texts))
    about = {
        "name": "timeqa",
        "paper": "",
        "probe": "write-answer",
        "base": {"name": "none", "sha256": ""},
        "language": "en",
        "settings": {},
    }
    return save(tmp_path_factory.mktemp("bench") / "pages", made, about).folder


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("tiny"), positions=512)


def command(*args: object) -> Result:
    return CliRunner().invoke(asof, [str(one) for one in args])


def said(ran: Result) -> str:
    """What is printed for a person, with the error that ends the command."""
    return f"{ran.stderr}{ran.exception or ''}"


def test_a_language_model_is_shown_the_pages(pages: Path, tiny: Path, tmp_path: Path) -> None:
    with serving(tiny) as server:
        model = f"openai-completions:{server.place}#{MODEL}"
        ran = command("run", pages, model, "--to", tmp_path / "open", "--set", "most_tokens=2", "--set", "passages=2")
        assert ran.exit_code == 0 and "is shown the 2 best passages of each document; --closed-book shows none" in said(
            ran
        )
        prompts = [call["prompt"] for call in server.calls]
        assert len(prompts) == 12 and all(prompt.count("Text: ") == 2 for prompt in prompts)
        assert all(f"{prompt.split('led ')[-1].split()[0]} was led by Ann Lee" in prompt for prompt in prompts)
        server.calls.clear()
        closed = command("run", pages, model, "--to", tmp_path / "closed", "--set", "most_tokens=2", "--closed-book")
        assert "Closed-book:" in said(closed) and "sees only the questions" in said(closed)
        assert [call["prompt"][:10] for call in server.calls] == ["Question: "] * 12
        mixed = command("run", pages, model, "--to", tmp_path / "open", "--set", "most_tokens=2", "--closed-book")
        assert mixed.exit_code == 1 and "holds a run with closed_book = False, not True" in said(mixed)
    assert read_run(tmp_path / "open").settings["closed_book"] is False
    assert read_run(tmp_path / "closed").settings["closed_book"] is True
    assert json.loads((tmp_path / "open" / "versions.json").read_text())["shown"] == "the 2 best passages"
    assert all("written" in row for row in read_run(tmp_path / "open").rows().values())


def test_a_run_of_an_earlier_version_is_not_gone_on_with(pages: Path, tiny: Path, tmp_path: Path) -> None:
    command("run", pages, tiny, "--to", tmp_path / "run", "--limit", "1", "--closed-book", "--set", "most_tokens=1")
    settings = tmp_path / "run" / "settings.toml"
    settings.write_text(settings.read_text().replace("closed_book = true\n", ""))
    ran = command("run", pages, tiny, "--to", tmp_path / "run", "--closed-book", "--set", "most_tokens=1")
    assert ran.exit_code == 1 and "does not record its closed_book: an earlier version of asof started it" in said(ran)


def test_where_documents_cannot_be_shown_or_not_it_is_said(pages: Path, tiny: Path, tmp_path: Path) -> None:
    ran = command("run", pages, f"language-model:{tiny}", "--closed-book", "--to", tmp_path / "a")
    assert ran.exit_code == 1 and "reads documents. Omit --closed-book" in said(ran)
    ran = command("run", pages, tiny, "--set", "passages=0", "--to", tmp_path / "b")
    assert ran.exit_code == 1 and "passages = 0 shows nothing" in said(ran)
    ran = command("run", pages, tiny, "--probe", "answer-likelihood", "--closed-book", "--to", tmp_path / "c")
    assert ran.exit_code == 1 and "--closed-book works only with write-answer" in said(ran)
    ran = command("run", pages, f"language-model:without-document:{tiny}", "--limit", "1", "--to", tmp_path / "d",
                  "--set", "most_tokens=1")  # fmt: skip
    assert ran.exit_code == 0 and "sees only the questions" in said(ran)


@pytest.mark.parametrize("positions", [512, 160])
def test_what_is_shown_is_cut_to_what_a_model_reads(pages: Path, tmp_path: Path, positions: int) -> None:
    model = TransformersCausal(str(make_tiny_model(tmp_path, positions=positions)))
    benchmark, probe = read_benchmark(pages), WriteAnswer(most_tokens=2, passages=9)
    shown = with_documents(model, benchmark, probe)
    rows = [*probe.predict(list(benchmark.items(limit=1)), shown)]
    assert all("Ann Lee" in row["sentence"] for row in rows)


class Stopped(BaseException):
    """What Ctrl-C raises, or the end of a process."""


class Writer:
    """A model that is stopped after so many texts."""

    name, can, texts_at_once = "writer", frozenset({"write"}), 2

    def __init__(self, most: int) -> None:
        self.left = most

    def describe(self) -> dict[str, str]:
        return {"kind": "writer"}

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        if self.left < len(prompts):
            raise Stopped
        self.left -= len(prompts)
        return ["The leader was Ann Lee." for _ in prompts]


@pytest.mark.parametrize("closed_book", [True, False])
def test_predictions_are_kept_as_they_come(pages: Path, tmp_path: Path, closed_book: bool) -> None:
    benchmark, probe = read_benchmark(pages), WriteAnswer(closed_book=closed_book)

    def ran(most: int) -> None:
        run(benchmark, with_documents(Writer(most), benchmark, probe), tmp_path / "run", probe=probe)

    with pytest.raises(Stopped):
        ran(7)
    assert len(read_run(tmp_path / "run").predictions()) == 6  # the fourth pair was under way
    ran(6)
    assert set(read_run(tmp_path / "run").predictions().values()) == {"Ann Lee"}
    assert len((tmp_path / "run" / "predictions.jsonl").read_text().splitlines()) == 12


class Stumbling:
    """A reader that stumbles over one page, or over one question."""

    name, needs_document = "stumbling", True

    def __init__(self, over: str) -> None:
        self.over = over

    def describe(self) -> dict[str, str]:
        return {"kind": "stumbling"}

    def read(self, question: str, document: Document) -> Answer:
        if self.over and self.over in f"{document.title} {question}":
            raise IndexError("string index out of range")
        return Answer("Ann Lee", 1.0)

    def read_many(self, questions: Sequence[str], document: Document) -> list[Answer]:
        return [self.read(question, document) for question in questions]


@pytest.mark.parametrize(("over", "lost"), [("Basel", 4), ("Basel in 1992", 1)])
def test_one_odd_page_costs_its_items_and_not_the_run(pages: Path, tmp_path: Path, over: str, lost: int) -> None:
    benchmark = read_benchmark(pages)

    def ran(over: str) -> Any:
        return run(benchmark, ReaderAsModel(Stumbling(over), documents(benchmark)), tmp_path / "run")

    done = ran(over)
    assert len(done.predictions()) == 12 - lost
    assert done.lost() == {"Basel could not be read (IndexError: string index out of range)": lost}
    assert scores_of(done).results()["em"].n == 12 - lost and done.left_out() == done.lost()
    mended = ran("")
    assert len(mended.predictions()) == 12 and not mended.lost()


def test_lost_items_end_a_command_with_an_error(pages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asof.reading.answers.open_reader", lambda location, **settings: Stumbling("Basel"))
    ran = command("run", pages, "temporal:reader", "--to", tmp_path / "run")
    assert ran.exit_code == 1 and "8 predictions in" in said(ran)
    assert "4 items could not be read and are not in the scores:\n  4 items: Basel could not be read (Ind" in said(ran)
    as_json = command("run", pages, "temporal:reader", "--to", tmp_path / "run", "--json")
    assert as_json.exit_code == 1 and sum(json.loads(as_json.stdout)["lost"].values()) == 4


def test_an_error_that_is_not_about_a_page_ends_the_run(pages: Path, tmp_path: Path) -> None:
    class Gone(Stumbling):
        def read(self, question: str, document: Document) -> Answer:
            raise UserError("the server is gone")

    benchmark: Benchmark = read_benchmark(pages)
    with pytest.raises(UserError, match="the server is gone"):
        run(benchmark, ReaderAsModel(Gone(""), documents(benchmark)), tmp_path / "run")
