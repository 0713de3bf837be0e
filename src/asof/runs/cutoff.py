"""Until when does a model know the world? The estimate from a run on dynamic-templama, with its controls.

In: runs in which facts were asked about that changed from period to period. Out: the period with which the model's
knowledge ends and its 95 % interval (``cutoff_likelihood.py``), or why the run does not tell; what the model knows of
facts that never change, and what it would get by guessing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from asof.errors import UserError
from asof.metrics import SHARE, Result, mean_of_items
from asof.probes import LEFT_OUT
from asof.runs.cutoff_answers import Contrast, ModelAnswer, Reading, preferences_of, read_answers, reading_of
from asof.runs.cutoff_controls import Controls, controls
from asof.runs.cutoff_history import VERDICTS, FactHistories, histories_by_wording
from asof.runs.cutoff_likelihood import ChangedFact, Posterior, expected_new, posterior
from asof.runs.cutoff_partial import relation_parts
from asof.runs.folder import Run
from asof.timeline import Period

_FEWEST = 20  # changed facts: with less even a model without errors has an interval of years
_EVIDENCE = 3.0  # the answers must be e^3 = 20 times likelier with a cutoff than without one
_EVIDENCE_OF_ALL = float(np.log(100))  # ... for knowing nearly all changes, or hardly any: guessers come near 20

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
class ExpectedShare:
    """How often new answers are taken for a change in a period, by the estimate, with the band of 95 %."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class CurvePoint:
    """One period: how many facts that change somewhere were asked about, and what the answers are worth then.

    Args:
        shares: Of their answers: correct, outdated, early, wrong.
        took_new: Of the facts whose answer changed in this period, and that the model answered with one they had, the
            share that prefers an answer which began in this period or later, not one that was over.
        expected: The same as the estimate has it, None where the run cannot tell.
    """

    period: Period
    facts: int
    shares: dict[str, float]
    took_new: Result
    expected: ExpectedShare | None = None

    @property
    def changes(self) -> int:
        """How many facts changed in this period and got one of their answers."""
        return self.took_new.facts

    @property
    def new(self) -> float:
        """The share of these that takes the new answer."""
        return self.took_new.value

    @property
    def previous(self) -> float:
        """The share of these that takes one that was over."""
        return 1 - self.took_new.value


@dataclass(frozen=True)
class PartialCutoff:
    """Relations whose knowledge ends together, apart from that of other relations.

    Args:
        p: How often a single cutoff would look like several by chance.
    """

    relations: tuple[str, ...]
    cutoff: Cutoff
    p: float


def _why_nothing_tells(run: Run) -> str:
    """Say why no prediction of a run tells which answer a model takes: no fact is complete, or no answer was usable."""
    made = sum(LEFT_OUT not in row for row in run.rows().values())
    if not made:
        return f"{run.folder} has no fact with all its predictions yet: resume the run."
    return (
        f"{run.folder}: none of its {made:,} predictions tells which answer the model takes. Either it took none (see "
        f"asof score {run.folder}), or no fact has all its predictions yet: then resume the run."
    )


