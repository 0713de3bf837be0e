"""Pure functions that make a number: one file each, with direction, range and the paper's example as doctest.

Of many numbers, one for each fact or item, ``mean_of_facts`` and ``means_of_items`` make a ``Result``: their mean with
its 95 % interval.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from asof.metrics._sign_flip import holm, sign_flip_test
from asof.metrics.intervals import (
    SHARE,
    UNBOUNDED,
    Range,
    interval_of,
    likely_range,
    mean_of_facts,
    mean_of_items,
    means_of_items,
)
from asof.metrics.result import NOTHING, Method, Result
from asof.registry import metrics

__all__ = [
    "DESCRIBED", "NOTHING", "SHARE", "UNBOUNDED", "Better", "Method", "Metric", "Range", "Result", "holm",
    "interval_of", "likely_range", "mean_of_facts", "mean_of_items", "means_of_items", "metric", "metric_of",
    "sign_flip_test",
]  # fmt: skip

Better = Literal["higher", "lower", "neither"]
Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Metric:
    """What a number means."""

    name: str
    better: Better
    lowest: float
    highest: float

    @property
    def range(self) -> Range:
        """The lowest and the highest value."""
        return self.lowest, self.highest


DESCRIBED: dict[str, Metric] = {}


def metric(name: str, *, better: Better, lowest: float, highest: float) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a metric."""

    def remember(function: Function) -> Function:
        DESCRIBED[name] = Metric(name, better, lowest, highest)
        return metrics.register(name)(function)

    return remember


def metric_of(name: str) -> Metric:
    """Return what a metric means, by its name.

    >>> metric_of("far-failures").better, metric_of("win-rate").range
    ('lower', (0, 1))
    """
    metrics.get(name)
    return DESCRIBED[name]
