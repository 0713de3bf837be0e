"""Metrics against loops that follow the papers' definitions word by word."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof import registry
from asof.metrics import DESCRIBED
from asof.metrics.far_failures import far_failures
from asof.metrics.robustness import robustness
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
