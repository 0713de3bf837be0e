"""The numbers behind each figure of the TimeStress paper, for the runs of one report.

Runs come in, plain numbers with their n and interval go out; how they look is the matter of ``sections.py``.
"""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from asof.errors import UserError
from asof.metrics import Result, mean_of_facts
from asof.reports.numbered_run import NumberedRun
from asof.runs.scores.timestress import PRECISIONS, FactScores, TimeStressScores

ALMOST_KNOWN = 0.95  # figure 4 of the paper is about facts with at least this win rate
_MOST_POPULARITY_BINS = 8
_FEWEST_FACTS_OF_A_RELATION = 3  # fewer say little; they are still in the table of numbers


@dataclass(frozen=True)
class ReportedRun(NumberedRun):
    """A run on TimeStress, with its scores."""

    @cached_property
    def scores(self) -> TimeStressScores:
        """What each fact is worth."""
        return TimeStressScores(self.run.table())

    def refuse_empty(self) -> None:
        """Raise an error when not one fact is scored."""
        if not self.scores.facts:
            raise UserError(
                f"{self.run.folder} has no fact yet with right and wrong dates at all three precisions. Resume it "
                f"with: asof run {self.run.settings['benchmark']} {self.run.settings['model']} --to {self.run.folder}"
            )

    @property
    def model(self) -> str:
        """The model as it may be shown to others: of a folder on this machine only the last name."""
        model = str(self.run.settings["model"])
        return Path(model).name if Path(model).is_absolute() or model.startswith((".", "~")) else model

    @cached_property
    def results(self) -> dict[str, Result]:
        """Win rate and robustness at each precision and global."""
        return self.scores.results()

    @cached_property
    def by_fact(self) -> dict[str, FactScores]:
        """The scored facts by their id."""
        return {fact.fact: fact for fact in self.scores.facts}

    @property
    def versions(self) -> dict[str, Any]:
        """What the run wrote down of the model and the programs; nothing when the file is gone."""
        return self.run.versions

    @cached_property
    def wrong_years(self) -> dict[str, list[tuple[float, bool]]]:
        """The α of every wrong year by fact, and whether it is preferred to some right one (section 5.1.2)."""
        table = self.scores.table
        columns = {name: table[name].to_numpy(zero_copy_only=False) for name in ("group", "alpha", "logprob")}
        year = table["precision"].to_numpy(zero_copy_only=False) == "year"
        verdict = table["verdict"].to_numpy(zero_copy_only=False)
        worst: dict[str, float] = {}
        for at in np.flatnonzero(year & (verdict == "correct")):
            fact = columns["group"][at]
            worst[fact] = min(columns["logprob"][at], worst.get(fact, math.inf))
        found: dict[str, list[tuple[float, bool]]] = {fact: [] for fact in self.by_fact}
        for at in np.flatnonzero(year & (verdict == "incorrect")):
            fact = columns["group"][at]
            if fact in found:
                found[fact].append((float(columns["alpha"][at]), bool(columns["logprob"][at] >= worst[fact])))
        return found

    @cached_property
    def preferred_wrong(self) -> dict[str, list[float]]:
        """The α of the wrong years that are at least as likely as the worst right one, by fact."""
        return {fact: [alpha for alpha, preferred in years if preferred] for fact, years in self.wrong_years.items()}

    def far(self, beyond: float, facts: Sequence[FactScores]) -> Result:
        """Return the share of preferred wrong years with |α| of at least ``beyond``, as a mean over facts."""
        return mean_of_facts([fact.far[beyond] for fact in facts])

    def far_of_all(self, beyond: float, facts: Sequence[FactScores]) -> Result:
        """Return the same share of all wrong years of the facts that fail: what preferring at random would give."""
        failing = [self.wrong_years[fact.fact] for fact in facts if self.preferred_wrong[fact.fact]]
        shares = [float(np.mean([abs(alpha) >= beyond for alpha, _ in years])) for years in failing]
        return mean_of_facts(shares)

    def almost_known(self) -> list[FactScores]:
        """Return the facts of figure 4: nearly every right year wins over nearly every wrong one."""
        return [fact for fact in self.scores.facts if fact.win_rates["year"] >= ALMOST_KNOWN]

    def transfer(self) -> dict[tuple[str, str], Result]:
        """Return P(known at A | known at B) for each (A, B), n being the facts known at B."""
        return {
            (a, b): mean_of_facts([fact.robust[a] for fact in self.scores.facts if fact.robust[b] == 1])
            for a in PRECISIONS
            for b in PRECISIONS
        }

    def mean(self, measure: str, facts: Sequence[str]) -> Result:
        """Return a measure over those of the facts that the run has scored."""
        known = [self.by_fact[fact].measures[measure] for fact in facts if fact in self.by_fact]
        return mean_of_facts(known)

    @cached_property
    def robust_by_chance(self) -> float:
        """How often a random order of the years would put every right one above every wrong one, over facts."""
        counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
        columns = (self.scores.table[name].to_pylist() for name in ("group", "precision", "verdict"))
        for group, precision, verdict in zip(*columns, strict=True):
            if precision == "year" and verdict != "transitional":
                counts[group][verdict == "correct"] += 1
        return float(np.mean([1 / math.comb(sum(counts[fact]), counts[fact][1]) for fact in self.by_fact]))


