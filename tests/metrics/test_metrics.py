"""Metrics against loops that follow the papers' definitions word by word."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import registry
from asof.metrics import DESCRIBED
from asof.metrics.exact_match import exact_match
from asof.metrics.far_failures import far_failures
from asof.metrics.robustness import robustness
from asof.metrics.rouge import rouge
from asof.metrics.token_f1 import token_f1
from asof.metrics.win_rate import win_rate

scores = st.lists(st.sampled_from([-3.0, -2.5, -2.0, -1.0, -0.5]), min_size=1, max_size=8)


@given(scores, scores)
def test_win_rate_and_robustness_are_those_of_all_pairs(correct: list[float], incorrect: list[float]) -> None:
    wins = [right > wrong for right in correct for wrong in incorrect]
    assert win_rate(correct, incorrect) == pytest.approx(sum(wins) / len(wins))
    assert robustness(correct, incorrect) == float(all(wins)) == float(win_rate(correct, incorrect) == 1)


@given(scores, st.lists(st.tuples(st.sampled_from([-3.0, -1.5, -0.2]), st.floats(-5, 5)), min_size=1, max_size=8))
def test_far_failures_count_the_wrong_dates_that_beat_some_right_one(
    correct: list[float], wrong: list[tuple[float, float]]
) -> None:
    preferred = [alpha for score, alpha in wrong if not all(right > score for right in correct)]
    expected = sum(abs(alpha) >= 1 for alpha in preferred) / len(preferred) if preferred else math.nan
    got = far_failures(correct, [score for score, _ in wrong], [alpha for _, alpha in wrong], beyond=1.0)
    assert got == pytest.approx(expected, nan_ok=True)


@pytest.mark.parametrize("name", registry.metrics.names())
def test_every_metric_says_what_it_means(name: str) -> None:
    function = registry.metrics.get(name)
    assert function.__doc__ and ">>>" in function.__doc__
    described = DESCRIBED[name]
    assert described.lowest < described.highest


def test_nothing_to_compare_gives_no_number() -> None:
    assert math.isnan(win_rate([], [-1.0])) and math.isnan(robustness([-1.0], []))


names = st.lists(st.sampled_from(["Manchester", "United", "F.C.", "of", "the", "City", "2", "A-Class"]), max_size=5)


@given(names, st.lists(names.map(" ".join), min_size=1, max_size=3))
def test_rouge_is_that_of_the_reference_package(text: list[str], answers: list[str]) -> None:
    scorer = pytest.importorskip("rouge_score.rouge_scorer").RougeScorer(["rouge1", "rougeL"])
    written = " ".join(text)
    found = [scorer.score(answer, written) for answer in answers]
    assert rouge(written, answers) == pytest.approx(max(one["rouge1"].fmeasure for one in found))
    assert rouge(written, answers, of="L") == pytest.approx(max(one["rougeL"].fmeasure for one in found))


@given(names, st.lists(names.map(" ".join), min_size=1, max_size=3))
def test_an_exact_match_has_full_marks_everywhere(text: list[str], answers: list[str]) -> None:
    written = " ".join(text)
    if exact_match(written, answers):
        assert token_f1(written, answers) == 1
    assert exact_match(written, [*answers, written.upper()]) == float(bool(text))
    assert 0 <= token_f1(written, answers) <= 1


def test_answers_match_however_a_tokenizer_parts_them() -> None:
    assert exact_match("sao paulo f. c .", ["São Paulo F.C."]) == 1
    assert exact_match("Labour Party", ["The Labour Party"]) == 1
    assert exact_match("", ["..."]) == exact_match("Paris", []) == token_f1("Paris", []) == rouge("Paris", []) == 0
