"""A model measured once on a lesson: numbers of each fact, and what they come to. Needs no torch to be read."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from asof.metrics import SHARE, UNBOUNDED, Metric, Result, mean_of_facts, metric_of

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


def metric_named(measure: str) -> Metric:
    """Return what a measure means: its direction and range."""
    name = measure.partition(",")[0]
    if name == "perplexity":
        return Metric(name, "lower", 1.0, math.inf)
    if name.startswith("answers written at wrong"):
        return Metric(name, "lower", *SHARE)
    if name.startswith("answers written"):
        return Metric(name, "higher", *SHARE)
    return metric_of("win-rate" if name == "win-rate" else "robustness")


def before_and_after(before: Measurement, after: Measurement) -> list[dict[str, Any]]:
    """Return a row for each measure: before, after, and the mean difference of the facts, with their intervals."""
    first, then = before.results(), after.results()
    rows = []
    for name in first:
        if name not in then:
            continue
        one, other = first[name], then[name]
        row: dict[str, Any] = {"measure": name, "before": one.value, "before_low": one.low, "before_high": one.high}
        row |= {"after": other.value, "after_low": other.low, "after_high": other.high}
        row |= _difference(before, after, name)
        rows.append(row | {"n": other.n, "better": metric_named(name).better})
    return rows


def _difference(before: Measurement, after: Measurement, name: str) -> dict[str, float]:
    """Return the paired difference, after less before; of perplexity, which is no mean over facts, only the number."""
    if name.startswith("perplexity"):
        found = after.perplexity().value - before.perplexity().value
        return {"difference": found, "low": math.nan, "high": math.nan}
    earlier = {fact.id: fact.values.get(name, math.nan) for fact in before.facts}
    apart = [fact.values.get(name, math.nan) - earlier.get(fact.id, math.nan) for fact in after.facts]
    result = mean_of_facts(apart, within=(-1.0, 1.0))
    return {"difference": result.value, "low": result.low, "high": result.high}
