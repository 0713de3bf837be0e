"""EM and F1 with no-answer, explicit times, and consistency; against an independent computation."""

import re
import string
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from asof.benchmarks import Item
from asof.metrics.squad_em import squad_em
from asof.metrics.squad_f1 import squad_f1
from asof.reading.as_model import explicit
from asof.reading.consistency import consistency, moved
from asof.reading.documents import Document
from asof.reading.questions import ReadingItem
from asof.reading.times.asked import asked_time

PAGE = Document.from_text("Ann Lee led it from 1990 to 1995 .", title="Club")
ITEM = ReadingItem("/wiki/A#P1#0", "Who led it from 1990 to 1995?", ("Ann Lee",), PAGE, "/wiki/A", "P1", "easy")


def plain(text: str) -> list[str]:
    kept = "".join(sign for sign in text.lower() if sign not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", kept).split()


def slow_f1(one: str, other: str) -> float:
    found, wanted = plain(one), plain(other)
    if not found or not wanted:
        return float(found == wanted)
    shared = sum(min(count, wanted.count(word)) for word, count in Counter(found).items())
    if not shared:
        return 0.0
    precision, recall = shared / len(found), shared / len(wanted)
    return 2 * precision * recall / (precision + recall)


words = st.lists(st.sampled_from(["the", "Ann", "Lee", "F.C.", "of", "a", "!"]), max_size=4).map(" ".join)


@given(words, st.lists(words, max_size=3))
def test_scores_agree_with_their_definition(text: str, answers: list[str]) -> None:
    golds = answers or [""]
    assert squad_em(text, answers) == max(float(plain(text) == plain(gold)) for gold in golds)
    assert abs(squad_f1(text, answers) - max(slow_f1(text, gold) for gold in golds)) < 1e-12


def test_no_answer_counts_as_in_appendix_a2() -> None:
    assert [squad_f1("", []), squad_f1("", ["x"]), squad_f1("x", []), squad_f1("x", ["x"])] == [1.0, 0.0, 0.0, 1.0]


def test_a_time_is_explicit_when_its_borders_stand_beside_an_answer() -> None:
    of = lambda question, *answers: explicit(Item(id="1", prompt=question, answers=answers, group="g"), PAGE)  # noqa: E731
    assert of("Who led it from 1990 to 1995?", "Ann Lee")
    assert not of("Who led it in May 1992?", "Ann Lee") and not of("Who led it from 1990 to 1995?", "Bo")
    assert not of("Who led it?", "Ann Lee") and not of("Who led it from 1990 to 1995?")


def test_consistency_moves_the_time_inside_its_range() -> None:
    asked = moved(ITEM, count=3, seed=1)
    assert len(asked) == 3 and asked == moved(ITEM, count=3, seed=1)
    for one in asked:
        time = asked_time(one.question)
        whole = asked_time(ITEM.question)
        assert whole.first < time.first <= time.last < whole.last
        assert one.question.startswith("Who led it ") and one.question.endswith("?")
    assert moved(replace(ITEM, question="Who led it in 1990?")) == []
    right = consistency([ITEM], lambda items: ["Ann Lee"] * len(items))
    assert (right.constant.value, right.right.value, right.constant_if_right.value) == (1.0, 1.0, 1.0)
    wrong = consistency([ITEM], lambda items: ["Bo", *["Ann Lee"] * (len(items) - 1)])
    assert (wrong.constant.value, wrong.right.value, wrong.constant_if_right.n) == (1.0, 1.0, 0)
    wavering = consistency([ITEM], lambda items: [str(place) for place, _ in enumerate(items)])
    assert (wavering.constant.value, wavering.right.value) == (0.0, 0.0)
    lost = consistency([ITEM, replace(ITEM, id="2")], lambda items: [None, *["Ann Lee"] * (len(items) - 1)])
    assert (lost.constant.n, lost.constant.value) == (1, 1.0)
    silent = consistency([ITEM], lambda items: [""] * len(items))
    assert (silent.constant.value, silent.right.value, silent.constant_if_answered.n) == (1.0, 0.0, 0)
