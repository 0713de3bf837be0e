"""Losses and regularisers against their formulas."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from asof.completion.training.regularisers import cubes, roughness, squares
from asof.training.losses import drawn_candidates, one_versus_all


@given(st.integers(1, 6), st.integers(1, 9), st.integers(1, 5), st.floats(0.1, 30), st.integers(0, 1000))
def test_one_versus_all_is_cross_entropy(questions: int, entities: int, size: int, scale: float, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    answer = torch.randint(entities, (questions,), generator=generator)
    drawn = [scale * torch.randn(rows, size, generator=generator, dtype=torch.double) for rows in (questions, entities)]
    gradients, values = [], []
    for ours in (True, False):
        query, candidates = (one.clone().requires_grad_() for one in drawn)
        if ours:
            loss = one_versus_all(query, candidates, answer)
        else:
            loss = torch.nn.functional.cross_entropy(query @ candidates.T, answer)
        (3 * loss).backward()  # type: ignore[no-untyped-call]
        gradients.append((query.grad, candidates.grad))
        values.append(loss.detach())
    torch.testing.assert_close(values[0], values[1])
    torch.testing.assert_close(gradients[0], gradients[1])


def test_drawn_candidates_estimate_the_sum_over_all_without_bias() -> None:
    generator = torch.Generator().manual_seed(0)
    query, entities = torch.randn(1, 4, generator=generator), torch.randn(50, 4, generator=generator)
    answer, random = torch.tensor([7, 3, 7]), np.random.default_rng(0)
    whole = float((query @ entities.T).exp().sum())
    sums = []
    for _ in range(2000):
        chosen, place, stands_for = drawn_candidates(answer, 50, 10, random)
        assert chosen[place].tolist() == [7, 3, 7] and len(set(chosen.tolist())) == 12
        sums.append(float(((query @ entities[chosen].T) + stands_for).exp().sum()))
    assert np.mean(sums) == pytest.approx(whole, rel=0.02)
    chosen, place, stands_for = drawn_candidates(answer, 50, 1000, random)
    loss = one_versus_all(query.expand(3, -1), entities[chosen], place, stands_for)
    torch.testing.assert_close(loss, one_versus_all(query.expand(3, -1), entities, answer))


def test_one_versus_all_stands_large_scores() -> None:
    query = torch.tensor([[1000.0], [-1000.0]], requires_grad=True)
    loss = one_versus_all(query, torch.tensor([[1.0], [-1.0]]), torch.tensor([0, 0]))
    loss.backward()  # type: ignore[no-untyped-call]
    assert float(loss.detach()) == pytest.approx(1000)
    assert query.grad is not None and bool(query.grad.isfinite().all())


def test_one_versus_all_goes_back_once_and_refuses_a_second_time() -> None:
    query = torch.randn(2, 3, requires_grad=True)
    loss = one_versus_all(query, torch.randn(4, 3), torch.tensor([1, 3]))
    loss.backward(retain_graph=True)  # type: ignore[no-untyped-call]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):  # rather than a wrong gradient
        loss.backward()  # type: ignore[no-untyped-call]


numbers = st.lists(
    st.lists(st.floats(-3, 3, width=32), min_size=6, max_size=6), min_size=1, max_size=4
)  # three complex numbers a row


def moduli(row: list[float]) -> list[float]:
    return [abs(complex(a, b)) for a, b in zip(row[:3], row[3:], strict=True)]


@given(numbers, numbers)
def test_regularisers_are_sums_over_factors_per_fact(one: list[list[float]], other: list[list[float]]) -> None:
    factors = [torch.tensor(one, dtype=torch.double), torch.tensor(other, dtype=torch.double)]
    l2 = sum(math.fsum(x * x for row in factor for x in row) / len(factor) for factor in (one, other))
    n3 = sum(math.fsum(m**3 for row in factor for m in moduli(row)) / len(factor) for factor in (one, other))
    assert float(squares(factors)) == pytest.approx(l2)
    assert float(cubes(factors)) == pytest.approx(n3, abs=1e-6)


@given(numbers)
def test_roughness_is_that_of_steps_between_neighbours(times: list[list[float]]) -> None:
    steps = [[b - a for a, b in zip(*pair, strict=True)] for pair in pairwise(times)]
    expected = math.fsum(m**3 for step in steps for m in moduli(step)) / max(1, len(steps))
    assert float(roughness(torch.tensor(times, dtype=torch.double))) == pytest.approx(expected, abs=1e-6)


def test_regularisers_have_finite_slopes_at_nought() -> None:
    nought = torch.zeros(2, 4, requires_grad=True)
    (cubes([nought]) + squares([nought]) + roughness(nought)).backward()  # type: ignore[no-untyped-call]
    assert nought.grad is not None and bool(nought.grad.isfinite().all())
