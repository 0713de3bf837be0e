"""The sign-flip test against all choices of signs, and as often wrong as it says."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.metrics import _sign_flip as implementation
from asof.metrics import holm, interval_of, sign_flip_test

differences = st.lists(st.sampled_from([-1.0, -0.5, -0.25, 0.0, 0.1, 0.3, 1.0, 2.0]), min_size=1, max_size=9)


@given(differences)
def test_p_is_the_share_of_signs_that_are_as_extreme(values: list[float]) -> None:
    choices = np.array(list(product((1, -1), repeat=len(values))))
    expected = np.mean(np.abs(choices @ np.array(values)) >= abs(sum(values)) - 1e-9)
    assert sign_flip_test(np.array(values)) == (pytest.approx(expected), "exact")


@pytest.mark.parametrize("n", [22, 60, 401])
def test_drawn_signs_agree_with_the_exact_distribution(n: int) -> None:
    random = np.random.default_rng(n)
    values = random.choice([-2, -1, 1, 2], n, p=[0.15, 0.2, 0.3, 0.35])
    chances = np.ones(1)
    for size in np.abs(values):
        step = np.zeros(2 * size + 1)
        step[[0, -1]] = 0.5
        chances = np.convolve(chances, step)
    sums = np.arange(len(chances)) - len(chances) // 2
    expected = chances[np.abs(sums) >= abs(values.sum())].sum()
    p, way = sign_flip_test(values.astype(float))
    assert way == "monte-carlo" and p == pytest.approx(expected, abs=0.015)
    assert sign_flip_test(values.astype(float)) == (p, way)


def test_p_is_never_below_what_the_draws_can_tell() -> None:
    p, _ = sign_flip_test(np.linspace(1, 2, 200))
    assert p == 1 / 10_000


@pytest.mark.parametrize("n", [4, 10, 30])
def test_equal_runs_rarely_seem_to_differ(n: int) -> None:
    random = np.random.default_rng(n)
    wrong = [sign_flip_test(random.beta(0.3, 0.9, n) - random.beta(0.3, 0.9, n))[0] <= 0.05 for _ in range(300)]
    assert np.mean(wrong) <= 0.06


def test_enumeration_and_draws_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(5).normal(0.3, 1, 14)
    exact, _ = sign_flip_test(values)
    monkeypatch.setattr(implementation, "_MOST_ENUMERATED", 5)
    drawn, way = sign_flip_test(values)
    assert way == "monte-carlo" and drawn == pytest.approx(exact, abs=0.02)


@given(st.lists(st.sampled_from([-1.0, 0.0, 1.0]), min_size=1, max_size=60))
def test_of_right_and_wrong_answers_test_and_interval_agree(values: list[float]) -> None:
    p, _ = sign_flip_test(np.array(values))
    low, high, _ = interval_of(np.array(values), np.ones(len(values)), (-1, 1))
    assert (low > 0 or high < 0) == (p <= 0.05) or abs(p - 0.05) < 0.002


def test_holm_corrects_for_the_number_of_measures() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0] and holm([]) == []
