"""The adviser: a language model's word on candidates, as columns, in training, in a reader's folder."""

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from asof.cli import asof
from asof.errors import UserError
from asof.models import AnswerRequest, open_model
from asof.reading.adviser import COLUMNS, Advice, Adviser
from asof.reading.documents import Document
from asof.reading.encoder import Vectors
from asof.reading.features import Features
from asof.reading.index import DocumentIndex
from asof.reading.questions import ReadingItem
from asof.reading.readers.temporal import TemporalReader
from asof.reading.temporal_model import load, save
from asof.reading.training import Settings, train
from asof.weights.package_index import fetched_folder
from asof.wording.normalised import normalised
from tests.models.tiny_model import make_tiny_model
from tests.reading.test_documents import rows
from tests.reading.tiny_readers import WordEncoder

MILL = Document.from_text(
    "History\nIn 1884 the mill was sold to Thomas Hale , a merchant .\nThe roof was mended by John Carver in 1901 .",
    title="Riverside Mill",
)
QUESTION = "Who was the owner of Riverside Mill?"
FIRST = "Ann Bo Cy Dee Eva Finn Gus Hal".split()  # noqa: SIM905
LAST = "Stone Rivers Brook Field Wood Hill Marsh Lake".split()  # noqa: SIM905


class Knowing:
    """A model that knows who owns what: it says their names gladly and all others unwillingly."""

    can = frozenset({"answer_logprob"})

    def __init__(self) -> None:
        self.times = 0

    def answer_logprob(self, requests: Sequence[AnswerRequest]) -> list[float]:
        self.times += 1
        known = {f"({title}, People)": owners for title, owners in OWNERS.items()}
        return [
            -1.0 if any(request.answer.strip() in owners and house in request.prompt for house, owners in known.items())
            else -9.0
            for request in requests
        ]  # fmt: skip


def page(number: int) -> tuple[Document, list[tuple[str, int, int]]]:
    """A house with two people at each time, of whom one has it; nothing in the text tells which."""
    random = np.random.default_rng(number)
    names = [f"{FIRST[one]} {LAST[random.integers(8)]}" for one in random.permutation(8)]
    lines, owned = ["People"], []
    for place, pair in enumerate(zip(names[::2], names[1::2], strict=True)):
        since = 1900 + 8 * place
        lines.append(f"- {pair[0]} , {pair[1]} ( {since}–{since + 7} )")
        owned.append((pair[random.integers(2)], since, since + 7))
    return Document.from_text("\n".join(lines), title=f"House {number}"), owned


OWNERS = {f"House {number}": {name for name, _, _ in page(number)[1]} for number in range(60)}


def items(numbers: range) -> list[ReadingItem]:
    found = []
    for number in numbers:
        document, owned = page(number)
        about = {"document": document, "entity": str(number), "relation": "P127", "mode": "easy"}
        for name, one, two in owned:
            found.append(ReadingItem(f"{number}#{one}", f"Who had it from {one} to {two}?", (name,), **about))
    return found


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_model(tmp_path_factory.mktemp("tiny") / "model")


@pytest.fixture(scope="module")
def advised() -> TemporalReader:
    adviser = Adviser("knowing", model=Knowing())
    model = train(items(range(40)), WordEncoder(), settings=Settings(rounds=60, folds=2), adviser=adviser)
    return TemporalReader("made here", model=model, encoder=WordEncoder(), adviser=adviser)


def test_columns_are_what_the_model_says_of_one_statement_at_a_time(tiny: Path) -> None:
    features = Features(DocumentIndex(MILL))
    index = features.index
    glance = np.linspace(0.9, 0.1, len(index.candidates)).astype(np.float32)
    advice = Adviser(str(tiny)).advise(features, f"{QUESTION} ", glance)
    assert advice.indices.tolist() == list(range(len(index.candidates))) and len(set(index.sentence_of)) == 2
    model = open_model(str(tiny))
    said: list[dict[str, float]] = []
    for sentence in MILL.sentences:
        prompt = f"Text: (Riverside Mill, History) {MILL.text_of(sentence)}\nQuestion: {QUESTION}\nAnswer:"
        texts = [one.text for one in index.candidates if one.sentence == len(said)] + ["none"]
        said.append({text: model.answer_logprob([AnswerRequest(prompt, f" {text}\n")])[0] for text in texts})
    for candidate, at_glance, row in zip(index.candidates, glance, advice.rows, strict=True):
        mine, none = said[candidate.sentence][candidate.text], said[candidate.sentence]["none"]
        same = [
            place for place, one in enumerate(index.candidates) if normalised(one.text) == normalised(candidate.text)
        ]
        others = [said[index.candidates[place].sentence][index.candidates[place].text] for place in same]
        best = max(glance[place] for place in same)
        expected = [at_glance, best, mine, mine - none, max(others), len(candidate.text)]
        assert row == pytest.approx(expected, abs=1e-3)
    assert len(COLUMNS) == advice.rows.shape[1]


