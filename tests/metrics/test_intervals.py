"""Intervals: right to the digit where that is known, and true as often as they say where the truth is simulated."""

import json
import math
import re
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.metrics import NOTHING, SHARE, UNBOUNDED, mean_of_facts, mean_of_items, means_of_items
from asof.metrics._bounded_mean import clopper_pearson, gaffke
from asof.metrics._quantiles import beta_quantile, beta_share, t_quantile

Floats = npt.NDArray[np.float64]
unit = st.integers(0, 64).map(lambda number: number / 64)


@pytest.mark.parametrize("n", [4, 10, 50, 200])
@pytest.mark.parametrize("p", [0.02, 0.05, 0.1, 0.3, 0.5])
def test_the_interval_of_a_share_holds_the_truth(n: int, p: float) -> None:
    chances = [math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    results = [mean_of_facts([1.0] * k + [0.0] * (n - k)) for k in range(n + 1)]
    assert sum(chance for chance, one in zip(chances, results, strict=True) if one.low <= p <= one.high) >= 0.95
    assert {one.interval for one in results} == {"clopper-pearson"}


def test_few_facts_that_are_all_alike_leave_room_for_others() -> None:
    none, every = mean_of_facts([0.0] * 4), mean_of_facts([1.0] * 4)
    assert (none.low, none.high) == (0.0, pytest.approx(0.6024, abs=1e-4))
    assert (every.low, every.high) == (pytest.approx(0.3976, abs=1e-4), 1.0)
    half = mean_of_facts([0.5] * 4)
    assert half.value == 0.5 and half.low < 0.25 and half.high > 0.75 and half.interval == "gaffke"


def _zero_inflated(random: np.random.Generator, n: int, p: float) -> Floats:
    return np.where(random.random(n) < 2 * p, random.beta(1, 1, n), 0.0)


def _skewed(random: np.random.Generator, n: int, p: float) -> Floats:
    return random.beta(0.3 * p, 0.3 * (1 - p), n)


@pytest.mark.parametrize("draw", [_zero_inflated, _skewed])
@pytest.mark.parametrize(("n", "p"), [(4, 0.02), (10, 0.1), (50, 0.02), (50, 0.5)])
def test_the_interval_of_a_mean_holds_the_truth(
    draw: Callable[[np.random.Generator, int, float], Floats], n: int, p: float
) -> None:
    random = np.random.default_rng(n)
    results = [mean_of_facts(draw(random, n, p)) for _ in range(300)]
    assert np.mean([one.low <= p <= one.high for one in results]) >= 0.93


@pytest.mark.parametrize(("n", "p"), [(4, 0.1), (30, 0.5), (60, 0.1)])
def test_the_interval_of_items_holds_the_truth_however_many_a_fact_has(n: int, p: float) -> None:
    random = np.random.default_rng(n)
    held = []
    for _ in range(300):
        sizes = random.geometric(0.2, n)
        known = random.random(n) < p  # all items of a fact, or none
        result = mean_of_items(np.repeat(known, sizes).astype(float), np.repeat(np.arange(n), sizes).tolist())
        held.append(result.low <= p <= result.high)
    assert np.mean(held) >= 0.93


@given(st.lists(unit, min_size=1, max_size=30), st.data())
def test_an_interval_is_around_its_mean_and_inside_the_range(values: list[float], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.sampled_from("abcd"), min_size=len(values), max_size=len(values)))
    one = mean_of_items(values, groups)
    assert 0 <= one.low <= one.value + 1e-12 and one.value - 1e-12 <= one.high <= 1
    assert one.high - one.low > 0.005 and one.n == len(values) and one.facts == len(set(groups))
    mirrored = mean_of_items([1 - value for value in values], groups)
    assert (1 - mirrored.high, 1 - mirrored.low) == pytest.approx((one.low, one.high), abs=1e-5)
    wider = mean_of_items([2 * value - 1 for value in values], groups, within=(-1, 1))
    assert (wider.low, wider.high) == pytest.approx((2 * one.low - 1, 2 * one.high - 1), abs=1e-5)


@given(st.integers(1, 300), st.data())
def test_for_shares_both_methods_agree(n: int, data: st.DataObject) -> None:
    k = data.draw(st.integers(0, n))
    values = np.array([1.0] * k + [0.0] * (n - k))
    assert gaffke(values, np.ones(n), lowest=0, highest=1) == pytest.approx(clopper_pearson(k, n), abs=0.003)


def test_the_limits_are_those_of_random_weights() -> None:
    random = np.random.default_rng(3)
    for n in (2, 5, 20):
        values, counts = random.beta(0.4, 0.8, n), random.geometric(0.3, n).astype(float)
        low, high = gaffke(values, counts, lowest=0, highest=1)
        weights = random.exponential(size=(200_000, n + 1)) * np.append(counts, (counts**2).sum() / counts.sum())
        drawn = [(weights @ np.append(values, end)) / weights.sum(1) for end in (0, 1)]
        assert np.mean(drawn[0] < low) == pytest.approx(0.025, abs=0.002)
        assert np.mean(drawn[1] > high) == pytest.approx(0.025, abs=0.002)


def test_many_facts_have_the_usual_interval() -> None:
    values = np.random.default_rng(0).beta(2, 5, 5000)
    result, error = mean_of_facts(values), values.std(ddof=1) / math.sqrt(5000)
    assert result.low == pytest.approx(values.mean() - 1.96 * error, abs=1e-4)
    assert result.high == pytest.approx(values.mean() + 1.96 * error, abs=3e-4)


