"""Win rate and robustness from some dozens of pairs of a right and a wrong date for each fact, with honest intervals.

Of every fact and precision pairs are drawn by strata (``probes/choose.py``). With their weights the share of won pairs
is an unbiased estimate of the fact's win rate over all pairs, so the mean over facts has the interval of any mean.

Robust is a fact that wins all its pairs. A sample can refute that and never prove it: the value is the share of facts
that win all pairs that were drawn, which is no less on average than the share that wins all there are, so its upper
limit holds for the true robustness. The lower limit allows for facts that lose a single pair of all, which a sample of
dozens seldom finds, so that it is mostly 0. What a sample can show from below is ``won 90 %``: at least so many facts
win at least 90 % of their pairs (the probe's ``tolerance``). A fact that loses more wins all drawn pairs with a
probability of at most q (``chance_to_hide``), so (won all - q) / (1 - q) is on average no more than that share.

Runs on items that are no dates are scored pair by pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log, nan
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from asof.metrics import UNBOUNDED, Method, Result, interval_of, mean_of_facts, metric_of
from asof.probes import Probe, metrics_of
from asof.registry import scores
from asof.runs.item_scores import ItemScores
from asof.runs.measured import MeasureColumns, Scores, TaskScores
from asof.runs.tags import parted_by_fact

PRECISIONS = ("year", "month", "day")
_NORMAL = NormalDist()


@scores.register("pairs")
def pair_scores(table: pa.Table, probe: Probe) -> Scores:
    """Score facts where their pairs have weights, else pair by pair."""
    of_dates = "stratum" in table.column_names and table["stratum"].null_count < table.num_rows
    return DatePairScores(table, probe) if of_dates else AnswerPairScores(table, probe)


def chance_to_hide(strata: Iterable[tuple[float, int]], loses: float) -> float:
    """Return the largest probability that a fact wins all drawn pairs although it loses a share of all pairs.

    Args:
        strata: The share of all pairs and the number of drawn ones, of each stratum.
        loses: The share that it loses; the losses lie where the draw finds them least.

    >>> round(chance_to_hide([(1.0, 8)], 0.1), 4), round(0.9**8, 4)
    (0.4305, 0.4305)
    >>> round(chance_to_hide([(0.5, 2), (0.5, 1)], 0.1), 4)  # all losses in the second half: a fifth of it
    0.8
    """
    known = [(weight, count) for weight, count in strata if count]
    if loses <= 0:
        return 1.0
    if loses >= sum(weight for weight, _ in known):
        return 0.0
    # Sum of count * log(kept) is concave: at its largest, kept = count / (price * weight), cut at 1, for one price.
    low, high = 0.0, max(count / weight for weight, count in known) / (1 - loses) * 1e6
    for _ in range(200):
        price = (low + high) / 2
        lost = sum(weight * max(0.0, 1 - count / (price * weight)) for weight, count in known)
        low, high = (price, high) if lost < loses else (low, price)
    logs = [count * log(min(1.0, count / (high * weight))) for weight, count in known]
    return exp(sum(logs))


@dataclass(frozen=True)
class FactPairs:
    """One fact: its win rate, whether it won all drawn pairs, and how far that tells robustness, at each precision."""

    fact: str
    relation: str
    win_rates: Mapping[str, float]
    won_all: Mapping[str, float]
    hidden: Mapping[str, tuple[float, float]]  # chances to win all drawn pairs, and lose one of all, or the tolerance
    others: Mapping[str, float]  # weighted means of the probe's other measures

    @property
    def measures(self) -> dict[str, float]:
        """Win rate and robustness at each precision and global, then what the probe also measures."""
        found = {f"win-rate {name}": value for name, value in self.win_rates.items()}
        found["win-rate global"] = float(np.mean(list(self.win_rates.values())))
        found |= {f"robustness {name}": value for name, value in self.won_all.items()}
        found["robustness global"] = min(self.won_all.values())
        return found | dict(self.others)

    def least(self, level: str, kind: int) -> float:
        """Return a value whose mean is on average no more than the share of facts that are robust, at a level.

        Args:
            kind: 0 where losing one pair of all counts, 1 where losing more than the tolerance does.
        """
        levels = PRECISIONS if level == "global" else (level,)
        hidden = max(self.hidden[one][kind] for one in levels)
        won = min(self.won_all[one] for one in levels)
        return (won - hidden) / (1 - hidden) if hidden < 1 else -1.0


@dataclass(frozen=True)
class DatePairScores:
    """All facts of a run of ``choose`` or ``yes-no`` on right and wrong dates."""

    unit: ClassVar[str] = "fact"
    nothing_yet: ClassVar[str] = "No fact has all its pairs yet: resume the run."
    of_task: ClassVar[TaskScores | None] = None

    table: pa.Table
    probe: Probe

    @cached_property
    def facts(self) -> list[FactPairs]:
        """The scores of every fact that has pairs at all three precisions."""
        groups: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.table.to_pylist():
            groups[row["group"]].append(row)
        return [
            self._fact(group, rows)
            for group, rows in groups.items()
            if {row["precision"] for row in rows} >= set(PRECISIONS)
        ]

    @cached_property
    def units(self) -> MeasureColumns:
        """What each fact is worth."""
        ids, measured = [fact.fact for fact in self.facts], [fact.measures for fact in self.facts]
        values = {name: [fact[name] for fact in measured] for name in (measured[0] if measured else [])}
        known = metrics_of(self.probe)
        return MeasureColumns(
            ids, ids, values, {name: known.get(name) or metric_of(name.split()[0]) for name in values}
        )

    def results(self) -> dict[str, Result]:
        """Return all measures with intervals; those of robustness have their own lower end, and d' is added."""
        found = self.units.results()
        if not self.facts:
            return found
        for level in (*PRECISIONS, "global"):
            name = f"robustness {level}"
            low, method = self._lower_end(level, 0)
            found[name] = replace(found[name], low=min(max(0.0, low), found[name].value), interval=method)
        won = f"won {1 - _tolerance(self.probe):.0%} global".replace("%", " %")
        least = float(np.mean([fact.least("global", 1) for fact in self.facts]))
        low, method = self._lower_end("global", 1)
        found[won] = replace(
            found["robustness global"], value=max(0.0, least), low=max(0.0, low), high=1.0, interval=method
        )
        return found | _sensitivity(found, self.units)

    def by(self, tag: str) -> dict[Any, DatePairScores]:
        """Part the facts by a tag that all items of a fact share, in the order of its values."""
        return {value: replace(self, table=part) for value, part in parted_by_fact(self.table, tag).items()}

    def fact_rows(self) -> list[dict[str, Any]]:
        """Return a row for each fact: win rate, and at which precisions it won all drawn pairs."""
        return [
            {
                "fact": one.fact,
                "relation": one.relation,
                "win_rate": one.measures["win-rate global"],
                "won_all_at": [name for name in PRECISIONS if one.won_all[name] == 1],
            }
            for one in self.facts
        ]

    def _lower_end(self, level: str, kind: int) -> tuple[float, Method]:
        least = np.array([fact.least(level, kind) for fact in self.facts])
        low, _, method = interval_of(least, np.ones(len(least)), (min(float(least.min()), -1.0), 1.0))
        return low, method

    def _fact(self, group: str, rows: Sequence[dict[str, Any]]) -> FactPairs:
        win_rates, won_all, hidden = {}, {}, {}
        measured = [self.probe.measures(row) for row in rows]
        weights = np.array([row["weight"] for row in rows], float)
        for precision in PRECISIONS:
            at = [index for index, row in enumerate(rows) if row["precision"] == precision]
            wins = np.array([measured[index]["win-rate"] for index in at])
            win_rates[precision] = _mean(wins, weights[at])
            won_all[precision] = float((wins == 1).all())
            strata: defaultdict[str, list[float]] = defaultdict(list)
            for index in at:
                strata[rows[index]["stratum"]].append(weights[index])
            known = [(sum(some), len(some)) for some in strata.values()]
            one = 1 / rows[at[0]]["of_pairs"]
            hidden[precision] = chance_to_hide(known, one), chance_to_hide(known, _tolerance(self.probe))
        others = {
            name: _mean(np.array([one[name] for one in measured]), weights)
            for name in (measured[0] if measured else {})
            if name != "win-rate"
        }
        return FactPairs(group, str(rows[0].get("relation", "")), win_rates, won_all, hidden, others)


