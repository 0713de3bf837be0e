"""Readers by models: windows and spans, fusion in the decoder, a language model; against slow computations."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForQuestionAnswering, AutoModelForSeq2SeqLM, AutoTokenizer

from asof.errors import UserError
from asof.reading.answers import open_reader
from asof.reading.documents import Document
from asof.reading.extractive_training import train_extractive
from asof.reading.questions import ReadingItem
from asof.reading.readers.extractive import ExtractiveReader
from asof.reading.readers.fid import FusionInDecoder, fused, passages, train_fid
from asof.reading.readers.language_model import LanguageModelReader
from asof.registry import readers
from tests.models.completions_server import MODEL, serving
from tests.models.tiny_model import make_tiny_model
from tests.reading.tiny_readers import make_span_model, make_t5

QUESTION = "who led it in 1990 ?"
TEXT = "Ann Lee led it from 1990 to 1995 .\nthe club was led by Bo Ek until 1990 , and by Ann Lee ."
PAGE = Document.from_text(TEXT, title="club")


def test_every_reader_keeps_the_contract() -> None:
    assert readers.names() == ["extractive", "facts", "fid", "language-model", "temporal"]
    for name in readers.names():
        assert readers.summary(name).endswith(".")
        kind = readers.get(name)
        assert callable(kind.read) and callable(kind.read_many) and callable(kind.describe)
        if name == "temporal":  # one comes with the package
            assert kind("").name == "temporal"
            continue
        with pytest.raises(UserError, match=r"Which|Give"):
            kind("")
    with pytest.raises(UserError, match=r"No reader is called 'temporl'\. Did you mean 'temporal'"):
        open_reader("temporl:x")


def slow_spans(folder: Path, question: str, text: str, size: int, step: int) -> tuple[str, float]:
    """Go through all windows and all spans one by one."""
    tokenizer, model = (
        AutoTokenizer.from_pretrained(folder),
        AutoModelForQuestionAnswering.from_pretrained(folder).eval(),
    )
    asked, words = question.split(), text.split()
    room = size - len(asked) - 3
    best, none = ("", float("-inf")), float("inf")
    start = 0
    while True:
        piece = words[start : start + room]
        ids = tokenizer.convert_tokens_to_ids(["[CLS]", *asked, "[SEP]", *piece, "[SEP]"])
        types = [0] * (len(asked) + 2) + [1] * (len(piece) + 1)
        with torch.no_grad():
            told = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([types]))
        begins, ends = told.start_logits[0].log_softmax(0), told.end_logits[0].log_softmax(0)
        none = min(none, float(begins[0] + ends[0]))
        first = len(asked) + 2
        inside = range(first, first + len(piece))
        for one in sorted(inside, key=lambda place: -float(begins[place]))[:8]:
            for two in sorted(inside, key=lambda place: -float(ends[place]))[:8]:
                if one <= two < one + 16 and float(begins[one] + ends[two]) > best[1]:
                    best = (" ".join(piece[one - first : two - first + 1]), float(begins[one] + ends[two]))
        if start + room >= len(words):
            break
        start += room - step
    return (best[0] if best[1] >= none else ""), best[1] - none


@pytest.mark.parametrize(("size", "step"), [(64, 10), (20, 4), (16, 2)])
def test_windows_find_the_best_span_of_all(tmp_path: Path, size: int, step: int) -> None:
    folder = make_span_model(tmp_path)
    text = "\n".join(paragraph.text for paragraph in PAGE.paragraphs)
    expected, surplus = slow_spans(folder, QUESTION, text, size, step)
    answer = ExtractiveReader(str(folder), window=size, stride=step).read(QUESTION, PAGE)
    assert answer.text == expected
    assert answer.probability == pytest.approx(float(torch.sigmoid(torch.tensor(surplus))), abs=1e-4)
    if answer.span:
        found = PAGE.paragraphs[answer.span.paragraph].text[answer.span.start : answer.span.end]
        assert answer.text.startswith(found)


def test_a_question_as_long_as_a_window_is_told(tmp_path: Path) -> None:
    reader = ExtractiveReader(str(make_span_model(tmp_path)), window=12)
    with pytest.raises(UserError, match="leaves no room for the document in 12 tokens"):
        reader.read("who led it in 1990 and who led it in 1995 ?", PAGE)


def test_no_answer_wins_when_it_is_likelier(tmp_path: Path) -> None:
    reader = ExtractiveReader(str(make_span_model(tmp_path)), none_bias=1e6)
    assert reader.read(QUESTION, PAGE).text == ""
    assert reader.read(QUESTION, Document.from_text("")).text == ""


def test_an_encoder_learns_to_mark_answers_and_when_there_is_none(tmp_path: Path) -> None:
    start = make_span_model(tmp_path / "start", marks=False)
    with pytest.raises(UserError, match=r"lack 2 parts .*qa_outputs"):
        ExtractiveReader(str(start))
    items = [
        ReadingItem("1", "who led it from 1990 ?", ("Ann Lee",), PAGE, "a", "P1", "easy"),
        ReadingItem("2", "who led it until 1990 ?", ("Bo Ek",), PAGE, "a", "P1", "easy"),
        ReadingItem("3", "was the club in 1995 ?", (), PAGE, "a", "P1", "easy"),
    ]
    losses = train_extractive(items, start=str(start), folder=tmp_path / "end", epochs=30, rate=1e-2, window=64)
    assert losses[-1] < losses[0] / 4
    reader = ExtractiveReader(str(tmp_path / "end"))
    assert [reader.read(item.question, PAGE).text for item in items] == ["Ann Lee", "Bo Ek", ""]


def test_no_folder_of_something_else_is_written_over(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "to_ann.txt").write_text("dear Ann")
    (tmp_path / "note").write_text("remember")
    for teach in (train_extractive, train_fid):
        for place in ("letters", "note"):
            with pytest.raises(
                UserError, match=f"{place} exists and is not a model folder. Choose another folder with --to"
            ):
                teach([], start=str(tmp_path / "none"), folder=tmp_path / place)
    assert (tmp_path / "letters" / "to_ann.txt").read_text() == "dear Ann"


def test_fusion_is_one_encoder_per_passage_and_one_decoder_for_all(tmp_path: Path) -> None:
    folder = make_t5(tmp_path)
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForSeq2SeqLM.from_pretrained(folder).eval()
    texts = passages(QUESTION, PAGE)
    assert len(texts) == 2 and all(text.startswith(f"question: {QUESTION} title:") for text in texts)
    with torch.no_grad():
        hidden, mask = fused(model, tokenizer, texts)
        apart = [model.get_encoder()(**tokenizer(text, return_tensors="pt"))[0][0] for text in texts]
        joined = torch.cat(apart)[None]
        kept = hidden.last_hidden_state[mask.bool()][None]
        assert torch.allclose(kept, joined, atol=1e-5)
        ids = [0]  # the decoder, token by token, over the passages laid end to end without padding
        for _ in range(50):
            logits = model(encoder_outputs=(joined,), decoder_input_ids=torch.tensor([ids])).logits[0, -1]
            ids.append(int(logits.argmax()))
            if ids[-1] == 1:
                break
    expected = tokenizer.decode(ids[1:], skip_special_tokens=True).strip()
    assert FusionInDecoder(str(folder)).read(QUESTION, PAGE).text == expected


def test_fusion_learns_two_questions_by_heart(tmp_path: Path) -> None:
    start = make_t5(tmp_path / "start")
    items = [
        ReadingItem("1", "who led it in 1990 ?", ("Ann Lee",), PAGE, "a", "P1", "easy"),
        ReadingItem("2", "who was the club ?", ("Bo Ek",), PAGE, "a", "P1", "easy"),
    ]
    losses = train_fid(items, start=str(start), folder=tmp_path / "end", epochs=30, rate=1e-2)
    assert losses[-1] < losses[0] / 4
    reader = FusionInDecoder(str(tmp_path / "end"))
    assert [reader.read(item.question, PAGE).text for item in items] == ["Ann Lee", "Bo Ek"]
    assert reader.read("who ?", Document.from_text("")).text == ""


def test_a_language_model_reads_with_and_without_the_document(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path, positions=512)
    shown = LanguageModelReader(str(folder))
    closed = LanguageModelReader(f"without-document:{folder}")
    one, other = shown.read(QUESTION, PAGE), closed.read(QUESTION, PAGE)
    assert "Ann Lee led it" in one.evidence[0].sentence and other.evidence == ()
    assert one.probability is None and other.probability is None
    assert shown.describe()["shown"] == "the 3 best passages" and closed.describe()["shown"] == "nothing"


def test_a_server_that_only_writes_is_a_reader(tmp_path: Path) -> None:
    folder = make_tiny_model(tmp_path, positions=512)
    with serving(folder) as server:
        reader = open_reader(f"language-model:openai-completions:{server.place}#{MODEL}")
        there = reader.read(QUESTION, PAGE)
        assert all("echo" not in call and "logprobs" not in call for call in server.calls)
    assert there == LanguageModelReader(str(folder)).read(QUESTION, PAGE)