def counts_by_bin(alphas: Sequence[float], *, width: float) -> list[tuple[float, int]]:
    """Count values in bins around multiples of the width.

    >>> counts_by_bin([-0.9, 1.0, 1.1, 2.6], width=0.5)
    [(-1.0, 1), (1.0, 2), (2.5, 1)]
    """
    positions, counts = np.unique(np.round(np.asarray(alphas, float) / width), return_counts=True)
    return [(float(position) * width, int(count)) for position, count in zip(positions, counts, strict=True)]


def popularity_bins(popularity: Mapping[str, float]) -> list[tuple[float, float, list[str]]]:
    """Cut facts into at most eight bins of about as many facts, equal popularity never in two bins.

    >>> popularity_bins({"a": 1, "b": 1, "c": 1, "d": 5, "e": 7, "f": 9})
    [(1, 1, ['a', 'b', 'c']), (5, 9, ['d', 'e', 'f'])]
    """
    ranked = sorted(popularity, key=lambda fact: (popularity[fact], fact))
    size = max(3, math.ceil(len(ranked) / _MOST_POPULARITY_BINS))
    bins: list[list[str]] = []
    for fact in ranked:
        tied = bins and popularity[bins[-1][-1]] == popularity[fact]
        if bins and (tied or len(bins[-1]) < size):
            bins[-1].append(fact)
        else:
            bins.append([fact])
    if len(bins) > 1 and len(bins[-1]) < 3:
        bins[-2] += bins.pop()
    return [(popularity[facts[0]], popularity[facts[-1]], facts) for facts in bins]


def facts_of_relations(runs: Sequence[ReportedRun]) -> list[tuple[str, list[str]]]:
    """Return relations with their facts: the most robustly known first, then by win rate (figure 15)."""
    facts: dict[str, set[str]] = defaultdict(set)
    for run in runs:
        for fact in run.scores.facts:
            facts[fact.relation].add(fact.fact)

    def order(relation: str) -> tuple[bool, float, float, str]:
        means = [
            np.nanmean([_plain_mean(run, measure, facts[relation]) for run in runs])
            for measure in ("robustness global", "win-rate global")
        ]
        return len(facts[relation]) < _FEWEST_FACTS_OF_A_RELATION, -float(means[0]), -float(means[1]), relation

    return [(relation, sorted(facts[relation])) for relation in sorted(facts, key=order)]


def _plain_mean(run: ReportedRun, measure: str, facts: set[str]) -> float:
    known = [run.by_fact[fact].measures[measure] for fact in facts if fact in run.by_fact]
    return float(np.mean(known)) if known else math.nan


def same_but_format(runs: Sequence[ReportedRun]) -> list[list[ReportedRun]]:
    """Return the groups of runs that differ only in the format of the prompt (figure 6)."""
    groups: dict[str, list[ReportedRun]] = defaultdict(list)
    for run in runs:
        rest = {name: value for name, value in run.run.settings.items() if name != "format"}
        groups[json.dumps(rest, sort_keys=True)].append(run)
    return [group for group in groups.values() if len({run.run.settings["format"] for run in group}) > 1]
