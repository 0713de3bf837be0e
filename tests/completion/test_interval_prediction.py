"""Predicted intervals against slow loops, and what the metrics of intervals promise."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asof.completion.interval_prediction import INTERVAL_METRICS, Intervals, coalesced, interval_results, thresholds
from asof.metrics.aeiou import aeiou
from asof.metrics.giou import giou
from asof.metrics.iou import iou
from asof.metrics.tac import tac
from tests.completion.toy import dataset_of, quadruples

Pair = tuple[int, int]


def slow_interval(curve: list[float], threshold: float, seed: int) -> Pair:
    """Grow one interval by one point at a time."""
    first = last = seed
    mass = curve[seed]
    while mass < threshold and (first > 0 or last < len(curve) - 1):
        left = curve[first - 1] if first > 0 else None
        right = curve[last + 1] if last < len(curve) - 1 else None
        if right is None or (left is not None and left > right):
            first -= 1
            mass += curve[first]
        else:
            last += 1
            mass += curve[last]
    return first, last


# Sixteenths add up without rounding, and often tie.
curves = st.lists(st.integers(0, 6).map(lambda n: n / 16), min_size=5, max_size=5)


@given(st.lists(st.tuples(curves, st.integers(0, 20).map(lambda n: n / 16)), min_size=1, max_size=4), st.integers(1, 7))
def test_intervals_grow_as_in_a_loop(facts: list[tuple[list[float], float]], count: int) -> None:
    first, last = coalesced(np.array([c for c, _ in facts]), np.array([t for _, t in facts]), count=count)
    assert first.shape == last.shape == (len(facts), min(count, 5))
    for (curve, threshold), lows, highs in zip(facts, first.tolist(), last.tolist(), strict=True):
        seeds = sorted(range(5), key=lambda point: -curve[point])[:count]
        assert list(zip(lows, highs, strict=True)) == [slow_interval(curve, threshold, seed) for seed in seeds]


def test_the_later_neighbour_is_taken_where_both_are_alike() -> None:
    first, last = coalesced(np.array([[0.0, 0.25, 0.5, 0.25, 0.0]]), np.array([0.7]))
    assert (first.tolist(), last.tolist()) == ([[2]], [[3]])


def test_a_threshold_beyond_reach_takes_all_points() -> None:
    first, last = coalesced(np.array([[0.2, 0.5, 0.2]]), np.array([1.0]))
    assert (first.tolist(), last.tolist()) == ([[0]], [[2]])


def test_thresholds_are_the_mean_mass_of_right_intervals() -> None:
    facts = [(0, 0, 1, 2000, 2001), (1, 0, 0, 2001, 2001), (0, 2, 1, 2000, 2002)]
    dataset = dataset_of(facts, entities=2, relations=4)  # points: before all, 2000, 2001, 2002, after all
    curves = np.array([[0.1, 0.2, 0.3, 0.3, 0.1], [0.0, 0.1, 0.8, 0.1, 0.0], [0.1, 0.3, 0.1, 0.3, 0.2]])
    found = thresholds(curves, quadruples(facts), dataset)
    # Relation 0: (0.5 + 0.8) / 2, relation 2: 0.7; relations 1 and 3 get the mean of these.
    assert found.tolist() == pytest.approx([0.65, 0.675, 0.7, 0.675])


def test_thresholds_without_facts_are_one_half() -> None:
    dataset = dataset_of([(0, 0, 1, 2000, 2001)], entities=2, relations=2)
    assert thresholds(np.zeros((0, 4)), dataset.valid, dataset).tolist() == [0.5, 0.5]


pairs = st.tuples(st.integers(0, 30), st.integers(0, 30)).map(lambda pair: (min(pair), max(pair)))


def members(interval: Pair) -> set[int]:
    return set(range(interval[0], interval[1] + 1))


def hull(one: Pair, other: Pair) -> int:
    return max(*one, *other) - min(*one, *other) + 1


@given(pairs, pairs)
def test_metrics_are_those_of_sets_of_instants(gold: Pair, predicted: Pair) -> None:
    shared, either = members(gold) & members(predicted), members(gold) | members(predicted)
    whole = hull(gold, predicted)
    assert float(aeiou(gold, predicted)) == pytest.approx(max(1, len(shared)) / whole)
    assert float(iou(gold, predicted)) == pytest.approx(len(shared) / len(either))
    gap = (whole - len(either)) / whole
    assert float(giou(gold, predicted)) == pytest.approx((len(shared) / len(either) - gap + 1) / 2)
    ends = [1 / (1 + abs(a - b)) for a, b in zip(gold, predicted, strict=True)]
    assert float(tac(gold, predicted)) == pytest.approx(sum(ends) / 2)
    for metric in INTERVAL_METRICS.values():
        assert 0 <= float(metric(gold, predicted)) <= 1
        assert float(metric(gold, gold)) == 1
        assert float(metric(gold, predicted)) == float(metric(predicted, gold))


@given(pairs, pairs, pairs)
def test_aeiou_has_property_p(gold: Pair, one: Pair, other: Pair) -> None:
    """Of two predictions that share as much with the gold interval, the one with the smaller hull scores higher."""
    assume(len(members(gold) & members(one)) == len(members(gold) & members(other)))
    assert (float(aeiou(gold, one)) > float(aeiou(gold, other))) == (hull(gold, one) < hull(gold, other))


def test_iou_and_giou_have_not() -> None:
    near, far = (3, 4), (30, 40)  # section 3.1: neither shares anything with 1 to 2
    assert hull((1, 2), near) < hull((1, 2), far)
    assert float(iou((1, 2), near)) == float(iou((1, 2), far)) == 0
    gold, short, long = (2002, 2005), (1999, 2001), (1900, 2001)  # appendix B: nothing lies between
    assert hull(gold, short) < hull(gold, long)
    assert float(giou(gold, short)) == float(giou(gold, long)) == 0.5
    assert float(aeiou(gold, short)) > float(aeiou(gold, long))


def test_tac_does_not_see_how_long_intervals_are() -> None:
    assert float(tac((10, 20), (5, 15))) == float(tac((100, 200), (95, 195)))  # section 2.4
    assert float(aeiou((10, 20), (5, 15))) < float(aeiou((100, 200), (95, 195)))


def test_the_best_of_the_first_k_counts() -> None:
    facts = quadruples([(0, 0, 1, 2000, 2003), (0, 0, 1, 1969, 1969)])
    predicted = Intervals(np.array([[2002, 2000], [1967, 1960]]), np.array([[2005, 2003], [1967, 1962]]))
    results = interval_results(facts, predicted, at=(1, 2, 5))
    assert set(results) == {f"{name}@{k}" for name in ("aeiou", "iou", "giou", "gaeiou", "tac") for k in (1, 2)}
    assert results["aeiou@1"] == pytest.approx((2 / 6 + 1 / 3) / 2)
    assert results["aeiou@2"] == pytest.approx((1 + 1 / 3) / 2)
    assert results["iou@1"] == pytest.approx((2 / 6 + 0) / 2)
    assert results["giou@1"] == pytest.approx(((1 + 1 / 3) / 2 + (1 - 1 / 3) / 2) / 2)
    assert results["tac@1"] == pytest.approx((1 / 3 + 1 / 3) / 2)


@given(st.lists(st.tuples(pairs, st.lists(pairs, min_size=3, max_size=3)), min_size=1, max_size=5))
def test_more_predictions_are_never_worse(rows: list[tuple[Pair, list[Pair]]]) -> None:
    facts = quadruples([(0, 0, 1, *gold) for gold, _ in rows])
    ends = np.array([predictions for _, predictions in rows])
    results = interval_results(facts, Intervals(ends[:, :, 0], ends[:, :, 1]), at=(1, 2, 3))
    for name in ("aeiou", "iou", "giou", "gaeiou", "tac"):
        assert results[f"{name}@1"] <= results[f"{name}@2"] <= results[f"{name}@3"]


def test_no_facts_give_no_number() -> None:
    nothing = np.zeros((0, 1), dtype=np.int64)
    assert np.isnan(interval_results(quadruples([]), Intervals(nothing, nothing), at=(1,))["aeiou@1"])