class CutoffOf:
    """A run, read for what it says about the model's cutoff."""

    def __init__(self, run: Run, *, contrast: Contrast = "others", reading: Reading | None = None) -> None:
        self.run = run
        read_as = preferences_of(run.probe, run.folder)
        self.contrasted = contrast == "others" and read_as.compared
        self.own_only = read_as.own_only
        self.reading = reading_of(run, reading)
        wordings = histories_by_wording(run.benchmark().table())
        self.histories: FactHistories = wordings[min(wordings)]
        self.answers: list[ModelAnswer] = read_answers(run, wordings, reading=self.reading, contrast=contrast)
        if not self.answers:
            raise UserError(_why_nothing_tells(run))

    @cached_property
    def overall(self) -> Cutoff:
        """The estimate over all relations; of several wordings, the interval is as wide as these are apart."""
        found = self._estimate(self.answers)
        told = [one.posterior.periods for one in self.by_wording.values() if one.best is not None and one.posterior]
        if found.posterior is None or found.best is None or len(told) < 2:
            return found
        apart = replace(found.posterior, periods=np.mean(told, axis=0)).interval()
        together = found.posterior.interval()
        low, high = min(apart[0], together[0]), max(apart[1], together[1])
        periods = self.histories.periods
        beyond = _BEYOND[low == 0, high == len(periods) - 1]
        return replace(found, low=periods[low], high=periods[high], beyond=beyond)

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
    def by_wording(self) -> dict[int, Cutoff]:
        """The estimate from each wording alone."""
        found: dict[int, list[ModelAnswer]] = {}
        for one in self.answers:
            found.setdefault(one.wording, []).append(one)
        return {wording: self._estimate(some, alone=True) for wording, some in found.items()}

    @cached_property
    def parts(self) -> list[PartialCutoff]:
        """Groups of relations whose knowledge ends at different times; none where the answers do not show any.

        Each has a cutoff that can be told; the earliest comes first.
        """
        usable: dict[str, list[ModelAnswer]] = {}
        for one in self.answers:
            if one.fact.changes and one.choices:
                usable.setdefault(one.fact.relation_label, []).append(one)
        facts = {name: single_choices(some) for name, some in usable.items()}
        found = relation_parts(facts, periods_per_year=self._periods_per_year)
        if found is None or len(found.relations) < 2:
            return []
        parts = [
            PartialCutoff(
                names, self._estimate([one for one in self.answers if one.fact.relation_label in names]), found.p
            )
            for names in found.relations
        ]
        return parts if all(one.cutoff.best is not None for one in parts) else []

    @property
    def _periods_per_year(self) -> float:
        return 12 / self.histories.periods[0].granularity

    @cached_property
    def by_relation(self) -> dict[str, Cutoff]:
        """The estimate for each relation that has changes, by its name; those with the most first."""
        found: dict[str, list[ModelAnswer]] = {}
        for one in self.answers:
            found.setdefault(one.fact.relation_label, []).append(one)
        changed = {name: len({one.fact.group for one in some if one.fact.changes}) for name, some in found.items()}
        return {
            name: self._estimate(found[name])
            for name in sorted(found, key=lambda name: -changed[name])
            if changed[name]
        }

    @cached_property
    def curve(self) -> list[CurvePoint]:
        """What the answers are worth in each period."""
        found = self.overall.posterior if self.overall.best is not None else None
        bands = expected_new(found, periods_per_year=self._periods_per_year).T if found else None
        return [
            self._point(index, None if bands is None else ExpectedShare(*map(float, bands[index])))
            for index in range(len(self.histories.periods))
        ]

    def _point(self, index: int, expected: ExpectedShare | None) -> CurvePoint:
        asked = [one for one in self.answers if one.fact.changes and one.fact.items[index] is not None]
        verdicts = [one.fact.verdict(one.text, index)[0] for one in asked]
        news = [(one, is_new) for one in asked if (is_new := _takes_new(one, index)) is not None]
        new = mean_of_items([float(is_new) for _, is_new in news], [one.fact.group for one, _ in news], within=SHARE)
        return CurvePoint(
            self.histories.periods[index],
            len({one.fact.group for one in asked}),
            {verdict: verdicts.count(verdict) / len(asked) if asked else float("nan") for verdict in VERDICTS},
            new,
            expected,
        )

    def _estimate(self, answers: Sequence[ModelAnswer], *, alone: bool = False) -> Cutoff:
        """Estimate from some answers.

        Args:
            alone: They are all that there is about their facts, and count whole.
        """
        usable = [one for one in answers if one.fact.changes and one.choices]
        facts = changed_facts(usable, alone=alone)
        count = len({one.fact.group for one in usable})
        control = controls(answers, own_only=self.own_only)
        if count < _FEWEST:
            changed = f"{count} changed {'fact' if count == 1 else 'facts'}"
            why = f"only {changed} got a usable answer; {_FEWEST} are needed"
            return Cutoff("unknown", why, None, None, None, None, count, control, None)
        periods = self.histories.periods
        found = posterior(facts, periods_per_year=self._periods_per_year)
        status, why = _status(found, control, periods)
        if status == "unknown":
            return Cutoff(status, why, None, None, None, None, count, control, found)
        low, high = found.interval()
        low, high = (0 if status == "older" else low), (len(periods) - 1 if status == "newer" else high)
        reaches: tuple[bool, bool] = (low == 0, high == len(periods) - 1)
        beyond = _BEYOND[reaches]
        return Cutoff(status, why, periods[found.best], periods[low], periods[high], beyond, count, control, found)


def _takes_new(answer: ModelAnswer, index: int) -> bool | None:
    """Tell whether the model takes what began in a period, or what was over then; None where neither is so."""
    fact = answer.fact
    if answer.preferred is None or index == 0 or fact.items[index - 1] is None:
        return None
    holds = fact.holds
    begins, ends = holds[:, index] & ~holds[:, :index].any(1), holds[:, index - 1] & ~holds[:, index:].any(1)
    if not begins.any():
        return None
    started = int(holds[answer.preferred].argmax())
    if started >= index:
        return True
    return False if ends[answer.preferred] or not holds[answer.preferred, index:].any() else None


def changed_facts(answers: Sequence[ModelAnswer], *, alone: bool = False) -> list[ChangedFact]:
    """Return what answers say of facts that changed, as the likelihood takes it.

    Args:
        alone: The answers of one wording count whole, though others were asked, too.
    """
    return [
        ChangedFact(
            one.fact.holds,
            choice.given,
            choice.offered,
            choice.weight * (one.wordings if alone else 1),
            choice.period,
        )
        for one in answers
        for choice in one.choices
    ]


def single_choices(answers: Sequence[ModelAnswer]) -> list[ChangedFact]:
    """Return one whole choice for each fact and for each pair it was offered, whatever wordings it was asked in."""
    weights: dict[tuple[str, tuple[int, ...] | None, int | None], dict[int, float]] = {}
    holds = {one.fact.group: one.fact.holds for one in answers}
    for one in answers:
        for choice in one.choices:
            given = weights.setdefault((one.fact.group, choice.offered, choice.period), {})
            given[choice.given] = given.get(choice.given, 0.0) + choice.weight
    return [
        ChangedFact(holds[group], max(given, key=given.__getitem__), offered, period=period)
        for (group, offered, period), given in weights.items()
    ]


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
    if posterior.evidence >= _EVIDENCE:
        if posterior.best == last:
            return "newer", f"it knows the changes up to {periods[-1]}, the last period of the benchmark"
        if posterior.best == 0:
            return "older", f"it knows no change since {periods[0]}, the first period of the benchmark"
        return "estimated", ""
    # Of a model that knows nearly all changes, "always the last answer" is as good an account as a cutoff near the
    # end, and need not be told from it: either way its knowledge reaches the interval, or beyond the range.
    if low > 0 and posterior.newest >= _EVIDENCE_OF_ALL and control.prefers_newer:
        return "newer", f"it knows nearly all changes up to {periods[-1]}, the last period of the benchmark"
    if high < last and posterior.oldest >= _EVIDENCE_OF_ALL and control.prefers_older:
        return "older", f"it knows hardly any change since {periods[0]}, the first period of the benchmark"
    times = float(np.exp(min(posterior.evidence, 50.0)))
    return "unknown", f"its answers are only {times:.2g} times as likely with a cutoff as without one; 20 are needed"
