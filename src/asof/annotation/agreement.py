"""How far people agree: the same spans, the same words, the same items without an answer.

Krippendorff's alpha (nominal, as in his "Computing Krippendorff's Alpha-Reliability", 2011) is 1 for full agreement and
0 for what chance gives; it takes any number of people, and items that not all of them have seen. Intervals resample
histories, as questions about one are not independent.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean

import numpy as np

from asof.annotation.work import Decision, words_at
from asof.benchmarks import Benchmark, BenchmarkDocument, documents
from asof.metrics.token_f1 import token_f1
from asof.runs.intervals import Result

_RESAMPLES = 1000


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
    disagreed, totals = 0.0, Counter[bool]()
    for unit in units:
        count = Counter(unit)
        totals.update(count)
        disagreed += 2 * count[True] * count[False] / (len(unit) - 1)
    judged = totals.total()
    expected = 2 * totals[True] * totals[False] / (judged - 1) if judged > 1 else 0.0
    return 1.0 if disagreed == 0 else 1 - disagreed / expected


def _alike(one: Decision, other: Decision, text: BenchmarkDocument) -> float:
    """Return the mean over both people of the best F1 of each answer with an answer of the other."""
    if not one.spans or not other.spans:
        return float(one.answerable == other.answerable)
    mine = [words_at(text, span) for span in one.spans]
    theirs = [words_at(text, span) for span in other.spans]
    return fmean([*(token_f1(words, theirs) for words in mine), *(token_f1(words, mine) for words in theirs)])


def _with_intervals(compared: Sequence[_Compared]) -> tuple[Result, Result, Result]:
    if not compared:
        nothing = Result(float("nan"), float("nan"), float("nan"), 0)
        return nothing, nothing, nothing
    by_group: defaultdict[str, list[_Compared]] = defaultdict(list)
    for one in compared:
        by_group[one.group].append(one)
    groups = list(by_group.values())
    random = np.random.default_rng(0)
    drawn = []
    for _ in range(_RESAMPLES):
        chosen = [one for place in random.integers(0, len(groups), len(groups)) for one in groups[place]]
        drawn.append(_figures(chosen))
    low, high = np.quantile(np.array(drawn), [0.025, 0.975], axis=0)
    values = _figures(compared)
    first, second, third = (
        Result(value, float(under), float(over), len(compared))
        for value, under, over in zip(values, low, high, strict=True)
    )
    return first, second, third


def _figures(compared: Sequence[_Compared]) -> tuple[float, float, float]:
    return (
        fmean(one.exact for one in compared),
        fmean(one.f1 for one in compared),
        krippendorff_alpha(one.answerable for one in compared),
    )
