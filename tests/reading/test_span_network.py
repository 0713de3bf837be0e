"""The network that reads sentences: real weights out of 8 bits, what it learns, and how it is kept."""

from functools import partial
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import UserError
from asof.models._weights import fetched_folder
from asof.reading.documents import Document
from asof.reading.encoder import Encoder
from asof.reading.index import DocumentIndex
from asof.reading.matter import UNREAD, Matter, worth_reading
from asof.reading.onnx_weights import bert_of
from asof.reading.readers.temporal import TemporalReader
from asof.reading.span_network import SpanNetwork
from asof.reading.temporal_model import load, save
from asof.reading.training import Settings, train
from tests.reading.test_temporal_reader import FIRST, LAST, items, page
from tests.reading.tiny_readers import WordEncoder, span_network

CLUB = "Career\nIn 2010 Pioli was named head coach of Serie A club Chievo . He left in 2011 for Palermo ."
YEARS = [str(year) for year in range(1940, 2000)]
KNOWN = [
    *FIRST,
    *LAST,
    *YEARS,
    *"Managers Grounds : Who was the manager of club ( ) – In moved to Green Park Royal".split(),  # noqa: SIM905
]
BGE = fetched_folder("bge-small")
needs_bge = pytest.mark.skipif(BGE is None, reason="bge-small has not been fetched")


def tiny(seed: int) -> SpanNetwork:
    return span_network(seed, KNOWN)


@pytest.fixture(scope="module")
def reader() -> TemporalReader:
    model = train(items(range(8)), WordEncoder(), begin=tiny, settings=Settings(rounds=40, epochs=1, folds=2))
    return TemporalReader("made here", model=model, encoder=WordEncoder())


@needs_bge
def test_weights_of_8_bits_say_what_onnxruntime_says() -> None:
    assert BGE is not None
    texts = ["He was head coach of Serie A club Chievo .", "Grounds", "In 2011 the president of the US was Obama ."]
    theirs = Encoder(BGE).vectors(texts)
    network = SpanNetwork.begin(BGE, seed=0).eval()
    for text, expected in zip(texts, theirs, strict=True):
        tokens = torch.tensor([network._tokenizer.encode(text).ids])
        with torch.inference_mode():
            own = network.bert(input_ids=tokens).last_hidden_state[0, 0].numpy()
        assert own @ expected / np.linalg.norm(own) > 0.97  # onnxruntime also rounds the states to 8 bits


@needs_bge
def test_candidates_meet_their_tokens() -> None:
    assert BGE is not None
    network, index = SpanNetwork.begin(BGE, seed=0), DocumentIndex(Document.from_text(CLUB, title="Pioli"))
    shown = list(network.show("Which team did Pioli lead?", index, [1, 0]))
    assert [len(one.candidates) for one in shown] == [2, len(index.candidates) - 2]
    for one in shown:
        for candidate, first, last in zip(one.candidates, one.first, one.last, strict=True):
            text = network._tokenizer.decode(one.tokens[first : last + 1])
            assert text == index.candidates[candidate].text.lower()


@needs_bge
def test_it_learns_who_answers_and_its_word_counts() -> None:
    begin = partial(SpanNetwork.begin, BGE)
    settings = Settings(rounds=40, epochs=2, folds=2)
    model = train(items(range(16)), WordEncoder(), begin=lambda seed: begin(seed=seed), settings=settings)
    reader, network = TemporalReader("made here", model=model, encoder=WordEncoder()), model.network
    assert network is not None
    document, managed = page(40)
    index = DocumentIndex(document, WordEncoder())
    read = network.read("Who was the manager of the club ?", index, np.arange(len(document.sentences)))
    names = {name for name, _, _ in managed}
    right = np.array([candidate.text in names for candidate in index.candidates])
    assert read[right].min() > read[~right].max()
    asked = [f"Who was the manager of the club in Jun {(one + two) // 2}?" for _, one, two in managed]
    answers = [answer.text for answer in reader.read_many(asked, document)]
    assert answers == [name for name, _, _ in managed]


def test_sentences_that_are_not_shown_stay_unread(reader: TemporalReader) -> None:
    network = reader.model.network
    assert network is not None
    index = DocumentIndex(page(41)[0], WordEncoder())
    read = network.read("Who was the manager of the club ?", index, np.array([1]))
    assert (read[index.sentence_of != 1] == UNREAD).all() and (read[index.sentence_of == 1] != UNREAD).all()
    long = DocumentIndex(Document.from_text(("the club moved to Green Park " * 60).strip() + " ."))
    beyond = network.read("Who was the manager of the club ?", long, np.array([0]))
    assert (beyond != UNREAD).any() and (beyond == UNREAD).any()  # of a long sentence what it has room for
    assert (network.read("who " * 200, long, np.array([0])) <= 10).all()  # a question longer than it reads


def test_a_folder_keeps_it(reader: TemporalReader, tmp_path: Path) -> None:
    folder = tmp_path / "reader"
    save(reader.model, folder)
    again = TemporalReader(folder, encoder=WordEncoder())
    document, managed = page(43)
    question = f"Who was the manager of the club in {managed[0][1] + 1}?"
    assert again.read(question, document) == reader.read(question, document)
    weights = folder / "network.safetensors"
    weights.write_bytes(weights.read_bytes()[:-100])
    with pytest.raises(UserError, match="is broken"):
        load(folder)


def test_the_same_seed_gives_the_same_network() -> None:
    one, two = (
        train(items(range(4)), WordEncoder(), begin=tiny, settings=Settings(rounds=5, epochs=1, folds=2)).network
        for _ in range(2)
    )
    assert one is not None and two is not None
    assert all(torch.equal(weight, two.state_dict()[name]) for name, weight in one.state_dict().items())


def test_a_file_that_is_no_bert_is_told(tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(b"not a model")
    with pytest.raises(UserError, match=r"model\.onnx could not be read"):
        bert_of(tmp_path)
    path.write_bytes(onnx.helper.make_model(onnx.helper.make_graph([], "none", [], [])).SerializeToString())
    with pytest.raises(UserError, match="is no BERT"):
        bert_of(tmp_path)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(UNREAD, 8)), min_size=2))
def test_both_rise_with_each(said: list[tuple[float, float]]) -> None:
    trees, network = (np.array(column, np.float32) for column in zip(*said, strict=True))
    both = Matter(trees, network).both
    assert ((both >= 0) & (both <= 1)).all()
    order = np.argsort(trees + network * 1e-9, kind="stable")
    same = network[order][:-1] <= network[order][1:]
    assert (np.diff(both[order])[same] >= -1e-6).all()


def test_sentences_with_the_best_candidates_are_read() -> None:
    index = DocumentIndex(page(44)[0])
    trees = np.zeros(len(index.candidates), np.float32)
    trees[index.sentence_of == 2] = 0.9
    assert worth_reading(index, trees)[0] == 2
