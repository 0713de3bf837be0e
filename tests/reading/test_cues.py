"""The words by which English tells facts: what the file must hold, and what they say about questions and candidates."""

import tomllib
from importlib import resources

import numpy as np
import pytest

from asof.reading.cue_features import Cues
from asof.reading.cues.kinds import kinds, weigh_kinds
from asof.reading.documents import Document
from asof.reading.features import Features
from asof.reading.index import DocumentIndex

FILE = tomllib.loads((resources.files("asof.reading.cues") / "en.toml").read_text(encoding="utf-8"))
PARTS = ("asks", "hints", "wants", "tells", "headings", "leads", "heads")
WANTS_TEXT = "person team school party place venue company military league award role vehicle name"
WANTS = frozenset(WANTS_TEXT.split())
QUESTIONS = {
    "what football team did play for?": "team",
    "which team was in charge of?": "coached",
    "who was the head coach of the club?": "coach",
    "who was married to?": "spouse",
    "which university did attend?": "education",
    "what city did live in?": "residence",
    "who owned the castle?": "owner",
    "what was the capital of the district?": "capital",
    "what rank did hold in the navy?": "rank",
    "which label was signed to?": "label",
    "where was imprisoned?": "detention",
    "what was the ship renamed?": "name",
}


@pytest.mark.parametrize("kind", FILE)
def test_every_kind_is_told_in_words(kind):
    told = FILE[kind]
    assert set(told) == set(PARTS)
    assert all(told[part] for part in ("asks", "wants", "tells", "headings", "leads"))
    assert set(told["wants"]) <= WANTS
    for part in PARTS:
        assert len(told[part]) == len(set(told[part])), part
        assert all(word == word.lower().strip() for word in told[part])
    assert not set(told["asks"]) & set(told["hints"])  # a word is sure or a hint
    assert bool(told["heads"]) or told["wants"] == ["person"]  # the names of people have no words of their own


def test_no_two_kinds_are_the_same():
    asks = [frozenset(told["asks"]) for told in FILE.values()]
    assert len(set(asks)) == len(asks)
    for one in FILE.values():
        others = {ask for other in FILE.values() if other is not one for ask in other["asks"]}
        assert set(one["asks"]) - others


@pytest.mark.parametrize(("question", "kind"), QUESTIONS.items())
def test_a_question_asks_for_a_kind(question, kind):
    weights = weigh_kinds(question)
    assert kinds()[int(np.argmax(weights))].name == kind
    assert weights.sum() == pytest.approx(1, abs=1e-5)


def test_a_question_without_a_known_word_asks_for_none():
    assert weigh_kinds("quite so?").sum() == 0


def test_a_word_with_a_capital_letter_is_read_where_nothing_else_tells():
    weights = weigh_kinds("who was the of?", "Who was the Mayor of Springfield?")
    assert kinds()[int(np.argmax(weights))].name == "government"


def test_what_is_told_in_words_of_the_kind_scores_more():
    page = Document.from_text(
        "In 1990 Lee signed a contract with Ajax United . He married Ann Stone in 1995 .", title="Bo Lee"
    )
    features = Features(DocumentIndex(page))
    cues = Cues(features.index, features.looks)
    places = {candidate.text: place for place, candidate in enumerate(features.index.candidates)}
    team, wife = places["Ajax United"], places["Ann Stone"]
    played = cues.of("What team did Bo Lee play for?")
    wed = cues.of("Who was Bo Lee married to?")
    for column in ("cues before", "cues of sentence", "head fits"):
        assert played[column][team] > played[column][wife]
    for column in ("cues before", "cues of sentence", "lead fits"):
        assert wed[column][wife] > wed[column][team]


def test_a_cue_of_another_sentence_is_far():
    page = Document.from_text("He married in 1990 . Later he met Ann Stone .", title="Bo Lee")
    features = Features(DocumentIndex(page))
    columns = Cues(features.index, features.looks).of("Who was Bo Lee married to?")
    place = [candidate.text for candidate in features.index.candidates].index("Ann Stone")
    assert columns["cue back"][place] == 30
    assert columns["cues before"][place] == 0
    assert columns["cues of last sentence"][place] > 0