def test_items_of_one_fact_count_as_one_fact() -> None:
    values = [1.0] * 50 + [0.0] * 50
    wide, narrow = mean_of_items(values, ["a"] * 50 + ["b"] * 50), mean_of_items(values, [str(n) for n in range(100)])
    assert wide.value == narrow.value == 0.5 and wide.n == narrow.n == 100 and (wide.facts, narrow.facts) == (2, 100)
    assert wide.low < 0.02 and wide.high > 0.98 and narrow.high - narrow.low < 0.3


def test_values_without_bounds_have_an_interval_by_student() -> None:
    result = mean_of_facts([-1.0, -2.0, -6.0, -3.0], within=UNBOUNDED)
    error = math.sqrt(14 / 3 / 4)
    skewness = (2**3 + 1**3 - 3**3) / 4 / (14 / 4) ** 1.5  # to the left, so the lower end is further away
    longer = -skewness * math.sqrt(14 / 3) / (6 * 4) * (1 + 2 * 3.18245**2)
    assert (result.low, result.high) == pytest.approx((-3 - 3.18245 * error - longer, -3 + 3.18245 * error), abs=1e-4)
    clustered = mean_of_items([-1.0, -1.0, -2.0, -2.0, -6.0, -6.0, -3.0, -3.0], list("aabbccdd"), within=UNBOUNDED)
    assert (clustered.low, clustered.high, clustered.interval) == (
        pytest.approx(result.low), pytest.approx(result.high), "t",
    )  # fmt: skip
    alone = mean_of_facts([-1.0], within=UNBOUNDED)
    assert alone.value == -1 and math.isnan(alone.low) and math.isnan(alone.high) and alone.interval == "none"


@pytest.mark.parametrize("n", [4, 10, 200])
def test_the_interval_of_log_probabilities_holds_the_truth(n: int) -> None:
    drawn = -np.random.default_rng(1).gamma(3, 1, (4000, n))
    results = [mean_of_facts(values, within=UNBOUNDED) for values in drawn]
    held = np.mean([result.low <= -3 <= result.high for result in results])
    width = np.mean([result.high - result.low for result in results])
    usual = 2 * t_quantile(n - 1) * (drawn.std(1, ddof=1) / math.sqrt(n)).mean()
    assert held >= 0.937 and width < 1.2 * usual  # Student's alone: 0.926 of four facts, 0.933 of ten


def test_nothing_is_made_of_no_values() -> None:
    assert mean_of_facts([]) is NOTHING and mean_of_items([math.nan], ["a"]) is NOTHING
    assert mean_of_facts([math.nan, 1.0]).n == 1


def test_a_measure_that_declares_no_range_is_a_share_if_it_looks_like_one() -> None:
    found = means_of_items({"right": [1.0, 0.0], "surprise": [1.0, 7.5]}, ["a", "b"], within={})
    assert (found["right"].interval, found["surprise"].interval) == ("clopper-pearson", "t")
    with pytest.raises(ValueError, match=r"from 0 to 1\.5 are not within 0 and 1"):
        mean_of_facts([0.0, 1.5], within=SHARE)


def test_no_other_place_makes_intervals() -> None:
    source = Path(asof.__file__).parent
    others = [path for path in source.rglob("*.py") if path.parent != source / "metrics"]
    found = {path for path in others if re.search(r"0\.025\b|0\.975\b|\b97\.5\b", path.read_text("utf-8"))}
    # Alpha is not a mean, and the band of a curve is of the posterior.
    own = {source / "annotation" / "agreement.py", source / "runs" / "cutoff_likelihood.py"}
    assert found == own, "95 % intervals are made by asof.metrics alone, so that all show the same numbers"


def test_the_docs_show_what_was_simulated(monkeypatch: pytest.MonkeyPatch) -> None:
    bench = Path(__file__).parents[2] / "bench"
    rows = json.loads((bench / "results" / "intervals.json").read_text("utf-8"))
    promised = [row for row in rows if row["promised"]]
    assert {row["n"] for row in promised} >= {4, 10, 50, 200} and {row["p"] for row in promised} >= {0.02, 0.1, 0.5}
    assert all(row["held"] >= 0.93 and row.get("wrong", 0) <= 0.06 for row in promised)
    monkeypatch.syspath_prepend(str(bench))
    page = (bench.parent / "docs" / "uncertainty.md").read_text("utf-8")
    for table in import_module("intervals").tables(rows).values():
        assert table in page


def test_quantiles_are_those_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    for a, b in ((1, 4), (3, 1), (0.5, 12), (40, 160), (2000, 8000)):
        for share in (0.025, 0.5, 0.975):
            assert beta_quantile(share, a, b) == pytest.approx(stats.beta.ppf(share, a, b), rel=1e-9)
        assert beta_share(0.21, a, b) == pytest.approx(stats.beta.cdf(0.21, a, b), rel=1e-9)
    for degrees in (1, 2, 9, 199, 50_000):
        assert t_quantile(degrees) == pytest.approx(stats.t.ppf(0.975, degrees), rel=1e-8)
    assert beta_share(0.0, 2, 3) == 0 and beta_share(1.0, 2, 3) == 1
