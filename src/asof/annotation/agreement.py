"""How far people agree: the same spans, the same words, the same items without an answer.

Krippendorff's alpha (nominal, as in his "Computing Krippendorff's Alpha-Reliability", 2011) is 1 for full agreement and
0 for what chance gives; it takes any number of people, and items that not all of them have seen. Intervals are by
history, as questions about one are not independent.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np
import numpy.typing as npt

from asof.annotation.work import Decision, words_at
from asof.benchmarks import Benchmark, BenchmarkDocument, documents
from asof.metrics import NOTHING, Result, mean_of_items
from asof.metrics.token_f1 import token_f1

_DRAWS = 2000
Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Agreement:
    """How far people agree, with the number of items that two or more of them have seen."""

    who: tuple[str, ...]
    items: int
    exact: Result
    token_f1: Result
    alpha: Result  # on whether there is an answer


@dataclass(frozen=True)
class _Compared:
    group: str
    exact: float
    f1: float
    answerable: tuple[bool, ...]


def agreement(benchmark: Benchmark, work: Mapping[str, Mapping[str, Decision]]) -> Agreement:
    """Compare the decisions of people, by name, on the items that two or more have seen."""
    texts = documents(benchmark)
    compared = []
    for item in benchmark.items():
        seen = [decisions[item.id] for decisions in work.values() if item.id in decisions]
        if len(seen) > 1:
            pairs = list(combinations(seen, 2))
            text = texts[str(item.tags["document"])]
            exact = fmean(set(one.spans) == set(other.spans) for one, other in pairs)
            f1 = fmean(_alike(one, other, text) for one, other in pairs)
            compared.append(_Compared(item.group, exact, f1, tuple(one.answerable for one in seen)))
    return Agreement(tuple(work), len(compared), *_with_intervals(compared))


def krippendorff_alpha(units: Iterable[Sequence[bool]]) -> float:
    """Return the nominal alpha of items that two or more people have judged.

    >>> krippendorff_alpha([(True, True), (False, False), (True, True)])
    1.0
    >>> round(krippendorff_alpha([(True, True), (True, False), (False, False), (True, False)]), 3)
    0.125
    """
    disagreed, yes, no = _counts(units)
    return 1.0 if disagreed == 0 else 1 - disagreed * (yes + no - 1) / (2 * yes * no)


def _alike(first: Decision, second: Decision, text: BenchmarkDocument) -> float:
    """Return the mean over both people of the best F1 of each answer with an answer of the other."""
    if not first.spans or not second.spans:
        return float(first.answerable == second.answerable)
    mine = [words_at(text, span) for span in first.spans]
    theirs = [words_at(text, span) for span in second.spans]
    return fmean([*(token_f1(words, theirs) for words in mine), *(token_f1(words, mine) for words in theirs)])


def _with_intervals(compared: Sequence[_Compared]) -> tuple[Result, Result, Result]:
    if not compared:
        return NOTHING, NOTHING, NOTHING
    histories = [one.group for one in compared]
    exact = mean_of_items([one.exact for one in compared], histories)
    return exact, mean_of_items([one.f1 for one in compared], histories), _alpha(compared)


def _alpha(compared: Sequence[_Compared]) -> Result:
    """Return alpha with its interval: histories, and one more, get random weights (see ``metrics._bounded_mean``).

    For the lower limit people disagree about every item of the further history, for the upper limit about none: where
    all of a few histories agree, the next need not.
    """
    by_history: defaultdict[str, list[tuple[bool, ...]]] = defaultdict(list)
    for one in compared:
        by_history[one.group].append(one.answerable)
    counts = np.array([_counts(units) for units in by_history.values()])
    mean = counts.mean(axis=0)
    disagreeing = np.array([mean[1:].sum(), mean[1:].sum() / 2, mean[1:].sum() / 2])
    weights = np.random.default_rng(0).exponential(size=(_DRAWS, len(counts) + 1))
    low = np.quantile(_alphas(weights @ np.vstack([counts, disagreeing])), 0.025)
    high = np.quantile(_alphas(weights @ np.vstack([counts, mean * (0, 1, 1)])), 0.975)
    value = krippendorff_alpha(one.answerable for one in compared)
    return Result(value, min(value, float(low)), max(value, float(high)), len(compared), len(counts), "bootstrap")


def _counts(units: Iterable[Sequence[bool]]) -> tuple[float, float, float]:
    """Return how much people disagree about the items of a history, and how many said yes and no."""
    disagreed, yes, no = 0.0, 0, 0
    for unit in units:
        disagreed += 2 * sum(unit) * (len(unit) - sum(unit)) / (len(unit) - 1)
        yes, no = yes + sum(unit), no + len(unit) - sum(unit)
    return disagreed, yes, no


def _alphas(counts: Floats) -> Floats:
    disagreed, yes, no = counts.T
    expected = 2 * yes * no / (yes + no)
    return np.where(disagreed == 0, 1.0, 1 - disagreed / np.where(expected, expected, np.inf))
