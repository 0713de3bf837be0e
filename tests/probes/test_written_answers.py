"""What a model's text gives as its answer: a table of texts as models write them, and every name of the almanac."""

import json
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from asof.benchmarks import Item
from asof.errors import UserError
from asof.export._source import copy_source
from asof.facts import FactStore
from asof.probes.write_answer import WriteAnswer
from asof.reading.documents import Document
from asof.reading.readers.language_model import LanguageModelReader
from asof.wording.normalised import normalised
from asof.wording.written_answer import answer_in, readings

TABLE = Path(__file__).parent / "written_answers.tsv"
LINES = [line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("# ")]
PAIRS = [(text.replace("\\n", "\n"), answer) for text, _, answer in (line.partition("\t") for line in LINES)]


class Writer:
    """A model that writes the texts of the table, one after the other."""

    name, can = "writer", frozenset({"write"})

    def __init__(self) -> None:
        self._texts = iter(text for text, _ in PAIRS)

    def describe(self) -> dict[str, str]:
        return {"kind": "writer"}

    def write(self, prompts: list[str], *, most_tokens: int, stop: tuple[str, ...]) -> list[str]:
        return [next(self._texts) for _ in prompts]


def test_the_table_is_long_enough_to_mean_something() -> None:
    assert len(PAIRS) >= 200 and len(set(PAIRS)) == len(PAIRS)
    assert sum(not answer for _, answer in PAIRS) >= 50


@pytest.mark.parametrize(("text", "answer"), PAIRS)
def test_the_answer_in_a_text(text: str, answer: str) -> None:
    assert answer_in(text) == answer


def test_the_probe_and_the_reader_take_the_same_answers() -> None:
    items = [Item(id=str(place), prompt="Who?", answers=(), group="g") for place in range(len(PAIRS))]
    expected = [answer for _, answer in PAIRS]
    rows = list(WriteAnswer().predict(items, Writer()))
    assert [row["text"] for row in rows] == expected
    assert [row["written"] for row in rows] == [text for text, _ in PAIRS]
    read = LanguageModelReader("writer", model=Writer()).read_many(["Who?"] * len(PAIRS), Document("", ()))
    assert [answer.text for answer in read] == expected


@pytest.mark.parametrize("name", ["written_answers.py", "filled_blanks.py"])
def test_an_exported_file_takes_the_same_answers_without_asof(name: str, tmp_path: Path) -> None:
    copy_source(f"_files/{name}", tmp_path / "scores.py")
    (tmp_path / "texts.json").write_text(json.dumps([text for text, _ in PAIRS]), encoding="utf-8")
    code = (
        "import json, sys; sys.path.insert(0, '.'); sys.modules['asof'] = None; import scores;"
        "print(json.dumps([scores.answer_in(text) for text in json.load(open('texts.json', encoding='utf-8'))]))"
    )
    ran = subprocess.run(
        [sys.executable, "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True, encoding="utf-8"
    )
    assert json.loads(ran.stdout) == [answer for _, answer in PAIRS]
    assert "asof.probes" not in (tmp_path / "scores.py").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def names(almanac: FactStore) -> set[str]:
    table = pq.read_table(next(almanac.folder.glob("entities-*.parquet")), columns=["label", "aliases"])
    return {name for row in table.to_pylist() for name in (row["label"], *row["aliases"])}


@pytest.mark.parametrize("form", ["{}", "{}.", " {}\n", "The answer is {}.", "**{}**", '"{}"', "Answer: {}"])
def test_every_name_of_the_almanac_comes_back(form: str, names: set[str]) -> None:
    # A full stop at the end of "Jr." may be the name's or the sentence's; scores look at neither.
    wrong = [name for name in names if answer_in(form.format(name)).rstrip(".") != name.rstrip(".")]
    assert len(names) > 40_000 and not wrong


@pytest.mark.parametrize(
    "form", ["The name was {}.", "In 2011, it was {}.", "{} (2009-2017)", "{}, who left.", "{} was the head of it."]
)
def test_names_of_the_almanac_in_sentences(form: str, names: set[str]) -> None:
    accepted = [
        any(normalised(one) == normalised(name) for one in readings(answer_in(form.format(name)))) for name in names
    ]
    assert sum(accepted) / len(names) > 0.999


def test_a_remark_after_a_name_and_a_name_with_one_both_count() -> None:
    row = {"written": "...", "answers": ["Barack Obama"]}
    assert WriteAnswer().measures({**row, "text": "Barack Obama (2009-2017)"})["em"] == 1
    own = {"written": "...", "answers": ["Argentine Peso (1983-1985)"], "text": "Argentine Peso (1983-1985)"}
    assert WriteAnswer().measures(own)["em"] == 1
    reader = {"answers": ["Barack Obama"], "text": "Barack Obama (2009-2017)"}
    assert WriteAnswer().measures(reader)["em"] == 0  # a span of a document is what the reader says it is


@pytest.mark.parametrize(
    "unit",
    ["1", "in 1111 ", "the ", "\n", "\n*", "**a**", "(", "<think>", "answer is ", "a. ", '"', "— ", "was ", ", "],
)
def test_a_model_that_repeats_itself_is_no_trouble(unit: str) -> None:
    for text in (unit * 2000, f"Ann Lee in {unit * 2000}x"):
        assert isinstance(answer_in(text), str)  # patterns that go back and forth would not end


def test_items_whose_documents_would_not_be_seen_are_not_asked() -> None:
    item = Item(id="1", prompt="Who?", answers=(), group="g", tags={"document": "/wiki/Ann"})
    with pytest.raises(UserError, match="would not see them"):
        WriteAnswer().fit([item], Writer())
    assert WriteAnswer(closed_book=True).fit([item], Writer()).items == [item]
