"""A model measured once on a lesson: numbers of each fact, and what they come to. Needs no torch to be read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asof.metrics import UNBOUNDED, Result, mean_of_facts

TAUGHT, YEARS, MONTHS, DAYS = "years taught", "years not taught", "months not taught", "days not taught"
OTHER_WORDING, GLOBAL, NOT_TAUGHT = "other wording", "global", "facts not taught"


@dataclass(frozen=True)
class FactMeasures:
    """What a model knows of a fact.

    Args:
        values: Of each measure ("robustness, years taught") its value; measures that do not apply are not in.
    """

    id: str
    name: str
    relation: str
    taught: bool
    values: dict[str, float]


@dataclass(frozen=True)
class Measurement:
    """A model measured once.

    Args:
        prose: Of each passage the mean negative log-probability of a token, and how many tokens.
    """

    facts: list[FactMeasures]
    prose: list[tuple[float, int]]
    about: dict[str, Any] = field(default_factory=dict)

    def results(self) -> dict[str, Result]:
        """Return the mean of every measure over facts, and the perplexity of prose, with 95 % intervals."""
        names = list(dict.fromkeys(name for fact in self.facts for name in fact.values))
        found = {name: mean_of_facts(self.column(name)) for name in names}
        return found | ({"perplexity, prose": self.perplexity()} if self.prose else {})

    def column(self, measure: str) -> list[float]:
        """Return a measure of every fact, not a number where it does not apply."""
        return [fact.values.get(measure, math.nan) for fact in self.facts]

    def perplexity(self) -> Result:
        """Return the perplexity of prose; its interval is by passage."""
        means, tokens = zip(*self.prose, strict=True)
        weighted = np.array(means) * np.array(tokens) * len(tokens) / sum(tokens)
        mean = mean_of_facts(weighted, within=UNBOUNDED)
        return Result(math.exp(mean.value), math.exp(mean.low), math.exp(mean.high), mean.n, mean.facts, mean.interval)

    def as_row(self) -> dict[str, Any]:
        """Return what JSON can hold."""
        facts = [vars(fact) for fact in self.facts]
        return {"about": self.about, "facts": facts, "prose": [list(one) for one in self.prose]}

    @classmethod
    def of_row(cls, row: dict[str, Any]) -> Measurement:
        """Read what ``as_row`` gave."""
        facts = [FactMeasures(**fact) for fact in row["facts"]]
        return cls(facts, [(mean, int(count)) for mean, count in row["prose"]], row["about"])


def before_and_after(before: Measurement, after: Measurement) -> list[dict[str, Any]]:
    """Return a row for each metric, as asof score has them: after, before, and the paired difference."""
    first, then = before.results(), after.results()
    return [
        {"metric": name, **then[name].figures(), "facts": then[name].facts}
        | {"before": _rounded(one.value), "before_low": _rounded(one.low), "before_high": _rounded(one.high)}
        | _difference(before, after, name)
        for name, one in first.items()
        if name in then
    ]


def _difference(before: Measurement, after: Measurement, name: str) -> dict[str, float]:
    """Return the paired difference, after less before; of perplexity, which is no mean over facts, only the number."""
    if name.startswith("perplexity"):
        found = after.perplexity().value - before.perplexity().value
        return {"difference": _rounded(found), "difference_low": math.nan, "difference_high": math.nan}
    earlier = {fact.id: fact.values.get(name, math.nan) for fact in before.facts}
    apart = [fact.values.get(name, math.nan) - earlier.get(fact.id, math.nan) for fact in after.facts]
    result = mean_of_facts(apart, within=(-1.0, 1.0))
    names = ("difference", "difference_low", "difference_high")
    return dict(zip(names, map(_rounded, (result.value, result.low, result.high)), strict=True))


def _rounded(number: float) -> float:
    return round(number, 4)
