"""A language model as a second opinion: what its word is worth is learnt, and it is never the answer by itself."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from asof.cli import asof
from asof.errors import UserError
from asof.reading.answers import Evidence
from asof.reading.documents import Document
from asof.reading.opinion_training import Hearing
from asof.reading.readers.temporal import TemporalReader
from asof.reading.second_opinion import (
    COLUMNS,
    OpinionLesson,
    OpinionWeights,
    SecondOpinion,
    ShortList,
    learn_opinion,
    prompt_of,
)
from asof.reading.temporal_model import load, save
from asof.reading.training import Settings, train
from tests.reading.ask.scripted_server import writing
from tests.reading.test_adviser import items, page
from tests.reading.tiny_readers import WordEncoder

NAMES = ("Ann Lee", "Bo Ek", "Cy Dee")


def short_list(*likely: float) -> ShortList:
    names = (
        Evidence(name, f"{name} led it .", "", "1990..1995", "covers the asked time", one)
        for name, one in zip(NAMES, likely, strict=True)
    )
    return ShortList("Who led Acme in 1992?", "Acme", tuple(names))


def lessons_by(share: float, *, count: int = 400) -> list[OpinionLesson]:
    """Questions whose right name, or none, the reader does not know; the model does in a share of them."""
    random, found = np.random.default_rng(1), []
    for _ in range(count):
        right = (*NAMES, "")[random.integers(4)]
        said = right if random.random() < share else (*NAMES, "", "Eve Fox")[random.integers(5)]
        asked = short_list(*random.permutation([0.4, 0.3, 0.2]))
        found.append(OpinionLesson.of(asked, said, [right] if right else []))
    return found


def test_a_word_is_worth_what_it_was_worth() -> None:
    asked = short_list(0.4, 0.3, 0.2)
    knowing, guessing = learn_opinion("knowing", lessons_by(0.8)), learn_opinion("guessing", lessons_by(0.0))
    assert knowing.likely(asked, "Cy Dee")[2] > 0.7 and knowing.likely(asked, "the Cy Dee")[2] > 0.7
    assert knowing.likely(asked, "")[3] > 0.6
    alone = guessing.likely(asked, "Bo Ek")
    assert np.abs(guessing.likely(asked, "Cy Dee") - alone).max() < 0.15  # it changes next to nothing
    assert learn_opinion("knowing", lessons_by(0.8)) == knowing


def test_learning_never_leaps_away() -> None:
    """Columns that part right from wrong almost always: whole steps of Newton's would go to infinity."""
    lessons = []
    for lesson in lessons_by(0.98, count=60):
        rows = lesson.rows.copy()
        rows[:, 0] = np.where(lesson.right, 9.0, -9.0)
        lessons.append(OpinionLesson(rows, lesson.right))
    weights = np.array(learn_opinion("sure", lessons).weights)
    assert np.abs(weights).max() < 20
    assert all(bool(lesson.right[int((lesson.rows @ weights).argmax())]) for lesson in lessons)


def test_what_is_not_among_the_names_is_never_the_answer() -> None:
    weights = learn_opinion("knowing", lessons_by(0.8))
    likely = weights.likely(short_list(0.4, 0.3, 0.2), "Eve Fox")
    assert len(likely) == len(NAMES) + 1 and likely.sum() == pytest.approx(1)


def test_nothing_to_learn_from_is_an_error() -> None:
    for lessons in ([], [OpinionLesson.of(short_list(0.4, 0.3, 0.2), "Ann Lee", ["Eve Fox"])]):
        with pytest.raises(UserError, match="No question was put to knowing"):
            learn_opinion("knowing", lessons)


def test_each_sentence_is_shown_once() -> None:
    both = "Ann Lee and Bo Ek led it ." + " It was a long sentence" * 40
    names = tuple(Evidence(name, both, "Managers", "1990", "", 0.4) for name in NAMES[:2])
    prompt = prompt_of(ShortList("Who led it in 1990?", "Acme", names))
    assert prompt.count("Text: (Acme, Managers; 1990)") == 1 and len(prompt) < 600
    assert 'or with "none" if no sentence tells: Ann Lee; Bo Ek\nAnswer:' in prompt
    assert prompt_of(ShortList("Who?", "Acme", ())).endswith("Answer:")


