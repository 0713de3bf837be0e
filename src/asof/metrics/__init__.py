"""Pure functions that make a number: one file each, with direction, range and the paper's example as doctest."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from asof.registry import metrics

Function = TypeVar("Function", bound=Callable[..., Any])


@dataclass(frozen=True)
class Metric:
    """What a number means."""

    name: str
    better: Literal["higher", "lower", "neither"]
    lowest: float
    highest: float


DESCRIBED: dict[str, Metric] = {}


def metric(
    name: str, *, better: Literal["higher", "lower", "neither"], lowest: float, highest: float
) -> Callable[[Function], Function]:
    """Return a decorator that makes a function a metric."""

    def remember(function: Function) -> Function:
        DESCRIBED[name] = Metric(name, better, lowest, highest)
        return metrics.register(name)(function)

    return remember
