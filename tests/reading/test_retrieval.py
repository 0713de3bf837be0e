"""Passages of many documents: BM25 against its formula, and times as a field."""

import math

import pytest

from asof.errors import UserError
from asof.reading.documents import Document
from asof.reading.index import words_of
from asof.reading.retrieval import Passages, hit

PAGES = [
    Document.from_text("Ann Lee managed the club from 1990 to 1995 .", title="FC One"),
    Document.from_text("Bo Ek managed the club from 2001 to 2005 .", title="FC Two"),
    Document.from_text("The river flows to the sea .", title="River"),
]


def slow_bm25(query: list[str], texts: list[list[str]], *, k1: float = 1.5, b: float = 0.75) -> list[float]:
    mean = sum(map(len, texts)) / len(texts)
    scores = []
    for text in texts:
        total = 0.0
        for word in query:
            having = sum(word in other for other in texts)
            if not having:
                continue
            rarity = math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))
            count = text.count(word)
            total += rarity * count / (k1 * (1 - b + b * len(text) / mean) + count)
        scores.append(total)
    return scores


def test_scores_are_bm25() -> None:
    passages = Passages(PAGES)
    texts = [words_of(f"{PAGES[one.document].title} {one.text}") for one in passages.passages]
    question = "Who managed the club One ?"
    found = passages.search(question, by_time=False)
    expected = slow_bm25(words_of(question), texts)
    assert [one.score for one in found] == pytest.approx(sorted(expected, reverse=True), abs=1e-4)


def test_times_lift_passages_and_answers_are_hits() -> None:
    passages = Passages(PAGES)
    found = passages.search("Who managed the club in 2003?", most=2)
    assert found[0].passage.document == 1
    assert hit(found, ["Bo Ek"], k=1) and not hit(found, ["Ann Lee"], k=1) and hit(found, ["Ann Lee"], k=2)
    assert not hit(found, [], k=2)


def test_nothing_to_search_is_told() -> None:
    with pytest.raises(UserError, match="no text to search"):
        Passages([Document.from_text("")])