def test_only_the_best_are_asked_about() -> None:
    document = Document.from_text("\n".join(f"- {one} {two} ( 1900 )" for one in FIRST for two in LAST), title="Many")
    features = Features(DocumentIndex(document))
    glance = np.linspace(0, 0.5, len(features.index.candidates)).astype(np.float32)
    advice = Adviser("knowing", model=Knowing()).advise(features, QUESTION, glance)
    asked = np.isin(np.arange(len(glance)), advice.indices)
    assert 0 < asked.sum() < len(asked) and glance[asked].min() > glance[~asked].max()

    class Doubting:
        def predict(self, rows: np.ndarray, num_threads: int) -> np.ndarray:
            return 1 - rows[:, 0]

    heard = advice.matter(Doubting())
    assert heard[asked] == pytest.approx(1 - glance[asked])
    assert heard[~asked].max() < heard[asked].min()  # who was not asked comes last, in the old order
    assert (np.diff(heard[~asked]) >= 0).all()


def test_a_reader_learns_to_listen(advised: TemporalReader) -> None:
    model = train(items(range(40)), WordEncoder(), settings=Settings(rounds=60, folds=2))
    alone = TemporalReader("alone", model=model, encoder=WordEncoder())
    right: dict[str, list[bool]] = {"advised": [], "alone": []}
    for number in range(40, 60):
        document, owned = page(number)
        asked = [f"Who had it from {one} to {two}?" for _, one, two in owned]
        for name, reader in (("advised", advised), ("alone", alone)):
            answers = reader.read_many(asked, document)
            right[name] += [answer.text == gold for answer, (gold, _, _) in zip(answers, owned, strict=True)]
    assert np.mean(right["advised"]) > 0.9
    assert np.mean(right["alone"]) < 0.7  # one of two


def test_one_wording_is_asked_about_once(advised: TemporalReader) -> None:
    model = Knowing()
    reader = TemporalReader("counts", model=advised.model, encoder=WordEncoder(), adviser=Adviser("c", model=model))
    reader.read_many([f"Who had it in {year}?" for year in (1903, 1911, 1919)], page(41)[0])
    assert model.times == 1


def test_a_folder_keeps_the_adviser(advised: TemporalReader, tiny: Path, tmp_path: Path) -> None:
    save(advised.model, tmp_path / "reader")
    again = load(tmp_path / "reader")
    assert again.advised is not None and again.advised.adviser == "knowing"
    reader = TemporalReader(tmp_path / "reader", encoder=WordEncoder(), adviser=advised.adviser)
    document, owned = page(42)
    question = f"Who had it in {owned[0][1] + 2}?"
    assert reader.read(question, document) == advised.read(question, document)
    assert reader.describe()["adviser"] == "knowing"
    (tmp_path / "reader/advised.txt").unlink()
    with pytest.raises(UserError, match="is broken"):
        load(tmp_path / "reader")


def test_a_reader_opens_its_adviser_by_name(tiny: Path, tmp_path: Path) -> None:
    adviser = Adviser(str(tiny))
    model = train(items(range(4)), WordEncoder(), settings=Settings(rounds=5, folds=2), adviser=adviser)
    save(model, tmp_path / "reader")
    reader = TemporalReader(tmp_path / "reader", encoder=WordEncoder())
    document, owned = page(3)
    answer = reader.read(f"Who had it in {owned[0][1] + 2}?", document)
    assert reader.adviser is not None and reader.adviser.location == str(tiny)
    assert answer.evidence


def test_who_cannot_advise_is_told(tmp_path: Path) -> None:
    class Writes:
        can = frozenset({"write"})

    with pytest.raises(UserError, match="cannot say how likely an answer is"):
        Adviser("writer", model=Writes())
    with pytest.raises(UserError, match="--adviser works only with the temporal reader"):
        asof.main(["readers", "train", "fid", str(tmp_path), "--adviser", "smollm2"], standalone_mode=False)


def test_an_adviser_that_hears_of_no_right_answer_is_told() -> None:
    class Deaf(Adviser):
        def advise(self, features: Features, question: str, glance: Vectors) -> Advice:
            return Advice(np.zeros(0, np.int64), np.zeros((0, len(COLUMNS)), np.float32), glance)

    with pytest.raises(UserError, match="asked about no right answer"):
        train(
            items(range(4)), WordEncoder(), settings=Settings(rounds=5, folds=2), adviser=Deaf("deaf", model=Knowing())
        )


def test_a_place_that_holds_something_else_is_told_before_training(tmp_path: Path) -> None:
    path = tmp_path / "x.easy.json"
    path.write_text(json.dumps(rows(question="Who managed the club from 1973 to 1981?")) + "\n", encoding="utf-8")
    with pytest.raises(UserError, match="is not a reader folder"):
        asof.main(["readers", "train", "temporal", str(path), "--to", str(tmp_path)], standalone_mode=False)


def test_a_real_model_tells_a_person_from_a_place() -> None:
    if fetched_folder("smollm2") is None:
        pytest.skip("smollm2 has not been fetched")
    text = "In 1884 Thomas Hale moved from Boston to the mill ."
    features = Features(DocumentIndex(Document.from_text(f"History\n{text}", title="Riverside Mill")))
    names = [candidate.text for candidate in features.index.candidates]
    said = Adviser("smollm2").advise(features, QUESTION, np.ones(len(names), np.float32)).rows[:, 2]
    assert said[names.index("Thomas Hale")] > said[names.index("Boston")]
