"""Until when does a model know the world? The estimate from a run on dynamic-templama, with its controls.

In: runs in which facts were asked about that changed from period to period. Out: the period with which the model's
knowledge ends and its 95 % interval (``cutoff_likelihood.py``), or why the run does not tell; what the model knows of
facts that never change, and what it would get by guessing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from asof.errors import UserError
from asof.runs.cutoff_answers import Contrast, ModelAnswer, Reading, read_answers, reading_of
from asof.runs.cutoff_controls import Controls, controls
from asof.runs.cutoff_history import VERDICTS, FactHistories, read_histories
from asof.runs.cutoff_likelihood import ChangedFact, Posterior, posterior
from asof.runs.folder import Run
from asof.timeline import Period

_FEWEST = 20  # changed facts: with less even a model without errors has an interval of years
_EVIDENCE = 3.0  # the answers must be e^3 = 20 times likelier with a cutoff than without one

Status = Literal["estimated", "newer", "older", "unknown"]


@dataclass(frozen=True)
class Cutoff:
    """The estimate for one model, over all relations or one.

    Args:
        status: "estimated"; "newer" or "older" when the likeliest is that the model knows all changes or none, so that
            the cutoff lies at the border of the range or outside; "unknown" when the run does not tell.
        why: What the status is from, in a sentence.
        low: The first period of the 95 % interval, and the last.
        beyond: Where the interval reaches the border of the range, and the truth may lie outside.
        facts: How many facts changed and gave an answer that tells something.
    """

    status: Status
    why: str
    best: Period | None
    low: Period | None
    high: Period | None
    beyond: Literal["earlier", "later", "both"] | None
    facts: int
    controls: Controls
    posterior: Posterior | None

    def older_than(self, period: Period) -> bool | None:
        """Tell whether the whole interval lies before a period; None when the run does not tell."""
        if self.high is None:
            return None
        older = self.high.last < period.first
        return None if older and self.beyond in ("later", "both") else older


@dataclass(frozen=True)
class CurvePoint:
    """One period: how many facts that change somewhere were asked about, and what the answers are worth then.

    Args:
        shares: Of their answers: correct, outdated, early, wrong.
        changes: Facts whose answer changed in this period, and that the model answered with one they had.
        new: The share of these that prefers an answer which began in this period or later.
        previous: The share of these that prefers one that was over.
    """

    period: Period
    facts: int
    shares: dict[str, float]
    changes: int
    new: float
    previous: float


class CutoffOf:
    """A run, read for what it says about the model's cutoff."""

    def __init__(self, run: Run, *, contrast: Contrast = "others", reading: Reading | None = None) -> None:
        self.run = run
        self.contrasted = contrast == "others" and run.settings["probe"] == "pseudo-likelihood"
        self.reading = reading_of(run, reading)
        self.histories: FactHistories = read_histories(run.benchmark().table())
        self.answers: list[ModelAnswer] = read_answers(run, self.histories, reading=self.reading, contrast=contrast)
        if not self.answers:
            raise UserError(f"{run.folder} has no fact with all its predictions yet: resume the run.")

    @cached_property
    def overall(self) -> Cutoff:
        """The estimate over all relations."""
        return self._estimate(self.answers)

    @property
    def changed(self) -> list[ModelAnswer]:
        """The answers about facts that changed."""
        return [one for one in self.answers if one.fact.changes]

    def correct(self, *, contrasted: bool = True) -> int:
        """Count the changed facts whose answer is right in their last period, with or without the contrast."""
        return sum(
            one.fact.verdict(one.text if contrasted else one.likeliest, one.fact.asked[-1])[0] == "correct"
            for one in self.changed
        )

    @cached_property
    def by_relation(self) -> dict[str, Cutoff]:
        """The estimate for each relation that has changes, by its name; those with the most first."""
        found: dict[str, list[ModelAnswer]] = {}
        for one in self.answers:
            found.setdefault(one.fact.relation_label, []).append(one)
        changed = {name: sum(one.fact.changes for one in some) for name, some in found.items()}
        return {
            name: self._estimate(found[name])
            for name in sorted(found, key=lambda name: -changed[name])
            if changed[name]
        }

    @cached_property
    def curve(self) -> list[CurvePoint]:
        """What the answers are worth in each period."""
        return [self._point(index) for index in range(len(self.histories.periods))]

    def _point(self, index: int) -> CurvePoint:
        asked = [one for one in self.answers if one.fact.changes and one.fact.items[index] is not None]
        verdicts = [one.fact.verdict(one.text, index)[0] for one in asked]
        new = previous = 0
        for one in asked:
            if one.preferred is None or index == 0 or one.fact.items[index - 1] is None:
                continue
            holds = one.fact.holds
            begins, ends = holds[:, index] & ~holds[:, :index].any(1), holds[:, index - 1] & ~holds[:, index:].any(1)
            if not begins.any():
                continue
            started = holds[one.preferred].argmax()
            new += bool(started >= index)
            previous += bool(started < index and (ends[one.preferred] or not holds[one.preferred, index:].any()))
        changes = new + previous
        return CurvePoint(
            self.histories.periods[index],
            len(asked),
            {verdict: verdicts.count(verdict) / len(asked) if asked else float("nan") for verdict in VERDICTS},
            changes,
            new / changes if changes else float("nan"),
            previous / changes if changes else float("nan"),
        )

    def _estimate(self, answers: Sequence[ModelAnswer]) -> Cutoff:
        facts = [
            ChangedFact(one.fact.holds, one.preferred)
            for one in answers
            if one.fact.changes and one.preferred is not None
        ]
        control = controls(answers)
        if len(facts) < _FEWEST:
            changed = f"{len(facts)} changed {'fact' if len(facts) == 1 else 'facts'}"
            why = f"only {changed} got a usable answer; {_FEWEST} are needed"
            return Cutoff("unknown", why, None, None, None, None, len(facts), control, None)
        periods = self.histories.periods
        found = posterior(facts, periods_per_year=12 / periods[0].granularity)
        status, why = _status(found, control, periods)
        if status == "unknown":
            return Cutoff(status, why, None, None, None, None, len(facts), control, found)
        low, high = found.interval()
        reaches: tuple[bool, bool] = (low == 0, high == len(periods) - 1)
        beyond = _BEYOND[reaches]
        return Cutoff(status, why, periods[found.best], periods[low], periods[high], beyond, len(facts), control, found)


_BEYOND: dict[tuple[bool, bool], Literal["earlier", "later", "both"] | None] = {
    (False, False): None,
    (True, False): "earlier",
    (False, True): "later",
    (True, True): "both",
}


def _status(posterior: Posterior, control: Controls, periods: Sequence[Period]) -> tuple[Status, str]:
    low, high = posterior.interval()
    last = len(periods) - 1
    if not control.knows_something:
        return "unknown", f"the model's knowledge ({control.known}) is not above guessing ({control.guessing:.3f})"
    tells = posterior.evidence >= _EVIDENCE
    if posterior.best == last and (tells or (low > 0 and control.prefers_newer)):
        return "newer", f"it knows the changes up to {periods[-1]}, the last period of the benchmark"
    if posterior.best == 0 and (tells or (high < last and control.prefers_older)):
        return "older", f"it knows no change since {periods[0]}, the first period of the benchmark"
    if tells:
        return "estimated", ""
    times = float(np.exp(min(posterior.evidence, 50.0)))
    return "unknown", f"its answers are only {times:.2g} times as likely with a cutoff as without one; 20 are needed"
