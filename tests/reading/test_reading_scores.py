"""EM and F1 with no-answer, by kind of question, and consistency; against an independent computation."""

import re
import string
from collections import Counter
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from asof.metrics.squad_em import squad_em
from asof.metrics.squad_f1 import squad_f1
from asof.reading.consistency import consistency, moved
from asof.reading.documents import Document
from asof.reading.evaluation import GROUPS, judge, resampled, results
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


def test_results_by_every_kind_add_up() -> None:
    none = replace(ITEM, id="/wiki/B#P2#0", entity="/wiki/B", relation="P2", answers=(), question="Who led it in 1999?")
    judged = judge([ITEM, none], ["Ann Lee", "Bo"])
    for kind in GROUPS:
        found = results(judged, by=kind)
        assert sum(one["EM"].n for one in found.values()) == 2
    assert results(judged, by="answerable")["answerable"]["EM"].value == 1.0
    assert results(judged, by="answerable")["unanswerable"]["EM"].value == 0.0
    assert results(judged)["all"]["EM"].value == 0.5
    assert set(results(judged, by="time")) == {"explicit time", "implicit time"}


def test_intervals_draw_whole_pages() -> None:
    one_page = resampled([("a", 1.0), ("a", 0.0), ("a", 1.0), ("a", 0.0)])
    assert one_page.low == one_page.high == one_page.value == 0.5
    assert resampled([]).n == 0


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
    assert (right.constant.value, right.right.value) == (1.0, 1.0)
    wavering = consistency([ITEM], lambda items: [str(place) for place, _ in enumerate(items)])
    assert (wavering.constant.value, wavering.right.value) == (0.0, 0.0)
