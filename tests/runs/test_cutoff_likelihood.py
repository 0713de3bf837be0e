"""The estimate of a cutoff from simulated answers, where the truth is known."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asof.runs import cutoff_likelihood
from asof.runs.cutoff_likelihood import ChangedFact, current_at, posterior

PERIODS = 32


def simulated(
    random: np.random.Generator,
    facts: int,
    end: int,
    *,
    over: float,
    later: float,
    lag: float = 0.0,
    unknown: float = 0.0,
) -> list[ChangedFact]:
    """Answers of a model that knows the world up to a period; of some facts it knows nothing."""
    found = []
    for _ in range(facts):
        count = int(random.integers(2, 5))
        borders = [0, *np.sort(random.choice(np.arange(1, PERIODS), count - 1, replace=False)), PERIODS]
        holds = np.zeros((count, PERIODS), bool)
        for answer in range(count):
            holds[answer, borders[answer] : borders[answer + 1] + int(random.random() < 0.6)] = True
        behind = int(random.geometric(1 - np.exp(-1 / (4 * lag)))) - 1 if lag else 0
        known = max(0, end - behind)
        now, begun = current_at(holds)[:, known], holds[:, : known + 1].any(1)
        weights = np.where(now, 1 / now.sum(), np.where(begun, over, later))
        if random.random() < unknown:
            weights = np.ones(count)
        found.append(ChangedFact(holds, int(random.choice(count, p=weights / weights.sum()))))
    return found


def repeated(times: int, facts: int, seed: int, **model: float) -> tuple[float, float, float]:
    """Return how often the interval holds the truth, the mean error and the mean distance, in periods."""
    random = np.random.default_rng(seed)
    inside, errors = 0, []
    for _ in range(times):
        end = int(random.integers(3, PERIODS - 3))
        found = posterior(simulated(random, facts, end, **model), periods_per_year=4)
        low, high = found.interval()
        inside += low <= end <= high
        errors.append(found.best - end)
    return inside / times, float(np.mean(errors)), float(np.mean(np.abs(errors)))


def test_a_model_that_knows_all_facts_is_dated_to_the_period() -> None:
    inside, bias, distance = repeated(8, 250, 1, over=0.02, later=0.02)
    assert inside == 1 and abs(bias) < 0.2 and distance < 0.2


@pytest.mark.parametrize(
    "model",
    [
        {"over": 0.3, "later": 0.1, "lag": 0.5},
        {"over": 0.1, "later": 0.3},
        {"over": 0.1, "later": 0.05, "unknown": 0.4, "lag": 0.25},  # noise that is not the same for all facts
    ],
)  # fmt: skip
def test_intervals_hold_the_truth_about_as_often_as_they_say(model: dict[str, float]) -> None:
    inside, bias, distance = repeated(16, 120, 2, **model)
    assert inside >= 0.84  # 95 % of 16, less two standard errors
    assert abs(bias) < 1 and distance < 2.5


def test_a_model_that_knows_nothing_gives_no_evidence() -> None:
    random = np.random.default_rng(3)
    found = [posterior(simulated(random, 150, 16, over=1, later=1), periods_per_year=4).evidence for _ in range(6)]
    assert max(found) < 3 and np.median(found) < 0


def test_knowing_every_change_or_none_is_no_evidence_for_a_date_inside() -> None:
    random = np.random.default_rng(4)
    for end, expected in ((PERIODS - 1, PERIODS - 1), (0, 0)):
        found = posterior(simulated(random, 150, end, over=0.05, later=0.05), periods_per_year=4)
        assert found.evidence < 3 and expected in found.interval()


def test_the_likelihood_of_one_fact_by_hand() -> None:
    """A then B from the third of four periods; B is given. Averaged over noise and lag, later ends are likelier."""
    holds = np.array([[1, 1, 0, 0], [0, 0, 1, 1]], bool)
    found = posterior([ChangedFact(holds, 1)] * 3, periods_per_year=4).periods
    assert found[0] == pytest.approx(found[1]) and found[1] < found[2] <= found[3]
    mirrored = posterior([ChangedFact(holds, 0)] * 3, periods_per_year=4).periods
    assert mirrored[0] == pytest.approx(mirrored[1]) and mirrored[1] > mirrored[2] > mirrored[3]


def test_against_an_independent_computation(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sums written out: one noise, one lag, one period and one fact at a time."""
    noises, lags = [0.1, 0.5], [0.0, 0.5]
    monkeypatch.setattr(cutoff_likelihood, "_NOISE", np.array(noises))
    monkeypatch.setattr(cutoff_likelihood, "_LAGS", np.array(lags))
    facts = simulated(np.random.default_rng(5), 4, 10, over=0.2, later=0.1)
    total = np.zeros(PERIODS)
    for over, later, lag, end in product(noises, noises, lags, range(PERIODS)):
        stays = math.exp(-1 / (4 * lag)) if lag else 0.0
        likelihood = 1.0
        for fact in facts:
            chance = 0.0
            for known in range(end + 1):
                now, begun = current_at(fact.holds)[:, known], fact.holds[:, : known + 1].any(1)
                weights = [
                    1 / now.sum() if is_now else over if was else later for is_now, was in zip(now, begun, strict=True)
                ]
                share = stays ** (end - known) * (1 if known == 0 else 1 - stays)
                chance += share * weights[fact.given] / sum(weights)
            likelihood *= chance
        total[end] += likelihood
    found = posterior(facts, periods_per_year=4)
    assert found.periods == pytest.approx(total / total.sum(), abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=2, max_size=4))
def test_what_stands_at_the_end_of_a_period_was_right_by_then(rows: list[list[bool]]) -> None:
    holds = np.array(rows)
    now, begun = current_at(holds), np.logical_or.accumulate(holds, axis=1)
    assert not (now & ~begun).any()
    assert (now.any(0) == begun.any(0)).all()