@dataclass(frozen=True)
class AnswerPairScores(ItemScores):
    """Runs of ``choose`` or ``yes-no`` on answers: pair by pair."""

    def results(self) -> dict[str, Result]:
        """Return all measures with intervals, and d' where there are hits and false alarms."""
        return self.units.results() | _sensitivity(self.units.results(), self.units)


def _tolerance(probe: Probe) -> float:
    return float(getattr(probe, "tolerance", 0.1))


def _mean(values: np.ndarray[Any, np.dtype[np.float64]], weights: np.ndarray[Any, np.dtype[np.float64]]) -> float:
    """Return the weighted mean of what is known."""
    known = ~np.isnan(values)
    return round(float(values[known] @ weights[known] / weights[known].sum()), 12) if known.any() else nan


def _sensitivity(results: Mapping[str, Result], units: MeasureColumns) -> dict[str, Result]:
    """Return d' from the yes to right and to wrong statements; nothing where there are none.

    It is a function of two means, so its interval is from the facts left out one by one (the jackknife).
    """
    if "yes to right" not in results or not results["yes to right"].n:
        return {}
    hits, alarms = (_by_fact(units, name) for name in ("yes to right", "yes to wrong"))
    known = ~np.isnan(hits) & ~np.isnan(alarms)
    hits, alarms = hits[known], alarms[known]
    n = len(hits)
    if not n:
        return {}
    value = d_prime(hits.mean(), alarms.mean(), n)
    without = [
        d_prime((hits.sum() - hit) / (n - 1), (alarms.sum() - alarm) / (n - 1), n) if n > 1 else nan
        for hit, alarm in zip(hits, alarms, strict=True)
    ]
    pseudo_values = [n * value - (n - 1) * one for one in without]
    made = mean_of_facts(pseudo_values, within=UNBOUNDED)
    if not made.n or made.low == made.high:  # facts that are all alike do not tell how far others may lie
        made = replace(made, low=nan, high=nan, interval="none")
    return {"d'": replace(made, value=value, n=results["yes to right"].n, facts=n)}


def _by_fact(units: MeasureColumns, name: str) -> np.ndarray[Any, np.dtype[np.float64]]:
    by_fact: defaultdict[str, list[float]] = defaultdict(list)
    for fact, value in zip(units.facts, units.values[name], strict=True):
        by_fact[fact].append(value)
    return np.array([_mean(np.array(some), np.ones(len(some))) for some in by_fact.values()])


def d_prime(hit: float, alarm: float, n: int) -> float:
    """Return how far the z of hits and of false alarms lie apart; half an answer is added to each count.

    >>> round(d_prime(0.841345, 0.5, 10**9), 3), d_prime(1.0, 1.0, 4)
    (1.0, 0.0)
    """
    z = [_NORMAL.inv_cdf((float(share) * n + 0.5) / (n + 1)) for share in (hit, alarm)]
    return z[0] - z[1]
