"""The numbers of the TimeStress paper for one run: win rate, robustness, transfer, per precision and global."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from asof.metrics import Result, metric_of
from asof.metrics.far_failures import far_failures
from asof.metrics.knowledge_transfer import knowledge_transfer
from asof.metrics.robustness import robustness
from asof.metrics.win_rate import win_rate
from asof.probes import Probe
from asof.registry import scores
from asof.runs.measured import MeasureColumns, TaskScores
from asof.runs.tags import parted_by_fact

PRECISIONS = ("year", "month", "day")


@dataclass(frozen=True)
class FactScores:
    """One fact: its win rate and robustness at each precision."""

    fact: str
    relation: str
    popularity: float
    win_rates: dict[str, float]
    robust: dict[str, float]
    far: dict[float, float]  # share of preferred wrong dates at least so far away

    @property
    def measures(self) -> dict[str, float]:
        """Win rate and robustness at each precision, and global (section 5.1.1).

        The global win rate is the mean over the precisions; globally robust is what is robust at all of them.
        """
        found = {f"win-rate {precision}": rate for precision, rate in self.win_rates.items()}
        found |= {f"robustness {precision}": known for precision, known in self.robust.items()}
        found["win-rate global"] = float(np.mean(list(self.win_rates.values())))
        found["robustness global"] = float(min(self.robust.values()))
        return found


@scores.register("timestress")
@dataclass(frozen=True)
class TimeStressScores:
    """All facts of a run. Built from the table of a run: items with tags and log-probabilities."""

    unit: ClassVar[str] = "fact"
    nothing_yet: ClassVar[str] = "No fact has right and wrong dates at all three precisions yet: resume the run."
    of_task: ClassVar[TaskScores | None] = TaskScores(
        probe="answer-likelihood",
        file="asof.export/_files/lm_eval_dates.py",
        scores=tuple(f"{name}_{of}" for name in ("win_rate", "robustness") for of in (*PRECISIONS, "global")),
        how="The log-probability of the answer at right and at wrong dates is compared within each fact.",
    )

    table: pa.Table
    probe: Probe | None = None

    @cached_property
    def facts(self) -> list[FactScores]:
        """The scores of every fact that has right and wrong dates at all three precisions."""
        columns = {name: self.table[name].to_numpy(zero_copy_only=False) for name in _COLUMNS}
        order = np.argsort(columns["group"], kind="stable")
        groups = columns["group"][order]
        borders = np.flatnonzero(np.r_[True, groups[1:] != groups[:-1], True]).tolist() if len(groups) else []
        scores = [
            _scores_of({name: column[order[start:stop]] for name, column in columns.items()})
            for start, stop in pairwise(borders)
        ]
        return [score for score in scores if not np.isnan(score.measures["win-rate global"])]

    @cached_property
    def units(self) -> MeasureColumns:
        """What each fact is worth."""
        ids, measured = [fact.fact for fact in self.facts], [fact.measures for fact in self.facts]
        values = {name: [fact[name] for fact in measured] for name in (measured[0] if measured else [])}
        return MeasureColumns(ids, ids, values, {name: metric_of(name.split()[0]) for name in values})

    def results(self) -> dict[str, Result]:
        """Return win rate and robustness at each precision and global, with intervals."""
        return self.units.results()

    def by(self, tag: str) -> dict[Any, TimeStressScores]:
        """Part the facts by a tag that all items of a fact share, in the order of its values."""
        return {value: replace(self, table=part) for value, part in parted_by_fact(self.table, tag).items()}

    def fact_rows(self) -> list[dict[str, Any]]:
        """Return a row for each fact: win rate, and at which precisions it is known."""
        return [
            {
                "fact": one.fact,
                "relation": one.relation,
                "popularity": one.popularity,
                "win_rate": one.measures["win-rate global"],
                "known_at": [precision for precision in PRECISIONS if one.robust[precision] == 1],
            }
            for one in self.facts
        ]

    def transfer(self) -> dict[tuple[str, str], float]:
        """Return P(known at A | known at B) for each pair (A, B) of precisions."""
        known = {precision: [fact.robust[precision] for fact in self.facts] for precision in PRECISIONS}
        return {(a, b): knowledge_transfer(known[a], known[b]) for a in PRECISIONS for b in PRECISIONS}

    def mean_logprob_by_alpha(self, *, precision: str = "year", width: float = 0.25) -> list[tuple[float, float, int]]:
        """Return (α, mean log-probability, number of dates) in bins of α; each fact's mean is taken off first."""
        keep = self.table["precision"].to_numpy(zero_copy_only=False) == precision
        alpha = self.table["alpha"].to_numpy()[keep]
        score = self.table["logprob"].to_numpy()[keep]
        group = self.table["group"].to_numpy(zero_copy_only=False)[keep]
        _, inverse = np.unique(group, return_inverse=True)
        means = np.bincount(inverse, score) / np.bincount(inverse) if len(score) else np.array([])
        centred = score - means[inverse] if len(score) else score
        bins = np.round(alpha / width).astype(int)
        return [
            (float(index * width), float(centred[bins == index].mean()), int((bins == index).sum()))
            for index in np.unique(bins)
        ]


_COLUMNS = ("group", "precision", "verdict", "alpha", "relation", "popularity", "logprob")
_DISTANCES = (1.0, 2.0, 3.0)


def _scores_of(rows: dict[str, npt.NDArray[np.generic]]) -> FactScores:
    win_rates, robust = {}, {}
    far = dict.fromkeys(_DISTANCES, float("nan"))
    for precision in PRECISIONS:
        at = rows["precision"] == precision
        right = rows["logprob"][at & (rows["verdict"] == "correct")].astype(float)
        wrong = rows["logprob"][at & (rows["verdict"] == "incorrect")].astype(float)
        win_rates[precision] = win_rate(right.tolist(), wrong.tolist())
        robust[precision] = robustness(right.tolist(), wrong.tolist())
        if precision == "year" and len(right) and len(wrong):
            distances = rows["alpha"][at & (rows["verdict"] == "incorrect")].astype(float).tolist()
            far = {
                beyond: far_failures(right.tolist(), wrong.tolist(), distances, beyond=beyond) for beyond in _DISTANCES
            }
    return FactScores(
        fact=str(rows["group"][0]),
        relation=str(rows["relation"][0]),
        popularity=float(str(rows["popularity"][0])),
        win_rates=win_rates,
        robust=robust,
        far=far,
    )