class Owner:
    """A model that writes who had a house, when asked with the right time."""

    can = frozenset({"write"})

    def __init__(self) -> None:
        self.prompts: list[str] = []

    def write(self, prompts: Sequence[str], *, most_tokens: int, stop: Sequence[str] = ()) -> list[str]:
        self.prompts += prompts
        return [f" {self._owner(prompt)}\n" for prompt in prompts]

    def _owner(self, prompt: str) -> str:
        house, since = re.search(r"House (\d+)", prompt), re.search(r"from (\d+) to", prompt)
        if not house or not since:
            return "none"
        return next((name for name, one, _ in page(int(house[1]))[1] if one == int(since[1])), "none")


@pytest.fixture(scope="module")
def heard() -> TemporalReader:
    second = SecondOpinion("owner", model=Owner())
    hearing = Hearing(second, questions=60)
    said: list[str] = []
    model = train(
        items(range(30)), WordEncoder(), settings=Settings(rounds=30, folds=2), hearing=hearing, on_message=said.append
    )
    assert any("With owner" in one and "the difference is +" in one for one in said)
    return TemporalReader("made here", model=model, encoder=WordEncoder(), second=second)


def test_a_reader_learns_to_hear_it(heard: TemporalReader) -> None:
    alone = TemporalReader("alone", model=heard.model, encoder=WordEncoder())
    right: dict[str, int] = {"heard": 0, "alone": 0}
    for number in range(40, 50):
        document, owned = page(number)
        asked = [f"Who had it from {one} to {two}?" for _, one, two in owned]
        for name, reader in (("heard", heard), ("alone", alone)):
            answers = reader.read_many(asked, document)
            right[name] += sum(answer.text == owner for answer, (owner, _, _) in zip(answers, owned, strict=True))
    assert right["heard"] > 30 > right["alone"]
    assert heard.model.about["second_opinion"]["questions"] == 60
    assert heard.model.about["second_opinion"]["heard"]["value"] > heard.model.about["second_opinion"]["alone"]["value"]


def test_its_word_stands_beside_the_answer_and_contradicts_no_time(heard: TemporalReader) -> None:
    document, owned = page(41)
    (_, one, two), (later, _, _) = owned[0], owned[-1]
    (answer,) = heard.read_many([f"Who had it from {one} to {two}?"], document)
    assert answer.written == answer.text == owned[0][0] and answer.evidence[0].candidate == answer.text
    model = Owner()
    model._owner = lambda prompt: later  # type: ignore[method-assign]
    stubborn = TemporalReader(
        "stubborn", model=heard.model, encoder=WordEncoder(), second=SecondOpinion("stubborn", model=model)
    )
    (answer,) = stubborn.read_many([f"Who had it from {one} to {two}?"], document)
    assert answer.written == later != answer.text
    assert later not in model.prompts[0]  # its time lies outside, so it is not even shown
    (nothing,) = stubborn.read_many(["Who had it in 1950?"], Document.from_text("and so on .", title="Rain"))
    assert nothing.text == ""


def test_the_folder_keeps_it_and_the_command_asks(
    heard: TemporalReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    save(heard.model, tmp_path / "reader")
    assert load(tmp_path / "reader").opinion == heard.model.opinion
    monkeypatch.setattr("asof.reading.readers.temporal.Encoder", lambda folder: WordEncoder())
    monkeypatch.setattr("asof.reading.readers.temporal.fetch", Path)
    document, owned = page(42)
    name, one, two = owned[1]
    text = "People\n" + "\n".join(f"- {paragraph.text}" for paragraph in document.paragraphs)
    (tmp_path / "house.txt").write_text(text, "utf-8")
    asked = ["read", str(tmp_path / "house.txt"), "-q", f"Who had it from {one} to {two}?", "--title", "House 42"]
    with writing(f" {name}\n") as server:
        asof([*asked, "--reader", f"temporal:{tmp_path / 'reader'}", "--with", server.place], standalone_mode=False)
        assert len(server.prompts) == 1 and name in server.prompts[0]
    assert capsys.readouterr().out.strip() == name


def test_a_reader_that_has_not_learnt_to_hear_says_so(heard: TemporalReader) -> None:
    from dataclasses import replace

    deaf = replace(heard.model, opinion=None)
    with pytest.raises(UserError, match=r"deaf has not learnt .* --with MODEL --to FOLDER"):
        TemporalReader("deaf", model=deaf, second=SecondOpinion("owner", model=Owner()))
    with pytest.raises(UserError, match="silent writes no text"):
        SecondOpinion("silent", model=type("Silent", (), {"can": frozenset({"answer_logprob"})})())


def test_weights_have_a_name_each() -> None:
    assert len(OpinionWeights("any", tuple(0.0 for _ in COLUMNS)).likely(short_list(0.4, 0.3, 0.2), "")) == 4
