"""The network that marks answers: pieces of a page, teaching that goes on where it was, marks of pages unseen."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from asof.cli import asof
from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.encoder import padded
from asof.reading.index import DocumentIndex
from asof.reading.marking import teaching, unseen
from asof.reading.marking.course import teach_general
from asof.reading.marking.general import course_of, general_lessons, general_questions
from asof.reading.marking.lessons import NONE, SpanLesson, lesson_of
from asof.reading.marking.marker import SpanMarker, piece_map
from asof.reading.marking.network import network_of
from asof.reading.marking.onnx_file import marker_file
from asof.reading.marking.pieces import BODY, LONGEST, pieces_of, windows_of
from asof.reading.marking.teaching import Stage, teach_stage
from asof.reading.marking.timeless import timeless_lessons
from asof.reading.marking.unseen import MarkerCourse, mark_unseen
from asof.reading.readers.temporal import TemporalReader
from asof.reading.temporal_model import load, save
from asof.reading.training import Settings, train
from asof.reading.training_pages import lessons_of
from tests.reading.test_temporal_reader import items
from tests.reading.tiny_readers import WordEncoder, make_span_model

SQUAD = {
    "data": [
        {
            "title": "The_club",
            "paragraphs": [
                {
                    "context": f"Ann Lee led the club from 199{number} to 1995 . Bo Ek was in it .",
                    "qas": [
                        {"question": "who led it ?", "answers": [{"text": "Ann Lee", "answer_start": 0}]},
                        {"question": "who was in the title ?", "answers": []},
                    ],
                }
                for number in range(8)
            ],
        }
    ]
}
QUAC = {
    "passage": "Ann Lee led the club . Bo Ek was in it from 1990 to 1995 . CANNOTANSWER",
    "question": "question1: who led it ?\n answer : ?\nquestion2: who was by it ?\n answer : ?",
    "answer": "possible answers for question1:\nAnn Lee led\npossible answers for question2:\nCANNOTANSWER",
}


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_span_model(tmp_path_factory.mktemp("weights") / "encoder", positions=LONGEST, marks=False)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    with gzip.open(folder / "squad2.json.gz", "wt", encoding="utf-8") as file:
        json.dump(SQUAD, file)
    with gzip.open(folder / "Quac-train.jsonl.gz", "wt", encoding="utf-8") as file:
        file.write(json.dumps(QUAC) + "\n")
    return folder


@pytest.fixture(scope="module")
def general(start: Path, data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taught") / "general"
    teach_general(data, folder, start=str(start), windows=32)
    return folder


def tokenizer_of(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def test_general_questions_keep_their_answers_and_their_silence(data: Path, start: Path) -> None:
    found = general_questions(data)
    assert len(found) == 18 and sum(not one.answer for one in found) == 9
    assert {one.text[one.start : one.start + len(one.answer)] for one in found if one.answer} == {
        "Ann Lee",
        "Ann Lee led",
    }
    assert course_of(found, most=10, seed=1) == course_of(found, most=10, seed=1)
    tokenizer = tokenizer_of(start)
    lessons = list(general_lessons(found, tokenizer, seed=0))
    told = [tokenizer.decode(one.window.ids[one.answers[0][0] : one.answers[0][1] + 1]) for one in lessons]
    assert sum(text in ("Ann Lee", "Ann Lee led") for text in told) == 9
    assert all(one.answers == (NONE,) for one, text in zip(lessons, told, strict=True) if not text.startswith("Ann"))


def test_a_folder_without_questions_is_told(tmp_path: Path, start: Path) -> None:
    with pytest.raises(UserError, match="has no Quac-train"):
        teach_general(tmp_path, tmp_path / "general", start=str(start))
    with pytest.raises(UserError, match="not a folder"):
        general_questions(tmp_path / "gone")


WORDS = st.lists(st.sampled_from(["Ann Lee", "led", "the club", "from 1990", ".", "Bo Ek .", "xyz"]), max_size=260)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(["", "the club", "Bo Ek"]), WORDS), min_size=1, max_size=4))
def test_pieces_hold_every_token_once_and_candidates_stand_where_they_say(
    start: Path, parts: list[tuple[str, list[str]]]
) -> None:
    tokenizer = tokenizer_of(start)
    page = Document.from_sections("Ann Lee", [(heading, " ".join(words)) for heading, words in parts])
    pieces = pieces_of(page, tokenizer)
    said = [page.paragraphs[one.paragraph].text[one.start : one.end] for piece in pieces for one in piece.places]
    assert said == [word for sentence in page.sentences for word in page.text_of(sentence).split()]
    assert all(0 < len(piece.body) == len(piece.places) <= BODY for piece in pieces)
    assert all(len(window.ids) <= LONGEST for window in windows_of("who led it ? " * 40, pieces, tokenizer))
    index = DocumentIndex(page)
    found = piece_map(index, pieces)
    for number, candidate in enumerate(index.candidates):
        if found.piece[number] >= 0:
            places = pieces[found.piece[number]].places[found.first[number] : found.last[number] + 1]
            assert places[0].start <= candidate.start < places[0].end
            assert places[-1].start < candidate.end <= places[-1].end or places[-1].start <= candidate.end


def lessons(start: Path, count: int) -> list[SpanLesson]:
    tokenizer = tokenizer_of(start)
    page = Document.from_text("Ann Lee led the club from 1990 to 1995 . Bo Ek was in it .")
    (window,) = windows_of("who led it", pieces_of(page, tokenizer), tokenizer)
    return [lesson_of(window, [(0, 1)] if number % 2 else []) for number in range(count)]


class StoppedError(Exception):
    """Somebody pulled the plug."""


def fresh(start: Path) -> object:
    torch.manual_seed(0)  # the layer that marks is drawn at random
    return network_of(str(start))


def test_a_stage_that_was_stopped_ends_in_the_same_weights(
    start: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage, some = Stage(windows=40, rate=1e-3, batch=4), lessons(start, 16)
    whole = fresh(start)
    teach_stage(whole, some, stage)
    monkeypatch.setattr("asof.training.checkpoint.Checkpoint.is_due", lambda self: True)
    usual, calls = teaching.loss_of, []

    def stops(model: object, batch: list[SpanLesson]) -> object:
        calls.append(batch)
        if len(calls) == 6:
            raise StoppedError
        return usual(model, batch)

    monkeypatch.setattr(teaching, "loss_of", stops)
    file = tmp_path / "unfinished.safetensors"
    with pytest.raises(StoppedError):
        teach_stage(fresh(start), some, stage, checkpoint=file)
    again, told = fresh(start), []
    teach_stage(again, some, stage, checkpoint=file, on_message=told.append)
    assert told == ["Continues after step 5."] and len(calls) == 6 + 5
    for (name, one), other in zip(whole.named_parameters(), again.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-6), name
    with pytest.raises(UserError, match="rate"):
        teach_stage(fresh(start), some, Stage(windows=40, rate=2e-3, batch=4), checkpoint=file)


def test_teaching_lowers_the_loss_and_leaves_the_word_vectors(start: Path) -> None:
    model, some = fresh(start), lessons(start, 2)
    words = model.base_model.embeddings.word_embeddings.weight.clone()
    before = float(teaching.loss_of(model, some).detach())
    teach_stage(model, some, Stage(windows=80, rate=1e-2, batch=2))
    assert float(teaching.loss_of(model, some).detach()) < before / 2
    assert torch.equal(words, model.base_model.embeddings.word_embeddings.weight)


def test_the_onnx_file_says_what_the_network_says(general: Path) -> None:
    model, tokenizer = network_of(str(general)), tokenizer_of(general)
    marker = SpanMarker(marker_file(model, general / "tokenizer.json"))
    page = Document.from_text("Ann Lee led the club from 1990 to 1995 . Bo Ek was in it until 1995 .", title="the club")
    windows = windows_of("who led it ?", pieces_of(page, tokenizer), tokenizer)
    (told,) = [borders for _, borders in marker._borders(windows)]
    given = {name: torch.tensor(one) for name, one in padded(windows).items()}
    with torch.inference_mode():
        out = model(**given)
    whole = np.stack([out.start_logits[0].numpy(), out.end_logits[0].numpy()], axis=1)
    assert np.corrcoef(told.ravel(), whole.ravel())[0, 1] > 0.99


def test_a_history_is_taught_with_all_its_answers_at_once(start: Path) -> None:
    some = lessons_of(items(range(1)), WordEncoder())
    tokenizer = tokenizer_of(start)
    taught = timeless_lessons(some, tokenizer, seed=0)
    assert len(taught) == 3  # one question, three headings
    managed = {name for one in items(range(1)) for name in one.answers}
    telling = [one for one in taught if one.answers != (NONE,)]
    assert len(managed) == sum(len(one.answers) for one in telling)


def test_pages_are_marked_by_markers_that_were_not_taught_by_them(
    general: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    course = MarkerCourse(start=general, work=tmp_path / "work", windows=16, folds=2)
    taught: list[set[str]] = []
    usual = unseen._teach

    def spied(some: list, *rest: object) -> object:
        taught.append({one.item.entity for one in some})
        return usual(some, *rest)

    monkeypatch.setattr(unseen, "_teach", spied)
    some = lessons_of(items(range(6)), WordEncoder())
    first = mark_unseen(some, course, lambda sentence: None)
    pages = {one.item.entity for one in some}
    assert len(taught) == 2 and taught[0] | taught[1] == pages and not taught[0] & taught[1]
    marks = [dict(one.features.marks) for one in some]
    assert all(set(one) == {"Who was the manager of the club?"} for one in marks)
    again = lessons_of(items(range(6)), WordEncoder())
    assert mark_unseen(again, course, lambda sentence: None) == first and len(taught) == 2  # nothing is taught twice
    for one, other in zip(some, again, strict=True):
        columns = one.features.marks[one.time.rest]
        assert all(np.array_equal(columns[name], other.features.marks[one.time.rest][name]) for name in columns)
        assert len(columns["mark"]) == len(one.features.index.candidates) and np.isfinite(columns["mark"]).all()


def test_the_work_of_another_training_is_not_taken(general: Path, tmp_path: Path) -> None:
    course = MarkerCourse(start=general, work=tmp_path / "work", windows=16, folds=2)
    mark_unseen(lessons_of(items(range(2)), WordEncoder()), course, lambda sentence: None)
    with pytest.raises(UserError, match="other questions or settings"):
        mark_unseen(lessons_of(items(range(3)), WordEncoder()), course, lambda sentence: None)


def test_a_reader_with_a_marker_is_kept_and_answers_the_same(general: Path, tmp_path: Path) -> None:
    course = MarkerCourse(start=general, work=tmp_path / "work", windows=16, folds=2)
    model = train(items(range(6)), WordEncoder(), settings=Settings(rounds=8, folds=2), course=course)
    save(model, tmp_path / "reader")
    page = items(range(40, 41))
    asked = [one.question for one in page]
    kept = TemporalReader("kept", model=load(tmp_path / "reader"), encoder=WordEncoder())
    made = TemporalReader("made", model=model, encoder=WordEncoder())
    assert kept.read_many(asked, page[0].document) == made.read_many(asked, page[0].document)
    assert any("mark" in name for name in _columns(made, page[0].document))
    (tmp_path / "reader" / "marker.onnx.zst").write_bytes(b"cut")
    with pytest.raises(UserError, match="does not match its hash"):
        load(tmp_path / "reader")


def _columns(reader: TemporalReader, page: Document) -> list[str]:
    from asof.reading.features import Features

    features = Features(DocumentIndex(page, WordEncoder()))
    asked = reader.model.asked("Who was the manager?", *WordEncoder().vectors(["a", "b"]))
    reader._mark(features, asked.time.rest, reader.marker.map(features.index) if reader.marker else None)
    features.of(asked, np.zeros(len(features.index.candidates), np.float32))
    return features.names


def test_the_command_teaches_and_says_what_comes_next(
    data: Path, start: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["readers", "teach", str(data), "--to", str(tmp_path / "general"), "--start", str(start), "--windows", "16"]
    asof.main(words, standalone_mode=False)
    told = capsys.readouterr().err
    assert "Learning from" in told and f"--marker {tmp_path / 'general'}" in " ".join(told.split())
    assert (tmp_path / "general" / "model.safetensors").is_file()
    with pytest.raises(UserError, match="--marker works only with the temporal reader"):
        asof.main(
            ["readers", "train", "extractive", str(data), "--marker", str(tmp_path / "general")], standalone_mode=False
        )
